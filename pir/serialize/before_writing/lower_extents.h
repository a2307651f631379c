// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Symbolic extents as saved programs have them: computed by operators.
#pragma once

#include "pir/ir/ir.h"

namespace paddle::pir {

// Replaces builtin.dims and constants of symbolic shape, in regions too, by operators that read
// extents of values and calculate with them.
void lower_extents(Block& block);

}  // namespace paddle::pir
