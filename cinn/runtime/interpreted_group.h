// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Groups whose kernels the interpreter runs, for tests of schedules: any program that is compiled
// then shows what its kernels do wrong.
#pragma once

#include <memory>

#include "cinn/runtime/group_state.h"

namespace paddle::cinn {

// An executable as FLAGS_cinn_interpret says; null where it is empty. Its run() raises RuntimeError
// that lists the problems of the kernel.
std::shared_ptr<pir::RegionExecutable> interpreted_group(std::shared_ptr<const GroupState> group);

}  // namespace paddle::cinn
