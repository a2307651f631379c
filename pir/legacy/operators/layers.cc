// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Old convolution, interpolation and padding operators that become several operators.
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

bool channels_last(const std::string& format) { return format == "NHWC" || format == "NDHWC"; }

// The bias of each channel, added in the operator itself by newer exporters.
Value* with_bias(OpTranslation& op, Value* out, const std::string& format) {
  Value* bias = op.in_or_null("Bias");
  if (!bias) return out;
  if (!channels_last(format)) {
    bias = op.make("unsqueeze", {{"x", bias}, {"axis", Ints{1, 2}}});
  }
  return op.make("add", {{"x", out}, {"y", bias}});
}

std::vector<NamedGiven> window(OpTranslation& op, const std::string& format) {
  const auto pair = [&](const char* name, int64_t value) {
    return op.has(name) ? op.integers(name) : Ints{value, value};
  };
  return {{"filter", op.in("Filter")},
          {"strides", pair("strides", 1)},
          {"paddings", pair("paddings", 0)},
          {"dilations", pair("dilations", 1)},
          {"groups", op.integer("groups", 1)},
          {"padding_algorithm", op.text("padding_algorithm", "EXPLICIT")},
          {"data_format", format}};
}

void conv2d(OpTranslation& op) {
  const std::string format = op.text("data_format", "NCHW");
  std::vector<NamedGiven> args = window(op, format);
  args.emplace_back("input", op.in("Input"));
  Value* out = with_bias(op, op.make_all(op.type(), args), format);
  if (Value* residual = op.in_or_null("ResidualData")) {
    out = op.make("add", {{"x", out}, {"y", residual}});
  }
  op.set("Output", out);
}

void conv2d_transpose(OpTranslation& op) {
  const std::string format = op.text("data_format", "NCHW");
  std::vector<NamedGiven> args = window(op, format);
  args.emplace_back("x", op.in("Input"));
  args.emplace_back("output_padding", op.integers("output_padding"));
  args.emplace_back("output_size", op.given("output_size").value_or(Ints{}));
  op.set("Output", with_bias(op, op.make_all(op.type(), args), format));
}

// Factors of the extents, if any: the first operators have one for all axes, 0 for none; a tensor
// that holds a constant counts as an attribute.
std::vector<double> factors(OpTranslation& op, size_t axes, const Value* tensor) {
  if (tensor) {
    const Operation* producer = tensor->producer();
    if (!producer || !producer->is("pd_op.full")) return {};
    return std::vector<double>(axes, producer->attribute("value").to_scalar().to_double());
  }
  if (op.type().ends_with("_v2")) return op.numbers("scale");
  const double factor = op.number("scale", 0);
  return factor > 0 ? std::vector<double>(axes, factor) : std::vector<double>{};
}

void interpolate(OpTranslation& op) {
  const std::string method = op.type().substr(0, op.type().find('_'));
  Value *x = op.in("X"), *scale = op.in_or_null("Scale");
  if (OpTranslation::rank(x) < 3) op.fail("input X has no axis to interpolate");
  const std::vector<double> known = factors(op, OpTranslation::rank(x) - 2, scale);
  std::vector<NamedGiven> args{{"x", x},
                               {"data_format", op.text("data_layout", "NCHW")},
                               {"out_d", op.integer("out_d", 0)},
                               {"out_h", op.integer("out_h", 0)},
                               {"out_w", op.integer("out_w", 0)},
                               {"scale", known},
                               {"interp_method", method},
                               {"align_corners", op.flag("align_corners", true)},
                               {"align_mode", op.integer("align_mode", 1)}};
  if (Value* size = op.in_or_null("OutSize")) args.emplace_back("out_size", size);
  if (auto sizes = op.ins("SizeTensor"); !sizes.empty()) args.emplace_back("size_tensor", sizes);
  if (scale && known.empty()) args.emplace_back("scale_tensor", scale);
  op.set("Out", op.make_all(str(method, "_interp"), args));
}

// paddings: top, bottom, left, right
void pad2d(OpTranslation& op) {
  if (op.in_or_null("Paddings")) op.unsupported("the paddings are a tensor");
  const Ints p = op.integers("paddings");
  Value* x = op.in("X");
  if (p.size() != 4 || OpTranslation::rank(x) != 4) {
    op.fail("four paddings and an input of rank 4 are expected");
  }
  const bool last = channels_last(op.text("data_format", "NCHW"));
  const std::string mode = op.text("mode", "constant");
  // As a volume of depth 1; pad3d counts from the last axis: left, right, top, bottom, front, back.
  const Ints depth{last ? 1 : 2};
  Value* volume = op.make("unsqueeze", {{"x", x}, {"axis", depth}});
  Value* padded = op.make("pad3d", {{"x", volume},
                                    {"paddings", Ints{p[2], p[3], p[0], p[1], 0, 0}},
                                    {"mode", mode == "edge" ? std::string("replicate") : mode},
                                    {"pad_value", op.number("pad_value", 0)},
                                    {"data_format", std::string(last ? "NDHWC" : "NCDHW")}});
  op.set("Out", op.make("squeeze", {{"x", padded}, {"axis", depth}}));
}

// x * scale + bias per channel
void affine_channel(OpTranslation& op) {
  Value *scale = op.in("Scale"), *bias = op.in("Bias"), *x = op.in("X");
  std::vector<int64_t> axes;
  if (op.text("data_layout", "NCHW") != "NHWC") {
    for (size_t i = 2; i < OpTranslation::rank(x); ++i) axes.push_back(static_cast<int64_t>(i) - 1);
  }
  const auto widened = [&](Value* v) {
    return axes.empty() ? v : op.make("unsqueeze", {{"x", v}, {"axis", axes}});
  };
  Value* scaled = op.make("multiply", {{"x", x}, {"y", widened(scale)}});
  op.set("Out", op.make("add", {{"x", scaled}, {"y", widened(bias)}}));
}

}  // namespace

void add_layers_translations(TranslationTable& table) {
  table.add("conv2d", conv2d);
  table.add("depthwise_conv2d", conv2d);
  table.add("conv2d_transpose", conv2d_transpose);
  table.add("depthwise_conv2d_transpose", conv2d_transpose);
  for (const char* name : {"nearest_interp", "bilinear_interp", "bicubic_interp", "linear_interp",
                           "trilinear_interp", "nearest_interp_v2", "bilinear_interp_v2",
                           "bicubic_interp_v2", "linear_interp_v2", "trilinear_interp_v2"}) {
    table.add(name, interpolate);
  }
  table.add("pad2d", pad2d);
  table.add("affine_channel", affine_channel);
}

}  // namespace paddle::pir
