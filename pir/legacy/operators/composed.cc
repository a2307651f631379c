// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of linear algebra, graphs and attention that are compositions here.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;
using Values = std::vector<Value*>;

Value* binary(OpTranslation& op, const char* name, Value* x, Value* y) {
  return op.make(name, {{"x", x}, {"y", y}});
}

Value* unsqueezed(OpTranslation& op, Value* x, int64_t axis) {
  return op.make("unsqueeze", {{"x", x}, {"axis", Ints{axis}}});
}

Value* number(OpTranslation& op, double value, DType dtype) {
  return op.make("full", {{"shape", Ints{}}, {"value", value}, {"dtype", dtype}});
}

// A tensor of this shape, a vector of integers, whose every element is `value`.
Value* filled(OpTranslation& op, Value* shape, double value, DType dtype) {
  return op.make("full_with_tensor",
                 {{"value", number(op, value, dtype)}, {"shape", shape}, {"dtype", dtype}});
}

void same(OpTranslation& op) {
  op.set("Out", op.make("assign", {{"x", op.in(op.type() == "print" ? "In" : "X")}}));
}

// out[n, o] = x[n] weight[o] y[n] + bias[o]
void bilinear(OpTranslation& op) {
  Value* rows = op.make("matmul", {{"x", unsqueezed(op, op.in("X"), 0)}, {"y", op.in("Weight")}});
  Value* products = binary(op, "multiply", rows, unsqueezed(op, op.in("Y"), 0));
  Value* out = op.make("sum", {{"x", products}, {"axis", Ints{-1}}});
  out = op.make("transpose", {{"x", out}, {"perm", Ints{1, 0}}});
  Value* bias = op.in_or_null("Bias");
  op.set("Out", bias ? binary(op, "add", out, bias) : out);
}

Value* euclidean(OpTranslation& op, Value* x, const Given& axes, bool keepdim) {
  Value* sum = op.make_all(
      "sum", {{"x", op.make("square", {{"x", x}})}, {"axis", axes}, {"keepdim", keepdim}});
  return op.make("sqrt", {{"x", sum}});
}

void clip_by_norm(OpTranslation& op) {
  Value* x = op.in("X");
  Value* limit = number(op, op.number("max_norm", 1), x->type().dtype());
  Value* size = euclidean(op, x, Ints{}, false);
  Value* factor = binary(op, "divide", limit, binary(op, "maximum", size, limit));
  op.set("Out", binary(op, "multiply", x, factor));
}

void frobenius_norm(OpTranslation& op) {
  Given axes = op.integers("dim");
  if (Value* given = op.in_or_null("Axis")) axes = given;
  if (op.flag("reduce_all", false)) axes = Ints{};
  op.set("Out", euclidean(op, op.in("X"), axes, op.flag("keep_dim", false)));
}

// Of each slice along the axis the norm is at most max_norm.
void renorm(OpTranslation& op) {
  Value* x = op.in("X");
  const double p = op.number("p", 2), limit = op.number("max_norm", 1);
  const auto rank = static_cast<int64_t>(OpTranslation::rank(x));
  const int64_t kept = (op.integer("axis", 0) + rank) % std::max<int64_t>(rank, 1);
  Ints others;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis != kept) others.push_back(axis);
  }
  Value* power = op.make("pow", {{"x", op.make("abs", {{"x", x}})}, {"y", p}});
  Value* sum = op.make("sum", {{"x", power}, {"axis", others}, {"keepdim", true}});
  Value* size = op.make("pow", {{"x", sum}, {"y", 1 / p}});
  const DType dtype = x->type().dtype();
  Value* factor = binary(op, "divide", number(op, limit, dtype),
                         op.make("scale", {{"x", size}, {"bias", 1e-7}}));
  Value* above = binary(op, "greater_than", size, number(op, limit, dtype));
  factor = op.make("where", {{"condition", above}, {"x", factor}, {"y", number(op, 1, dtype)}});
  op.set("Out", binary(op, "multiply", x, factor));
}

void empty(OpTranslation& op) {
  const DType dtype = op.dtype("dtype", DType::kFloat32);
  Value* shape = op.in_or_null("ShapeTensor");
  if (!shape && !op.ins("ShapeTensorList").empty()) {
    return op.set("Out", op.make_all("full_with_tensor", {{"value", number(op, 0, dtype)},
                                                          {"shape", op.ins("ShapeTensorList")},
                                                          {"dtype", dtype}}));
  }
  op.set(
      "Out",
      shape ? filled(op, shape, 0, dtype)
            : op.make("full", {{"shape", op.integers("shape")}, {"value", 0.0}, {"dtype", dtype}}));
}

void logspace(OpTranslation& op) {
  const DType dtype = op.dtype("dtype", DType::kFloat32);
  const DType wide = DType::kFloat64;
  Value* exponents = op.make("linspace", {{"start", op.in("Start")},
                                          {"stop", op.in("Stop")},
                                          {"number", op.in("Num")},
                                          {"dtype", wide}});
  Value* base = op.cast(op.in("Base"), wide);
  op.set("Out", op.cast(binary(op, "elementwise_pow", base, exponents), dtype));
}

void multi_dot(OpTranslation& op) {
  Values factors = op.ins("X");
  if (factors.empty()) op.fail("input X is empty");
  Value* product = factors[0];
  for (size_t k = 1; k < factors.size(); ++k) product = binary(op, "matmul", product, factors[k]);
  op.set("Out", product);
}

// How many singular values, or sizes of eigenvalues, lie above the tolerance.
void matrix_rank(OpTranslation& op) {
  Value* x = op.in("X");
  Value* sizes = op.flag("hermitian", false)
                     ? op.make("abs", {{"x", op.make("eigvalsh", {{"x", x}})}})
                     : op.make("svdvals", {{"x", x}});
  const DType dtype = sizes->type().dtype();
  Value* largest = op.make("max", {{"x", sizes}, {"axis", Ints{-1}}, {"keepdim", true}});
  Value *absolute = op.in_or_null("AtolTensor"), *relative = op.in_or_null("RtolTensor");
  const auto column = [&](Value* v) { return unsqueezed(op, op.cast(v, dtype), -1); };
  Value* limit = nullptr;
  if (absolute) {
    limit = column(absolute);
    if (relative) {
      limit = binary(op, "maximum", limit, binary(op, "multiply", column(relative), largest));
    }
  } else if (Value* given = op.in_or_null("TolTensor")) {
    limit = column(given);
  } else if (!op.flag("use_default_tol", true)) {
    limit = number(op, op.number("tol", 0), dtype);
  } else {
    const double epsilon = dtype == DType::kFloat64 ? 2.220446049250313e-16 : 1.1920928955078125e-7;
    const auto rank = static_cast<int64_t>(OpTranslation::rank(x));
    Value* sides = op.make("slice", {{"input", op.make("shape64", {{"input", x}})},
                                     {"axes", Ints{0}},
                                     {"starts", Ints{rank - 2}},
                                     {"ends", Ints{rank}}});
    Value* side = op.cast(op.make("max", {{"x", sides}, {"axis", Ints{}}}), dtype);
    limit = op.make("scale", {{"x", binary(op, "multiply", largest, side)}, {"scale", epsilon}});
  }
  Value* above = op.cast(binary(op, "greater_than", sizes, limit), DType::kInt64);
  op.set("Out", op.make("sum", {{"x", above}, {"axis", Ints{-1}}}));
}

void softmax_of_masked(OpTranslation& op) {
  Value* x = op.in("X");
  Value* scores = op.type().ends_with("triangle")
                      ? op.make("causal_fill", {{"x", x}, {"value", -INFINITY}})
                      : binary(op, "add", x, op.in("Mask"));
  op.set("Out", op.make("softmax", {{"x", scores}, {"axis", int64_t{-1}}}));
}

// -- rows of a tensor reduced by index ---------------------------------------------------------

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Value* flat(OpTranslation& op, Value* index) {
  return op.make("reshape", {{"x", index}, {"shape", Ints{-1}}});
}

// Rows of `x`, each at its place among `count` rows (a vector of one integer); 0 where none is.
Value* reduced_rows(OpTranslation& op, Value* x, Value* index, Value* count,
                    const std::string& how) {
  const DType dtype = x->type().dtype();
  const auto rank = static_cast<int64_t>(OpTranslation::rank(x));
  Value* rest = op.make("slice", {{"input", op.make("shape64", {{"input", x}})},
                                  {"axes", Ints{0}},
                                  {"starts", Ints{1}},
                                  {"ends", Ints{rank}}});
  Value* shape =
      op.make("concat", {{"x", Values{op.cast(count, DType::kInt64), rest}}, {"axis", int64_t{0}}});
  Value* none = filled(op, shape, 0, dtype);
  index = flat(op, index);
  if (how == "max" || how == "min") {
    Ints wide(static_cast<size_t>(rank), 1);
    wide[0] = -1;
    Value* places = op.make("reshape", {{"x", index}, {"shape", wide}});
    places = op.make("expand", {{"x", places}, {"shape", op.make("shape64", {{"input", x}})}});
    return op.make("put_along_axis_reduce", {{"arr", none},
                                             {"indices", places},
                                             {"values", x},
                                             {"axis", int64_t{0}},
                                             {"reduce", "a" + how},
                                             {"include_self", false}});
  }
  Value* column = unsqueezed(op, index, -1);
  const auto added = [&](Value* updates) {
    return op.make("scatter_nd_add", {{"x", none}, {"index", column}, {"updates", updates}});
  };
  Value* total = added(x);
  if (how == "sum") return total;
  if (how != "mean") op.unsupported(str("its reduction is ", how));
  Value* one = number(op, 1, dtype);
  Value* ones = op.make("full_like", {{"x", x}, {"value", 1.0}});
  return binary(op, "divide", total, binary(op, "maximum", added(ones), one));
}

// The number of rows that is asked for, or that of x.
Value* row_count(OpTranslation& op, Value* x) {
  Value* own = op.make("slice", {{"input", op.make("shape64", {{"input", x}})},
                                 {"axes", Ints{0}},
                                 {"starts", Ints{0}},
                                 {"ends", Ints{1}}});
  Value* given = op.in_or_null("Out_size");
  if (const Ints known = op.integers("out_size"); !given && known.size() == 1) {
    given = op.make(
        "full",
        {{"shape", Ints{1}}, {"value", static_cast<double>(known[0])}, {"dtype", DType::kInt64}});
  }
  if (!given) return own;
  given = op.cast(flat(op, given), DType::kInt64);
  Value* counts = binary(op, "greater_than", given, number(op, 0, DType::kInt64));
  return op.make("where", {{"condition", counts}, {"x", given}, {"y", own}});
}

Value* rows_at(OpTranslation& op, Value* x, const char* slot) {
  return op.make("gather", {{"x", x}, {"index", flat(op, op.in(slot))}, {"axis", int64_t{0}}});
}

Value* message(OpTranslation& op, Value* x, Value* y) {
  const size_t rank = std::max(OpTranslation::rank(x), OpTranslation::rank(y));
  while (OpTranslation::rank(x) < rank) x = unsqueezed(op, x, -1);
  while (OpTranslation::rank(y) < rank) y = unsqueezed(op, y, -1);
  return binary(op, lower(op.text("message_op", "ADD")) == "mul" ? "multiply" : "add", x, y);
}

void send_and_receive(OpTranslation& op) {
  Value* x = op.in("X");
  Value* rows = rows_at(op, x, "Src_index");
  if (Value* y = op.in_or_null("Y")) rows = message(op, rows, y);
  op.set("Out", reduced_rows(op, rows, op.in("Dst_index"), row_count(op, x),
                             lower(op.text("reduce_op", "SUM"))));
}

void send_uv(OpTranslation& op) {
  op.set("out",
         message(op, rows_at(op, op.in("x"), "src_index"), rows_at(op, op.in("y"), "dst_index")));
}

// As many rows as the last segment, the largest, says.
void segment_pool(OpTranslation& op) {
  Value* ids = flat(op, op.in("SegmentIds"));
  Value* last =
      op.make("max", {{"x", op.cast(ids, DType::kInt64)}, {"axis", Ints{0}}, {"keepdim", true}});
  Value* count = op.make("scale", {{"x", last}, {"bias", 1.0}});
  op.set("Out", reduced_rows(op, op.in("X"), ids, count, lower(op.text("pooltype", "SUM"))));
}

// -- normalisation of a sum --------------------------------------------------------------------

void fused_norm(OpTranslation& op) {
  if (op.number("quant_scale", -1) > 0) op.unsupported("it quantises its result");
  Value* x = op.in("x");
  if (Value* bias = op.in_or_null("bias")) x = binary(op, "add", x, bias);
  if (Value* residual = op.in_or_null("residual")) {
    const double alpha = op.number("residual_alpha", 1);
    x = binary(op, "add", x, op.make("scale", {{"x", residual}, {"scale", alpha}}));
  }
  op.set("residual_out", x);
  const int64_t first = op.integer("begin_norm_axis", 1);
  const double epsilon = op.number("epsilon", 1e-5);
  Value *scale = op.in_or_null("norm_weight"), *bias = op.in_or_null("norm_bias");
  if (op.type() == "fused_bias_residual_layernorm") {
    std::vector<NamedGiven> args{{"x", x}, {"epsilon", epsilon}, {"begin_norm_axis", first}};
    if (scale) args.emplace_back("scale", scale);
    if (bias) args.emplace_back("bias", bias);
    Operation* made = op.emit_all("layer_norm", args);
    op.set("out", made->result(0));
    op.set("mean", made->result(1));
    return op.set("variance", made->result(2));
  }
  Ints axes;
  for (auto k = first; k < static_cast<int64_t>(OpTranslation::rank(x)); ++k) axes.push_back(k);
  const DType dtype = x->type().dtype();
  Value* wide = op.cast(x, dtype == DType::kFloat64 ? dtype : DType::kFloat32);
  Value* mean =
      op.make("mean", {{"x", op.make("square", {{"x", wide}})}, {"axis", axes}, {"keepdim", true}});
  Value* root = op.make("rsqrt", {{"x", op.make("scale", {{"x", mean}, {"bias", epsilon}})}});
  Value* out = op.cast(binary(op, "multiply", wide, root), dtype);
  if (scale) out = binary(op, "multiply", out, scale);
  op.set("out", bias ? binary(op, "add", out, bias) : out);
}

// x @ y + bias, and an activation
void fused_gemm_epilogue(OpTranslation& op) {
  Value* product = op.make("matmul", {{"x", op.in("X")},
                                      {"y", op.in("Y")},
                                      {"transpose_x", op.flag("trans_x", false)},
                                      {"transpose_y", op.flag("trans_y", false)}});
  Value* out = binary(op, "add", product, op.in("Bias"));
  const std::string activation = op.text("activation", "none");
  if (activation == "gelu" || activation == "relu") {
    out = op.make(activation, {{"x", out}});
  } else if (activation != "none") {
    op.unsupported(str("its activation is ", activation));
  }
  op.set("Out", out);
}

void slogdet(OpTranslation& op) {
  const Term both = Term::in(op, "x").make("slogdet");
  op.set("sign", both.at(0, 0));
  op.set("logdet", both.at(0, 1));
}

void variance(OpTranslation& op) {
  const Term x = Term::in(op, "x");
  const Ints axes = op.integers("axis");
  const Term apart = x - x.make("mean", {{"axis", axes}, {"keepdim", true}});
  op.set("out", apart.make("square").make(
                    "mean", {{"axis", axes}, {"keepdim", op.flag("keepdim", false)}}));
}

void seed(OpTranslation& op) {
  const int64_t given = op.integer("seed", 0);
  if (given == 0) op.unsupported("its seed is drawn");
  op.set("Out", Term::full(op, {1}, static_cast<double>(given), DType::kInt32));
}

}  // namespace

void add_composed_translations(TranslationTable& table) {
  table.add("slogdet_v2", slogdet);
  table.add("seed", seed);
  table.add("variance", variance);
  for (const char* name : {"memcpy", "memcpy_d2h", "memcpy_h2d", "npu_identity", "print"}) {
    table.add(name, same);
  }
  table.add("bilinear_tensor_product", bilinear);
  table.add("clip_by_norm", clip_by_norm);
  table.add("empty", empty);
  table.add("frobenius_norm", frobenius_norm);
  table.add("fused_bias_residual_layernorm", fused_norm);
  table.add("fused_gemm_epilogue", fused_gemm_epilogue);
  table.add("fused_rms_norm_quant", fused_norm);
  table.add("fused_softmax_mask", softmax_of_masked);
  table.add("fused_softmax_mask_upper_triangle", softmax_of_masked);
  table.add("graph_send_recv", send_and_receive);
  table.add("graph_send_ue_recv", send_and_receive);
  table.add("graph_send_uv", send_uv);
  table.add("logspace", logspace);
  table.add("matrix_rank", matrix_rank);
  table.add("multi_dot", multi_dot);
  table.add("renorm", renorm);
  table.add("segment_pool", segment_pool);
}

}  // namespace paddle::pir
