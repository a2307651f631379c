// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Formulas over the values of an operator that is being translated: `(x * y + 1.0).sum({1})`.
#pragma once

#include "pir/legacy/translate.h"

namespace paddle::pir {

// A value and the operator whose translation appends what is computed of it. Terms of one dtype
// broadcast; numbers take the dtype of the term beside them.
class Term {
 public:
  using Ints = std::vector<int64_t>;
  // The same where a call spells it out: plain data, so that the many calls stay small.
  using Few = std::initializer_list<int64_t>;

  Term(OpTranslation& op, Value* value) : op_(&op), value_(value) {}
  // The input of a slot, which must be there.
  static Term in(OpTranslation& op, const char* slot) { return {op, op.in(slot)}; }
  static Term full(OpTranslation& op, Few shape, double value, DType dtype);
  static Term concat(const std::vector<Term>& parts, int64_t axis);
  static Term concat(std::initializer_list<Term> parts, int64_t axis);
  static Term numbers(OpTranslation& op, const std::vector<double>& values, DType dtype);
  // 0, 1 ... below `count`, a term of one integer.
  static Term count_up(const Term& count);

  Value* value() const { return value_; }
  operator Value*() const { return value_; }  // NOLINT: terms are values
  DType dtype() const { return value_->type().dtype(); }
  const Shape& shape() const { return value_->type().shape(); }
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  // NotImplementedError when the file leaves it open.
  int64_t known_extent(int64_t axis) const;

  Term make(std::string_view name, Arguments rest = {}) const;
  Term make_all(std::string_view name, const std::vector<NamedGiven>& rest) const;
  Term with(const char* name, const Term& y) const;  // name(x, y)
  Term scaled(double factor, double bias) const;     // x * factor + bias
  Term cast(DType dtype) const { return {*op_, op_->cast(value_, dtype)}; }
  Term like(double value) const;
  Term number(double value) const;
  Term reshape(const Ints& extents) const { return make("reshape", {{"shape", extents}}); }
  Term reshape(Few extents) const;
  Term reshape(const Term& extents) const;
  Term extents() const;  // int64
  Term transpose(const Ints& perm) const { return make("transpose", {{"perm", perm}}); }
  Term transpose(Few perm) const;
  Term unsqueeze(int64_t axis) const;
  Term squeeze(int64_t axis) const;
  Term sum(const Ints& axes, bool keep = false) const;
  Term sum(Few axes, bool keep = false) const;
  Term matmul(const Term& y, bool transpose_x = false, bool transpose_y = false) const;
  // Elements [begin, end) of an axis; `drop`: begin alone, without the axis.
  Term part(int64_t axis, int64_t begin, int64_t end, bool drop = false) const;
  Term at(int64_t axis, int64_t i) const { return part(axis, i, i + 1, true); }
  Term gather(const Term& index, int64_t axis = 0) const;
  Term where(const Term& x, const Term& y) const;  // where this condition holds x, else y
  Term activated(const std::string& name) const;   // empty or identity: itself
  Term normalised(Value* scale, Value* bias, double epsilon, int64_t first_axis) const;

 private:
  OpTranslation* op_;
  Value* value_;
};

inline Term operator+(const Term& x, const Term& y) { return x.with("add", y); }
inline Term operator-(const Term& x, const Term& y) { return x.with("subtract", y); }
inline Term operator*(const Term& x, const Term& y) { return x.with("multiply", y); }
inline Term operator/(const Term& x, const Term& y) { return x.with("divide", y); }
inline Term operator+(const Term& x, double y) { return x.scaled(1, y); }
inline Term operator-(const Term& x, double y) { return x.scaled(1, -y); }
inline Term operator*(const Term& x, double y) { return x.scaled(y, 0); }
inline Term operator<(const Term& x, const Term& y) { return x.with("less_than", y); }
inline Term operator>(const Term& x, const Term& y) { return x.with("greater_than", y); }
inline Term operator>=(const Term& x, const Term& y) { return x.with("greater_equal", y); }
inline Term operator&&(const Term& x, const Term& y) { return x.with("logical_and", y); }
inline Term operator||(const Term& x, const Term& y) { return x.with("logical_or", y); }
inline Term operator!(const Term& x) { return x.make("logical_not"); }

}  // namespace paddle::pir
