// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators whose results are as long as the data says: nodes of sampled graphs, chosen regions,
// normalisation over neighbouring channels and steps.
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr DType kPlaces = DType::kInt64;

Term flat(const Term& x) { return x.reshape(Ints{-1}); }

Term size(const Term& x) { return x.extents().at(0, 0); }

Term repeated(const Term& x, const Term& counts) {
  return x.make("repeat_interleave_with_tensor_index",
                {{"repeats", counts.value()}, {"axis", int64_t{0}}});
}

Term order_of(OpTranslation& op, const Term& x) {
  return {
      op,
      op.emit("argsort", {{"x", x.value()}, {"axis", int64_t{0}}, {"stable", true}})->result(1)};
}

// Nodes numbered in the order of their first occurrence, those of X before the others.
void graph_reindex(OpTranslation& op) {
  const Term nodes = flat(Term::in(op, "X")), near = flat(Term::in(op, "Neighbors"));
  const Term counts = flat(Term::in(op, "Count"));
  const Term all = Term::concat({nodes, near}, 0);
  Operation* unique = op.emit(
      "unique",
      {{"x", all.value()}, {"return_index", true}, {"return_inverse", true}, {"dtype", kPlaces}});
  const Term ids(op, unique->result(0)), first(op, unique->result(1)), place(op, unique->result(2));
  const Term order = order_of(op, first), number = order_of(op, order);
  const Term count = size(nodes);
  const Term sources(op, op.make("slice", {{"input", flat(place).value()},
                                           {"axes", Ints{0}},
                                           {"starts", count.reshape(Ints{1}).value()},
                                           {"ends", size(all).reshape(Ints{1}).value()}}));
  // Several kinds of edges stand one after the other, each with counts of all nodes.
  const Term targets = Term::count_up(size(counts)).with("remainder", count);
  op.set("Reindex_Src", number.gather(sources).cast(nodes.dtype()));
  op.set("Reindex_Dst", repeated(targets, counts).cast(nodes.dtype()));
  op.set("Out_Nodes", ids.gather(order));
}

// The best regions of all levels, image by image.
void collect_fpn_proposals(OpTranslation& op) {
  std::vector<Term> rois, scores, images;
  std::optional<Term> numbers;
  for (Value* v : op.ins("MultiLevelRois")) rois.emplace_back(op, v);
  for (Value* v : op.ins("MultiLevelScores")) scores.push_back(flat({op, v}));
  for (Value* v : op.ins("MultiLevelRoIsNum")) {
    const Term counts(op, v);
    if (!numbers) numbers = Term::count_up(size(counts));
    images.push_back(repeated(*numbers, counts));
  }
  if (rois.empty() || rois.size() != scores.size() || rois.size() != images.size()) {
    op.unsupported("its regions are given by offsets");
  }
  const Term score = Term::concat(scores, 0), all = size(score);
  const Term count =
      all.with("minimum", all.number(op.number("post_nms_topN", op.number("post_nms_topn", 1))));
  const Term best(op, op.emit("topk", {{"x", score.value()}, {"k", count.value()}})->result(1));
  const Term image = Term::concat(images, 0).gather(best);
  const Term of_image = image.unsqueeze(-1).with("equal", numbers->unsqueeze(0)).cast(kPlaces);
  op.set("FpnRois", Term::concat(rois, 0).gather(best.gather(order_of(op, image))));
  op.set("RoisNum", of_image.sum({0}).cast(DType::kInt32));
}

// Boxes inside of their image, whose height, width and scale ImInfo tells.
void box_clip(OpTranslation& op) {
  const Term boxes = Term::in(op, "Input"), info = Term::in(op, "ImInfo");
  if (boxes.rank() != 3) op.unsupported("its boxes are given by offsets");
  const auto limit = [&](int64_t k) {
    return ((info.at(1, k) / info.at(1, 2)).make("round") - 1).reshape({-1, 1, 1});
  };
  const Term high = limit(0), wide = limit(1);
  const Term most = Term::concat({wide, high, wide, high}, 2);
  op.set("Output", boxes.make("relu").with("minimum", most));
}

// x / (k + alpha * sum of squares of n channels)^beta (Krizhevsky et al. 2012)
void lrn(OpTranslation& op) {
  if (op.text("data_format", "NCHW") == "NHWC") op.unsupported("its channels stand last");
  const Term x = Term::in(op, "X");
  const int64_t n = op.integer("n", 5), channels = op.extent("X", 1), before = (n - 1) / 2;
  if (x.rank() != 4 || n < 1) op.fail("an input of rank 4 and n above 0 are expected");
  const Ints around{0, 0, before, n - 1 - before, 0, 0, 0, 0};
  const Term padded = x.make("square").make("pad", {{"paddings", around}, {"pad_value", 0.0}});
  Term sum = padded.part(1, 0, channels);
  for (int64_t k = 1; k < n; ++k) sum = sum + padded.part(1, k, k + channels);
  const Term scale = sum.scaled(op.number("alpha", 1e-4), op.number("k", 2));
  op.set("MidOut", scale);
  op.set("Out", x * scale.make("pow", {{"y", -op.number("beta", 0.75)}}));
}

// Each step with the next ones, weighted by channel (Amodei et al. 2016); X is [N, T, C].
void row_conv(OpTranslation& op) {
  const Term given = Term::in(op, "X"), filter = Term::in(op, "Filter");
  std::optional<Sequences> rows;
  if (given.rank() != 3) rows = Sequences::in(op, "X");
  const Term x = rows ? rows->padded(given, 0) : given;
  const int64_t steps = filter.known_extent(0);
  const Term padded =
      x.make("pad", {{"paddings", Ints{0, 0, 0, steps - 1, 0, 0}}, {"pad_value", 0.0}});
  std::optional<Term> sum;
  for (int64_t k = 0; k < steps; ++k) {
    // Without the last steps - 1 - k rows; all of them for the last one.
    const Term some =
        k + 1 < steps ? padded.part(1, k, k + 1 - steps) : padded.part(1, k, INT32_MAX);
    const Term weighted = some * filter.at(0, k);
    sum = sum ? *sum + weighted : weighted;
  }
  op.set("Out", rows ? rows->unpadded(*sum) : *sum);
}

void part_of_rows(OpTranslation& op) {
  if (op.type() == "index_select_strided") {
    return op.set("out", Term::in(op, "x").at(op.integer("axis", 0), op.integer("index", 0)));
  }
  op.set("out",
         Term::in(op, "input").part(0, op.integer("begin_idx", 0), op.integer("end_idx", 0)));
}

void repeat_interleave(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const int64_t axis = op.integer("dim", 0);
  if (Value* counts = op.in_or_null("RepeatsTensor")) {
    return op.set("Out", x.make("repeat_interleave_with_tensor_index",
                                {{"repeats", counts}, {"axis", axis}}));
  }
  op.set("Out",
         x.make("repeat_interleave", {{"repeats", op.integer("Repeats", 0)}, {"axis", axis}}));
}

// Numbers of NaN, of infinities and of zeros; the largest and the least element and the mean.
void check_numerics(OpTranslation& op) {
  const Term x = flat(Term::in(op, "tensor"));
  const auto count = [&](const Term& found) { return found.cast(kPlaces).sum({0}, true); };
  op.set("stats", Term::concat({count(x.make("isnan")), count(x.make("isinf")),
                                count(x.with("equal", x.number(0)))},
                               0));
  const auto over = [&](const char* name) {
    return x.make(name, {{"axis", Ints{0}}, {"keepdim", true}}).cast(DType::kFloat32);
  };
  op.set("values", Term::concat({over("max"), over("min"), over("mean")}, 0));
}

// A value that is there after those of Dep.
void depend(OpTranslation& op) { op.set("Out", Term::in(op, "X").make("assign")); }

void l1_norm(OpTranslation& op) { op.set("Out", Term::in(op, "X").make("abs").sum({})); }

}  // namespace

void add_neighbours_translations(TranslationTable& table) {
  table.add("graph_reindex", graph_reindex);
  table.add("collect_fpn_proposals", collect_fpn_proposals);
  table.add("box_clip", box_clip);
  table.add("lrn", lrn);
  table.add("row_conv", row_conv);
  table.add("view_slice", part_of_rows);
  table.add("index_select_strided", part_of_rows);
  table.add("l1_norm", l1_norm);
  table.add("repeat_interleave", repeat_interleave);
  table.add("check_numerics", check_numerics);
  table.add("depend", depend);
}

}  // namespace paddle::pir
