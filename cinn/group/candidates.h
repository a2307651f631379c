// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which operations may be part of a kernel.
#pragma once

#include <string>

#include "pir/ir/ir.h"

namespace paddle::cinn {

struct Candidate {
  bool possible = false;
  std::string obstacle;  // where it looked as if it were possible: what is missing
};

Candidate candidate(const pir::Operation& op);
// Whether the only effect of the operator is that it overwrites operands.
bool is_update(const pir::Operation& op);

}  // namespace paddle::cinn
