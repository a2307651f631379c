// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that oneDNN's passes gave 8 or 16 bits: the whole numbers stand as floating-point
// numbers, operators between compute in floating point.
#include "pir/legacy/eight_bits.h"

namespace paddle::pir {
namespace {

// What divides the numbers of an input; both spellings occur.
struct Scaled {
  const char *slot, *scale, *other;
};
constexpr Scaled kScaled[] = {{"Input", "Scale_in", "scale_in"},
                              {"X", "Scale_x", "scale_x"},
                              {"Y", "Scale_y", "scale_y"},
                              {"ResidualData", "Scale_in_eltwise", "scale_in_eltwise"}};
constexpr const char* kScalesOfWeights[] = {"Scale_weights", "scale_weights"};
constexpr const char* kResults[] = {"Output", "Out", "Y", "out"};

bool is_set(const OpTranslation& op, const char* name) {
  const double scale = op.number(name, 1);
  return scale != 1 && scale != 0;
}

double scale_of(const OpTranslation& op, const char* name, const char* other) {
  const double scale = op.number(is_set(op, name) ? name : other, 1);
  return scale == 0 ? 1 : scale;
}

std::vector<double> scales_of_weights(const OpTranslation& op) {
  for (const char* name : kScalesOfWeights) {
    if (op.has(name)) return op.numbers(name);
  }
  return {};
}

bool computes_with_whole_numbers(const OpTranslation& op) {
  if (op.text("mkldnn_data_type", "int8") != "int8") return false;
  for (const Scaled& s : kScaled) {
    if (is_set(op, s.scale) || is_set(op, s.other)) return true;
  }
  for (const double scale : scales_of_weights(op)) {
    if (scale != 1) return true;
  }
  return is_set(op, "Scale_out") || is_set(op, "scale_out");
}

// The whole numbers that 8 bits hold.
Term saturated(const Term& x, bool is_signed) {
  const Term inside =
      x.make("clip", {{"min", is_signed ? -128.0 : 0.0}, {"max", is_signed ? 127.0 : 255.0}});
  return inside.make("round");
}

std::string unsigned_mark(const std::string& variable) { return variable + "@U8"; }

bool is_unsigned(const OpTranslation& op, std::string_view slot) {
  const auto names = op.desc().inputs.find(slot);
  return names != op.desc().inputs.end() && !names->second.empty() &&
         op.translator().find(unsigned_mark(names->second[0]));
}

void mark_unsigned(OpTranslation& op) {
  for (const auto& [slot, names] : op.desc().outputs) {
    for (const std::string& name : names) {
      if (Value* v = op.translator().find(name)) op.translator().write(unsigned_mark(name), v);
    }
  }
}

// A weight as its 8 bits represent it: a scale for all of it, or one an output channel.
Term rounded_weight(OpTranslation& op, const Term& weight, const std::vector<double>& scales,
                    int64_t axis) {
  Term scale = Term::numbers(op, scales, weight.dtype());
  if (scales.size() == 1) {
    scale = scale.reshape({});
  } else if (axis < weight.rank()) {
    std::vector<int64_t> extents(static_cast<size_t>(weight.rank()), 1);
    extents[static_cast<size_t>(axis)] = -1;
    scale = scale.reshape(extents);
  }
  return saturated(weight * scale, true) / scale;
}

std::string activation(const OpTranslation& op) {
  if (op.flag("fuse_relu", false) || op.flag("fuse_with_relu", false)) return "relu";
  const std::string name = op.text("fuse_activation", "");
  return name.empty() ? op.text("activation_type", "") : name;
}

void quantize(OpTranslation& op) {
  const Term x = Term::in(op, "Input");
  if (op.flag("bfloat16", false)) {
    return op.set("Output", x.cast(DType::kBFloat16).cast(DType::kFloat32));
  }
  const bool is_signed = op.flag("is_negative_input", false);
  op.set("Output", saturated(x.scaled(op.number("Scale", op.number("scale", 1)),
                                      op.number("Shift", op.number("shift", 0))),
                             is_signed));
  if (!is_signed) mark_unsigned(op);
}

void dequantize(OpTranslation& op) {
  const double scale = op.number("Scale", op.number("scale", 1));
  if (scale == 0) op.fail("Scale is 0");
  const Term x = Term::in(op, "Input") - op.number("Shift", op.number("shift", 0));
  op.set("Output", x * (1 / scale));
}

void requantize(OpTranslation& op) {
  const double from = op.number("Scale_in", op.number("scale_in", 1));
  const double to = op.number("Scale_out", op.number("scale_out", 1));
  if (from == 0) op.fail("Scale_in is 0");
  const Term x = Term::in(op, "Input") - op.number("Shift_in", op.number("shift_in", 0));
  const double shift = op.number("Shift_out", op.number("shift_out", 0));
  const bool is_signed = shift == 0 && !is_unsigned(op, "Input");
  op.set("Output", saturated(x.scaled(to / from, shift), is_signed));
  if (!is_signed) mark_unsigned(op);
}

}  // namespace

bool EightBits::open() {
  const std::string& type = op_.type();
  if (type == "quantize" || type == "dequantize" || type == "requantize") return false;
  if (op_.has("Scale_data") && op_.text("mkldnn_data_type", "") == "int8") {
    op_.unsupported("it computes with 8 bits");
  }
  if (!computes_with_whole_numbers(op_)) return false;
  wide_ = op_.desc();
  for (const Scaled& s : kScaled) {
    const double scale = scale_of(op_, s.scale, s.other);
    if (scale != 1) replace(s.slot, [&](const Term& x) { return x * (1 / scale); });
  }
  const std::vector<double> scales = scales_of_weights(op_);
  for (const char* slot : {"Filter", "W"}) {
    if (scales.empty() || op_.desc().inputs.find(slot) == op_.desc().inputs.end()) continue;
    replace(slot, [&](const Term& w) { return rounded_weight(op_, w, scales, slot[0] == 'W'); });
  }
  return true;
}

template <typename Fn>
void EightBits::replace(const char* slot, const Fn& fn) {
  const auto names = wide_.inputs.find(slot);
  if (names == wide_.inputs.end() || names->second.empty()) return;
  const std::string name = str(names->second[0], "@float ", slot);
  op_.translator().write(name, fn(Term::in(op_, slot)));
  names->second[0] = name;
}

void EightBits::close() {
  const double scale = scale_of(op_, "Scale_out", "scale_out");
  if (op_.flag("force_fp32_output", false)) return;
  const std::string name = activation(op_);
  // An elementwise operator keeps the kind of its first operand.
  const bool is_signed = op_.type().find("elementwise_") != std::string::npos
                             ? !is_unsigned(op_, "X")
                             : name != "relu" && name != "relu6";
  for (const char* slot : kResults) {
    const auto& names = op_.out_names(slot);
    if (names.empty()) continue;
    const Term y(op_, op_.translator().read(names[0], op_.type()));
    op_.set(slot, saturated(y * scale, is_signed));
    break;
  }
  if (!is_signed) mark_unsigned(op_);
}

void EightBits::pass() {
  if (op_.text("mkldnn_data_type", "") != "int8") return;
  if (op_.type() == "pool2d" && op_.text("pooling_type", "max") == "avg") {
    op_.set("Out",
            Term(op_, op_.translator().read(op_.out_names("Out").at(0), op_.type())).make("round"));
  }
  if (is_unsigned(op_, "X") || is_unsigned(op_, "Input")) mark_unsigned(op_);
}

void add_eight_bits_translations(TranslationTable& table) {
  table.add("quantize", quantize);
  table.add("dequantize", dequantize);
  table.add("requantize", requantize);
}

}  // namespace paddle::pir
