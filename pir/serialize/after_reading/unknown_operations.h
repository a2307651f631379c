// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of files that have neither a record nor a meaning of their own here. Some are
// operators of PaddlePaddle 2 under other names: the library of those says what they do.
#pragma once

#include "pir/ir/ir.h"

namespace paddle::pir {

// Of pd_op, in a file of this version. False for what a record reads as its own (upgrade.h), and
// for what loading and the interpreter handle without a record.
bool is_unknown(const Operation& op, int version);
// Whether the library of older operators knows it; loads the library.
bool can_expand(const Operation& op);
// Replaces what that library knows by what it does. Loads it only when an operation of the program
// is unknown.
void expand_unknown(Program& program, int version);

}  // namespace paddle::pir
