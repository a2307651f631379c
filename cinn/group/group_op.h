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

// Whether the operation makes a constant, which whoever reads it may have a copy of.
bool is_constant_maker(const pir::Operation& op);
// Whether a builtin.constant holds one value only, however many elements it has.
bool is_uniform(const pir::Operation& constant);
// Whether the operation, or one in its regions, draws random numbers.
bool draws(const pir::Operation& op);
// The operands that an operation overwrites: arguments of an operator that works in place, or of
// one in a group.
std::vector<pir::Value*> overwritten_operands(const pir::Operation& op);
// The operations that read the memory of a value, itself or through views.
std::vector<pir::Operation*> readers_of(const pir::Value* v);
// Those of what the operation overwrites, without itself.
std::vector<pir::Operation*> earlier_readers(const pir::Operation& op);

// Registers the operation; idempotent.
void register_group();

// Moves operations of one block into a group in front of the last of them; `copied` (constants,
// views) are copied into it. Both in program order. Nothing outside may lie between them that needs
// one and is needed by another; what lies between and needs a result is moved behind the group.
pir::Operation* outline(const std::vector<pir::Operation*>& members,
                        const std::vector<pir::Operation*>& copied);
// Puts the operations of a group back in its place, and gives them in their order.
std::vector<pir::Operation*> inline_group(pir::Operation& group);
// Of all groups of a block and the regions in it. How many.
size_t inline_groups(pir::Block& block);

}  // namespace paddle::cinn
