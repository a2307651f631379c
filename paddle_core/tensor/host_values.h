// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The values of a tensor where host code may read them.
#pragma once

#include "paddle_core/tensor/tensor.h"

namespace paddle {

// The tensor itself when it lies contiguous on the host, else a copy that does; one from a device
// waits for the work that makes the values.
inline Tensor contiguous_on_host(const Tensor& t) {
  if (t.place().is_host()) return t.contiguous_copy_if_needed();
  const Tensor host = Tensor::empty(t.shape(), t.dtype());
  host.copy_data_from(t);
  return host;
}

}  // namespace paddle
