// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layer and RMS norms that models spell out of means and square roots, as the operators they are.
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

// The last axis alone, in either spelling.
bool is_last(const Match& m, const char* axis) {
  const Shape axes = m.constant(axis).to_dims();
  const int64_t rank = static_cast<int64_t>(m.rank("x"));
  return axes.size() == 1 && (axes[0] == Dim(-1) || axes[0] == Dim(rank - 1));
}

// One value per element of the last axis of x.
bool is_affine(const Match& m, const std::string& v) {
  const Dim last = m.shape("x").back();
  return m.rank(v) == 1 && m.shape(v)[0] == last && !last.is_symbolic() &&
         m.dtype(v) == m.dtype("x");
}

// The spellings of y = t / sqrt(mean(t * t) + eps), each as statements.
std::vector<std::string> quotients(const std::string& t) {
  std::vector<std::string> all;
  for (const std::string& square :
       {str("multiply(", t, ", ", t, ")"), str("square(", t, ")"), str("pow(", t, ", 2)")}) {
    for (const char* moved :
         {"e = scale(v, 1, bias=$eps)", "c = full(value=$eps); e = add(v, c)"}) {
      for (const std::string& quotient : {str("r = rsqrt(e); y = multiply(", t, ", r)"),
                                          str("r = sqrt(e); y = divide(", t, ", r)")}) {
        all.push_back(
            str("s = ", square, "; v = mean(s, $squares, keepdim=true); ", moved, "; ", quotient));
      }
    }
  }
  return all;
}

}  // namespace

void add_layer_norm_rules(RuleSet& rules) {
  int number = 0;
  for (const std::string& quotient : quotients("d")) {
    rules.add(str("layer_norm_", number++))
        .source(str("m = mean(x, $values, keepdim=true); d = subtract(x, m); ", quotient,
                    "; z = multiply(y, g); out = add(z, b)"))
        .result("out = layer_norm(x, g, b, epsilon=$eps, begin_norm_axis=@begin)")
        .where([](const Match& m) {
          return is_floating(m.dtype("x")) && is_last(m, "values") && is_last(m, "squares") &&
                 is_affine(m, "g") && is_affine(m, "b");
        })
        .compute("begin",
                 [](const Match& m) -> Attribute { return static_cast<int64_t>(m.rank("x")) - 1; });
  }
}

void add_rms_norm_rules(RuleSet& rules) {
  int number = 0;
  for (const std::string& quotient : quotients("x")) {
    rules.add(str("rms_norm_", number++))
        .source(str(quotient, "; out = multiply(y, g)"))
        .result("out = rms_norm(x, g, normalized_shape=@last, epsilon=$eps)")
        .where([](const Match& m) {
          return is_floating(m.dtype("x")) && is_last(m, "squares") && is_affine(m, "g");
        })
        .compute("last", [](const Match& m) -> Attribute { return Shape{m.shape("x").back()}; });
  }
}

}  // namespace paddle::pir
