// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel of gather_tree.
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

template <typename T>
void gather_tree_kernel(KernelContext& c) {
  const TensorImpl& ids = c.in(0);
  if (ids.numel == 0) return;
  const int64_t steps = ids.shape[0].value(), batch = ids.shape[1].value();
  const int64_t beams = ids.shape[2].value(), per_step = batch * beams;
  const T *chosen = c.in_data<T>(0), *parents = c.in_data<T>(1);
  for (int64_t i = per_step; i < steps * per_step; ++i) {  // the first step's are not read
    PADDLE_CHECK_VALUE(parents[i] >= 0 && parents[i] < beams, "gather_tree: parents has the value ",
                       parents[i], "; it must be the number of one of ", beams, " beams.");
  }
  T* out = c.out_data<T>(0);
  parallel_for(0, per_step, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / beams * beams;
      int64_t beam = i - first;
      for (int64_t t = steps - 1; t >= 0; --t) {
        const int64_t at = t * per_step + first + beam;
        out[t * per_step + i] = chosen[at];
        if (t > 0) beam = static_cast<int64_t>(parents[at]);
      }
    }
  });
}

}  // namespace

void register_gather_tree_cpu(Registry& r) {
  r.kernel("gather_tree", DeviceKind::kCpu, {DType::kInt32}, gather_tree_kernel<int32_t>);
  r.kernel("gather_tree", DeviceKind::kCpu, {DType::kInt64}, gather_tree_kernel<int64_t>);
}

}  // namespace paddle::cpu
