// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// cinn.group: operations that run as one kernel. Its region holds them as they were, so that a
// group without a kernel runs as they did; the operands are the arguments of the region's block,
// and what its cf.yield gives are the results. A region uses no value from outside of it.
#pragma once

#include <string_view>
#include <vector>

#include "pir/ir/ir.h"

namespace paddle::cinn {

inline constexpr const char* kGroup = "cinn.group";

// Registers the operation; idempotent.
void register_group();

// Moves operations of one block into a group in front of the last of them; `copied` (constants,
// views) are copied into it. Both in program order. Nothing outside may lie between them that needs
// one and is needed by another; what lies between and needs a result is moved behind the group.
pir::Operation* outline(const std::vector<pir::Operation*>& members,
                        const std::vector<pir::Operation*>& copied);
// Puts the operations of a group back in its place.
void inline_group(pir::Operation& group);
// Of all groups of a block and the regions in it. How many.
size_t inline_groups(pir::Block& block);

}  // namespace paddle::cinn
