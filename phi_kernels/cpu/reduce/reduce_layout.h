// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How a reduction sees its input: as three extents, of which it reduces the middle one.
#pragma once

#include <span>

#include "paddle_core/tensor/tensor.h"

namespace paddle::cpu {

// The input as [outer, n, inner], reduced over n; moved when the reduced axes do not lie together.
// Where they lie around the kept ones, as [before, kept, after], and `around` is set.
struct ReduceLayout {
  const void* data = nullptr;
  Tensor held;  // keeps data alive
  int64_t outer = 1, n = 1, inner = 1;
  bool around = false;
  int64_t before = 1, kept = 1, after = 1;
};

// `all`, like no axis, reduces every dimension. `any_order`: results do not depend on the order in
// which elements are taken, so reduced axes may lie around the kept ones.
ReduceLayout reduce_layout(const TensorImpl& x, std::span<const Dim> axis, bool all,
                           bool any_order);

}  // namespace paddle::cpu
