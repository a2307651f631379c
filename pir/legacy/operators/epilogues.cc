// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What programs that were optimised before they were saved do within one operator: attributes name
// an activation and a factor behind it, or changes of shape around a product of matrices.
#include <cmath>

#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr const char* kMainOutputs[] = {"Output", "Out", "Y", "out"};

// min(max(x, low), high)
Term clipped(const Term& x, double low, double high) {
  return x.make("clip", {{"min", low}, {"max", high}});
}

// An activation of one or two numbers.
Term activated(OpTranslation& op, const Term& x, const std::string& name) {
  const auto alpha = [&](double usual) { return op.number("fuse_alpha", usual); };
  const auto beta = [&](double usual) { return op.number("fuse_beta", usual); };
  const auto line = [&] { return clipped(x.scaled(alpha(1.0 / 6), beta(0.5)), 0, 1); };
  if (name == "leaky_relu") return x.make(name, {{"negative_slope", alpha(0.02)}});
  if (name == "relu6") return clipped(x, 0, beta(6));
  if (name == "clip") return clipped(x, alpha(0), beta(0));
  if (name == "hard_sigmoid") return line();
  if (name == "hard_swish") return x * line();
  if (name == "swish") return x * (x * alpha(1)).make("sigmoid");
  if (name == "gelu_erf") return x.make("gelu");
  if (name == "gelu_tanh") return x.make("gelu", {{"approximate", true}});
  if (name == "abs" || name == "sqrt") return x.make(name);
  return x.activated(name);
}

std::string fused_activation(const OpTranslation& op) {
  const std::string name = op.text("fuse_activation", "");
  if (!name.empty()) return name;
  return op.flag("fuse_relu", false) || op.flag("fuse_with_relu", false) ? "relu" : "";
}

// PaddlePaddle 3 writes the names of tensors within names of attributes in small letters.
Ints list_of(const OpTranslation& op, const char* name, const char* small) {
  return op.integers(op.has(name) ? name : small);
}

Term reshaped(Term x, const Ints& extents, const Ints& axes) {
  if (!extents.empty()) x = x.reshape(extents);
  return axes.empty() ? x : x.transpose(axes);
}

// alpha x y + residual, of reshaped and transposed factors.
void product(OpTranslation& op) {
  const Term x = reshaped(Term::in(op, "X"), list_of(op, "fused_reshape_X", "fused_reshape_x"),
                          list_of(op, "fused_transpose_X", "fused_transpose_x"));
  const Term y = reshaped(Term::in(op, "Y"), list_of(op, "fused_reshape_Y", "fused_reshape_y"),
                          list_of(op, "fused_transpose_Y", "fused_transpose_y"));
  const bool turn_x = op.flag(op.has("trans_x") ? "trans_x" : "transpose_X", false);
  const bool turn_y = op.flag(op.has("trans_y") ? "trans_y" : "transpose_Y", false);
  Term out = x.matmul(y, turn_x, turn_y);
  const double alpha = op.number(op.has("matmul_alpha") ? "matmul_alpha" : "alpha", 1);
  if (alpha != 1) out = out * alpha;
  if (Value* residual = op.in_or_null("ResidualData")) out = out + Term(op, residual);
  const Ints axes = list_of(op, "fused_transpose_Out", "fused_transpose_out");
  if (!axes.empty()) out = out.transpose(axes);
  op.set("Out", reshaped(out, list_of(op, "fused_reshape_Out", "fused_reshape_out"), {}));
}

void transposition(OpTranslation& op) {
  if (op.number("scale", 1) != 1 || op.number("shift", 0) != 0) {
    op.unsupported("it quantises its result");
  }
  Term out = Term::in(op, "X");
  if (const Ints axes = op.integers("fused_squeeze2_axes"); !axes.empty()) {
    out = out.make("squeeze", {{"axis", axes}});
  }
  out = out.transpose(op.integers("axis"));
  if (const Ints axes = op.integers("fused_unsqueeze2_axes"); !axes.empty()) {
    out = out.make("unsqueeze", {{"axis", axes}});
  }
  if (const Ints shape = op.integers("fused_reshape2_shape"); !shape.empty()) {
    out = out.reshape(shape);
  }
  op.set("Out", out);
}

}  // namespace

void apply_epilogue(OpTranslation& op) {
  const std::string name = fused_activation(op);
  const double factor = op.number("fused_output_scale", 1);
  if (name.empty() && factor == 1) return;
  for (const char* slot : kMainOutputs) {
    const auto& names = op.out_names(slot);
    if (names.empty()) continue;
    Value* made = op.translator().read(names[0], op.type());
    if (!made->type().is_tensor()) op.fail(str("output ", slot, " is no tensor"));
    Term out = activated(op, Term(op, made), name);
    return op.set(slot, factor == 1 ? out : out * factor);
  }
  op.unsupported(str("its result goes through ", name.empty() ? "a factor" : name));
}

void add_epilogues_translations(TranslationTable& table) {
  table.add("fused_matmul", product);
  table.add("matmul", product);
  table.add("matmul_v2", product);
  table.add("fused_transpose", transposition);
  table.add_rows("fused_softplus: softplus x=X @beta:1.0 @threshold:20.0 => Out\n");
}

}  // namespace paddle::pir
