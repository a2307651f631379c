// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes of detectors of PaddlePaddle 1: anchors and prior boxes of a grid, decoding, overlaps.
#include <cmath>
#include <limits>

#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

// Along an axis of a map: number * step + offset for each place.
Term centres(OpTranslation& op, const char* slot, int64_t axis, double step, double offset) {
  const Term extents = Term::in(op, slot).extents();
  return Term::count_up(extents.at(0, axis)).cast(DType::kFloat32).scaled(step, offset);
}

// [H, W, boxes, 4]: `boxes`, flat quadruples about the centre, at each place of the map.
Term on_grid(OpTranslation& op, const Term& x, const Term& y, const std::vector<double>& boxes) {
  const Term all = Term::numbers(op, boxes, DType::kFloat32).reshape({1, 1, -1, 4});
  const Term along = x.reshape({1, -1, 1, 1}), down = y.reshape({-1, 1, 1, 1});
  const Term wide = along + down * 0, high = down + along * 0;
  return Term::concat({wide, high, wide, high}, 3) + all;
}

void set_variances(OpTranslation& op, const Term& boxes) {
  std::vector<double> given = op.numbers("variances");
  if (given.empty()) given = {0.1, 0.1, 0.2, 0.2};
  if (given.size() != 4) op.fail("variances must be four numbers");
  op.set("Variances", boxes.like(0) + Term::numbers(op, given, DType::kFloat32));
}

// Ren et al. 2015: boxes of each size and ratio, whose corners are pixels.
void anchor_generator(OpTranslation& op) {
  const std::vector<double> sizes = op.numbers("anchor_sizes"),
                            ratios = op.numbers("aspect_ratios"), stride = op.numbers("stride");
  if (stride.size() != 2 || stride[0] <= 0 || stride[1] <= 0) op.fail("stride must be two numbers");
  const double offset = op.number("offset", 0.5);
  std::vector<double> boxes;
  for (const double ratio : ratios) {
    for (const double size : sizes) {
      const double base = std::round(std::sqrt(stride[0] * stride[1] / ratio));
      const double half_w = (size / stride[0] * base - 1) / 2;
      const double half_h = (size / stride[1] * std::round(base * ratio) - 1) / 2;
      boxes.insert(boxes.end(), {-half_w, -half_h, half_w, half_h});
    }
  }
  if (boxes.empty()) op.fail("it is given no sizes or no ratios");
  const Term all = on_grid(op, centres(op, "Input", 3, stride[0], offset * (stride[0] - 1)),
                           centres(op, "Input", 2, stride[1], offset * (stride[1] - 1)), boxes);
  op.set("Anchors", all);
  set_variances(op, all);
}

// Zhang et al. 2017: several boxes of a size within a step, as shares of the image.
void density_prior_box(OpTranslation& op) {
  const std::vector<double> sizes = op.numbers("fixed_sizes"), ratios = op.numbers("fixed_ratios");
  const Ints densities = op.integers("densities");
  if (sizes.empty() || sizes.size() != densities.size() || ratios.empty()) {
    op.fail("fixed_sizes and densities must be of one number, and fixed_ratios not empty");
  }
  double step_w = op.number("step_w", 0), step_h = op.number("step_h", 0);
  const auto width = static_cast<double>(op.extent("Image", 3)),
             height = static_cast<double>(op.extent("Image", 2));
  if (step_w == 0 || step_h == 0) {
    step_w = width / static_cast<double>(op.extent("Input", 3));
    step_h = height / static_cast<double>(op.extent("Input", 2));
  }
  const double offset = op.number("offset", 0.5);
  const auto step = static_cast<int64_t>((step_w + step_h) * 0.5);
  std::vector<double> boxes;
  for (size_t s = 0; s < sizes.size(); ++s) {
    const int64_t n = densities[s], shift = n > 0 ? step / n : 0;
    if (n < 1 || n > 1024) op.fail(str("a density is ", n));
    for (const double ratio : ratios) {
      const double half_w = sizes[s] * std::sqrt(ratio) / 2,
                   half_h = sizes[s] / std::sqrt(ratio) / 2;
      for (int64_t i = 0; i < n * n; ++i) {
        const double first = (static_cast<double>(shift) - static_cast<double>(step)) / 2;
        const double x = first + static_cast<double>(i % n * shift),
                     y = first + static_cast<double>(i / n * shift);
        boxes.insert(boxes.end(), {x - half_w, y - half_h, x + half_w, y + half_h});
      }
    }
  }
  const Term grid = on_grid(op, centres(op, "Input", 3, step_w, offset * step_w),
                            centres(op, "Input", 2, step_h, offset * step_h), boxes);
  const Term image = Term::numbers(op, {width, height, width, height}, DType::kFloat32);
  // Corners at the top left are not above or left of the image, the others not below or right.
  constexpr double kFar = std::numeric_limits<float>::max();
  const bool clip = op.flag("clip", false);
  const Term least = Term::numbers(op, {0, 0, clip ? 0 : -kFar, clip ? 0 : -kFar}, DType::kFloat32);
  const Term most = Term::numbers(op, {clip ? 1 : kFar, clip ? 1 : kFar, 1, 1}, DType::kFloat32);
  const Term all = (grid / image).with("maximum", least).with("minimum", most);
  const bool flat = op.flag("flatten_to_2d", false);
  const Term out = flat ? all.reshape({-1, 4}) : all;
  op.set("Boxes", out);
  set_variances(op, out);
}

// Distances to the sides as places: even channels from 4 x, odd ones from 4 y.
void polygon_box_transform(OpTranslation& op) {
  const Term x = Term::in(op, "Input");
  const int64_t channels = op.extent("Input", 1);
  std::vector<double> even;
  for (int64_t c = 0; c < channels; ++c) even.push_back(c % 2 == 0 ? 1 : 0);
  const Term share = Term::numbers(op, even, DType::kFloat32).reshape({1, -1, 1, 1});
  const Term along = centres(op, "Input", 3, 4, 0).reshape({1, 1, 1, -1});
  const Term down = centres(op, "Input", 2, 4, 0).reshape({1, 1, -1, 1});
  op.set("Output", along * share + down * (share * -1 + 1) - x);
}

// Common area over joint area of each box of X with each of Y.
void iou_similarity(OpTranslation& op) {
  const double pixel = op.flag("box_normalized", true) ? 0 : 1;
  const Term x = Term::in(op, "X").unsqueeze(1), y = Term::in(op, "Y").unsqueeze(0);
  const auto area = [&](const Term& a, const Term& b) {  // of corners [.., 2]
    const Term sides = (b - a) + pixel;
    return sides.at(2, 0) * sides.at(2, 1);
  };
  const Term low = x.part(2, 0, 2).with("maximum", y.part(2, 0, 2)),
             high = x.part(2, 2, 4).with("minimum", y.part(2, 2, 4));
  const Term sides = ((high - low) + pixel).make("relu");
  const Term common = sides.at(2, 0) * sides.at(2, 1);
  const Term joint =
      area(x.part(2, 0, 2), x.part(2, 2, 4)) + area(y.part(2, 0, 2), y.part(2, 2, 4)) - common;
  op.set("Out", (joint > joint.like(0)).where(common / joint, joint.like(0)));
}

// Cai and Vasconcelos 2018: boxes of every class, and of the best one that is not background.
void box_decoder_and_assign(OpTranslation& op) {
  const Term prior = Term::in(op, "PriorBox"), scores = Term::in(op, "BoxScore");
  const Term deltas = Term::in(op, "TargetBox").reshape({0, -1, 4}) *
                      Term::in(op, "PriorBoxVar").reshape({1, 1, 4});
  const Term low = prior.part(1, 0, 2).unsqueeze(1), high = prior.part(1, 2, 4).unsqueeze(1);
  const Term sides = (high - low) + 1, middle = low + sides * 0.5;
  const double most = op.number("box_clip", 4.135);
  const Term half =
      deltas.part(2, 2, 4).with("minimum", deltas.number(most)).make("exp") * sides * 0.5;
  const Term at = deltas.part(2, 0, 2) * sides + middle;
  const Term all = Term::concat({at - half, at + half - 1}, 2);
  op.set("DecodeBox", all.reshape({0, -1}));
  const Term best = scores.part(1, 1, INT32_MAX)
                        .make("argmax", {{"axis", int64_t{1}}})
                        .cast(DType::kInt64)
                        .reshape({-1, 1, 1});
  const Term place = best + all.part(1, 0, 1).like(1).cast(DType::kInt64);
  const Term chosen =
      all.make("take_along_axis", {{"indices", place.value()}, {"axis", int64_t{1}}});
  op.set("OutputAssignBox", chosen.squeeze(1));
}

// Proposals of PaddlePaddle 1: images are told apart by offsets, boxes end at a pixel.
void generate_proposals(OpTranslation& op) {
  if (op.number("min_size", 0) > 1) op.unsupported("its min_size is above 1");
  Operation* made =
      op.emit("generate_proposals", {{"scores", op.in("Scores")},
                                     {"bbox_deltas", op.in("BboxDeltas")},
                                     {"im_shape", Term::in(op, "ImInfo").part(1, 0, 2).value()},
                                     {"anchors", op.in("Anchors")},
                                     {"variances", op.in("Variances")},
                                     {"pre_nms_top_n", op.integer("pre_nms_topN", 6000)},
                                     {"post_nms_top_n", op.integer("post_nms_topN", 1000)},
                                     {"nms_thresh", op.number("nms_thresh", 0.5)},
                                     {"min_size", 1.0},
                                     {"eta", op.number("eta", 1.0)},
                                     {"pixel_offset", true}});
  const Sequences images = Sequences::of_lengths(op, Term(op, made->result(2)));
  op.set("RpnRois", made->result(0));
  op.set("RpnRoiProbs", made->result(1));
  op.set("RpnRoisNum", made->result(2));
  op.set_offsets("RpnRois", {images.offsets().value()});
  op.set_offsets("RpnRoiProbs", {images.offsets().value()});
}

}  // namespace

void add_anchors_translations(TranslationTable& table) {
  table.add("anchor_generator", anchor_generator);
  table.add("density_prior_box", density_prior_box);
  table.add("polygon_box_transform", polygon_box_transform);
  table.add("iou_similarity", iou_similarity);
  table.add("box_decoder_and_assign", box_decoder_and_assign);
  table.add("generate_proposals", generate_proposals);
}

}  // namespace paddle::pir
