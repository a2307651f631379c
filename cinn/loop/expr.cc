// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Making expressions: interning, folding, index arithmetic.
#include "cinn/loop/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <unordered_map>

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

int64_t wrapped(DType type, int64_t value) {
  switch (type) {
    case DType::kBool:
      return value != 0;
    case DType::kUInt8:
      return static_cast<uint8_t>(value);
    case DType::kInt8:
      return static_cast<int8_t>(value);
    case DType::kInt16:
      return static_cast<int16_t>(value);
    case DType::kInt32:
      return static_cast<int32_t>(value);
    default:
      return value;
  }
}

int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}
int64_t modulo(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(floor_divide(a, b)) * static_cast<uint64_t>(b));
}

// Of integers of one type; none where the operation is not for integers.
std::optional<int64_t> compute(ExprOp op, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case ExprOp::kAdd:
      return static_cast<int64_t>(ua + ub);
    case ExprOp::kSubtract:
      return static_cast<int64_t>(ua - ub);
    case ExprOp::kMultiply:
      return static_cast<int64_t>(ua * ub);
    case ExprOp::kFloorDivide:
      return floor_divide(a, b);
    case ExprOp::kModulo:
      return modulo(a, b);
    case ExprOp::kMin:
      return std::min(a, b);
    case ExprOp::kMax:
      return std::max(a, b);
    case ExprOp::kAnd:
      return a & b;
    case ExprOp::kOr:
      return a | b;
    case ExprOp::kXor:
      return a ^ b;
    case ExprOp::kLess:
      return a < b;
    case ExprOp::kLessEqual:
      return a <= b;
    case ExprOp::kEqual:
      return a == b;
    case ExprOp::kNotEqual:
      return a != b;
    default:
      return std::nullopt;
  }
}

// A sum of products of int64 expressions: products are sorted lists of factors.
using Product = std::vector<Expr>;
struct ByNumber {
  bool operator()(const Product& a, const Product& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](Expr x, Expr y) { return x->number < y->number; });
  }
};
using Sum = std::map<Product, int64_t, ByNumber>;

void add_to(Sum& sum, const Product& product, int64_t coefficient) {
  const auto at = sum.try_emplace(product, 0).first;
  at->second += coefficient;
  if (at->second == 0) sum.erase(at);
}

// Index arithmetic stays below; what users compute with integers need not.
constexpr size_t kMostTerms = 24, kMostFactors = 8;

size_t longest(const Sum& sum) {
  size_t most = 0;
  for (const auto& [product, coefficient] : sum) most = std::max(most, product.size());
  return most;
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

}  // namespace

const char* name_of(ExprOp op) {
  static constexpr const char* kNames[] = {
      "constant",    "variable", "size", "register", "load",       "negate", "abs",
      "sqrt",        "floor",    "ceil", "trunc",    "round_even", "not",    "cast",
      "bitcast",     "round16",  "add",  "subtract", "multiply",   "divide", "floordiv",
      "mod",         "min",      "max",  "copysign", "and",        "or",     "xor",
      "shl",         "shr",      "sar",  "less",     "less_equal", "equal",  "not_equal",
      "shuffle_xor", "select",   "fma"};
  return kNames[static_cast<size_t>(op)];
}

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
  return intern({ExprOp::kConstant, type, {}, wrapped(type, value)});
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
    const auto value = compute(op, a->integer, b->integer);
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
    case ExprOp::kLess:
      return boolean(a->real < b->real);
    case ExprOp::kLessEqual:
      return boolean(a->real <= b->real);
    case ExprOp::kEqual:
      return boolean(a->real == b->real);
    case ExprOp::kNotEqual:
      return boolean(a->real != b->real);
    default:
      return nullptr;
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
  const auto value = compute(e->op, evaluate(e->args[0], sizes), evaluate(e->args[1], sizes));
  PADDLE_ASSERT(value.has_value());
  return *value;
}

std::string to_string(Expr e, const std::function<std::string(Expr)>& name_for) {
  if (name_for) {
    if (std::string name = name_for(e); !name.empty()) return name;
  }
  const auto inner = [&](size_t i) { return to_string(e->args[i], name_for); };
  const auto call = [&](std::string name) {
    std::string text = std::move(name) + "(";
    for (size_t i = 0; i < e->args.size(); ++i) text += (i ? ", " : "") + inner(i);
    return text + ")";
  };
  const auto infix = [&](const char* sign) {
    return "(" + inner(0) + " " + sign + " " + inner(1) + ")";
  };
  switch (e->op) {
    case ExprOp::kConstant:
      return is_floating(e->type)      ? str(e->real)
             : e->type == DType::kBool ? (e->integer ? "true" : "false")
                                       : str(e->integer);
    case ExprOp::kVariable:
      return str("i", e->integer);
    case ExprOp::kSize:
      return str("n", e->integer);
    case ExprOp::kRegister:
      return str("r", e->integer);
    case ExprOp::kLoad:
      return str("b", e->integer, "[", inner(0), "]");
    case ExprOp::kAdd:
      return infix("+");
    case ExprOp::kSubtract:
      return infix("-");
    case ExprOp::kMultiply:
      return infix("*");
    case ExprOp::kDivide:
      return infix("/");
    case ExprOp::kFloorDivide:
      return infix("//");
    case ExprOp::kModulo:
      return infix("%");
    case ExprOp::kLess:
      return infix("<");
    case ExprOp::kLessEqual:
      return infix("<=");
    case ExprOp::kEqual:
      return infix("==");
    case ExprOp::kNotEqual:
      return infix("!=");
    case ExprOp::kCast:
    case ExprOp::kBitcast:
      return call(str(e->op == ExprOp::kCast ? "" : "bits_as_", e->type));
    case ExprOp::kRound16:
      return call(str("round_to_", static_cast<DType>(e->integer)));
    default:
      return call(name_of(e->op));
  }
}

}  // namespace paddle::cinn
