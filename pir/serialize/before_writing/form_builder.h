// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writing one operation of a program as others: short spellings of the operations that the forms of
// files (file_forms.cc, loop_forms.cc) are made of.
#pragma once

#include <functional>
#include <vector>

#include "pir/dialect/dialect.h"

namespace paddle::pir {

AttributeArray int64s(const Shape& dims);

class FormBuilder {
 public:
  // Operations are made before `op`.
  explicit FormBuilder(Operation& op) : op_(op), b_(*op.block()) { b_.set_before(&op); }

 protected:
  Value* make(const char* name, const std::vector<Value*>& operands, const Type& type,
              std::vector<NamedAttribute> attributes = {});
  // A vector of integers; extents that are not known are those of the running program.
  Value* ints(const Shape& dims);
  Value* full(const Shape& shape, double value, DType dtype);
  // A tensor like x whose every element is `value`.
  Value* like(Value* x, double value);
  Value* stack(const std::vector<Value*>& values);
  // x[from:to] along an axis, or x[from] with `drop`.
  Value* slice(Value* x, int64_t axis, int64_t from, int64_t to, bool drop);
  Value* reshape(Value* x, const Shape& shape);
  Value* expand(Value* x, const Shape& shape);
  Value* cast(Value* x, DType dtype);
  // Elementwise, of broadcast operands: add, remainder, greater_than, ...
  Value* binary(const char* name, Value* x, Value* y);
  Value* unary(const char* name, Value* x) { return make(name, {x}, x->type()); }
  Value* scaled(Value* x, double factor, double bias = 0);
  Value* any(Value* x);
  // pd_op.while: from `first`, as long as `condition` of the values holds, `step` gives the next.
  using Values = std::vector<Value*>;
  Values loop(const Values& first, const std::function<Value*(const Values&)>& condition,
              const std::function<Values(const Values&)>& step);
  // The values take the place of the operation's results.
  void become(const Values& values);

  Operation& op_;
  Builder b_;
};

}  // namespace paddle::pir
