// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of quantised models: the numbers that 8 bits hold, in floating point. A scale is the
// largest magnitude that is represented; it becomes 2^(bits - 1) - 1.
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

int64_t largest(OpTranslation& op) {
  const int64_t bits = op.integer("bit_length", 8);
  if (bits < 2 || bits > 31) op.fail(str("bit_length is ", bits));
  return (int64_t{1} << (bits - 1)) - 1;
}

Value* times(OpTranslation& op, Value* x, double factor) {
  return op.make("scale", {{"x", x}, {"scale", factor}});
}

// Scales of the channels at `axis` of x; one scale for all of x stays as it is.
Value* along(OpTranslation& op, Value* scale, const Value* x, int64_t axis) {
  const auto rank = static_cast<int64_t>(OpTranslation::rank(x));
  if (axis < 0 || rank < 2 || OpTranslation::rank(scale) != 1 ||
      scale->type().shape()[0] == Dim(1)) {
    return scale;
  }
  if (axis >= rank) op.fail(str("quant_axis is ", axis, " for an input of rank ", rank));
  Ints behind;
  for (int64_t i = axis + 1; i < rank; ++i) behind.push_back(i - axis);
  if (behind.empty()) return scale;
  return op.make("unsqueeze", {{"x", scale}, {"axis", behind}});
}

// Whole numbers nearest to x / scale * largest: halves away from zero after clipping to the scale,
// or (round_type 0, which quantize_linear has where its file is silent) to the even one and with
// one number more below.
Value* quantized(OpTranslation& op, Value* x, Value* scale) {
  const auto most = static_cast<double>(largest(op));
  Value* least =
      op.make("full", {{"shape", Ints{}}, {"value", 1e-30}, {"dtype", scale->type().dtype()}});
  Value* factor = times(
      op, op.make("reciprocal", {{"x", op.make("maximum", {{"x", scale}, {"y", least}})}}), most);
  if (op.integer("round_type", op.type() == "quantize_linear" ? 0 : 1) == 0) {
    Value* inside = op.make(
        "clip",
        {{"x", op.make("multiply", {{"x", x}, {"y", factor}})}, {"min", -most - 1}, {"max", most}});
    return op.make("round", {{"x", inside}});
  }
  Value* above = op.make("maximum", {{"x", x}, {"y", times(op, scale, -1)}});
  Value* inside = op.make("minimum", {{"x", above}, {"y", scale}});
  Value* exact = op.make("multiply", {{"x", inside}, {"y", factor}});
  Value* half = times(op, op.make("sign", {{"x", exact}}), 0.5);
  return op.make("trunc", {{"x", op.make("add", {{"x", exact}, {"y", half}})}});
}

Value* restored(OpTranslation& op, Value* q, Value* scale) {
  return times(op, op.make("multiply", {{"x", q}, {"y", scale}}),
               1.0 / static_cast<double>(largest(op)));
}

Value* magnitude(OpTranslation& op, Value* x, const Ints& axes) {
  return op.make("max", {{"x", op.make("abs", {{"x", x}})}, {"axis", axes}});
}

// The largest magnitude of x, of each channel or what was measured before.
Value* scale_of(OpTranslation& op, Value* x) {
  if (Value* measured = op.in_or_null("InScale")) return measured;
  Ints axes;
  if (op.type().starts_with("fake_channel_wise")) {
    const int64_t axis = op.integer("quant_axis", 0);
    for (int64_t i = 0; i < static_cast<int64_t>(OpTranslation::rank(x)); ++i) {
      if (i != axis) axes.push_back(i);
    }
    return magnitude(op, x, axes);
  }
  return op.make("reshape", {{"x", magnitude(op, x, axes)}, {"shape", Ints{1}}});
}

void fake_quantize(OpTranslation& op) {
  Value* x = op.in("X");
  Value* scale = scale_of(op, x);
  const bool channels = op.type().starts_with("fake_channel_wise");
  Value* wide = channels ? along(op, scale, x, op.integer("quant_axis", 0)) : scale;
  Value* q = quantized(op, x, wide);
  const bool back = op.type().find("_dequantize_") != std::string::npos;
  op.set("Out", back ? restored(op, q, wide) : q);
  op.set("OutScale", scale);
}

void quantize_linear(OpTranslation& op) {
  Value* x = op.in("X");
  if (op.flag("only_observer", false)) return op.set("Y", x);
  op.set("Y", quantized(op, x, along(op, op.in("Scale"), x, op.integer("quant_axis", -1))));
}

void dequantize_linear(OpTranslation& op) {
  Value *x = op.in("X"), *scale = op.in("Scale");
  if (op.flag("only_observer", false)) return op.set("Y", x);
  op.set("Y", restored(op, op.cast(x, scale->type().dtype()),
                       along(op, scale, x, op.integer("quant_axis", -1))));
}

void fake_dequantize(OpTranslation& op) {
  Value *x = op.in("X"), *scale = op.in("Scale");
  Value* product = op.make("multiply", {{"x", op.cast(x, scale->type().dtype())}, {"y", scale}});
  op.set("Out", times(op, product, 1.0 / op.number("max_range", 127)));
}

// One list of scales per channel of a weight; a second scale is that of the activation.
void fake_channel_wise_dequantize(OpTranslation& op) {
  const std::vector<Value*> scales = op.ins("Scales");
  const Ints bits = op.integers("quant_bits");
  if (scales.empty() || scales.size() > bits.size()) op.fail("scales do not fit quant_bits");
  Value* out = op.cast(op.in("X"), scales[0]->type().dtype());
  const int64_t axis = scales.size() > 1 ? 1 : op.integer("quant_axis", 0);
  for (size_t i = 0; i < scales.size(); ++i) {
    if (bits[i] < 2 || bits[i] > 31) op.fail(str("quant_bits holds ", bits[i]));
    Value* scale = i == 0 ? along(op, scales[0], out, axis) : scales[i];
    out = times(op, op.make("multiply", {{"x", out}, {"y", scale}}),
                1.0 / static_cast<double>((int64_t{1} << (bits[i] - 1)) - 1));
  }
  op.set("Out", out);
}

// It only measures.
void observe(OpTranslation& op) { op.set("Out", op.in("X")); }

}  // namespace

void add_quantize_translations(TranslationTable& table) {
  for (const char* name :
       {"fake_quantize_abs_max", "fake_quantize_dequantize_abs_max",
        "fake_channel_wise_quantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max",
        "fake_quantize_moving_average_abs_max", "fake_quantize_range_abs_max",
        "fake_quantize_dequantize_moving_average_abs_max"}) {
    table.add(name, fake_quantize);
  }
  table.add("quantize_linear", quantize_linear);
  table.add("dequantize_linear", dequantize_linear);
  table.add("fake_dequantize_max_abs", fake_dequantize);
  table.add("fake_channel_wise_dequantize_max_abs", fake_channel_wise_dequantize);
  table.add("moving_average_abs_max_scale", observe);
}

}  // namespace paddle::pir
