// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that choose among candidates: suppression of boxes, and beam search.
#include <limits>

#include "pir/legacy/arrays.h"
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr DType kPlaces = DType::kInt64;

// -- boxes ------------------------------------------------------------------------------------

std::vector<NamedGiven> rule_of(OpTranslation& op) {
  std::vector<NamedGiven> args;
  for (const char* name : {"score_threshold", "nms_top_k", "keep_top_k", "nms_threshold",
                           "normalized", "nms_eta", "background_label"}) {
    if (std::optional<Given> g = op.given(name)) args.emplace_back(name, std::move(*g));
  }
  return args;
}

// The boxes of all images, one image behind the other. When there are none at all, -1 alone.
void set_boxes(OpTranslation& op, const Term& boxes, const Term& counts) {
  const Term offsets = Sequences::of_lengths(op, counts).offsets();
  const Term total = counts.cast(kPlaces).sum({0}, true);
  const Term none = total.with("equal", total.number(0)).cast(kPlaces), some = none * -1 + 1;
  const Term all = Term::concat({boxes.part(0, 0, 1).sum({0}, true).like(-1), boxes}, 0);
  // Of one row and column, or of all rows but the first.
  op.set("Out", op.make("slice", {{"input", all.value()},
                                  {"axes", Ints{0, 1}},
                                  {"starts", Term::concat({some, some * 0}, 0).value()},
                                  {"ends", Term::concat({total + 1, some * 40 + 1}, 0).value()}}));
  const Term parts = offsets.extents();
  const Term first(op, op.make("slice", {{"input", offsets.value()},
                                         {"axes", Ints{0}},
                                         {"starts", Ints{0}},
                                         {"ends", (parts * some + none * 2).value()}}));
  op.set_offsets("Out", {(first + Term::count_up(first.extents().at(0, 0)) * none).value()});
}

void multiclass_nms(OpTranslation& op) {
  std::vector<NamedGiven> args = rule_of(op);
  args.emplace_back("bboxes", op.in("BBoxes"));
  args.emplace_back("scores", op.in("Scores"));
  Operation* made = op.emit_all("multiclass_nms3", args);
  set_boxes(op, Term(op, made->result(0)), Term(op, made->result(2)));
}

Term sorted_places(OpTranslation& op, const Term& keys, bool descending) {
  return {op, op.emit("argsort", {{"x", keys.value()},
                                  {"axis", int64_t{0}},
                                  {"descending", descending},
                                  {"stable", true}})
                  ->result(1)};
}

// Rows of label, score and box, the best of an image first; `by_label`: within each label.
Term ranked(OpTranslation& op, const Term& boxes, const Term& counts, bool by_label) {
  Term order = sorted_places(op, boxes.at(1, 1), true);
  if (by_label) order = order.gather(sorted_places(op, boxes.at(1, 0).gather(order), false));
  const Term image = Sequences::of_lengths(op, counts).owners();
  order = order.gather(sorted_places(op, image.gather(order), false));
  return boxes.gather(order);
}

// Neighbours in the list become one box before the others are suppressed (Zhou et al. 2017).
void locality_aware_nms(OpTranslation& op) {
  const Term boxes = Term::in(op, "BBoxes");
  Operation* merged = op.emit("merge_near_boxes", {{"bboxes", boxes.value()},
                                                   {"scores", op.in("Scores")},
                                                   {"threshold", op.number("nms_threshold", 0.3)},
                                                   {"normalized", op.flag("normalized", true)}});
  const Term extents = boxes.extents();
  const Term per_image =
      extents.part(0, 1, 2).make("expand", {{"shape", extents.part(0, 0, 1).value()}});
  std::vector<NamedGiven> args = rule_of(op);
  args.emplace_back("bboxes", merged->result(0));
  args.emplace_back("scores", merged->result(1));
  args.emplace_back("rois_num", per_image.value());
  Operation* made = op.emit_all("multiclass_nms3", args);
  const Term counts(op, made->result(2));
  set_boxes(op, ranked(op, Term(op, made->result(0)), counts, true), counts);
}

// -- levels of a feature pyramid --------------------------------------------------------------

// Candidates of one level: [N, k, 4], [N, k], [N, k].
struct Level {
  Term boxes, scores, labels;
};

// Anchors [A, 4] moved by deltas [N, k, 4] at `which` [N, k], within images of im_info.
Term moved(OpTranslation& op, const Term& anchors, const Term& deltas, const Term& which) {
  const Term image = Term::in(op, "ImInfo");
  const Term scale = image.part(1, 2, 3).unsqueeze(2);
  const Term flat = anchors.reshape({-1, 4}).gather(which.reshape({-1}));
  const Term at = flat.reshape(deltas.extents());
  const Term size = at.part(2, 2, 4) - at.part(2, 0, 2) + 1.0;
  const Term middle = at.part(2, 0, 2) + size * 0.5 + deltas.part(2, 0, 2) * size;
  const Term half = deltas.part(2, 2, 4).make("exp") * size * 0.5;
  const Term corners = Term::concat({middle - half, middle + half - 1.0}, 2) / scale;
  const Term last = (image.part(1, 0, 2) / image.part(1, 2, 3)).make("round") - 1.0;
  const Term limit =
      Term::concat({last.part(1, 1, 2), last.part(1, 0, 1), last.part(1, 1, 2), last.part(1, 0, 1)},
                   1)
          .unsqueeze(1);
  return corners.with("minimum", limit).with("maximum", corners.number(0));
}

Level level_of(OpTranslation& op, const Term& deltas, const Term& scores, const Term& anchors,
               double threshold) {
  const int64_t classes = op.extent("Scores", 2), most = op.integer("nms_top_k", -1);
  if (classes < 1) op.fail("there are no classes");
  const Term flat = scores.make("flatten", {{"start_axis", int64_t{1}}, {"stop_axis", int64_t{2}}});
  Term k = flat.extents().at(0, 1);
  if (most >= 0) k = k.with("minimum", k.number(static_cast<double>(most)));
  Operation* best = op.emit("topk", {{"x", flat.value()}, {"k", k.value()}});
  const Term score(op, best->result(0)), at(op, best->result(1));
  const Term which = at.with("floor_divide", at.number(static_cast<double>(classes)));
  const Term label = at - which * static_cast<double>(classes);
  const Term first = Term::count_up(deltas.extents().at(0, 0)) * deltas.extents().at(0, 1);
  const Term four = Term::full(op, {1}, 4, kPlaces);
  const Term rows = deltas.reshape({-1, 4})
                        .gather((which + first.unsqueeze(1)).reshape({-1}))
                        .reshape(Term::concat({which.extents(), four}, 0));
  const Term lowest = score.like(-std::numeric_limits<double>::infinity());
  return {moved(op, anchors, rows, which), (score > score.number(threshold)).where(score, lowest),
          label};
}

// The best boxes of a pyramid (Lin et al. 2017): of each level the best candidates, then of each
// class those that no better one overlaps.
void retinanet(OpTranslation& op) {
  const std::vector<Value*> deltas = op.ins("BBoxes"), scores = op.ins("Scores"),
                            anchors = op.ins("Anchors");
  if (deltas.empty() || scores.size() != deltas.size() || anchors.size() != deltas.size()) {
    op.fail("BBoxes, Scores and Anchors must be of one number");
  }
  std::vector<Term> boxes, best, labels;
  for (size_t i = 0; i < deltas.size(); ++i) {
    const double threshold = i + 1 < deltas.size() ? op.number("score_threshold", 0) : 0;
    const Level level =
        level_of(op, Term(op, deltas[i]), Term(op, scores[i]), Term(op, anchors[i]), threshold);
    boxes.push_back(level.boxes);
    best.push_back(level.scores);
    labels.push_back(level.labels);
  }
  const Term score = Term::concat(best, 1).unsqueeze(1),
             label = Term::concat(labels, 1).unsqueeze(1);
  const int64_t classes = op.extent("Scores", 2);
  const Term number =
      Term::count_up(label.number(static_cast<double>(classes))).reshape({1, -1, 1});
  const Term lowest = score.like(-std::numeric_limits<double>::infinity());
  const Term own = label.with("equal", number).where(score, lowest);
  Operation* made = op.emit("multiclass_nms3", {{"bboxes", Term::concat(boxes, 1).value()},
                                                {"scores", own.value()},
                                                {"score_threshold", -1e30},
                                                {"nms_top_k", int64_t{-1}},
                                                {"keep_top_k", op.integer("keep_top_k", -1)},
                                                {"nms_threshold", op.number("nms_threshold", 0.3)},
                                                {"normalized", false},
                                                {"nms_eta", op.number("nms_eta", 1)},
                                                {"background_label", int64_t{-1}}});
  const Term counts(op, made->result(2));
  const Term rows = ranked(op, Term(op, made->result(0)), counts, false);
  // Labels count from 1.
  op.set("Out", Term::concat({rows.part(1, 0, 1) + 1.0, rows.part(1, 1, 6)}, 1));
  op.set_offsets("Out", {Sequences::of_lengths(op, counts).offsets().value()});
}

// -- beams ------------------------------------------------------------------------------------

void beam_search(OpTranslation& op) {
  const std::vector<Value*> levels = op.offsets("scores");
  const int64_t level = op.integer("level", 0);
  if (level < 0 || level >= static_cast<int64_t>(levels.size())) {
    op.unsupported("its input scores has no such sequences");
  }
  Term sources(op, levels[static_cast<size_t>(level)]);
  for (size_t k = static_cast<size_t>(level) + 1; k < levels.size(); ++k) {
    sources = Term(op, levels[k]).gather(sources);
  }
  std::vector<NamedGiven> args{{"pre_ids", Term::in(op, "pre_ids").cast(kPlaces).value()},
                               {"pre_scores", op.in("pre_scores")},
                               {"scores", op.in("scores")},
                               {"sources", sources.value()},
                               {"beam_size", op.integer("beam_size", 1)},
                               {"end_id", op.integer("end_id", 0)},
                               {"is_accumulated", op.flag("is_accumulated", true)}};
  if (Value* ids = op.in_or_null("ids")) args.emplace_back("ids", op.cast(ids, kPlaces));
  Operation* made = op.emit_all("select_beams", args);
  op.set("selected_ids", made->result(0));
  op.set("selected_scores", made->result(1));
  op.set("parent_idx", made->result(2));
  for (const char* slot : {"selected_ids", "selected_scores"}) {
    op.set_offsets(slot, {sources.value(), made->result(3)});
  }
  op.set_offsets("parent_idx", {});
}

ArrayState steps(OpTranslation& op, const char* slot) {
  const auto at = op.desc().inputs.find(slot);
  if (at == op.desc().inputs.end() || at->second.size() != 1) op.fail(str(slot, " names no array"));
  ArrayState state = op.translator().array(at->second[0], op.type());
  if (state.size() != 6) op.unsupported("its arrays hold no sequences of two levels");
  return state;
}

void beam_search_decode(OpTranslation& op) {
  const ArrayState ids = steps(op, "Ids"), scores = steps(op, "Scores");
  Operation* made = op.emit("trace_beams", {{"ids", Term(op, ids[0]).cast(kPlaces).value()},
                                            {"scores", scores[0]},
                                            {"sources", ids[2]},
                                            {"source_counts", ids[3]},
                                            {"beams", ids[4]},
                                            {"beam_counts", ids[5]},
                                            {"end_id", op.integer("end_id", 0)}});
  op.set("SentenceIds", made->result(0));
  op.set("SentenceScores", made->result(1));
  for (const char* slot : {"SentenceIds", "SentenceScores"}) {
    op.set_offsets(slot, {made->result(2), made->result(3)});
  }
}

}  // namespace

void add_search_translations(TranslationTable& table) {
  table.add("multiclass_nms", multiclass_nms);
  table.add("locality_aware_nms", locality_aware_nms);
  table.add("retinanet_detection_output", retinanet);
  table.add("beam_search", beam_search);
  table.add("beam_search_decode", beam_search_decode);
}

}  // namespace paddle::pir
