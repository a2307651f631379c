// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Short forms for rewrites in C++: making operations, looking at constants.
#pragma once

#include <optional>

#include "pir/dialect/dialect.h"
#include "pir/ir/rewriter.h"

namespace paddle::pir {

// A new pd_op operation in front of the one being rewritten; its result has the type given, or the
// one that the operator's shape rule gives. Attributes that are not given take their default.
Value* emit(PatternRewriter& r, OpName name, const std::vector<Value*>& operands,
            std::vector<NamedAttribute> attributes = {}, std::optional<Type> type = {});
Value* emit_ints(PatternRewriter& r, const Shape& values);
Value* emit_full(PatternRewriter& r, double value, DType dtype);
Value* emit_reshape(PatternRewriter& r, Value* x, const Shape& shape);

// A parameter or constant that the program does not write: known before it runs.
bool is_weight(const Value* v);
// The number that a constant of one element holds.
std::optional<double> number_of(const Value* v);
// The operation that makes `v` when it has that name, its first result is `v`, and nothing else
// uses it; null otherwise.
Operation* only_producer(const Value* v, OpId name);
// Of a tensor type with known extents; -1 otherwise.
int64_t num_elements(const Type& type);

}  // namespace paddle::pir
