// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of products, and what rests on them: quotients and coefficients.
#include "cinn/loop/index_sums.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace paddle::cinn {
namespace {

bool is_number(Expr e) { return e->op == ExprOp::kConstant; }

void add_to(Sum& sum, const Product& product, int64_t coefficient) {
  const auto at = sum.try_emplace(product, 0).first;
  at->second += coefficient;
  if (at->second == 0) sum.erase(at);
}

size_t longest(const Sum& sum) {
  size_t most = 0;
  for (const auto& [product, coefficient] : sum) most = std::max(most, product.size());
  return most;
}

}  // namespace

bool ByNumber::operator()(const Product& a, const Product& b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](Expr x, Expr y) { return x->number < y->number; });
}

Sum sum_of(Expr e) {
  Sum sum;
  switch (e->op) {
    case ExprOp::kConstant:
      add_to(sum, {}, e->integer);
      return sum;
    case ExprOp::kAdd:
    case ExprOp::kSubtract: {
      sum = sum_of(e->args[0]);
      const int64_t sign = e->op == ExprOp::kAdd ? 1 : -1;
      for (const auto& [p, c] : sum_of(e->args[1])) add_to(sum, p, sign * c);
      return sum;
    }
    case ExprOp::kMultiply: {
      const Sum a = sum_of(e->args[0]), b = sum_of(e->args[1]);
      if (a.size() * b.size() > kMostTerms || longest(a) + longest(b) > kMostFactors) {
        add_to(sum, {e}, 1);
        return sum;
      }
      for (const auto& [p, c] : a) {
        for (const auto& [q, d] : b) {
          Product product = p;
          product.insert(product.end(), q.begin(), q.end());
          std::sort(product.begin(), product.end(),
                    [](Expr x, Expr y) { return x->number < y->number; });
          add_to(sum, product, c * d);
        }
      }
      return sum;
    }
    default:
      add_to(sum, {e}, 1);
      return sum;
  }
}

// x // b and x % b where x = b * y + v and v, a variable or a constant, is in [0, b).
Expr ExprPool::simplify_division(ExprOp op, Expr a, Expr b) {
  if (is_integer_constant(b, 1)) return op == ExprOp::kFloorDivide ? a : integer(0);
  const Sum divisor = sum_of(b);
  if (divisor.size() != 1) return nullptr;  // a single product: sizes times a number
  const auto& [factor, number] = *divisor.begin();
  if (number <= 0) return nullptr;
  // Values of tensors may be zero, or wrap.
  const auto is_size = [](Expr f) { return f->op == ExprOp::kSize; };
  if (!std::all_of(factor.begin(), factor.end(), is_size)) return nullptr;
  Expr quotient = integer(0), rest = integer(0);
  for (const auto& [product, coefficient] : sum_of(a)) {
    Product left = product;
    bool divides = coefficient % number == 0;
    for (Expr f : factor) {
      const auto at = std::find(left.begin(), left.end(), f);
      divides = divides && at != left.end();
      if (at != left.end()) left.erase(at);
    }
    Expr term = integer(divides ? coefficient / number : coefficient);
    for (Expr f : divides ? left : product) term = multiply(term, f);
    (divides ? quotient : rest) = add(divides ? quotient : rest, term);
  }
  // A product of sizes may be 0; then nothing is computed with what comes out.
  const auto below = [&](Expr e) {
    if (is_number(e))
      return e->integer == 0 || (factor.empty() && 0 <= e->integer && e->integer < number);
    if (e->op == ExprOp::kVariable) {
      const Expr extent = extents_[static_cast<size_t>(e->integer)];
      if (extent == b) return true;
      return is_number(extent) && is_number(b) && extent->integer <= b->integer;
    }
    return false;
  };
  // v0 * n1 + v1 below n0 * n1, and so on: the largest stride goes with the last extent.
  const std::function<bool(Expr, Expr)> below_product = [&](Expr e, Expr bound) -> bool {
    if (below(e)) return true;
    // e = v * m + w with w below m and bound = extent(v) * m.
    const Sum sum = sum_of(e);
    for (const auto& [product, coefficient] : sum) {
      for (Expr v : product) {
        if (v->op != ExprOp::kVariable) continue;
        Expr stride = integer(coefficient);
        bool once = true;
        for (Expr f : product) {
          if (f == v && once) {
            once = false;
            continue;
          }
          stride = multiply(stride, f);
        }
        if (multiply(extents_[static_cast<size_t>(v->integer)], stride) != bound) continue;
        const Expr less = subtract(e, multiply(v, stride));
        if (is_integer_constant(less, 0)) return true;
        if (less->op == ExprOp::kVariable &&
            extents_[static_cast<size_t>(less->integer)] == stride) {
          return true;
        }
        if (sum_of(less).size() < sum.size() && below_product(less, stride)) return true;
      }
    }
    return false;
  };
  if (!below_product(rest, b)) return nullptr;
  return op == ExprOp::kFloorDivide ? quotient : rest;
}

std::optional<int64_t> coefficient_of(Expr e, Expr variable) {
  int64_t result = 0;
  for (const auto& [product, coefficient] : sum_of(e)) {
    if (product.size() == 1 && product[0] == variable) {
      result = coefficient;
      continue;
    }
    for (Expr f : product) {
      if (depends_on(f, variable)) return std::nullopt;
    }
  }
  return result;
}

int64_t known_divisor(Expr e, const std::vector<int64_t>& multiples) {
  int64_t divisor = 0;
  for (const auto& [product, coefficient] : sum_of(e)) {
    int64_t of_term = coefficient;
    for (Expr f : product) {
      const auto i = static_cast<size_t>(f->integer);
      if (f->op == ExprOp::kSize && i < multiples.size()) of_term *= multiples[i];
    }
    divisor = std::gcd(divisor, of_term);
  }
  return divisor;
}

}  // namespace paddle::cinn
