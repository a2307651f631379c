// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// With r = 1 / b rounded and q = a r rounded, q + (a - q b) r with fused multiply-additions rounds
// to a / b (P. Markstein, Computation of elementary functions on the IBM RISC System/6000
// processor, 1990), unless the remainder underflows (|a| < 2^-102: then one unit in the last place
// may differ). Where b is 0, infinite or NaN, or a is, the remainder is NaN and q itself is the
// quotient.
#include "cinn/schedule/reciprocals.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace paddle::cinn {
namespace {

class Reciprocals {
 public:
  explicit Reciprocals(Kernel& kernel) : kernel_(kernel), pool_(*kernel.pool) {}

  void rewrite(Body& body) {
    Body made;
    for (Statement& s : body) {
      if (auto* loop = std::get_if<Loop>(&s.is)) {
        rewrite(loop->body);
        if (is_innermost(*loop)) before(*loop, made);
      } else if (auto* branch = std::get_if<If>(&s.is)) {
        rewrite(branch->body);
      }
      made.push_back(std::move(s));
    }
    body = std::move(made);
  }

 private:
  static bool is_innermost(const Loop& loop) {
    return std::none_of(loop.body.begin(), loop.body.end(), [](const Statement& s) {
      return std::holds_alternative<Loop>(s.is) || std::holds_alternative<If>(s.is);
    });
  }

  // Whether the value is the same in every iteration.
  bool stays(Expr e) {
    if (const auto found = stays_.find(e); found != stays_.end()) return found->second;
    bool same = e != variable_;
    if (e->op == ExprOp::kRegister) same = same && !registers_.contains(e->integer);
    if (e->op == ExprOp::kLoad) same = same && !stored_.contains(e->integer);
    for (Expr a : e->args) same = same && stays(a);
    return stays_[e] = same;
  }

  void before(Loop& loop, Body& made) {
    variable_ = loop.variable;
    registers_.clear();
    stored_.clear();
    stays_.clear();
    for (const Statement& s : loop.body) {
      if (const auto* d = std::get_if<Declare>(&s.is)) registers_.insert(d->reg);
      if (const auto* a = std::get_if<Assign>(&s.is)) registers_.insert(a->reg);
      if (const auto* a = std::get_if<Accumulate>(&s.is)) registers_.insert(a->reg);
      if (const auto* store = std::get_if<Store>(&s.is)) stored_.insert(store->buffer);
      if (const auto* run = std::get_if<StoreRun>(&s.is)) stored_.insert(run->buffer);
    }
    std::map<Expr, Expr> reciprocals;
    const auto quotient = [&](Expr e) -> Expr {
      if (e->op != ExprOp::kDivide || e->type != DType::kFloat32) return nullptr;
      if (!stays(e->args[1]) || stays(e->args[0])) return nullptr;
      return divided(replaced(e->args[0]), e->args[1], reciprocals, made);
    };
    replace_ = [this, quotient](Expr e) { return pool_.rewrite(e, quotient); };
    for (Statement& s : loop.body) {
      if (auto* d = std::get_if<Declare>(&s.is)) d->value = replaced(d->value);
      if (auto* a = std::get_if<Assign>(&s.is)) a->value = replaced(a->value);
      if (auto* a = std::get_if<Accumulate>(&s.is)) a->value = replaced(a->value);
      if (auto* store = std::get_if<Store>(&s.is)) store->value = replaced(store->value);
      if (auto* run = std::get_if<StoreRun>(&s.is)) {
        for (Expr& value : run->values) value = replaced(value);
      }
      if (auto* check = std::get_if<Check>(&s.is)) check->condition = replaced(check->condition);
    }
  }
  Expr replaced(Expr e) { return replace_(e); }

  Expr divided(Expr a, Expr b, std::map<Expr, Expr>& reciprocals, Body& made) {
    Expr& r = reciprocals[b];
    if (!r) {
      made.push_back({Check{has_reciprocal(b)}});
      const int64_t reg = kernel_.num_registers++;
      made.push_back({Declare{reg, pool_.binary(ExprOp::kDivide, constant(1), b)}});
      r = pool_.reg(reg, DType::kFloat32);
    }
    const Expr q = pool_.multiply(a, r);
    const Expr rest = pool_.fma(pool_.unary(ExprOp::kNegate, q), b, a);
    const Expr is_number = pool_.binary(ExprOp::kEqual, rest, rest);
    return pool_.select(is_number, pool_.fma(rest, r, q), q);
  }
  // 0, a number with a normal reciprocal, infinite or NaN.
  Expr has_reciprocal(Expr b) {
    const Expr size = pool_.unary(ExprOp::kAbs, b);
    const Expr small = pool_.binary(ExprOp::kLess, size, constant(0x1p-126));
    const Expr large = pool_.binary(
        ExprOp::kAnd, pool_.binary(ExprOp::kLess, constant(0x1p126), size),
        pool_.binary(ExprOp::kLess, size, constant(std::numeric_limits<double>::infinity())));
    const Expr is_zero = pool_.binary(ExprOp::kEqual, size, constant(0));
    const Expr outside = pool_.binary(
        ExprOp::kOr, pool_.binary(ExprOp::kAnd, small, pool_.unary(ExprOp::kNot, is_zero)), large);
    return pool_.unary(ExprOp::kNot, outside);
  }
  Expr constant(double value) { return pool_.constant(DType::kFloat32, value); }

  Kernel& kernel_;
  ExprPool& pool_;
  // Of the loop that is rewritten.
  Expr variable_ = nullptr;
  std::set<int64_t> registers_, stored_;
  std::map<Expr, bool> stays_;
  std::function<Expr(Expr)> replace_;
};

}  // namespace

void multiply_by_reciprocals(Kernel& kernel) {
  Reciprocals reciprocals(kernel);
  for (Stage& stage : kernel.stages) reciprocals.rewrite(stage.body);
}

}  // namespace paddle::cinn
