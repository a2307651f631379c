// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of detection, video and sequence models that become several operators.
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

Value* number(OpTranslation& op, double value, DType dtype, const Ints& shape = {}) {
  return op.make("full", {{"shape", shape}, {"value", value}, {"dtype", dtype}});
}

Value* column(OpTranslation& op, Value* x, int64_t i) {
  return op.make("slice", {{"input", x},
                           {"axes", Ints{1}},
                           {"starts", Ints{i}},
                           {"ends", Ints{i + 1}},
                           {"decrease_axis", Ints{1}}});
}

// The level of each region by the square root of its area.
Value* levels(OpTranslation& op, Value* rois) {
  const DType dtype = rois->type().dtype();
  const double pixel = op.flag("pixel_offset", true) ? 1 : 0;
  const auto side = [&](int64_t i) {
    Value* length =
        op.make("subtract", {{"x", column(op, rois, i + 2)}, {"y", column(op, rois, i)}});
    Value* open = op.make("scale", {{"x", length}, {"bias", pixel}});
    // A region that is inside out has no area.
    Value* there = op.make("greater_equal", {{"x", length}, {"y", number(op, 0, dtype)}});
    return op.make("multiply", {{"x", open}, {"y", op.cast(there, dtype)}});
  };
  Value* area = op.make("multiply", {{"x", side(0)}, {"y", side(1)}});
  Value* size =
      op.make("scale", {{"x", op.make("sqrt", {{"x", area}})},
                        {"scale", 1.0 / static_cast<double>(op.integer("refer_scale", 1))},
                        {"bias", 1e-8}});
  Value* level =
      op.make("floor", {{"x", op.make("scale", {{"x", op.make("log2", {{"x", size}})},
                                                {"bias", op.number("refer_level", 0)}})}});
  return op.make(
      "clip",
      {{"x", level}, {"min", op.number("min_level", 0)}, {"max", op.number("max_level", 0)}});
}

// How many set places lie among the regions of each image.
Value* counts(OpTranslation& op, Value* mask, Value* per_image) {
  Value* ones = op.cast(mask, DType::kInt64);
  if (!per_image) {
    return op.cast(op.make("sum", {{"x", ones}, {"axis", Ints{0}}, {"keepdim", true}}),
                   DType::kInt32);
  }
  Value* before = op.make(
      "concat", {{"x", std::vector<Value*>{number(op, 0, DType::kInt64, {1}),
                                           op.make("cumsum", {{"x", ones}, {"axis", int64_t{0}}})}},
                 {"axis", int64_t{0}}});
  Value* n = op.cast(per_image, DType::kInt64);
  Value* ends = op.make("cumsum", {{"x", n}, {"axis", int64_t{0}}});
  Value* starts = op.make("subtract", {{"x", ends}, {"y", n}});
  const auto at = [&](Value* places) {
    return op.make("gather", {{"x", before}, {"index", places}, {"axis", int64_t{0}}});
  };
  return op.cast(op.make("subtract", {{"x", at(ends)}, {"y", at(starts)}}), DType::kInt32);
}

void distribute_fpn_proposals(OpTranslation& op) {
  Value *rois = op.in("FpnRois"), *per_image = op.in_or_null("RoisNum");
  const int64_t first = op.integer("min_level", 0), last = op.integer("max_level", 0);
  if (last < first || last - first > 64) op.fail(str("its levels are ", first, " to ", last));
  Value* level = levels(op, rois);
  std::vector<Value*> parts, numbers, places;
  for (int64_t l = first; l <= last; ++l) {
    Value* mask = op.make(
        "equal", {{"x", level}, {"y", number(op, static_cast<double>(l), level->type().dtype())}});
    Value* found =
        op.make("squeeze", {{"x", op.make("nonzero", {{"condition", mask}})}, {"axis", Ints{1}}});
    places.push_back(found);
    parts.push_back(op.make("gather", {{"x", rois}, {"index", found}, {"axis", int64_t{0}}}));
    numbers.push_back(counts(op, mask, per_image));
  }
  Value* order = op.make("concat", {{"x", places}, {"axis", int64_t{0}}});
  Value* back = op.emit("argsort", {{"x", order}, {"axis", int64_t{0}}})->result(1);
  op.set("RestoreIndex",
         op.make("unsqueeze", {{"x", op.cast(back, DType::kInt32)}, {"axis", Ints{1}}}));
  op.set_all("MultiFpnRois", parts);
  if (!op.out_names("MultiLevelRoIsNum").empty()) op.set_all("MultiLevelRoIsNum", numbers);
}

// The first channels of each frame come from the frame before, the next ones from the frame after.
void temporal_shift(OpTranslation& op) {
  Value* x = op.in("X");
  const int64_t frames = op.integer("seg_num", 1);
  const bool last = op.text("data_format", "NCHW") == "NHWC";
  const Shape shape = x->type().shape();
  const size_t at = last ? 3 : 1;
  if (shape.size() != 4 || frames < 1)
    op.fail("an input of rank 4 and a seg_num above 0 are needed");
  const int64_t channels = op.extent("X", static_cast<int64_t>(at));
  const auto share = static_cast<double>(channels) * op.number("shift_ratio", 0.25);
  const auto one = static_cast<int64_t>(share), two = static_cast<int64_t>(2 * share);
  // Frames and the rest of a sample: [samples, frames, ...].
  Value* extents = op.make("shape64", {{"input", x}});
  Value* inner = op.make(
      "slice", {{"input", extents}, {"axes", Ints{0}}, {"starts", Ints{1}}, {"ends", Ints{4}}});
  Value* outer = op.constant([&] {
    Tensor t = Tensor::empty({Dim(2)}, DType::kInt64);
    t.data<int64_t>()[0] = -1;
    t.data<int64_t>()[1] = frames;
    return t;
  }());
  Value* all =
      op.make("reshape", {{"x", x},
                          {"shape", op.make("concat", {{"x", std::vector<Value*>{outer, inner}},
                                                       {"axis", int64_t{0}}})}});
  const int64_t axis = last ? 4 : 2;
  const auto part = [&](int64_t from, int64_t to, int64_t move) {
    Value* some =
        op.make("slice",
                {{"input", all}, {"axes", Ints{axis}}, {"starts", Ints{from}}, {"ends", Ints{to}}});
    if (move == 0) return some;
    Ints paddings(10, 0);
    paddings[move > 0 ? 2 : 3] = 1;
    Value* padded = op.make("pad", {{"x", some}, {"paddings", paddings}, {"pad_value", 0.0}});
    return op.make("slice", {{"input", padded},
                             {"axes", Ints{1}},
                             {"starts", Ints{move > 0 ? 0 : 1}},
                             {"ends", Ints{move > 0 ? frames : frames + 1}}});
  };
  Value* moved = op.make(
      "concat",
      {{"x", std::vector<Value*>{part(0, one, 1), part(one, two, -1), part(two, channels, 0)}},
       {"axis", axis}});
  op.set("Out", op.make("reshape", {{"x", moved}, {"shape", extents}}));
}

// The share of rows among whose indices the label is.
void accuracy(OpTranslation& op) {
  Value *indices = op.in("Indices"), *label = op.cast(op.in("Label"), indices->type().dtype());
  Value* hits =
      op.make("any", {{"x", op.make("equal", {{"x", indices}, {"y", label}})}, {"axis", Ints{1}}});
  Value* ones = op.cast(hits, DType::kFloat32);
  op.set("Accuracy", op.make("mean", {{"x", ones}, {"axis", Ints{}}}));
  op.set("Correct", op.cast(op.make("sum", {{"x", ones}, {"axis", Ints{}}}), DType::kInt32));
  op.set("Total", op.cast(op.make("numel", {{"x", hits}}), DType::kInt32));
}

void label_smooth(OpTranslation& op) {
  Value* label = op.in("X");
  const double epsilon = op.number("epsilon", 0);
  Value* kept = op.make("scale", {{"x", label}, {"scale", 1 - epsilon}});
  if (Value* prior = op.in_or_null("PriorDist")) {
    return op.set(
        "Out",
        op.make("add", {{"x", kept}, {"y", op.make("scale", {{"x", prior}, {"scale", epsilon}})}}));
  }
  const Shape& shape = label->type().shape();
  if (shape.empty()) op.fail("a label of no axis has no classes");
  if (!shape.back().is_symbolic()) {
    const auto classes = static_cast<double>(shape.back().value());
    return op.set("Out", op.make("scale", {{"x", kept}, {"bias", epsilon / classes}}));
  }
  const auto rank = static_cast<int64_t>(shape.size());
  Value* classes = op.make("slice", {{"input", op.make("shape64", {{"input", label}})},
                                     {"axes", Ints{0}},
                                     {"starts", Ints{rank - 1}},
                                     {"ends", Ints{rank}}});
  const DType dtype = label->type().dtype();
  Value* share =
      op.make("divide", {{"x", number(op, epsilon, dtype)}, {"y", op.cast(classes, dtype)}});
  op.set("Out", op.make("add", {{"x", kept}, {"y", share}}));
}

// Whether each of the first maxlen steps is one of the sample.
void sequence_mask(OpTranslation& op) {
  Value* lengths = op.in("X");
  const DType dtype = lengths->type().dtype();
  Value* most = op.in_or_null("MaxLenTensor");
  // A constant below 0 stands for the longest.
  const Operation* constant = most ? most->producer() : nullptr;
  if (constant && constant->is("pd_op.full") && constant->attribute("value").to_double() < 0) {
    most = nullptr;
  }
  if (!most && op.integer("maxlen", -1) > 0) most = number(op, op.number("maxlen", 0), dtype);
  if (!most) most = op.make("max", {{"x", lengths}, {"axis", Ints{}}});
  Value* steps = op.make("arange", {{"start", number(op, 0, dtype)},
                                    {"end", op.cast(most, dtype)},
                                    {"step", number(op, 1, dtype)},
                                    {"dtype", dtype}});
  Value* inside =
      op.make("less_than",
              {{"x", steps}, {"y", op.make("unsqueeze", {{"x", lengths}, {"axis", Ints{-1}}})}});
  op.set("Y", op.cast(inside, op.dtype("out_dtype", DType::kInt64)));
}

}  // namespace

void add_detection_translations(TranslationTable& table) {
  table.add("distribute_fpn_proposals", distribute_fpn_proposals);
  table.add("temporal_shift", temporal_shift);
  table.add("accuracy", accuracy);
  table.add("label_smooth", label_smooth);
  table.add("sequence_mask", sequence_mask);
}

}  // namespace paddle::pir
