// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations with regions. pd_op.if(condition) has two regions without arguments; pd_op.while(
// condition, values...) has one whose arguments are the values of a round and which yields the next
// condition and the next values. Both regions end in cf.yield and use outer values directly.
#pragma once

#include "pir/ir/ir.h"

namespace paddle::pir {

inline bool is_if(const Operation& op) { return op.is("pd_op.if"); }
inline bool is_while(const Operation& op) { return op.is("pd_op.while"); }
// cf.grad(targets..., inputs..., target gradients or none...) with attributes targets and inputs,
// their numbers: gradients of what ran before, branches and loops included, as autograd recorded
// it in this run; zeros where an input took no part.
inline bool is_gradient(const Operation& op) { return op.is("cf.grad"); }
// cf.detach(x): x, through which no gradient flows when a run is recorded. It shares x's memory.
inline constexpr std::string_view kDetach = "cf.detach";
// cf.with_history(x, t): x, which has the history of t when a run is recorded. It shares x's
// memory.
inline constexpr std::string_view kWithHistory = "cf.with_history";
// cf.extent(x) with attribute `symbol`: the symbol has the value of x, one integer, from here on.
inline constexpr std::string_view kExtent = "cf.extent";
// Values from outside that the block and its inner regions use, each once, in order of use.
PADDLE_API std::vector<Value*> free_values(const Block& block);
// The block is in a region of `op`, at any depth.
PADDLE_API bool is_within(const Block* block, const Operation* op);

}  // namespace paddle::pir
