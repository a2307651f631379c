// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks through which nodes keep what they save: `pack` makes a handle of a tensor when a call is
// recorded, `unpack` makes the tensor of the handle when its gradient is computed. The pair that
// was pushed last on the thread is in force; a node remembers its pair.
#pragma once

#include <functional>
#include <memory>

#include "paddle_core/tensor/tensor.h"

namespace paddle::autograd {

struct SavedTensorHooks {
  std::function<std::shared_ptr<void>(const Tensor&)> pack;
  std::function<Tensor(const std::shared_ptr<void>&)> unpack;
};

PADDLE_API void push_saved_tensor_hooks(std::shared_ptr<const SavedTensorHooks> hooks);
// RuntimeError when none was pushed on this thread.
PADDLE_API void pop_saved_tensor_hooks();

}  // namespace paddle::autograd
