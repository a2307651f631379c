// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels statement by statement and watches what they do with memory. For tests: it shows
// what a kernel means without any code generator, and finds what a run on a device would hide.
//
//   const Interpretation seen = interpret(kernel, {x.data(), nullptr, y.data()}, sizes);
//   // seen.problems is empty, y holds the result
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cinn/loop/kernel.h"

namespace paddle::cinn {

struct Interpretation {
  bool failed = false;  // a Check did not hold
  // Indices out of bounds; reads of elements that nobody wrote; elements that two threads of a
  // block, or two tasks of a stage, use without a barrier between, at least one writing. Each
  // names the stage, the statement, the buffer and the index, and is said once per statement and
  // buffer. The run goes on: a read that is a problem gives 0, a write out of bounds does nothing.
  std::vector<std::string> problems;
};

// `memory`: by buffer, dense and of the buffer's type, for arguments; else ignored. Tasks
// run in order, one at a time; the multiplications and additions of an expression are rounded each.
// RuntimeError where the kernel breaks the rules of kernel.h or the sizes those of `multiples`.
Interpretation interpret(const Kernel& kernel, const std::vector<void*>& memory,
                         const std::vector<int64_t>& sizes);

}  // namespace paddle::cinn
