// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Placing operators run in the layer of distributed tensors. What comes here are calls on plain
// tensors, which are whole and their own only part.

#include "paddle_core/base/error.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

void copy(KernelContext& ctx) {
  Tensor(IntrusivePtr<TensorImpl>::share(&ctx.out(0))).overwrite_from(ctx.in_tensor(0));
}

void refuse(KernelContext& ctx) {
  throw_error(ErrorKind::kRuntime, str(ctx.op().name(),
                                       ": a program can't make a distributed tensor; call "
                                       "paddle.distributed.reshard outside of it."));
}

}  // namespace

void register_placing_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name)                                       \
  r.kernel("unshard", DeviceKind::kCpu, {DType::name}, copy, true);    \
  r.kernel("local_part", DeviceKind::kCpu, {DType::name}, copy, true); \
  r.kernel("reshard", DeviceKind::kCpu, {DType::name}, refuse);        \
  r.kernel("whole_of_parts", DeviceKind::kCpu, {DType::name}, refuse);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
}

}  // namespace paddle::cpu
