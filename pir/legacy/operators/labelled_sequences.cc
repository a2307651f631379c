// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators on labelled sequences: decoding, alignment, distances. Sequences are the rows of a
// tensor, with their lengths; some may lie one behind the other, with offsets.
#include <cmath>

#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr DType kPlaces = DType::kInt64;

// Extent `axis` of x, of no axis.
Term extent(const Term& x, int64_t axis) { return x.extents().at(0, axis); }

// x with its first `count` columns, a term of no axis.
Term columns(OpTranslation& op, const Term& x, const Term& count) {
  return {op, op.make("slice", {{"input", x.value()},
                                {"axes", Ints{1}},
                                {"starts", Ints{0}},
                                {"ends", count.reshape(Ints{1}).value()}})};
}

Term lengths(OpTranslation& op, const char* slot) {
  return Term::in(op, slot).cast(kPlaces).reshape({-1, 1});
}

Term put_along(const Term& x, const Term& at, const Term& values) {
  return x.make("put_along_axis", {{"indices", at.value()},
                                   {"values", values.value()},
                                   {"axis", int64_t{1}},
                                   {"reduce", std::string("assign")},
                                   {"include_self", true}});
}

// The best path through the scores of tags (Viterbi 1967). Rows 0 and 1 of Transition are the
// weights of the first and of the last tag.
void crf_decoding(OpTranslation& op) {
  std::optional<Sequences> rows;
  if (!op.in_or_null("Length")) rows = Sequences::in(op, "Emission");
  const Term length = rows ? rows->lengths().reshape({-1, 1}) : lengths(op, "Length");
  const Term emission = Term::in(op, "Emission");
  const Term given = rows ? rows->padded(emission, 0) : emission;
  const Term weights = Term::in(op, "Transition");
  const Term steps = Term::count_up(extent(given, 1));
  const auto placed = [&](const Term& where, int64_t row) {
    return where.cast(given.dtype()).unsqueeze(-1) * weights.at(0, row);
  };
  const Term scores = given + placed(steps.with("equal", steps.number(0)).unsqueeze(0), 0) +
                      placed(steps.with("equal", length - 1), 1);
  const Term moves(op, op.make("slice", {{"input", weights.value()},
                                         {"axes", Ints{0}},
                                         {"starts", Ints{2}},
                                         {"ends", Ints{weights.known_extent(0)}}}));
  const Term tags(op, op.emit("viterbi_decode", {{"potentials", scores.value()},
                                                 {"transition_params", moves.value()},
                                                 {"lengths", length.reshape(Ints{-1}).value()},
                                                 {"include_bos_eos_tag", false}})
                          ->result(1));
  // As wide as the emissions, 0 behind the end.
  const Term zeros = given.at(2, 0).make("full_like", {{"value", 0.0}, {"dtype", kPlaces}});
  const Term inside = steps < length;
  const Term path = columns(op, Term::concat({tags.cast(kPlaces), zeros}, 1), extent(given, 1)) *
                    inside.cast(kPlaces);
  Value* label = op.in_or_null("Label");
  if (rows) {
    const Term flat = rows->unpadded(path.unsqueeze(2));
    if (!label) return op.set("ViterbiPath", flat);
    return op.set("ViterbiPath", flat.with("equal", Term(op, label).cast(kPlaces)).cast(kPlaces));
  }
  if (!label) return op.set("ViterbiPath", path);
  Term wanted = Term(op, label).cast(kPlaces);
  if (wanted.rank() == 3) wanted = wanted.squeeze(2);
  op.set("ViterbiPath", (path.with("equal", wanted) && inside).cast(kPlaces));
}

// The same of sequences that lie one behind the other. When nothing is left, -1 stands for it.
void ctc_align_rows(OpTranslation& op) {
  const Sequences s = Sequences::in(op, "Input");
  const Term x = Term::in(op, "Input").reshape({-1, 1}), flat = x.reshape({-1});
  Term kept = flat.with("not_equal", flat.number(op.number("blank", 0)));
  if (op.flag("merge_repeated", true)) {
    const Term before = with_row(x, -1)
                            .gather((Term::count_up(extent(flat, 0)) - 1)
                                        .with("maximum", Term::full(op, {}, 0, kPlaces)))
                            .reshape({-1});
    kept = kept && (flat.with("not_equal", before) ||
                    s.places().with("equal", Term::full(op, {}, 0, kPlaces)));
  }
  const Term ones = kept.cast(kPlaces);
  const Term ends = Term::concat(
      {Term::full(op, {1}, 0, kPlaces), ones.make("cumsum", {{"axis", int64_t{0}}})}, 0);
  const Term none = ones.sum({0}, true).with("equal", Term::full(op, {1}, 0, kPlaces));
  const Term places = Term::concat(
      {kept.make("nonzero").reshape({-1}), none.make("nonzero").reshape({-1}) + extent(flat, 0)},
      0);
  op.set("Output", with_row(x, -1).gather(places));
  op.set_offsets("Output", {ends.gather(s.offsets()).value()});
}

// Labels without blanks and, if asked, repetitions, moved to the front (Graves et al. 2006).
void ctc_align(OpTranslation& op) {
  if (!op.in_or_null("InputLength")) return ctc_align_rows(op);
  const Term x = Term::in(op, "Input"), length = lengths(op, "InputLength");
  const Term width = extent(x, 1), steps = Term::count_up(width);
  const double blank = op.number("blank", 0);
  Term kept = (steps < length) && x.with("not_equal", x.number(blank));
  if (op.flag("merge_repeated", true)) {
    const Term before = Term::concat({x.part(1, 0, 1).like(-1), x.part(1, 0, -1)}, 1);
    kept = kept && x.with("not_equal", before);
  }
  const Term ones = kept.cast(kPlaces);
  // What is left out goes to a column behind the others.
  const Term place = ones.make("cumsum", {{"axis", int64_t{1}}}) - 1;
  const Term at = kept.where(place, place.like(0) + width);
  const double padding = op.number("padding_value", 0);
  const Term empty = Term::concat({x.like(padding), x.part(1, 0, 1).like(padding)}, 1);
  op.set("Output", put_along(empty, at, x).part(1, 0, -1));
  op.set("OutputLength", ones.sum({1}, true).cast(x.dtype()));
}

// The least number of insertions, deletions and replacements (Levenshtein 1966), row by row: within
// a row an insertion adds 1 for each step, which a cumulative minimum counts.
void edit_distance(OpTranslation& op) {
  const Term hyps = Term::in(op, "Hyps"), refs = Term::in(op, "Refs");
  const Term hyp_length = lengths(op, "HypsLength"), ref_length = lengths(op, "RefsLength");
  const int64_t rows = op.extent("Hyps", 1), width = op.extent("Refs", 1);
  if (rows > 256) op.unsupported(str("its sequences have ", rows, " elements"));
  std::vector<double> numbers;
  for (int64_t j = 0; j <= width; ++j) numbers.push_back(static_cast<double>(j));
  const Term steps = Term::numbers(op, numbers, DType::kFloat32).unsqueeze(0);
  const Term zeros = hyp_length.cast(DType::kFloat32) * 0;
  Term row = zeros + steps;
  const auto at_end = [&] {
    return row.make("take_along_axis", {{"indices", ref_length.value()}, {"axis", int64_t{1}}});
  };
  Term found = at_end();
  for (int64_t i = 0; i < rows; ++i) {
    const Term cost = hyps.part(1, i, i + 1).with("not_equal", refs).cast(DType::kFloat32);
    const Term replaced = row.part(1, 0, width) + cost;
    const Term best = (row.part(1, 1, width + 1) + 1).with("minimum", replaced);
    const Term next = Term::concat({zeros + static_cast<double>(i + 1), best}, 1) - steps;
    row =
        Term(op, op.emit("cummin", {{"x", next.value()}, {"axis", int64_t{1}}})->result(0)) + steps;
    found = hyp_length.with("equal", hyp_length.number(static_cast<double>(i + 1)))
                .where(at_end(), found);
  }
  if (op.flag("normalized", false)) found = found / ref_length.cast(DType::kFloat32);
  op.set("SequenceNum", extent(hyps, 0).reshape(Ints{1}));
  op.set("Out", found);
}

// x and sines and cosines of the positions (Vaswani et al. 2017)
void add_position_encoding(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const int64_t half = op.extent("X", -1) / 2;
  std::vector<double> rates;
  for (int64_t k = 0; k < half; ++k) {
    const double share = half > 1 ? static_cast<double>(k) / static_cast<double>(half - 1) : 1;
    rates.push_back(std::pow(10000.0, -share));
  }
  const Term positions = Term::count_up(extent(x, 1)).cast(x.dtype()).unsqueeze(-1);
  const Term angles = positions * Term::numbers(op, rates, x.dtype());
  const Term waves = Term::concat({angles.make("sin"), angles.make("cos")}, 1);
  op.set("Out", x * op.number("alpha", 1) + waves * op.number("beta", 1));
}

// Shows and clicks, the first two columns, as their logarithms.
void cvm(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const Term rest = x.part(1, 2, INT32_MAX);
  if (!op.flag("use_cvm", true)) return op.set("Y", rest);
  const Term shows = (x.part(1, 0, 1) + 1).make("log");
  const Term clicks = (x.part(1, 1, 2) + 1).make("log") - shows;
  op.set("Y", Term::concat({shows, clicks, rest}, 1));
}

// Columns of every input: side by side, or their sum.
void parts(OpTranslation& op) {
  std::vector<Term> all;
  for (Value* v : op.ins("X")) {
    const Term x(op, v);
    const int64_t width = x.known_extent(1), length = op.integer("length", -1);
    int64_t start = op.integer("start_index", 0);
    if (start < 0) start += width;
    all.push_back(x.part(1, start, length < 0 ? width : start + length));
  }
  if (all.empty()) op.fail("input X is empty");
  if (op.type() == "partial_concat") return op.set("Out", Term::concat(all, 1));
  Term sum = all[0];
  for (size_t k = 1; k < all.size(); ++k) sum = sum + all[k];
  op.set("Out", sum);
}

}  // namespace

void add_sequences_translations(TranslationTable& table) {
  table.add("crf_decoding", crf_decoding);
  table.add("ctc_align", ctc_align);
  table.add("edit_distance", edit_distance);
  table.add("add_position_encoding", add_position_encoding);
  table.add("cvm", cvm);
  table.add("partial_concat", parts);
  table.add("partial_sum", parts);
}

}  // namespace paddle::pir
