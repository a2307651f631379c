// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites of whole programs. None removes, merges or moves operations that draw random numbers or
// have side effects.
#pragma once

#include "pir/dialect/dialect.h"

namespace paddle::pir {

// True when nothing but its results matters.
PADDLE_API bool is_pure(const Operation& op);
// Erases pure operations without uses; `kept` values count as used. Returns how many.
PADDLE_API size_t eliminate_dead_code(Block& block, const std::vector<Value*>& kept = {});
// Merges pure operations with equal name, operands and attributes. Returns how many.
PADDLE_API size_t eliminate_common_subexpressions(Block& block);

}  // namespace paddle::pir
