// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Making expressions: interning and folding.
#include "cinn/loop/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "cinn/loop/index_sums.h"
#include "cinn/loop/integers.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {
namespace {

bool is_commutative(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd:
    case ExprOp::kMultiply:
    case ExprOp::kAnd:
    case ExprOp::kOr:
    case ExprOp::kXor:
    case ExprOp::kEqual:
    case ExprOp::kNotEqual:
      return true;
    default:
      return false;
  }
}

bool is_comparison(ExprOp op) { return op >= ExprOp::kLess && op <= ExprOp::kNotEqual; }

bool is_number(Expr e) { return e->op == ExprOp::kConstant; }

}  // namespace

size_t ExprPool::Hash::operator()(Expr e) const {
  uint64_t h = static_cast<uint64_t>(e->op) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(e->type);
  const auto mix = [&h](uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  };
  mix(static_cast<uint64_t>(e->integer));
  mix(std::bit_cast<uint64_t>(e->real));
  for (Expr a : e->args) mix(a->number);
  return h;
}

bool ExprPool::Equal::operator()(Expr a, Expr b) const {
  return a->op == b->op && a->type == b->type && a->integer == b->integer &&
         std::bit_cast<uint64_t>(a->real) == std::bit_cast<uint64_t>(b->real) &&
         std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end());
}

ExprPool::ExprPool() = default;
ExprPool::~ExprPool() = default;

Expr ExprPool::intern(ExprNode node) {
  if (const auto found = known_.find(&node); found != known_.end()) return *found;
  node.number = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(std::make_unique<ExprNode>(std::move(node)));
  known_.insert(nodes_.back().get());
  return nodes_.back().get();
}

Expr ExprPool::constant(DType type, double value) {
  if (!is_floating(type)) return integer(type, static_cast<int64_t>(value));
  if (type == DType::kFloat32) value = static_cast<float>(value);
  return intern({ExprOp::kConstant, type, {}, 0, value});
}

Expr ExprPool::integer(DType type, int64_t value) {
  if (is_floating(type)) return constant(type, static_cast<double>(value));
  if (type == DType::kBool) return intern({ExprOp::kConstant, type, {}, value != 0});
  return intern({ExprOp::kConstant, type, {}, wrapped(type, static_cast<uint64_t>(value))});
}

Expr ExprPool::variable(Expr extent) {
  extents_.push_back(extent);
  return intern({ExprOp::kVariable, DType::kInt64, {}, static_cast<int64_t>(extents_.size()) - 1});
}

Expr ExprPool::size(int64_t position) {
  return intern({ExprOp::kSize, DType::kInt64, {}, position});
}

Expr ExprPool::reg(int64_t number, DType type) {
  return intern({ExprOp::kRegister, type, {}, number});
}

Expr ExprPool::load(int64_t buffer, DType type, Expr index) {
  PADDLE_ASSERT(index->type == DType::kInt64);
  if (type == DType::kFloat16 || type == DType::kBFloat16) type = DType::kFloat32;
  return intern({ExprOp::kLoad, type, {index}, buffer});
}

Expr ExprPool::unary(ExprOp op, Expr x) {
  if (op == ExprOp::kNegate && x->type == DType::kInt64) return subtract(integer(0), x);
  if (op == ExprOp::kNot && x->type == DType::kBool) {
    if (is_number(x)) return boolean(x->integer == 0);
    if (x->op == ExprOp::kNot) return x->args[0];
  }
  if (op == ExprOp::kNegate && is_number(x)) {
    return is_floating(x->type)
               ? constant(x->type, -x->real)
               : integer(x->type, static_cast<int64_t>(0 - static_cast<uint64_t>(x->integer)));
  }
  if (op == ExprOp::kNegate && x->op == ExprOp::kNegate) return x->args[0];
  if (op == ExprOp::kSqrt && is_number(x) && x->real >= 0) {
    return constant(x->type, x->type == DType::kFloat32 ? std::sqrt(static_cast<float>(x->real))
                                                        : std::sqrt(x->real));
  }
  return intern({op, x->type, {x}});
}

Expr ExprPool::cast(DType type, Expr x) {
  if (type == x->type) return x;
  if (is_number(x)) {
    if (!is_floating(x->type)) return integer(type, x->integer);
    if (is_floating(type)) return constant(type, x->real);
    if (type == DType::kBool) return boolean(x->real != 0);
    if (std::abs(x->real) < 1e9) return integer(type, static_cast<int64_t>(x->real));
  }
  if (type == DType::kBool) {
    return binary(ExprOp::kNotEqual, x,
                  is_floating(x->type) ? constant(x->type, 0) : integer(x->type, 0));
  }
  return intern({ExprOp::kCast, type, {x}});
}

Expr ExprPool::bitcast(DType type, Expr x) {
  PADDLE_ASSERT(size_of(type) == size_of(x->type));
  return type == x->type ? x : intern({ExprOp::kBitcast, type, {x}});
}

Expr ExprPool::round16(DType to, Expr x) {
  PADDLE_ASSERT(x->type == DType::kFloat32);
  return intern({ExprOp::kRound16, DType::kFloat32, {x}, static_cast<int64_t>(to)});
}

// Of constants, else null.
Expr ExprPool::fold(ExprOp op, DType type, Expr a, Expr b) {
  if (!is_number(a) || !is_number(b)) return nullptr;
  if (!is_floating(a->type)) {
    const auto value = integer_operation(op, a->type, a->integer, b->integer);
    return value ? integer(type, *value) : nullptr;
  }
  const bool single = a->type == DType::kFloat32;
  const auto rounded = [&](double wide, float narrow) {
    return constant(a->type, single ? static_cast<double>(narrow) : wide);
  };
  const auto fa = static_cast<float>(a->real), fb = static_cast<float>(b->real);
  switch (op) {
    case ExprOp::kAdd:
      return rounded(a->real + b->real, fa + fb);
    case ExprOp::kSubtract:
      return rounded(a->real - b->real, fa - fb);
    case ExprOp::kMultiply:
      return rounded(a->real * b->real, fa * fb);
    case ExprOp::kDivide:
      return b->real != 0 ? rounded(a->real / b->real, fa / fb) : nullptr;
    default: {
      const auto holds = compared(op, a->real, b->real);
      return holds ? boolean(*holds) : nullptr;
    }
  }
}

// |x| beside 0, of floats. Said without |x|: LLVM 19 loses the sign of x where it joins such a
// comparison with one for NaN.
Expr ExprPool::beside_zero(ExprOp op, Expr a, Expr b) {
  const auto is_zero = [](Expr e) { return is_number(e) && is_floating(e->type) && e->real == 0; };
  const bool left = a->op == ExprOp::kAbs && is_zero(b),
             right = is_zero(a) && b->op == ExprOp::kAbs;
  if (!left && !right) return nullptr;
  const Expr size = left ? a : b, x = size->args[0], zero = constant(x->type, 0);
  switch (op) {
    case ExprOp::kMax:
      return size;
    case ExprOp::kMin:
      return select(binary(ExprOp::kEqual, x, x), zero, x);
    case ExprOp::kEqual:
    case ExprOp::kNotEqual:
      return binary(op, x, zero);
    case ExprOp::kLess:
      return left ? boolean(false)
                  : binary(ExprOp::kOr, binary(ExprOp::kLess, x, zero),
                           binary(ExprOp::kLess, zero, x));
    case ExprOp::kLessEqual:
      return left ? binary(ExprOp::kEqual, x, zero) : binary(ExprOp::kEqual, x, x);
    default:
      return nullptr;
  }
}

Expr ExprPool::binary(ExprOp op, Expr a, Expr b) {
  PADDLE_CHECK_RUNTIME(a->type == b->type || op == ExprOp::kShuffleXor, "cinn: ", name_of(op),
                       " of ", a->type, " and ", b->type, ": ", to_string(a), ", ", to_string(b));
  const DType type = is_comparison(op) ? DType::kBool : a->type;
  if (Expr folded = fold(op, type, a, b)) return folded;
  if (Expr simple = beside_zero(op, a, b)) return simple;
  const bool whole = !is_floating(a->type);
  if (type == DType::kBool && a->type == DType::kBool) {
    for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      if (!is_number(x)) continue;
      if (op == ExprOp::kAnd) return x->integer ? y : x;
      if (op == ExprOp::kOr) return x->integer ? x : y;
    }
  }
  if (whole && a == b) {
    switch (op) {
      case ExprOp::kSubtract:
      case ExprOp::kXor:
        return integer(a->type, 0);
      case ExprOp::kMin:
      case ExprOp::kMax:
      case ExprOp::kAnd:
      case ExprOp::kOr:
        return a;
      case ExprOp::kEqual:
      case ExprOp::kLessEqual:
        return boolean(true);
      case ExprOp::kLess:
      case ExprOp::kNotEqual:
        return boolean(false);
      default:
        break;
    }
  }
  if (type == DType::kInt64 &&
      (op == ExprOp::kAdd || op == ExprOp::kSubtract || op == ExprOp::kMultiply)) {
    // Canonical: a sum of products in a fixed order.
    const ExprNode draft{op, type, {a, b}};
    const Sum sum = sum_of(&draft);
    if (sum.size() <= kMostTerms && !sum.contains({&draft})) {
      Expr total = nullptr;
      int64_t offset = 0;
      for (const auto& [product, coefficient] : sum) {
        if (product.empty()) {
          offset = coefficient;
          continue;
        }
        Expr term = product[0];
        for (size_t i = 1; i < product.size(); ++i) {
          term = intern({ExprOp::kMultiply, type, {term, product[i]}});
        }
        if (coefficient != 1)
          term = intern({ExprOp::kMultiply, type, {term, integer(coefficient)}});
        total = total ? intern({ExprOp::kAdd, type, {total, term}}) : term;
      }
      if (!total) return integer(offset);
      return offset ? intern({ExprOp::kAdd, type, {total, integer(offset)}}) : total;
    }
  }
  if (type == DType::kInt64 && (op == ExprOp::kFloorDivide || op == ExprOp::kModulo)) {
    if (Expr simple = simplify_division(op, a, b)) return simple;
  }
  if (!whole) {
    if (op == ExprOp::kMultiply && is_number(b) && b->real == 1) return a;
    if (op == ExprOp::kMultiply && is_number(a) && a->real == 1) return b;
    if (op == ExprOp::kDivide && is_number(b) && b->real == 1) return a;
  }
  if (is_commutative(op) && a->number > b->number) std::swap(a, b);
  return intern({op, type, {a, b}});
}

Expr ExprPool::select(Expr condition, Expr a, Expr b) {
  PADDLE_CHECK_RUNTIME(condition->type == DType::kBool && a->type == b->type, "cinn: select of ",
                       a->type, " and ", b->type, " by ", condition->type);
  if (is_number(condition)) return condition->integer ? a : b;
  if (a == b) return a;
  return intern({ExprOp::kSelect, a->type, {condition, a, b}});
}

Expr ExprPool::fma(Expr a, Expr b, Expr c) { return intern({ExprOp::kFma, a->type, {a, b, c}}); }

Expr ExprPool::rewrite(Expr e, const std::function<Expr(Expr)>& replacement) {
  std::unordered_map<Expr, Expr> done;
  const std::function<Expr(Expr)> visit = [&](Expr x) -> Expr {
    if (const auto found = done.find(x); found != done.end()) return found->second;
    Expr result = replacement(x);
    if (!result) {
      SmallVector<Expr, 3> args;
      bool same = true;
      for (Expr a : x->args) {
        args.push_back(visit(a));
        same = same && args.back() == a;
      }
      if (same) {
        result = x;
      } else if (x->op == ExprOp::kLoad) {
        result = load(x->integer, x->type, args[0]);
      } else if (x->op == ExprOp::kCast) {
        result = cast(x->type, args[0]);
      } else if (x->op == ExprOp::kBitcast) {
        result = bitcast(x->type, args[0]);
      } else if (x->op == ExprOp::kRound16) {
        result = round16(static_cast<DType>(x->integer), args[0]);
      } else if (args.size() == 1) {
        result = unary(x->op, args[0]);
      } else if (args.size() == 2) {
        result = binary(x->op, args[0], args[1]);
      } else if (x->op == ExprOp::kSelect) {
        result = select(args[0], args[1], args[2]);
      } else {
        result = fma(args[0], args[1], args[2]);
      }
    }
    done.emplace(x, result);
    return result;
  };
  return visit(e);
}

bool depends_on(Expr e, Expr on) {
  std::unordered_set<Expr> seen;
  const std::function<bool(Expr)> visit = [&](Expr x) {
    if (x == on) return true;
    if (x->number < on->number || !seen.insert(x).second) return false;
    return std::any_of(x->args.begin(), x->args.end(), visit);
  };
  return visit(e);
}

int64_t evaluate(Expr e, const int64_t* sizes) {
  switch (e->op) {
    case ExprOp::kConstant:
      return e->integer;
    case ExprOp::kSize:
      return sizes[e->integer];
    case ExprOp::kSelect:
      return evaluate(e->args[0], sizes) ? evaluate(e->args[1], sizes)
                                         : evaluate(e->args[2], sizes);
    default:
      break;
  }
  PADDLE_ASSERT(e->args.size() == 2);
  const auto value = integer_operation(e->op, e->args[0]->type, evaluate(e->args[0], sizes),
                                       evaluate(e->args[1], sizes));
  PADDLE_ASSERT(value.has_value());
  return *value;
}

}  // namespace paddle::cinn
