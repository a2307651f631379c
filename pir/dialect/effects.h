// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What rewrites may do. Values of a program never alias by definition, but their memory does: a
// view shares its operand's, an in-place operator writes into it, and what a program hands out is
// the caller's to write. A rewrite that lets one value stand for another must not make memory
// shared that was separate; these functions say when it is safe.
#pragma once

#include "pir/dialect/dialect.h"

namespace paddle::pir {

// Name of the operation that stands for the uses of values outside of the program.
inline constexpr std::string_view kResults = "builtin.results";

// True when nothing but its results matters: it may be removed, merged with an equal one, moved.
// Never for operators that draw random numbers, have side effects, write in place, or give the
// only definition of a symbolic extent.
PADDLE_API bool is_pure(const Operation& op);
// True when another operation of the block needs a symbolic extent that only this one defines.
PADDLE_API bool gives_extents(const Operation& op);
// Its value is known before the program runs: pd_op.full, pd_op.full_int_array, builtin.constant
// and what other libraries register as such.
PADDLE_API bool is_constant(const Operation& op);
// True when the memory of the value is handed out or written: it reaches the program's results, an
// in-place operand or an operation with regions, by itself or through views.
PADDLE_API bool escapes(const Value* v);
// True when an in-place operator overwrites the memory that the value shows.
PADDLE_API bool is_written(const Value* v);
// The value whose memory `v` shows: itself, or what it is a view of.
PADDLE_API const Value* memory_base(const Value* v);
// True when all uses of `from` may use `to` instead: same type, and memory that becomes shared is
// neither handed out nor written.
PADDLE_API bool may_replace(const Value* from, const Value* to);
// Structurally equal types whose extents are all known or symbols (never the -1 of saved programs).
PADDLE_API bool same_known_type(const Type& a, const Type& b);

}  // namespace paddle::pir
