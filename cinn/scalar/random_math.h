// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators each element of which depends on its own numbers of a random state, as expressions:
// they draw what the kernels of phi_kernels/cpu/random draw. Element i gets word i of the state,
// which is one of the four that Philox makes of counter i / 4; normal numbers come in blocks of 64
// words, the first half of which are radii and the second half angles.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cinn/loop/expr.h"
#include "pir/ir/ir.h"

namespace paddle::cinn {

// Whether the operator has a form here.
bool draws_by_element(const OpDef& op);
// Why it has none for this call; empty when it has one.
std::string random_obstacle(const pir::Operation& op);
// The seed that the call says in place of the generator's state; 0: none.
int64_t fixed_seed(const pir::Operation& op);
// Whether elements are made of normal numbers, not of words.
bool draws_normal(const pir::Operation& op);

// The words, int32, of one counter of a state; all int64.
std::array<Expr, 4> words_of_counter(ExprPool& pool, Expr seed, Expr offset, Expr counter);
// Word i of a state.
Expr word_at(ExprPool& pool, Expr seed, Expr offset, Expr i);
inline constexpr int64_t kNormalBlock = 64;
// What places k and k + 32 of a block get of the words there.
std::pair<Expr, Expr> normal_pair(ExprPool& pool, const pir::Operation& op, Expr radius,
                                  Expr angle);
// Normal number i of a state.
Expr normal_at(ExprPool& pool, const pir::Operation& op, Expr seed, Expr offset, Expr i);

// One element of a result: its operands, the last one of which is the word or the normal number.
Expr random_element(ExprPool& pool, const pir::Operation& op, size_t result,
                    std::span<const Expr> operands, std::vector<Expr>& checks);
// What computing it costs, an addition being 1.
int random_weight(const pir::Operation& op);

}  // namespace paddle::cinn
