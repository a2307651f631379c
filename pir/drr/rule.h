// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Declarative rewrite rules: what to find, what to put in its place, when.
//
//   rules.add("matmul_add_to_linear")
//       .source("t = matmul(x, w, transpose_x=false, transpose_y=false); out = add(t, b)")
//       .result("out = linear(x, w, b)")
//       .where([](const Match& m) { return m.rank("w") == 2 && m.rank("b") == 1; });
//
// Statements are separated by `;` and name operators of the registry. The last statement of the
// source is the root; the values of the others, except constants, may have no use outside of the
// match. An argument is
//   x          a value: of another statement, or any value (the same name is the same value)
//   _          an absent optional operand
//   $p         a constant, of any value in the source and that value in the result
//   @f         in the result: the constant that compute("f", ...) gives
//   1, 0.5, true, "text", [1, 2], float32      that constant
// by position or by name, in schema order; attributes that the source does not mention match
// anything, those that the result does not mention take their default. `out = x` as a result makes
// an existing value stand for the root.
//
// compile() checks a rule: names, unbound values and constants, kinds, order and cycles, values
// that nothing uses, operators that must not be rewritten. A mistake is a ValueError that names the
// rule. At run time a rule does not apply where the result's type would differ, or where memory
// would become shared that was separate.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "pir/dialect/dialect.h"
#include "pir/ir/rewriter.h"

namespace paddle::pir {

// What a source pattern bound.
class PADDLE_API Match {
 public:
  Value* value(const std::string& name) const;
  const Attribute& constant(const std::string& name) const;  // of $name
  const Type& type(const std::string& name) const { return value(name)->type(); }
  const Shape& shape(const std::string& name) const { return type(name).shape(); }
  DType dtype(const std::string& name) const { return type(name).dtype(); }
  size_t rank(const std::string& name) const { return shape(name).size(); }
  // Same dtype and shape, every extent known or the same symbol.
  bool same_type(const std::string& a, const std::string& b) const;

  std::map<std::string, Value*, std::less<>> values;
  std::map<std::string, Attribute, std::less<>> constants;
  std::vector<Operation*> operations;  // per source statement
};

class PADDLE_API Rule {
 public:
  using Constraint = std::function<bool(const Match&)>;
  using Compute = std::function<Attribute(const Match&)>;
  explicit Rule(std::string name) : name(std::move(name)) {}
  Rule& source(std::string text) { return source_text = std::move(text), *this; }
  Rule& result(std::string text) { return result_text = std::move(text), *this; }
  Rule& where(Constraint fn) { return constraint = std::move(fn), *this; }
  Rule& compute(const std::string& function, Compute fn) {
    return computes[function] = std::move(fn), *this;
  }
  Rule& benefit(int value) { return rank = value, *this; }

  std::string name, source_text, result_text;
  Constraint constraint;
  std::map<std::string, Compute, std::less<>> computes;
  int rank = 1;
};

// ValueError that names the rule when it is not well formed.
PADDLE_API std::unique_ptr<RewritePattern> compile(const Rule& rule);

class PADDLE_API RuleSet {
 public:
  Rule& add(const std::string& name) { return rules_.emplace_back(name); }
  const std::deque<Rule>& rules() const { return rules_; }
  PatternSet compiled() const;

 private:
  std::deque<Rule> rules_;
};

}  // namespace paddle::pir
