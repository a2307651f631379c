// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of 16-bit floats that are those of float32: their arguments are widened first, their
// results rounded last. One element at a time both would take longer than the kernel itself.
//
//   add_floats<pool_kernel<float>, pool_kernel<double>>(r, "pool2d");
#pragma once

#include "paddle_core/op/registry.h"

namespace paddle::cpu {

// Calls `kernel` with every 16-bit float tensor among arguments and results as float32.
void call_in_float32(KernelContext& c, KernelFn kernel);

template <KernelFn kKernel>
void in_float32(KernelContext& c) {
  call_in_float32(c, kKernel);
}

// The kernels of an operator for all floats.
template <KernelFn kFloat, KernelFn kDouble>
void add_floats(Registry& r, const char* op) {
  r.kernel(op, DeviceKind::kCpu, {DType::kFloat32}, kFloat);
  r.kernel(op, DeviceKind::kCpu, {DType::kFloat64}, kDouble);
  r.kernel(op, DeviceKind::kCpu, {DType::kFloat16, DType::kBFloat16}, in_float32<kFloat>);
}

}  // namespace paddle::cpu
