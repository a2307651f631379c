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
  std::string why_not;  // not possible: why
  // Whether only a form in loops is missing; others are never part of a kernel.
  bool lacks_form = false;
};

Candidate candidate(const pir::Operation& op);
// Whether the only effect of the operator is that it overwrites operands.
bool is_update(const pir::Operation& op);
// Whether it draws random numbers, each element its own.
bool is_random_by_element(const pir::Operation& op);

}  // namespace paddle::cinn
