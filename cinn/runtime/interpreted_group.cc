// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a part of a group to the interpreter.
#include "cinn/runtime/interpreted_group.h"

#include "cinn/loop/interpret.h"
#include "cinn/schedule/blocks.h"
#include "paddle_core/base/flags.h"

namespace paddle::cinn {
namespace {

constexpr int kLanes = 16;  // of the CPU's vectors, which the interpreter takes one by one

}  // namespace

Interpreted interpretation_wanted() {
  const std::string how = std::get<std::string>(get_flag("FLAGS_cinn_interpret"));
  if (how.empty()) return Interpreted::kNo;
  PADDLE_CHECK_VALUE(how == "cpu" || how == "blocks", "FLAGS_cinn_interpret is ", how,
                     "; it must be cpu, blocks or empty.");
  return how == "blocks" ? Interpreted::kBlocks : Interpreted::kCpu;
}

Kernel kernel_to_interpret(const GroupForm& form, bool blocks, const int64_t* sizes) {
  return blocks ? schedule_for_blocks(form, choose_block_variant(form, sizes))
                : schedule_for_cpu(form, choose_variant(form, sizes), kLanes);
}

bool interpret_group(const std::string& name, const Kernel& kernel,
                     const std::vector<void*>& memory, const std::vector<int64_t>& sizes) {
  const Interpretation seen = interpret(kernel, memory, sizes);
  std::string list;
  for (const std::string& problem : seen.problems) list += "\n  " + problem;
  PADDLE_CHECK_RUNTIME(seen.problems.empty(), "cinn: the kernel of group ", name, ":", list, "\n",
                       print(kernel));
  return !seen.failed;
}

}  // namespace paddle::cinn
