// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Placing operators run in the sharded layer; a call that comes here came past it.

#include "paddle_core/base/error.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

void refuse(KernelContext& ctx) {
  throw_error(ErrorKind::kRuntime,
              str(ctx.op().name(),
                  ": distributed tensors are not computed here; the layer that "
                  "places them is not installed in this program."));
}

}  // namespace

void register_placing_cpu(Registry& r) {
  for (const char* name : {"reshard", "unshard", "local_part", "whole_of_parts"}) {
#define PADDLE_REGISTER(T, dtype) r.kernel(name, DeviceKind::kCpu, {DType::dtype}, refuse);
    PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
  }
}

}  // namespace paddle::cpu
