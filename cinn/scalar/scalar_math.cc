// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of forms.
#include "cinn/scalar/scalar_math.h"

#include <limits>
#include <unordered_map>

#include "cinn/scalar/number.h"
#include "paddle_core/op/args.h"
#include "phi_kernels/functors/log.h"
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
  void check(Number condition) const { checks_.push_back(condition.expr()); }
  const pir::Attribute* attribute(const char* name) const { return op.find_attribute(name); }
  double real_attribute(const char* name) const { return scalar_of(name).to_double(); }
  // An argument that is an attribute or a constant operand; its default where it is absent.
  Scalar scalar_of(std::string_view name) const {
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
  bool flag(const char* name) const { return scalar_of(name).to_bool(); }

  ExprPool& pool;
  const pir::Operation& op;

 private:
  static Scalar value_of(const Constant& c) {
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
  std::span<const Expr> operands_;
  std::vector<Expr>& checks_;
};

// For which operands a form is right.
enum Takes : uint8_t {
  kSingles,   // float32, in which 16-bit floats are computed as well
  kReals,     // float64 too
  kNumbers,   // and integers
  kAnything,  // and bool
  kWhole,     // integers and bool
};

struct Form {
  Takes takes;
  int weight;
  Number (*make)(const Call&);
};

Number extreme(const Call& c, ExprOp op) { return operation(op, c.x(0), c.x(1)); }

Number truth(Number x) { return {*x.pool(), x.pool()->cast(DType::kBool, x.expr())}; }

Number scaled(const Call& c) {
  const Number x = c.x();
  const Number bias = c.number(c.real_attribute("bias"));
  const bool given = tensor_operands(c.op).size() > 1;
  const Number factor = given ? Number(c.pool, c.pool.cast(c.type(), c.x(1).expr()))
                              : c.number(c.real_attribute("scale"));
  return c.flag("bias_after_scale") ? x * factor + bias : (x + bias) * factor;
}

Number powered(const Call& c) {
  const Number x = c.x();
  const double y = c.real_attribute("y");
  if (y == 1) return x;
  if (y == 2) return x * x;
  if (y == 3) return x * x * x;
  if (y == -1) return 1.0f / x;
  if (y == -2) return (1.0f / x) * (1.0f / x);
  const Number root =
      select(x == Number(-std::numeric_limits<float>::infinity()), -x, square_root(x) + 0.0f);
  return y > 0 ? root : 1.0f / root;
}

bool is_easy_power(const pir::Operation& op) {
  const std::vector<Expr> none;
  std::vector<Expr> checks;
  ExprPool pool;
  const double y = Call(pool, op, none, checks).real_attribute("y");
  return y == 1 || y == 2 || y == 3 || y == -1 || y == -2 || y == 0.5 || y == -0.5;
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
  const Number low = c.number(c.real_attribute("min")), high = c.number(c.real_attribute("max"));
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
      {"maximum", {kNumbers, 2, [](C c) { return extreme(c, ExprOp::kMax); }}},
      {"minimum", {kNumbers, 2, [](C c) { return extreme(c, ExprOp::kMin); }}},
      {"neg", {kNumbers, 1, [](C c) { return -c.x(); }}},
      {"abs", {kNumbers, 1, [](C c) { return absolute(c.x()); }}},
      {"square", {kNumbers, 1, [](C c) { return c.x() * c.x(); }}},
      {"scale", {kReals, 1, scaled}},
      {"clip", {kReals, 2, clipped}},
      {"sqrt", {kReals, 4, [](C c) { return square_root(c.x()); }}},
      {"rsqrt", {kReals, 8, [](C c) { return c.number(1) / square_root(c.x()); }}},
      {"reciprocal", {kReals, 4, [](C c) { return c.number(1) / c.x(); }}},
      {"pow", {kSingles, 4, powered}},
      {"floor", {kReals, 1, [](C c) { return operation(ExprOp::kFloor, c.x()); }}},
      {"ceil", {kReals, 1, [](C c) { return operation(ExprOp::kCeil, c.x()); }}},
      {"trunc", {kReals, 1, [](C c) { return operation(ExprOp::kTrunc, c.x()); }}},
      {"sign",
       {kReals, 2,
        [](C c) {
          const Number x = c.x(), below = select(x < 0, c.number(-1), x);
          return select(x > 0, c.number(1), below);
        }}},
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
      {"isnan", {kReals, 1, [](C c) { return c.x() != c.x(); }}},
      {"isinf", {kReals, 1, [](C c) { return absolute(c.x()) == Number(kInfinity); }}},
      {"isfinite", {kReals, 1, [](C c) { return absolute(c.x()) < Number(kInfinity); }}},
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

}  // namespace

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
  if (form == forms().end()) return "it has no scalar form";
  const bool any_operand = !tensor_operands(op).empty();
  if (!any_operand) return "it has no operand";
  // A condition is a truth value beside the others.
  const bool selects = form->first == "where";
  for (const pir::Value* v : tensor_operands(op)) {
    const DType type = v->type().dtype();
    if (selects && v == op.operand(0)) continue;
    const bool real = is_floating(type) && !is_float8(type), whole = is_integer(type);
    const Takes takes = form->second.takes;
    const bool fits = takes == kAnything  ? real || whole || is_bool(type)
                      : takes == kWhole   ? whole || is_bool(type)
                      : takes == kNumbers ? real || whole
                      : takes == kReals   ? real
                                          : real && type != DType::kFloat64;
    if (!fits) return str("no form for ", type);
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
  if (form->first == "pow" && !is_easy_power(op)) return "a power that takes a logarithm";
  if (form->first == "abs" && !is_floating(operands[0]->type().dtype()) &&
      operands[0]->type().dtype() == DType::kUInt8) {
    return "";
  }
  return "";
}

Expr scalar_operation(ExprPool& pool, const pir::Operation& op, std::span<const Expr> operands,
                      std::vector<Expr>& checks) {
  const auto form = forms().find(op.def->name());
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, form != forms().end(), "cinn: ", op.name(),
                    ": it has no scalar form.");
  return form->second.make(Call(pool, op, operands, checks)).expr();
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
