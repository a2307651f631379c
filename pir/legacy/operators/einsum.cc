// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of products by subscripts as transposed matrix products. Operands are joined from left to
// right; a subscript is summed when nothing behind needs it.
#include <algorithm>
#include <cctype>

#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

struct Term {
  std::string axes;  // one letter each
  Value* value;
};

bool has(const std::string& axes, char c) { return axes.find(c) != std::string::npos; }

// The axes in another order.
Term ordered(OpTranslation& op, const Term& t, const std::string& axes) {
  if (t.axes == axes) return t;
  Ints perm;
  for (const char c : axes) perm.push_back(static_cast<int64_t>(t.axes.find(c)));
  return {axes, op.make("transpose", {{"x", t.value}, {"perm", perm}})};
}

Term summed(OpTranslation& op, const Term& t, const std::string& keep) {
  Ints gone;
  std::string left;
  for (size_t i = 0; i < t.axes.size(); ++i) {
    if (has(keep, t.axes[i])) {
      left += t.axes[i];
    } else {
      gone.push_back(static_cast<int64_t>(i));
    }
  }
  if (gone.empty()) return t;
  return {left, op.make("sum", {{"x", t.value}, {"axis", gone}})};
}

// The extents of the named axes, each a tensor of one element.
void append_extents(OpTranslation& op, const Term& t, const std::string& axes,
                    std::vector<Value*>& out) {
  Value* all = op.make("shape64", {{"input", t.value}});
  for (const char c : axes) {
    const auto i = static_cast<int64_t>(t.axes.find(c));
    out.push_back(op.make(
        "slice", {{"input", all}, {"axes", Ints{0}}, {"starts", Ints{i}}, {"ends", Ints{i + 1}}}));
  }
}

// [shared..., left..., right...] of a [shared, left, gone] and b [shared, gone, right].
Term product(OpTranslation& op, Term a, Term b, const std::string& keep) {
  a = summed(op, a, keep + b.axes);
  b = summed(op, b, keep + a.axes);
  std::string shared, left, right, gone;
  for (const char c : a.axes) {
    std::string& group = !has(b.axes, c) ? left : has(keep, c) ? shared : gone;
    group += c;
  }
  for (const char c : b.axes) {
    if (!has(a.axes, c)) right += c;
  }
  // Each group as one axis.
  const auto matrices = [&](const Term& t, const std::string& first, const std::string& second) {
    std::vector<Value*> shape;
    append_extents(op, t, shared, shape);
    const Term in_order = ordered(op, t, shared + first + second);
    for (const std::string& group : {first, second}) {
      Value* n =
          op.make("full", {{"shape", Ints{1}}, {"value", int64_t{1}}, {"dtype", DType::kInt64}});
      std::vector<Value*> extents;
      append_extents(op, t, group, extents);
      for (Value* e : extents) n = op.make("multiply", {{"x", n}, {"y", e}});
      shape.push_back(n);
    }
    return op.make("reshape", {{"x", in_order.value}, {"shape", shape}});
  };
  std::vector<Value*> shape;
  append_extents(op, a, shared + left, shape);
  append_extents(op, b, right, shape);
  Value* out = op.make("matmul", {{"x", matrices(a, left, gone)}, {"y", matrices(b, gone, right)}});
  const std::string axes = shared + left + right;
  return {axes,
          op.make("reshape", {{"x", out}, {"shape", axes.empty() ? Given(Ints{}) : Given(shape)}})};
}

void einsum(OpTranslation& op) {
  std::string equation = op.text("equation", "");
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  std::string inputs = equation.substr(0, arrow);
  std::vector<Term> terms;
  for (Value* v : op.ins("Operands")) {
    const std::string axes = inputs.substr(0, inputs.find(','));
    inputs.erase(0, std::min(inputs.size(), axes.size() + 1));
    std::string sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    const bool plain =
        std::all_of(axes.begin(), axes.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    if (!plain || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      op.unsupported(str("equation ", equation, " has an ellipsis or a diagonal"));
    }
    if (axes.size() != OpTranslation::rank(v)) op.fail(str("equation ", equation, " does not fit"));
    terms.push_back({axes, v});
  }
  if (terms.empty()) op.fail("it has no operand");
  std::string out;
  if (arrow != std::string::npos) {
    out = equation.substr(arrow + 2);
  } else {
    std::string all;
    for (const Term& t : terms) all += t.axes;
    for (const char c : all) {
      if (std::count(all.begin(), all.end(), c) == 1) out += c;
    }
    std::sort(out.begin(), out.end());
  }
  Term result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string keep = out;
    for (size_t k = i + 1; k < terms.size(); ++k) keep += terms[k].axes;
    result = product(op, result, terms[i], keep);
  }
  result = summed(op, result, out);
  for (const char c : out) {
    if (!has(result.axes, c) || out.size() != result.axes.size()) {
      op.fail(str("equation ", equation, " does not fit its operands"));
    }
  }
  op.set("Out", ordered(op, result, out).value);
}

}  // namespace

void add_einsum_translations(TranslationTable& table) { table.add("einsum", einsum); }

}  // namespace paddle::pir
