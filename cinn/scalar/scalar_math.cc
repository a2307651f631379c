// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of forms.
#include "cinn/scalar/scalar_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "cinn/scalar/number.h"
#include "paddle_core/op/args.h"
#include "phi_kernels/functors/division.h"
#include "phi_kernels/functors/log.h"
#include "phi_kernels/functors/through_double.h"
#include "phi_kernels/functors/trigonometry.h"
#include "pir/dialect/arguments.h"

namespace paddle::cinn {
namespace {

DType computed_in(DType type) {
  return type == DType::kFloat16 || type == DType::kBFloat16 ? DType::kFloat32 : type;
}

// The elements of a call and its other arguments.
class Call {
 public:
  Call(ExprPool& pool, const pir::Operation& op, std::span<const Expr> operands,
       std::vector<Expr>& checks)
      : pool(pool), op(op), operands_(operands), checks_(checks) {}

  Number x(size_t i = 0) const { return {pool, operands_[i]}; }
  Number number(double value) const { return {pool, pool.constant(type(), value)}; }
  DType type() const { return computed_in(op.result()->type().dtype()); }
  bool real() const { return is_floating(operands_[0]->type); }
  Number integer(int64_t value) const { return {pool, pool.integer(type(), value)}; }
  void check(Number condition) const {
    if (!is_integer_constant(condition.expr(), 1)) checks_.push_back(condition.expr());
  }
  const pir::Attribute* attribute(const char* name) const { return op.find_attribute(name); }
  Scalar scalar_of(const char* name) const { return number_argument(op, name); }
  double real_attribute(const char* name) const { return number_argument(op, name).to_double(); }
  Scalar scalar_of(std::string_view name) const { return number_argument(op, name); }
  bool flag(const char* name) const { return number_argument(op, name).to_bool(); }

  ExprPool& pool;
  const pir::Operation& op;

 private:
  std::span<const Expr> operands_;
  std::vector<Expr>& checks_;
};

// For which operands a form is right.
enum Takes : uint8_t {
  kSingles,   // float32, in which 16-bit floats are computed as well, and integers that give it
  kReals,     // float64 too
  kNumbers,   // and integers
  kAnything,  // and bool
  kWhole,     // integers and bool
  kIntegers,
};

struct Form {
  Takes takes;
  int weight;
  Number (*make)(const Call&);
};

Number extreme(const Call& c, ExprOp op) { return operation(op, c.x(0), c.x(1)); }

Number truth(Number x) { return {*x.pool(), x.pool()->cast(DType::kBool, x.expr())}; }

// Numbers beside integers lose their fraction; those outside of all integers become their ends.
int64_t whole(const Scalar& s) {
  if (s.is_integral()) return s.to_int();
  if (s.to_double() >= 9.2e18) return INT64_MAX;
  return s.to_double() <= -9.2e18 ? INT64_MIN : s.to_int();
}

Number scaled(const Call& c) {
  const Number x = c.x();
  const bool given = tensor_operands(c.op).size() > 1;
  const auto constant = [&](const char* name) {
    const Scalar value = c.scalar_of(name);
    return c.real() ? c.number(value.to_double()) : c.integer(whole(value));
  };
  const Number bias = constant("bias");
  const Number factor =
      given ? Number(c.pool, c.pool.cast(c.type(), c.x(1).expr())) : constant("scale");
  return c.flag("bias_after_scale") ? x * factor + bias : (x + bias) * factor;
}

constexpr int64_t kMostMultiplied = 16;  // exponents of integers that are products

Number powered(const Call& c) {
  const Number x = c.x();
  if (!c.real()) {
    Number product = c.integer(1), square = x;
    for (int64_t y = whole(c.scalar_of("y")); y > 0; y >>= 1, square = square * square) {
      if (y & 1) product = product * square;
    }
    return product;
  }
  const double y = c.real_attribute("y");
  if (y == 1) return x;
  if (y == 2) return x * x;
  if (y == 3) return x * x * x;
  if (y == -1) return 1.0f / x;
  if (y == -2) return (1.0f / x) * (1.0f / x);
  if (y != 0.5 && y != -0.5) return math::pow(x, c.number(y));
  const Number root =
      select(x == Number(-std::numeric_limits<float>::infinity()), -x, square_root(x) + 0.0f);
  return y > 0 ? root : 1.0f / root;
}

// Why a constant power has no form; empty when it has one.
std::string power_obstacle(const pir::Operation& op) {
  const std::vector<Expr> none;
  std::vector<Expr> checks;
  ExprPool pool;
  const Scalar exponent = Call(pool, op, none, checks).scalar_of("y");
  const DType type = op.result()->type().dtype();
  if (is_integer(type)) {
    const int64_t y = whole(exponent);
    return 0 <= y && y <= kMostMultiplied ? "" : "a power of integers that is no short product";
  }
  const double y = exponent.to_double();
  const bool easy = y == 1 || y == 2 || y == 3 || y == -1 || y == -2 || y == 0.5 || y == -0.5;
  return easy || type != DType::kFloat64 ? "" : "a power of float64 that takes a logarithm";
}

// Rounded to whole numbers, or to digits behind the point.
Number rounded(const Call& c) {
  if (!c.real()) return c.x();
  const int64_t digits = c.scalar_of("decimals").to_int();
  if (digits == 0) return operation(ExprOp::kRoundEven, c.x());
  const Number unit = c.number(std::pow(10.0, static_cast<double>(digits)));
  return operation(ExprOp::kRoundEven, c.x() * unit) / unit;
}
Number rounded_by(const Call& c, ExprOp op) { return c.real() ? operation(op, c.x()) : c.x(); }

Number sign_of(const Call& c) {
  const Number x = c.x(), below = select(x < 0, c.number(-1), x);
  return select(x > 0, c.number(1), below);
}

// Eager execution refuses to divide integers by 0.
Number of_divisor(const Call& c, ExprOp op) {
  c.check(c.x(1) != 0);
  return operation(op, c.x(0), c.x(1));
}

Number remainder(const Call& c) {
  if (!c.real()) return of_divisor(c, ExprOp::kModulo);
  const Number x = c.x(0), y = c.x(1);
  const bool wide = c.type() == DType::kFloat64;
  const Number few = wide ? math::wide_few_multiples(x, y) : math::few_multiples(x, y);
  // Where there is no remainder, the formula gives NaN as well.
  const Number none = (x != x) | (y != y) | (y == 0) |
                      (absolute(x) == Number(std::numeric_limits<float>::infinity()));
  c.check(few | none);
  return wide ? math::wide_remainder_of_few(x, y) : math::remainder_of_few(x, y);
}

// A shift by more places than there are leaves the sign, or nothing.
Number shifted(const Call& c, bool left) {
  const Number x = c.x(0), y = c.x(1);
  const DType type = c.type();
  const auto bits = static_cast<int>(size_of(type)) * 8;
  const Number inside = (y >= 0) & (y < bits);
  const bool keeps_sign = !left && c.flag("is_arithmetic") && type != DType::kUInt8;
  if (keeps_sign) {
    return operation(ExprOp::kShiftRightArithmetic, x, select(inside, y, c.integer(bits - 1)));
  }
  const Number places = select(inside, y, c.integer(0));
  return select(inside, operation(left ? ExprOp::kShiftLeft : ExprOp::kShiftRight, x, places),
                c.integer(0));
}

Number copied_sign(const Call& c) {
  const Number x = c.x(0), y = c.x(1);
  if (c.real()) return with_sign_of(x, y);
  return c.type() == DType::kUInt8 ? x : select((x < 0) != (y < 0), -x, x);
}

Number neighbour(const Call& c) {
  return math::next_towards(
      c.x(0), c.x(1),
      c.number(c.type() == DType::kFloat64 ? std::numeric_limits<double>::denorm_min()
                                           : std::numeric_limits<float>::denorm_min()));
}

// The formulas of the gamma family are for positive numbers.
Number of_positive(const Call& c, Number value) {
  c.check((c.x() > 0) & (c.x() < Number(math::kGammaEnd)));
  return value;
}

Number gelu(const Call& c) {
  const Number x = c.x();
  if (!c.flag("approximate")) return x * math::normal_cdf(x);
  const Number inner = 0.79788456080286536f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + math::tanh(inner));
}
Number gelu_gradient(const Call& c) {
  const Number x = c.x(0), g = c.x(1);
  if (!c.flag("approximate")) {
    return g * (math::normal_cdf(x) + x * 0.39894228040143268f * math::exp(-0.5f * x * x));
  }
  const float k = 0.79788456080286536f;
  const Number t = math::tanh(k * (x + 0.044715f * x * x * x));
  const Number slope = k * (1.0f + 0.134145f * x * x);
  return g * 0.5f * (1.0f + t + x * (1.0f - t * t) * slope);
}

// Beyond this many turns the angle is reduced another way.
Number of_angle(const Call& c, Number value) {
  const Number size = absolute(c.x());
  c.check(!(size > Number(math::kTurns)));
  return value;
}

Number clipped(const Call& c) {
  const Number x = c.x();
  const auto bound = [&](const char* name) {
    const Scalar value = c.scalar_of(name);
    if (c.real()) return c.number(value.to_double());
    const int bits = static_cast<int>(size_of(c.type())) * 8;
    const bool is_unsigned = c.type() == DType::kUInt8;
    const auto most = static_cast<int64_t>(~uint64_t{0} >> (is_unsigned ? 64 - bits : 65 - bits));
    return c.integer(std::clamp(whole(value), is_unsigned ? 0 : -most - 1, most));
  };
  const Number low = bound("min"), high = bound("max");
  const Number above = select(x < low, low, x);
  return select(high < above, high, above);
}

const std::unordered_map<std::string, Form>& forms() {
  using C = const Call&;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const std::unordered_map<std::string, Form> table = {
      // arithmetic
      {"add",
       {kAnything, 1,
        [](C c) { return c.type() == DType::kBool ? c.x(0) | c.x(1) : c.x(0) + c.x(1); }}},
      {"subtract", {kNumbers, 1, [](C c) { return c.x(0) - c.x(1); }}},
      {"multiply",
       {kAnything, 1,
        [](C c) { return c.type() == DType::kBool ? c.x(0) & c.x(1) : c.x(0) * c.x(1); }}},
      {"divide", {kReals, 4, [](C c) { return c.x(0) / c.x(1); }}},
      {"floor_divide",
       {kNumbers, 10,
        [](C c) {
          return c.real() ? math::floor_quotient(c.x(0), c.x(1))
                          : of_divisor(c, ExprOp::kFloorDivide);
        }}},
      {"remainder", {kNumbers, 20, remainder}},
      {"trunc_divide",
       {kNumbers, 6,
        [](C c) {
          return c.real() ? operation(ExprOp::kTrunc, c.x(0) / c.x(1))
                          : of_divisor(c, ExprOp::kDivide);
        }}},
      {"maximum", {kNumbers, 2, [](C c) { return extreme(c, ExprOp::kMax); }}},
      {"minimum", {kNumbers, 2, [](C c) { return extreme(c, ExprOp::kMin); }}},
      {"neg", {kNumbers, 1, [](C c) { return -c.x(); }}},
      {"abs", {kNumbers, 1, [](C c) { return absolute(c.x()); }}},
      {"square", {kNumbers, 1, [](C c) { return c.x() * c.x(); }}},
      {"scale", {kNumbers, 1, scaled}},
      {"clip", {kNumbers, 2, clipped}},
      {"sqrt", {kReals, 4, [](C c) { return square_root(c.x()); }}},
      {"rsqrt", {kReals, 8, [](C c) { return c.number(1) / square_root(c.x()); }}},
      {"reciprocal", {kReals, 4, [](C c) { return c.number(1) / c.x(); }}},
      {"pow", {kNumbers, 4, powered}},
      {"elementwise_pow", {kSingles, 60, [](C c) { return math::pow(c.x(0), c.x(1)); }}},
      {"floor", {kNumbers, 1, [](C c) { return rounded_by(c, ExprOp::kFloor); }}},
      {"ceil", {kNumbers, 1, [](C c) { return rounded_by(c, ExprOp::kCeil); }}},
      {"trunc", {kNumbers, 1, [](C c) { return rounded_by(c, ExprOp::kTrunc); }}},
      {"round", {kNumbers, 2, rounded}},
      {"sign", {kNumbers, 2, sign_of}},
      {"copysign", {kNumbers, 2, copied_sign}},
      {"nextafter", {kReals, 6, neighbour}},
      {"assign", {kAnything, 0, [](C c) { return c.x(); }}},
      {"cast",
       {kAnything, 1,
        [](C c) {
          const DType to = c.op.result()->type().dtype();
          const Expr value = c.pool.cast(computed_in(to), c.x().expr());
          const bool narrow = computed_in(to) != to && c.op.operand(0)->type().dtype() != to;
          return Number(c.pool, narrow ? c.pool.round16(to, value) : value);
        }}},
      {"where", {kAnything, 1, [](C c) { return select(c.x(0), c.x(1), c.x(2)); }}},
      // comparisons and truth values
      {"equal", {kAnything, 1, [](C c) { return c.x(0) == c.x(1); }}},
      {"not_equal", {kAnything, 1, [](C c) { return c.x(0) != c.x(1); }}},
      {"less_than", {kAnything, 1, [](C c) { return c.x(0) < c.x(1); }}},
      {"less_equal", {kAnything, 1, [](C c) { return c.x(0) <= c.x(1); }}},
      {"greater_than", {kAnything, 1, [](C c) { return c.x(0) > c.x(1); }}},
      {"greater_equal", {kAnything, 1, [](C c) { return c.x(0) >= c.x(1); }}},
      {"logical_not", {kAnything, 1, [](C c) { return !truth(c.x()); }}},
      {"logical_and", {kAnything, 1, [](C c) { return truth(c.x(0)) & truth(c.x(1)); }}},
      {"logical_or", {kAnything, 1, [](C c) { return truth(c.x(0)) | truth(c.x(1)); }}},
      {"logical_xor", {kAnything, 1, [](C c) { return truth(c.x(0)) ^ truth(c.x(1)); }}},
      {"bitwise_not", {kWhole, 1, [](C c) { return !c.x(); }}},
      {"bitwise_and", {kWhole, 1, [](C c) { return c.x(0) & c.x(1); }}},
      {"bitwise_or", {kWhole, 1, [](C c) { return c.x(0) | c.x(1); }}},
      {"bitwise_xor", {kWhole, 1, [](C c) { return c.x(0) ^ c.x(1); }}},
      {"bitwise_left_shift", {kIntegers, 3, [](C c) { return shifted(c, true); }}},
      {"bitwise_right_shift", {kIntegers, 3, [](C c) { return shifted(c, false); }}},
      {"isnan", {kAnything, 1, [](C c) { return c.x() != c.x(); }}},
      {"isinf",
       {kAnything, 1,
        [](C c) {
          return c.real() ? absolute(c.x()) == Number(kInfinity)
                          : Number(c.pool, c.pool.boolean(false));
        }}},
      {"isfinite",
       {kAnything, 1,
        [](C c) {
          return c.real() ? absolute(c.x()) < Number(kInfinity)
                          : Number(c.pool, c.pool.boolean(true));
        }}},
      // transcendental functions
      {"exp", {kSingles, 14, [](C c) { return math::exp(c.x()); }}},
      {"expm1", {kSingles, 16, [](C c) { return math::expm1(c.x()); }}},
      {"log", {kSingles, 20, [](C c) { return math::log(c.x()); }}},
      {"log2", {kSingles, 20, [](C c) { return math::log2(c.x()); }}},
      {"log10", {kSingles, 20, [](C c) { return math::log10(c.x()); }}},
      {"log1p", {kSingles, 26, [](C c) { return math::log1p(c.x()); }}},
      {"erf", {kSingles, 30, [](C c) { return math::erf(c.x()); }}},
      {"tanh", {kSingles, 18, [](C c) { return math::tanh(c.x()); }}},
      {"sin", {kSingles, 20, [](C c) { return of_angle(c, math::sin(c.x())); }}},
      {"cos", {kSingles, 20, [](C c) { return of_angle(c, math::cos(c.x())); }}},
      {"tan", {kSingles, 24, [](C c) { return of_angle(c, math::tan(c.x())); }}},
      {"atan", {kSingles, 20, [](C c) { return math::atan(c.x()); }}},
      {"atan2", {kSingles, 28, [](C c) { return math::atan2(c.x(0), c.x(1)); }}},
      {"asin", {kSingles, 20, [](C c) { return math::asin(c.x()); }}},
      {"acos", {kSingles, 22, [](C c) { return math::acos(c.x()); }}},
      {"sinh", {kSingles, 40, [](C c) { return math::sinh(c.x()); }}},
      {"cosh", {kSingles, 40, [](C c) { return math::cosh(c.x()); }}},
      {"asinh", {kSingles, 36, [](C c) { return math::asinh(c.x()); }}},
      {"acosh", {kSingles, 36, [](C c) { return math::acosh(c.x()); }}},
      {"atanh", {kSingles, 34, [](C c) { return math::atanh(c.x()); }}},
      {"erfinv", {kSingles, 44, [](C c) { return math::erfinv(c.x()); }}},
      {"lgamma",
       {kSingles, 120, [](C c) { return of_positive(c, math::log_gamma_positive(c.x())); }}},
      {"digamma",
       {kSingles, 100, [](C c) { return of_positive(c, math::digamma_positive(c.x())); }}},
      {"i0", {kSingles, 90, [](C c) { return math::bessel<0, false>(c.x()); }}},
      {"i0e", {kSingles, 90, [](C c) { return math::bessel<0, true>(c.x()); }}},
      {"i1", {kSingles, 90, [](C c) { return math::bessel<1, false>(c.x()); }}},
      {"i1e", {kSingles, 90, [](C c) { return math::bessel<1, true>(c.x()); }}},
      // activations and their gradients
      {"relu", {kReals, 1, [](C c) { return select(c.x() < 0, c.number(0), c.x()); }}},
      {"relu_grad", {kReals, 1, [](C c) { return select(c.x(0) > 0, c.x(1), c.number(0)); }}},
      {"sigmoid", {kSingles, 18, [](C c) { return math::sigmoid(c.x()); }}},
      {"sigmoid_grad", {kReals, 3, [](C c) { return c.x(1) * c.x(0) * (1 - c.x(0)); }}},
      {"silu", {kSingles, 19, [](C c) { return c.x() * math::sigmoid(c.x()); }}},
      {"silu_grad",
       {kSingles, 22,
        [](C c) {
          const Number x = c.x(0), s = math::sigmoid(x);
          return c.x(1) * s * (1.0f + x * (1.0f - s));
        }}},
      {"gelu", {kSingles, 20, gelu}},
      {"gelu_grad", {kSingles, 40, gelu_gradient}},
      {"tanh_grad", {kReals, 3, [](C c) { return c.x(1) * (1 - c.x(0) * c.x(0)); }}},
  };
  return table;
}

// Why operators that are neither composed nor elementwise stay outside.
const std::unordered_map<std::string, std::string>& reasons() {
  const std::string library = "a library runs it",
                    scattered = "several rows may add to one place, in their order",
                    order = "an element depends on the order of the others",
                    loop = "a loop as long as the value of an element asks for";
  static const std::unordered_map<std::string, std::string> table = {
      {"matmul", library},
      {"conv2d", library},
      {"linear_scan", order},
      {"cumsum", order},
      {"cumprod", order},
      {"argmax", order},
      {"argmin", order},
      {"index_add", scattered},
      {"index_put", scattered},
      {"scatter_nd_add", scattered},
      {"embedding_grad_dense", scattered},
      {"gcd", loop},
      {"gammaincc", loop},
      {"polygamma", loop},
  };
  return table;
}

bool is_taken(Takes takes, DType type, DType result) {
  const bool real = is_floating(type) && !is_float8(type), integer = is_integer(type);
  switch (takes) {
    case kAnything:
      return real || integer || is_bool(type);
    case kWhole:
      return integer || is_bool(type);
    case kIntegers:
      return integer;
    case kNumbers:
      return real || integer;
    default:
      if (!real) return (integer || is_bool(type)) && result == DType::kFloat32;
      return takes == kReals || type != DType::kFloat64;
  }
}

Scalar value_of(const Constant& c) {
  const Slot slot = c.slot();
  switch (slot.kind) {
    case SlotKind::kScalar:
      return *slot.scalar;
    case SlotKind::kFloat:
      return Scalar(slot.f);
    case SlotKind::kBool:
      return Scalar(slot.i != 0);
    default:
      return Scalar(slot.i);
  }
}

}  // namespace

Scalar number_argument(const pir::Operation& op, std::string_view name) {
  const Schema& schema = op.def->schema();
  size_t operand = 0;
  for (const ArgSpec& arg : schema.args) {
    const bool mine = arg.name == name;
    if (pir::is_operand(arg)) {
      const pir::Value* v = op.operand(operand++);
      Constant constant;
      if (mine && pir::constant_operand(v, arg, constant)) return value_of(constant);
    } else if (mine) {
      const pir::Attribute* a = op.find_attribute(arg.name);
      return value_of(a ? pir::constant_of(arg, *a) : arg.default_value);
    }
  }
  throw_error(ErrorKind::kNotImplemented, str("cinn: ", op.name(), ": ", name, " is no number."));
}

bool has_scalar_form(const OpDef& op) { return forms().contains(op.name()); }

std::vector<const pir::Value*> tensor_operands(const pir::Operation& op) {
  std::vector<const pir::Value*> tensors;
  size_t operand = 0;
  for (const ArgSpec& arg : op.def->schema().args) {
    if (!pir::is_operand(arg)) continue;
    const pir::Value* v = op.operand(operand++);
    Constant ignored;
    if (v && !v->type().is_null() && !pir::constant_operand(v, arg, ignored)) tensors.push_back(v);
  }
  return tensors;
}

std::string scalar_obstacle(const pir::Operation& op) {
  const auto form = forms().find(op.def->name());
  if (form == forms().end()) {
    const auto known = reasons().find(op.def->name());
    return known == reasons().end() ? "it has no scalar form" : known->second;
  }
  const bool any_operand = !tensor_operands(op).empty();
  if (!any_operand) return "it has no operand";
  // A condition is a truth value beside the others.
  const bool selects = form->first == "where";
  for (const pir::Value* v : tensor_operands(op)) {
    const DType type = v->type().dtype();
    if (selects && v == op.operand(0)) continue;
    if (!is_taken(form->second.takes, type, op.result()->type().dtype())) {
      return str("no form for ", type);
    }
  }
  const auto operands = tensor_operands(op);
  for (const pir::Value* v : operands) {
    const size_t first = selects ? 1 : 0;
    if (selects && v == operands[0]) continue;
    if (v->type().dtype() != operands[std::min(first, operands.size() - 1)]->type().dtype() &&
        form->first != "scale") {
      return "operands of different dtypes";
    }
  }
  const DType type = operands[0]->type().dtype();
  if (form->first == "pow") return power_obstacle(op);
  if (form->first == "scale" && operands.size() > 1 && !is_floating(type)) {
    return "integers scaled by a tensor";
  }
  if (form->first == "nextafter" && size_of(type) == 2) return str("no form for ", type);
  return "";
}

Expr scalar_operation(ExprPool& pool, const pir::Operation& op, std::span<const Expr> operands,
                      std::vector<Expr>& checks) {
  const auto form = forms().find(op.def->name());
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, form != forms().end(), "cinn: ", op.name(),
                    ": it has no scalar form.");
  const Takes takes = form->second.takes;
  if (takes != kSingles && takes != kReals) {
    return form->second.make(Call(pool, op, operands, checks)).expr();
  }
  // Functions of integers are those of the float that they give.
  std::vector<Expr> floats;
  for (const Expr e : operands) {
    floats.push_back(is_floating(e->type) ? e : pool.cast(DType::kFloat32, e));
  }
  return form->second.make(Call(pool, op, floats, checks)).expr();
}

int scalar_weight(const pir::Operation& op) {
  const auto form = forms().find(op.def->name());
  return form == forms().end() ? 1 : form->second.weight;
}

Reduction reduction_of(const pir::Operation& op) {
  const DType type = computed_in(op.result()->type().dtype());
  if (op.is("pd_op.sum")) return {Combine::kAdd, type};
  if (op.is("pd_op.prod")) return {Combine::kMultiply, type};
  return {op.is("pd_op.max") ? Combine::kMax : Combine::kMin, type};
}

Expr identity(ExprPool& pool, Combine combine, DType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool real = is_floating(type);
  const int bits = static_cast<int>(size_of(type)) * 8;
  const bool is_unsigned = type == DType::kUInt8 || type == DType::kBool;
  const int64_t least = is_unsigned ? 0 : static_cast<int64_t>(~uint64_t{0} << (bits - 1));
  switch (combine) {
    case Combine::kAdd:
    case Combine::kOr:
      return pool.constant(type, 0);
    case Combine::kMultiply:
      return pool.constant(type, 1);
    case Combine::kAnd:
      return pool.integer(type, -1);
    case Combine::kMax:
      return real ? pool.constant(type, -kInfinity) : pool.integer(type, least);
    default:
      return real ? pool.constant(type, kInfinity) : pool.integer(type, is_unsigned ? -1 : ~least);
  }
}

}  // namespace paddle::cinn
