// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rules that drop operators which do nothing and join those that undo or follow each other. They
// change no value (adding zero turns -0 into 0, which compares equal).
#include <algorithm>

#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

bool is_number(const Attribute& a, double value) {
  return a.to_scalar().to_complex() == std::complex<double>(value);
}

// What a transpose of a value does with every axis: perm may count from the end and may name the
// leading axes only.
Shape permutation(const Match& m, const char* perm, const char* value) {
  const Shape given = m.constant(perm).to_dims();
  const auto rank = static_cast<int64_t>(m.rank(value));
  Shape out;
  for (const Dim p : given) out.push_back(Dim(p.value() < 0 ? p.value() + rank : p.value()));
  for (auto a = static_cast<int64_t>(given.size()); a < rank; ++a) out.push_back(Dim(a));
  return out;
}

size_t axis(const Shape& perm, size_t i) { return static_cast<size_t>(perm[i].value()); }

bool is_identity(const Shape& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (axis(perm, i) != i) return false;
  }
  return true;
}

// transpose(transpose(x, p), q) = transpose(x, p[q]).
Attribute composed(const Match& m) {
  const Shape p = permutation(m, "p", "x"), q = permutation(m, "q", "y");
  Shape out;
  for (size_t i = 0; i < q.size(); ++i) out.push_back(p[axis(q, i)]);
  return out;
}

bool swaps_last_two(const Shape& perm) {
  const size_t n = perm.size();
  if (n < 2 || axis(perm, n - 2) != n - 1 || axis(perm, n - 1) != n - 2) return false;
  for (size_t i = 0; i + 2 < n; ++i) {
    if (axis(perm, i) != i) return false;
  }
  return true;
}

// Every value of `from` is one of `to`, so a cast there and back gives it again.
bool is_lossless(DType from, DType to) {
  const auto is = [&](DType a, DType b) { return from == a && to == b; };
  return from == to || is(DType::kFloat16, DType::kFloat32) ||
         is(DType::kBFloat16, DType::kFloat32) || is(DType::kFloat16, DType::kFloat64) ||
         is(DType::kBFloat16, DType::kFloat64) || is(DType::kFloat32, DType::kFloat64) ||
         is(DType::kInt32, DType::kInt64) || is(DType::kInt32, DType::kFloat64) ||
         (from == DType::kBool && to != DType::kBool);
}

// A target shape that means the same whatever it is applied to.
bool is_absolute(const Shape& target) {
  return std::none_of(target.begin(), target.end(),
                      [](Dim d) { return d.is_symbolic() ? false : d.value() == 0; });
}

bool same_x(const Match& m) { return m.same_type("x", "out"); }

void add_arithmetic(RuleSet& rules) {
  rules.add("assign").source("out = assign(x)").result("out = x").where(same_x);
  rules.add("scale_by_one").source("out = scale(x, 1, bias=0)").result("out = x").where(same_x);
  for (const char* op : {"multiply", "divide"}) {
    rules.add(str(op, "_by_one"))
        .source(str("c = full(value=$v); out = ", op, "(x, c)"))
        .result("out = x")
        .where([](const Match& m) { return is_number(m.constant("v"), 1) && same_x(m); });
  }
  for (const char* op : {"add", "subtract"}) {
    rules.add(str(op, "_of_zero"))
        .source(str("c = full(value=$v); out = ", op, "(x, c)"))
        .result("out = x")
        .where([](const Match& m) { return is_number(m.constant("v"), 0) && same_x(m); });
  }
}

void add_casts(RuleSet& rules) {
  rules.add("cast_to_same").source("out = cast(x)").result("out = x").where(same_x);
  rules.add("cast_and_back")
      .source("y = cast(x); out = cast(y)")
      .result("out = x")
      .where([](const Match& m) { return same_x(m) && is_lossless(m.dtype("x"), m.dtype("y")); });
}

void add_layout(RuleSet& rules) {
  rules.add("transpose_identity")
      .source("out = transpose(x, perm=$p)")
      .result("out = x")
      .where([](const Match& m) { return is_identity(permutation(m, "p", "x")) && same_x(m); });
  rules.add("transpose_and_back")
      .source("y = transpose(x, perm=$p); out = transpose(y, perm=$q)")
      .result("out = x")
      .where([](const Match& m) { return is_identity(composed(m).to_dims()) && same_x(m); })
      .benefit(2);
  rules.add("transpose_of_transpose")
      .source("y = transpose(x, perm=$p); out = transpose(y, perm=$q)")
      .result("out = transpose(x, perm=@composed)")
      .compute("composed", composed);
  rules.add("reshape_to_same").source("out = reshape(x)").result("out = x").where(same_x);
  rules.add("reshape_of_reshape")
      .source("y = reshape(x); out = reshape(y, $s)")
      .result("out = reshape(x, $s)")
      .where([](const Match& m) { return is_absolute(m.constant("s").to_dims()); });
  for (const bool first : {true, false}) {
    for (const bool already : {true, false}) {
      const std::string flag = first ? "transpose_x" : "transpose_y";
      rules.add(str("transpose_into_matmul_", first ? "x" : "y", already ? "_off" : "_on"))
          .source(str("t = transpose(a, perm=$p); out = matmul(", first ? "t, b" : "b, t", ", ",
                      first ? "transpose_y" : "transpose_x", "=$other, ", flag, "=",
                      already ? "true" : "false", ")"))
          .result(str("out = matmul(", first ? "a, b" : "b, a", ", ",
                      first ? "transpose_y" : "transpose_x", "=$other, ", flag, "=",
                      already ? "false" : "true", ")"))
          .where([](const Match& m) { return swaps_last_two(permutation(m, "p", "a")); });
    }
  }
}

}  // namespace

void add_simplify_rules(RuleSet& rules) {
  add_arithmetic(rules);
  add_casts(rules);
  add_layout(rules);
}

}  // namespace paddle::pir
