// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Groups whose kernels the interpreter runs, for tests of schedules: any program that is compiled
// then shows what its kernels do wrong.
#pragma once

#include <string>
#include <vector>

#include "cinn/group/form.h"
#include "cinn/loop/kernel.h"

namespace paddle::cinn {

// What FLAGS_cinn_interpret asks for. ValueError for another value of it.
enum class Interpreted : uint8_t { kNo, kCpu, kBlocks };
Interpreted interpretation_wanted();
// The kernel of a part for these sizes.
Kernel kernel_to_interpret(const GroupForm& form, bool blocks, const int64_t* sizes);
// False where a Check does not hold. RuntimeError that lists the problems of the kernel.
bool interpret_group(const std::string& name, const Kernel& kernel,
                     const std::vector<void*>& memory, const std::vector<int64_t>& sizes);

}  // namespace paddle::cinn
