// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that the passes of other builds put in the place of several: what they stand for.
#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

Term plus(OpTranslation& op, const Term& x, const char* slot) {
  Value* y = op.in_or_null(slot);
  return y ? x + Term(op, y) : x;
}

// y, whose first axis stands beside `axis` of x.
Term beside(OpTranslation& op, const Term& x, Term y) {
  const int64_t axis = op.integer("axis", -1);
  for (int64_t k = axis + y.rank(); axis >= 0 && k < x.rank(); ++k) y = y.unsqueeze(-1);
  return y;
}

const char* binary_name(const std::string& name) {
  if (name.ends_with("_add")) return "add";
  if (name.ends_with("_sub")) return "subtract";
  if (name.ends_with("_mul")) return "multiply";
  return name.ends_with("_div") ? "divide" : nullptr;
}

// outer(x, inner(y)) when the outer function is the one of two tensors, else outer(inner(x, y)).
void compound(OpTranslation& op) {
  const auto list = op.desc().attributes.find("functor_list");
  if (list == op.desc().attributes.end() || list->second.texts.size() != 2) {
    op.fail("functor_list must name two functions");
  }
  const std::string &outer = list->second.texts[0], &inner = list->second.texts[1];
  const Term x = Term::in(op, "X"), y = beside(op, x, Term::in(op, "Y"));
  const auto one = [&](const std::string& name, const Term& t) {
    return name == "scale" ? t * op.number("scale", 0) : t.activated(name);
  };
  const char *first = binary_name(outer), *second = binary_name(inner);
  if (!first == !second) op.unsupported(str("its functions are ", outer, " and ", inner));
  const Term between = first ? one(inner, y) : x.with(second, y);
  op.set("IntermediateOut", between);
  op.set("Out", first ? x.with(first, between) : one(outer, between));
}

void elementwise(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  Term out = x.with(binary_name(op.type()), beside(op, x, Term::in(op, "Y")));
  if (const Ints axes = op.integers("fused_unsqueeze2_axes"); !axes.empty()) {
    out = out.make("unsqueeze", {{"axis", axes}});
  }
  op.set("Out", out);
}

void convolution(OpTranslation& op) {
  const std::string format = op.text("data_format", "NCHW");
  if (format != "NCHW" && format != "NCDHW") op.unsupported(str("its data_format is ", format));
  if (!op.out_names("Outputs").empty()) op.unsupported("it splits its channels");
  const bool volume = op.type() == "fused_conv3d";
  Term out(op, op.make(volume ? "conv3d" : "conv2d",
                       {{"input", op.in("Input")},
                        {"filter", op.in("Filter")},
                        {"strides", op.integers("strides")},
                        {"paddings", op.integers("paddings")},
                        {"dilations", op.integers("dilations")},
                        {"groups", op.integer("groups", 1)},
                        {"padding_algorithm", op.text("padding_algorithm", "EXPLICIT")},
                        {"data_format", format}}));
  if (Value* bias = op.in_or_null("Bias")) {
    const Term wide = Term(op, bias).reshape({1, -1, 1, 1});
    out = out + (volume ? wide.unsqueeze(-1) : wide);
  }
  out = plus(op, out, "ResidualData");
  op.set("Output", out.activated(op.text("activation", "")));
}

void skip_layernorm(OpTranslation& op) {
  const Term total = Term::in(op, "X") + Term::in(op, "Y");
  int64_t first = op.integer("begin_norm_axis", -1);
  if (first < 0) first += total.rank();
  op.set("Out", total.normalised(op.in("Scale"), op.in("Bias"), op.number("epsilon", 1e-5), first));
}

void fc_layernorm(OpTranslation& op) {
  const Term x = Term::in(op, "X"), y = Term::in(op, "Y");
  const int64_t cut = op.integer("x_num_col_dims", 1);
  if (cut < 1 || cut >= x.rank()) op.fail(str("x_num_col_dims is ", cut, " for rank ", x.rank()));
  const Term weight = Term::in(op, "W");
  Term rows = x.rank() == cut + 1
                  ? x
                  : x.make("flatten", {{"start_axis", cut}, {"stop_axis", x.rank() - 1}});
  rows = plus(op, rows.matmul(weight), "Bias0").activated(op.text("activation_type", ""));
  const Term total = rows.reshape(y.extents()) + y;
  op.set("Out", total.normalised(op.in_or_null("Scale"), op.in_or_null("Bias1"),
                                 op.number("epsilon", 1e-5), op.integer("begin_norm_axis", 1)));
}

void embeddings(OpTranslation& op) {
  const std::vector<Value*> ids = op.ins("Ids"), tables = op.ins("Embs");
  if (ids.empty() || ids.size() != tables.size()) op.fail("Ids and Embs must be of one number");
  std::optional<Term> total;
  for (size_t k = 0; k < ids.size(); ++k) {
    Term places(op, ids[k]);
    if (places.rank() == 3) places = places.squeeze(2);
    const Term rows = places.make("embedding", {{"weight", tables[k]}});
    total = total ? *total + rows : rows;
  }
  op.set("Out", total->normalised(op.in("Scale"), op.in("Bias"), op.number("epsilon", 1e-5),
                                  total->rank() - 1));
}

// softmax(alpha q k' + mask) v of [B, S, 3, heads, D] as [B, S, heads, D]
Term attention(OpTranslation& op, const Term& all, double alpha) {
  const auto one = [&](int64_t k) { return all.at(2, k).transpose({0, 2, 1, 3}); };
  Term scores = one(0).matmul(one(1), false, true) * alpha;
  scores = plus(op, scores, "BiasQK");
  const Term out = scores.make("softmax", {{"axis", int64_t{-1}}}).matmul(one(2));
  return out.transpose({0, 2, 1, 3});
}

void self_attention(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  if (x.rank() != 5) op.fail("an input of rank 5 is expected");
  op.set("Out", attention(op, x, op.number("alpha", 1)));
}

void multihead(OpTranslation& op) {
  for (const char* name : {"transpose_Q", "transpose_q", "transpose_V", "transpose_v"}) {
    if (op.flag(name, false)) op.unsupported(str(name, " is set"));
  }
  const Term x = Term::in(op, "Input"), weight = Term::in(op, "W");
  const int64_t heads = op.integer("head_number", 1), width = op.extent("Input", -1);
  if (heads < 1 || width % heads) op.fail(str(heads, " heads of ", width, " columns"));
  const Term product =
      x.matmul(weight.reshape({width, 3 * width})) + Term::in(op, "Bias").reshape({3 * width});
  const Term all = product.reshape({0, 0, 3, heads, width / heads});
  op.set("Out", attention(op, all, op.number("alpha", 1)).reshape({0, 0, width}));
}

void repeated_fc(OpTranslation& op) {
  const std::vector<Value*> weights = op.ins("W"), biases = op.ins("Bias");
  if (weights.size() != biases.size()) op.fail("W and Bias must be of one number");
  Term x = Term::in(op, "X");
  std::vector<Value*> between;
  for (size_t k = 0; k < weights.size(); ++k) {
    x = (x.matmul({op, weights[k]}) + Term(op, biases[k]).reshape(Ints{-1})).make("relu");
    if (k + 1 < weights.size()) between.push_back(x);
  }
  op.set("Out", x);
  if (!op.out_names("ReluOut").empty()) op.set_all("ReluOut", between);
}

// scalar * ((x y)^2 - x^2 y^2), with matrix products
void squared_mat_sub(OpTranslation& op) {
  const Term x = Term::in(op, "X"), y = Term::in(op, "Y");
  const Term squares = x.make("square").matmul(y.make("square"));
  op.set("Out", (x.matmul(y).make("square") - squares) * op.number("scalar", 1));
}

void transpose_flatten_concat(OpTranslation& op) {
  std::vector<Term> parts;
  const int64_t cut = op.integer("flatten_axis", 1);
  for (Value* v : op.ins("X")) {
    const Term moved = Term(op, v).transpose(op.integers("trans_axis"));
    if (cut < 1 || cut >= moved.rank()) op.fail(str("flatten_axis is ", cut));
    Term flat = moved.make("flatten", {{"start_axis", cut}, {"stop_axis", moved.rank() - 1}});
    if (cut > 1) flat = flat.make("flatten", {{"start_axis", int64_t{0}}, {"stop_axis", cut - 1}});
    parts.push_back(flat);
  }
  if (parts.empty()) op.fail("input X is empty");
  op.set("Out", Term::concat(parts, op.integer("concat_axis", 0)));
}

// act(x + bias); the glu forms multiply the activated first half of the columns by the second.
void bias_act(OpTranslation& op) {
  for (const char* slot : {"dequant_scales", "shift", "smooth"}) {
    if (op.in_or_null(slot)) op.unsupported(str("it reads input ", slot));
  }
  if (op.number("quant_scale", -1) > 0) op.unsupported("it quantises its result");
  const Term x = plus(op, Term::in(op, "x"), "bias");
  std::string method = op.text("act_method", "gelu");
  if (method != "swiglu" && method != "geglu") return op.set("out", x.activated(method));
  const int64_t half = op.extent("x", -1) / 2;
  const Term gate = x.part(-1, 0, half).activated(method == "swiglu" ? "silu" : "gelu");
  op.set("out", gate * x.part(-1, half, 2 * half));
}

// Dropout leaves what a test sees: all of x, or the part that training kept on average.
Term dropped(OpTranslation& op, const Term& x, const char* rate, const char* mode) {
  const bool scaled = op.text(mode, "upscale_in_train") == "downgrade_in_infer";
  return scaled ? x * (1 - op.number(rate, 0)) : x;
}

void dropout_add(OpTranslation& op) {
  if (!op.flag("is_test", false)) op.unsupported("it drops elements");
  if (op.in_or_null("PTensor") && op.text("mode", "") == "downgrade_in_infer") {
    op.unsupported("its rate is a tensor");
  }
  op.set("out", dropped(op, Term::in(op, "x"), "p", "mode") + Term::in(op, "y"));
}

void bias_dropout_layernorm(OpTranslation& op) {
  if (!op.flag("is_test", false) && op.number("dropout_rate", 0.5) > 0) {
    op.unsupported("it drops elements");
  }
  const Term x = plus(op, Term::in(op, "X"), "Bias");
  const Term total =
      dropped(op, x, "dropout_rate", "dropout_implementation") + Term::in(op, "Residual");
  op.set("BiasDropoutResidualOut", total);
  op.set("Y", total.normalised(op.in_or_null("LnScale"), op.in_or_null("LnBias"),
                               op.number("ln_epsilon", 1e-5), total.rank() - 1));
}

}  // namespace

void add_fused_translations(TranslationTable& table) {
  for (const char* name : {"fused_elemwise_activation", "fused_elemwise_add_activation"}) {
    table.add(name, compound);
  }
  for (const char* name : {"fused_elementwise_add", "fused_elementwise_sub",
                           "fused_elementwise_mul", "fused_elementwise_div"}) {
    table.add(name, elementwise);
  }
  for (const char* name : {"fused_conv2d", "fused_conv2d_add_act", "fused_conv3d"}) {
    table.add(name, convolution);
  }
  table.add("skip_layernorm", skip_layernorm);
  table.add("fused_fc_elementwise_layernorm", fc_layernorm);
  table.add("fused_embedding_eltwise_layernorm", embeddings);
  table.add("self_dp_attention", self_attention);
  table.add("multihead_matmul", multihead);
  table.add("fusion_repeated_fc_relu", repeated_fc);
  table.add("fusion_squared_mat_sub", squared_mat_sub);
  table.add("fusion_transpose_flatten_concat", transpose_flatten_concat);
  table.add("fused_bias_act", bias_act);
  table.add("fused_dropout_add", dropout_add);
  table.add("fused_bias_dropout_residual_layer_norm", bias_dropout_layernorm);
}

}  // namespace paddle::pir
