// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// expert_matmul and expert_outer: one matrix product for each expert that is chosen, of the rows
// that chose it.
#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/expert_rows.h"
#include "phi_kernels/cpu/gemm/gemm.h"

namespace paddle::cpu {
namespace {

// arguments: x, weight, ids, transpose_weight
template <typename T>
void product_kernel(KernelContext& c) {
  const bool swapped = c.b(3);
  const Shape& weight = c.in(1).shape;
  const int64_t inputs = weight[swapped ? 2 : 1].value(), outputs = c.out(0).shape[2].value();
  const bool shared = c.in(0).shape.size() == 2;
  const ExpertRows rows(c, 2, weight[0].value());
  const T *x = c.in_data<T>(0), *w = c.in_data<T>(1);
  T* const out = c.out_data<T>(0);
  rows.each_group(inputs * outputs, [&](const ExpertRows::Group& g) {
    std::vector<T> room, beside;
    const T* const from = rows.gathered(x, inputs, shared, g.first, g.count, room);
    const int64_t* const at = rows.order.data() + g.first;
    const bool dense = at[g.count - 1] - at[0] == g.count - 1;
    if (!dense) beside.resize(static_cast<size_t>(g.count * outputs));
    T* const to = dense ? out + at[0] * outputs : beside.data();
    gemm({.trans_b = swapped,
          .m = g.count,
          .n = outputs,
          .k = inputs,
          .lda = inputs,
          .ldb = swapped ? inputs : outputs,
          .ldc = outputs},
         from, w + g.expert * inputs * outputs, to);
    for (int64_t i = 0; !dense && i < g.count; ++i) {
      std::copy_n(to + i * outputs, outputs, out + at[i] * outputs);
    }
  });
}

// arguments: x, y, ids, experts
template <typename T>
void outer_kernel(KernelContext& c) {
  const int64_t m = c.in(0).shape.back().value(), n = c.in(1).shape.back().value();
  const bool x_shared = c.in(0).shape.size() == 2, y_shared = c.in(1).shape.size() == 2;
  const ExpertRows rows(c, 2, c.i(3));
  const T *x = c.in_data<T>(0), *y = c.in_data<T>(1);
  T* const out = c.out_data<T>(0);
  std::vector<bool> chosen(static_cast<size_t>(c.i(3)));
  for (const ExpertRows::Group& g : rows.groups) chosen[static_cast<size_t>(g.expert)] = true;
  for (int64_t e = 0; e < c.i(3); ++e) {
    if (!chosen[static_cast<size_t>(e)]) std::fill_n(out + e * m * n, m * n, T(0.0f));
  }
  rows.each_group(m * n, [&](const ExpertRows::Group& g) {
    std::vector<T> x_room, y_room;
    gemm({.trans_a = true, .m = m, .n = n, .k = g.count, .lda = m, .ldb = n, .ldc = n},
         rows.gathered(x, m, x_shared, g.first, g.count, x_room),
         rows.gathered(y, n, y_shared, g.first, g.count, y_room), out + g.expert * m * n);
  });
}

template <typename T>
void register_of(Registry& r) {
  r.kernel("expert_matmul", DeviceKind::kCpu, {DTypeOf<T>::value}, product_kernel<T>);
  r.kernel("expert_outer", DeviceKind::kCpu, {DTypeOf<T>::value}, outer_kernel<T>);
}

}  // namespace

void register_expert_products_cpu(Registry& r) {
  register_of<float>(r);
  register_of<double>(r);
  register_of<float16>(r);
  register_of<bfloat16>(r);
}

}  // namespace paddle::cpu
