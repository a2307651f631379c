// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A number that records what is done with it as an expression, so that the functions of
// phi_kernels/functors, which are written for any Single, make code for the compiler too.
#pragma once

#include <bit>

#include "cinn/loop/expr.h"
#include "phi_kernels/functors/number.h"

namespace paddle::cinn {

class Number {
 public:
  using RecordsSingle = void;
  Number() = default;
  Number(ExprPool& pool, Expr e) : pool_(&pool), expr_(e) {}
  // A constant: it takes the type of what it is used with.
  Number(float value) : literal_(value) {}   // NOLINT
  Number(double value) : literal_(value) {}  // NOLINT
  Number(int value) : literal_(value) {}     // NOLINT
  Number(int64_t value)                      // NOLINT
      : literal_(static_cast<double>(value)), whole_(value), is_whole_(true) {}

  Expr expr() const { return expr_; }
  Expr as(ExprPool& pool, DType type) const {
    if (expr_) return expr_;
    return is_whole_ && !is_floating(type) ? pool.integer(type, whole_)
                                           : pool.constant(type, literal_);
  }
  ExprPool* pool() const { return pool_; }

  friend Number operation(ExprOp op, Number a, Number b) {
    ExprPool& pool = a.pool_ ? *a.pool_ : *b.pool_;
    const DType type = a.expr_ ? a.expr_->type : b.expr_->type;
    return {pool, pool.binary(op, a.as(pool, type), b.as(pool, type))};
  }
  friend Number operation(ExprOp op, Number a) { return {*a.pool_, a.pool_->unary(op, a.expr_)}; }

  friend Number operator+(Number a, Number b) { return operation(ExprOp::kAdd, a, b); }
  friend Number operator-(Number a, Number b) { return operation(ExprOp::kSubtract, a, b); }
  friend Number operator*(Number a, Number b) { return operation(ExprOp::kMultiply, a, b); }
  friend Number operator/(Number a, Number b) { return operation(ExprOp::kDivide, a, b); }
  friend Number operator&(Number a, Number b) { return operation(ExprOp::kAnd, a, b); }
  friend Number operator|(Number a, Number b) { return operation(ExprOp::kOr, a, b); }
  friend Number operator^(Number a, Number b) { return operation(ExprOp::kXor, a, b); }
  friend Number operator-(Number a) { return operation(ExprOp::kNegate, a); }
  friend Number operator!(Number a) { return operation(ExprOp::kNot, a); }
  friend Number operator<(Number a, Number b) { return operation(ExprOp::kLess, a, b); }
  friend Number operator>(Number a, Number b) { return operation(ExprOp::kLess, b, a); }
  friend Number operator<=(Number a, Number b) { return operation(ExprOp::kLessEqual, a, b); }
  friend Number operator>=(Number a, Number b) { return operation(ExprOp::kLessEqual, b, a); }
  friend Number operator==(Number a, Number b) { return operation(ExprOp::kEqual, a, b); }
  friend Number operator!=(Number a, Number b) { return operation(ExprOp::kNotEqual, a, b); }

 private:
  ExprPool* pool_ = nullptr;
  Expr expr_ = nullptr;
  double literal_ = 0;
  int64_t whole_ = 0;  // of a constant with more digits than `literal_` has
  bool is_whole_ = false;
};

// -- the helpers of phi_kernels/functors/number.h ------------------------------------------------
inline Number select(Number condition, Number yes, Number no) {
  ExprPool& pool = *condition.pool();
  const Expr typed = yes.expr() ? yes.expr() : no.expr();
  const DType type = typed ? typed->type : DType::kFloat32;
  return {pool, pool.select(condition.expr(), yes.as(pool, type), no.as(pool, type))};
}
inline Number bits_of(Number x) {
  const bool wide = x.expr()->type == DType::kFloat64;
  return {*x.pool(), x.pool()->bitcast(wide ? DType::kInt64 : DType::kInt32, x.expr())};
}
inline Number from_bits(Number x) {
  const bool wide = x.expr()->type == DType::kInt64;
  return {*x.pool(), x.pool()->bitcast(wide ? DType::kFloat64 : DType::kFloat32, x.expr())};
}
inline Number difference(Number a, Number b) { return a - b; }
inline Number shifted_left(Number x, int places) {
  return operation(ExprOp::kShiftLeft, x, places);
}
inline Number shifted_right(Number x, int places) {
  return operation(ExprOp::kShiftRightArithmetic, x, places);
}
inline Number to_float(Number x) { return {*x.pool(), x.pool()->cast(DType::kFloat32, x.expr())}; }
inline Number to_int(Number x) { return {*x.pool(), x.pool()->cast(DType::kInt32, x.expr())}; }
inline Number absolute(Number x) { return operation(ExprOp::kAbs, x); }
inline Number with_sign_of(Number size, Number sign) {
  return operation(ExprOp::kCopySign, size, sign);
}
inline Number fused(Number a, Number b, Number c) {
  ExprPool& pool = *(a.pool() ? a : b.pool() ? b : c).pool();
  const DType type = (a.expr() ? a : b.expr() ? b : c).expr()->type;
  return {pool, pool.fma(a.as(pool, type), b.as(pool, type), c.as(pool, type))};
}
inline Number widened(Number x) { return {*x.pool(), x.pool()->cast(DType::kFloat64, x.expr())}; }
inline Number narrowed(Number x) { return {*x.pool(), x.pool()->cast(DType::kFloat32, x.expr())}; }
inline Number blend(Number condition, Number yes, Number no) { return select(condition, yes, no); }
inline Number rounded_down(Number x) { return operation(ExprOp::kFloor, x); }
inline Number rounded_to_zero(Number x) { return operation(ExprOp::kTrunc, x); }
inline Number square_root(Number x) { return operation(ExprOp::kSqrt, x); }

}  // namespace paddle::cinn
