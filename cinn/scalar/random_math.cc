// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011), Box-Muller, and what operators make of the numbers.
#include "cinn/scalar/random_math.h"

#include <limits>
#include <unordered_map>

#include "cinn/scalar/number.h"
#include "cinn/scalar/scalar_math.h"
#include "paddle_core/op/op_def.h"
#include "phi_kernels/functors/log.h"
#include "phi_kernels/functors/trigonometry.h"

namespace paddle::cinn {
namespace {

bool is_half(DType type) { return type == DType::kFloat16 || type == DType::kBFloat16; }

// An element that is being made.
class Draw {
 public:
  Draw(ExprPool& pool, const pir::Operation& op, size_t result, std::span<const Expr> operands,
       std::vector<Expr>& checks)
      : pool(pool), op(op), result(result), operands_(operands), checks_(checks) {}

  double number(const char* name) const { return number_argument(op, name).to_double(); }
  Expr x() const { return operands_[0]; }
  Expr drawn() const { return operands_.back(); }
  void check(Expr condition) const { checks_.push_back(condition); }
  Expr real(DType type, double value) const { return pool.constant(type, value); }
  // The word as a number below 2^32.
  Expr word_as_double() const {
    const Expr signed_word = pool.cast(DType::kFloat64, moved(drawn()));
    return pool.add(signed_word, real(DType::kFloat64, 0x1p31));
  }
  // Unsigned numbers in the order of signed ones.
  Expr moved(Expr word) const {
    return pool.binary(ExprOp::kXor, word, pool.integer(DType::kInt32, INT32_MIN));
  }
  // In the dtype of the result.
  Expr rounded(Expr value) const {
    const DType to = op.result(result)->type().dtype();
    if (!is_half(to)) return pool.cast(to, value);
    return pool.round16(to, pool.cast(DType::kFloat32, value));
  }

  ExprPool& pool;
  const pir::Operation& op;
  const size_t result;

 private:
  const std::span<const Expr> operands_;
  std::vector<Expr>& checks_;
};

// [0, 1), 24 bits
Expr unit_of(ExprPool& pool, Expr word) {
  const Expr bits = pool.binary(ExprOp::kShiftRight, word, pool.integer(DType::kInt32, 8));
  return pool.multiply(pool.cast(DType::kFloat32, bits), pool.constant(DType::kFloat32, 0x1p-24));
}

bool upscales(const pir::Operation& op) {
  const pir::Attribute* mode = op.find_attribute("mode");
  return !mode || mode->get<std::string>() == "upscale_in_train";
}

Expr dropped(const Draw& d) {
  ExprPool& pool = d.pool;
  const double p = d.number("p");
  const bool mask = d.result == 1;
  const auto flag = [&](bool kept) { return pool.integer(DType::kUInt8, kept); };
  const DType type = d.x()->type;
  if (number_argument(d.op, "is_test").to_bool()) {
    if (mask) return flag(true);
    if (upscales(d.op)) return d.x();
    const Expr wide = pool.cast(DType::kFloat64, d.x());
    return pool.cast(type, pool.multiply(wide, d.real(DType::kFloat64, 1.0 - p)));
  }
  const auto limit = static_cast<uint64_t>(p * 0x1p32);
  if (limit > std::numeric_limits<uint32_t>::max()) return mask ? flag(false) : d.real(type, 0);
  const auto least = static_cast<int32_t>(static_cast<uint32_t>(limit) ^ 0x80000000u);
  const Expr kept =
      pool.binary(ExprOp::kLessEqual, pool.integer(DType::kInt32, least), d.moved(d.drawn()));
  if (mask) return pool.cast(DType::kUInt8, kept);
  const double factor = upscales(d.op) ? 1.0 / (1.0 - p) : 1.0;
  return pool.select(kept, pool.multiply(d.x(), d.real(type, factor)), d.real(type, 0));
}

Expr uniform(const Draw& d) {
  const double low = d.number("min"), high = d.number("max");
  const auto single = [&](double v) { return d.real(DType::kFloat32, static_cast<float>(v)); };
  const Expr unit = unit_of(d.pool, d.drawn());
  return d.rounded(d.pool.fma(single(high - low), unit, single(low)));
}

Expr bernoulli(const Draw& d) {
  ExprPool& pool = d.pool;
  const Expr p = pool.cast(DType::kFloat64, d.x());
  const auto number = [&](double v) { return d.real(DType::kFloat64, v); };
  d.check(pool.binary(ExprOp::kAnd, pool.binary(ExprOp::kLessEqual, number(0), p),
                      pool.binary(ExprOp::kLessEqual, p, number(1))));
  const Expr below =
      pool.binary(ExprOp::kLess, pool.multiply(d.word_as_double(), number(0x1p-32)), p);
  const DType type = d.x()->type;
  return pool.select(below, d.real(type, 1), d.real(type, 0));
}

uint64_t width_of(const pir::Operation& op) {
  return static_cast<uint64_t>(number_argument(op, "high").to_int()) -
         static_cast<uint64_t>(number_argument(op, "low").to_int());
}

Expr whole(const Draw& d) {
  ExprPool& pool = d.pool;
  const auto number = [&](int64_t v) { return pool.integer(v); };
  const Expr word =
      pool.binary(ExprOp::kAnd, pool.cast(DType::kInt64, d.drawn()), number(0xFFFFFFFF));
  const Expr product = pool.multiply(word, number(static_cast<int64_t>(width_of(d.op))));
  const Expr above = pool.binary(ExprOp::kShiftRight, product, number(32));
  const Expr value = pool.add(above, number(number_argument(d.op, "low").to_int()));
  return pool.cast(d.op.result(d.result)->type().dtype(), value);
}

struct Form {
  int weight;
  Expr (*make)(const Draw&);
};

const std::unordered_map<std::string, Form>& forms() {
  static const std::unordered_map<std::string, Form> table = {
      {"dropout", {3, dropped}},
      {"uniform", {3, uniform}},
      {"gaussian", {0, [](const Draw& d) { return d.rounded(d.drawn()); }}},
      {"bernoulli", {8, bernoulli}},
      {"randint", {5, whole}},
  };
  return table;
}

}  // namespace

bool draws_by_element(const OpDef& op) { return forms().contains(op.name()); }

std::string random_obstacle(const pir::Operation& op) {
  const DType type = op.result(0)->type().dtype();
  const bool single = type == DType::kFloat32 || is_half(type);
  const bool takes = op.is("pd_op.dropout") || op.is("pd_op.bernoulli");
  if (tensor_operands(op).size() != (takes ? 1u : 0u)) return "only a run tells its arguments";
  if (op.is("pd_op.randint")) {
    if (!is_integer(type)) return str("no form for ", type);
    // More than 32 bits belong to an element then; and what is wrong raises.
    return width_of(op) >= 1 && width_of(op) <= (1u << 20) ? "" : "a range of many numbers";
  }
  if (op.is("pd_op.dropout")) {
    const double p = number_argument(op, "p").to_double();
    if (!(p >= 0 && p <= 1)) return "a probability outside of [0, 1]";
  }
  if (takes && (single || type == DType::kFloat64)) return "";
  return single ? "" : str("no form for ", type);
}

int64_t fixed_seed(const pir::Operation& op) {
  if (op.is("pd_op.dropout")) {
    return number_argument(op, "fix_seed").to_bool() ? number_argument(op, "seed").to_int() : 0;
  }
  const bool says = op.is("pd_op.uniform") || op.is("pd_op.gaussian");
  return says ? number_argument(op, "seed").to_int() : 0;
}

bool draws_normal(const pir::Operation& op) { return op.is("pd_op.gaussian"); }

std::array<Expr, 4> words_of_counter(ExprPool& pool, Expr seed, Expr offset, Expr counter) {
  const auto number = [&](int64_t v) { return pool.integer(v); };
  const auto lower = [&](Expr e) { return pool.binary(ExprOp::kAnd, e, number(0xFFFFFFFF)); };
  const auto upper = [&](Expr e) { return pool.binary(ExprOp::kShiftRight, e, number(32)); };
  const auto differ = [&](Expr a, Expr b) { return pool.binary(ExprOp::kXor, a, b); };
  // Numbers of 32 bits in the lower half of 64; what is above counts nowhere.
  const Expr at = pool.add(offset, counter);
  Expr c0 = at, c1 = upper(at), c2 = number(0), c3 = number(0);
  Expr k0 = seed, k1 = upper(seed);
  for (int round = 0; round < 10; ++round) {
    const Expr p0 = pool.multiply(lower(c0), number(0xD2511F53));
    const Expr p1 = pool.multiply(lower(c2), number(0xCD9E8D57));
    c0 = differ(differ(upper(p1), c1), k0);
    c2 = differ(differ(upper(p0), c3), k1);
    c1 = p1;
    c3 = p0;
    k0 = pool.add(k0, number(0x9E3779B9));
    k1 = pool.add(k1, number(0xBB67AE85));
  }
  const auto word = [&](Expr e) { return pool.cast(DType::kInt32, e); };
  return {word(c0), word(c1), word(c2), word(c3)};
}

Expr word_at(ExprPool& pool, Expr seed, Expr offset, Expr i) {
  const Expr four = pool.integer(4), place = pool.modulo(i, four);
  const auto words = words_of_counter(pool, seed, offset, pool.floor_divide(i, four));
  const auto below = [&](int64_t k) { return pool.binary(ExprOp::kLess, place, pool.integer(k)); };
  return pool.select(below(2), pool.select(below(1), words[0], words[1]),
                     pool.select(below(3), words[2], words[3]));
}

std::pair<Expr, Expr> normal_pair(ExprPool& pool, const pir::Operation& op, Expr radius,
                                  Expr angle) {
  const auto single = [&](double v) { return Number(pool, pool.constant(DType::kFloat32, v)); };
  const auto said = [&](const char* name) {
    return single(static_cast<float>(number_argument(op, name).to_double()));
  };
  // (0, 1]: 31 bits, as many of them as a float keeps
  const Expr bits = pool.binary(ExprOp::kShiftRight, radius, pool.integer(DType::kInt32, 1));
  const Number tail =
      fused(Number(pool, pool.cast(DType::kFloat32, bits)), single(0x1p-31), single(0x1p-32));
  const Number size = said("std") * square_root(single(-2) * math::log(tail));
  const Number turn = single(6.28318531f) * Number(pool, unit_of(pool, angle));
  return {fused(size, math::cos(turn), said("mean")).expr(),
          fused(size, math::sin(turn), said("mean")).expr()};
}

Expr normal_at(ExprPool& pool, const pir::Operation& op, Expr seed, Expr offset, Expr i) {
  constexpr int64_t kHalf = kNormalBlock / 2;
  const Expr place = pool.modulo(i, pool.integer(kNormalBlock));
  const Expr half = pool.modulo(i, pool.integer(kHalf));
  const Expr first = pool.add(pool.subtract(i, place), half);
  const auto [with_cos, with_sin] =
      normal_pair(pool, op, word_at(pool, seed, offset, first),
                  word_at(pool, seed, offset, pool.add(first, pool.integer(kHalf))));
  return pool.select(pool.binary(ExprOp::kLess, place, pool.integer(kHalf)), with_cos, with_sin);
}

Expr random_element(ExprPool& pool, const pir::Operation& op, size_t result,
                    std::span<const Expr> operands, std::vector<Expr>& checks) {
  return forms().at(op.def->name()).make(Draw(pool, op, result, operands, checks));
}

int random_weight(const pir::Operation& op) { return forms().at(op.def->name()).weight; }

}  // namespace paddle::cinn
