// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A CPU kernel from one C++ function of one number, for operators whose formula needs no table of
// loops per instruction set. run_loop() brings threads, strides and 16-bit types.
//
//   unary_functor<[](auto x) { return x / (1 + std::fabs(x)); }>(r, "softsign");
#pragma once

#include "paddle_core/op/op_def.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/loops.h"

namespace paddle::cpu {

template <auto F, typename T>
void functor_inner(int64_t n, void* out, const void* const* in, const int64_t* stride,
                   const Params&) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in[0]);
  if (stride[0] == 1) {
    for (int64_t i = 0; i < n; ++i) o[i] = F(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = F(x[i * stride[0]]);
  }
}

template <auto F>
void functor_kernel(KernelContext& ctx) {
  const TensorImpl* in[] = {&ctx.in(0)};
  constexpr DType kSingle = DType::kFloat32, kDouble = DType::kFloat64;
  const bool wide = ctx.out(0).dtype == kDouble;
  const Loop loop = wide ? Loop{functor_inner<F, double>, kDouble, kDouble}
                         : Loop{functor_inner<F, float>, kSingle, kSingle};
  run_loop(loop, ctx.out(0), in, 1, Params());
}

// Registers F for floating-point results; integer inputs are converted first.
template <auto F>
void unary_functor(Registry& r, const char* op) {
  r.kernel(op, DeviceKind::kCpu,
           {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}, functor_kernel<F>,
           true);
}

}  // namespace paddle::cpu
