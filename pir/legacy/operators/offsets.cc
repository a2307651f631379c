// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators on sequences that lie one behind the other in a tensor, told apart by offsets (LoD).
#include <limits>

#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DType kPlaces = DType::kInt64;

// The levels of a slot without the finest.
std::vector<Value*> coarser(OpTranslation& op, const char* slot) {
  std::vector<Value*> levels = op.offsets(slot);
  if (!levels.empty()) levels.pop_back();
  return levels;
}

void set_sequences(OpTranslation& op, const char* slot, const char* from, const Sequences& s) {
  std::vector<Value*> levels = coarser(op, from);
  levels.push_back(s.offsets().value());
  op.set_offsets(slot, levels);
}

void pool(OpTranslation& op) {
  const Sequences s = Sequences::in(op, "X");
  op.set("Out",
         s.pooled(Term::in(op, "X"), op.text("pooltype", "AVERAGE"), op.number("pad_value", 0)));
  op.set_offsets("Out", coarser(op, "X"));
}

void softmax(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const Sequences s = Sequences::in(op, "X");
  const Term all = s.padded(x, -kInfinity).make("softmax", {{"axis", int64_t{1}}});
  op.set("Out", s.unpadded(all));
}

// Rows around each one, side by side, times a matrix; rows outside of the sequence are 0.
void convolution(OpTranslation& op) {
  if (op.flag("paddingTrainable", false)) op.unsupported("its padding is learned");
  if (op.integer("contextStride", 1) != 1) op.unsupported("its contextStride is not 1");
  const Term x = Term::in(op, "X");
  const Sequences s = Sequences::in(op, "X");
  const int64_t length = op.integer("contextLength", 1), first = op.integer("contextStart", 0);
  if (length < 1 || length > 4096) op.fail(str("contextLength is ", length));
  op.set("Out", s.around(x, first, length).matmul(Term::in(op, "Filter")));
}

// Sequence i of X as often as the reference has parts in its i-th; a row of X without sequences is
// one.
void expand(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const std::vector<Value*> reference = op.offsets("Y"), own = op.offsets("X");
  const auto last = static_cast<int64_t>(reference.size()) - 1;
  int64_t level = op.integer("ref_level", -1);
  if (level < 0) level = last;
  if (reference.empty() || level > last) op.unsupported("its input Y has no such sequences");
  if (own.size() > 1) op.unsupported("its input X has sequences of sequences");
  const Sequences to(op, reference[static_cast<size_t>(level)]);
  const Term which = to.owners();
  if (own.empty()) {
    op.set("Out", x.gather(which));
    return op.set_offsets("Out", {});
  }
  const Sequences from(op, own[0]);
  const Sequences made = Sequences::of_lengths(op, from.lengths().gather(which));
  op.set("Out", x.gather(made.rows_from(from.starts().gather(which))));
  op.set_offsets("Out", {made.offsets().value()});
}

void expand_as(OpTranslation& op) {
  const Sequences to = Sequences::in(op, "Y");
  op.set("Out", Term::in(op, "X").gather(to.owners()));
  op.set_offsets("Out", {to.offsets().value()});
}

// The i-th sequences of all inputs, one behind the other.
void concatenation(OpTranslation& op) {
  const auto slot = op.desc().inputs.find("X");
  std::vector<Term> rows, starts, lengths;
  std::optional<Term> before;
  for (Value* v : op.ins("X")) {
    const Term x(op, v);
    const std::vector<Value*> levels = op.translator().offsets_of(slot->second[rows.size()]);
    if (levels.size() != 1) op.unsupported("its inputs have no sequences of one level");
    const Sequences s(op, levels[0]);
    starts.push_back((before ? s.starts() + *before : s.starts()).unsqueeze(1));
    lengths.push_back(s.lengths().unsqueeze(1));
    const Term n = x.extents().at(0, 0);
    before = before ? *before + n : n;
    rows.push_back(x);
  }
  if (rows.empty()) op.fail("input X is empty");
  const Term all = Term::concat(lengths, 1);
  const Sequences parts = Sequences::of_lengths(op, all);
  const Term from = parts.rows_from(Term::concat(starts, 1).reshape({-1}));
  op.set("Out", Term::concat(rows, 0).gather(from));
  op.set_offsets("Out", {Sequences::of_lengths(op, all.sum({1})).offsets().value()});
}

void reshape(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const Sequences s = Sequences::in(op, "X");
  const int64_t width = op.extent("X", 1), wanted = op.integer("new_dim", 0);
  if (wanted < 1) op.fail(str("new_dim is ", wanted));
  const Term by = (s.offsets() * static_cast<double>(width))
                      .with("floor_divide", s.offsets().number(static_cast<double>(wanted)));
  op.set("Out", x.reshape({-1, wanted}));
  op.set_offsets("Out", {by.value()});
}

void reverse(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const Sequences s = Sequences::in(op, "X");
  op.set("Y", x.gather(s.ends().gather(s.owners()) - s.places() - 1));
  op.set_offsets("Y", op.offsets("X"));
}

void pad(OpTranslation& op) {
  const Term x = Term::in(op, "X"), fill = Term::in(op, "PadValue");
  const Sequences s = Sequences::in(op, "X");
  const int64_t length = op.integer("padded_length", -1);
  const Term width = length > 0 ? s.offsets().number(static_cast<double>(length)) : s.longest();
  const Term all = s.padded(x, 0, width);
  Term inside = Term::count_up(width).unsqueeze(0) < s.lengths().unsqueeze(1);
  for (int64_t k = 1; k < x.rank(); ++k) inside = inside.unsqueeze(-1);
  // One number, or one for each of the places of a step.
  op.set("Out", inside.where(all, all.like(0) + fill));
  op.set_offsets("Out", {});
  op.set("Length", s.lengths());
  op.set_offsets("Length", {});
}

void unpad(OpTranslation& op) {
  const Sequences s = Sequences::of_lengths(op, Term::in(op, "Length"));
  op.set("Out", s.unpadded(Term::in(op, "X")));
  op.set_offsets("Out", {s.offsets().value()});
}

void slice(OpTranslation& op) {
  const Sequences s = Sequences::in(op, "X");
  const auto flat = [&](const char* slot) {
    return Term::in(op, slot).cast(kPlaces).reshape({-1});
  };
  const Sequences made = Sequences::of_lengths(op, flat("Length"));
  op.set("Out", Term::in(op, "X").gather(made.rows_from(s.starts() + flat("Offset"))));
  set_sequences(op, "Out", "X", made);
}

// Each number and those behind it in its sequence.
void enumerate(OpTranslation& op) {
  const Term x = Term::in(op, "X").reshape({-1, 1});
  const Sequences s = Sequences::in(op, "X");
  const int64_t window = op.integer("win_size", 1);
  if (window < 1 || window > 4096) op.fail(str("win_size is ", window));
  const Term rows = with_row(x, op.number("pad_value", 0));
  const Term at = Term::count_up(x.extents().at(0, 0)), end = s.ends().gather(s.owners());
  const Term behind = at * 0 + x.extents().at(0, 0);
  std::vector<Term> columns;
  for (int64_t j = 0; j < window; ++j) {
    const Term next = at + static_cast<double>(j);
    columns.push_back(rows.gather((next < end).where(next, behind)));
  }
  op.set("Out", Term::concat(columns, 1));
  op.set_offsets("Out", op.offsets("X"));
}

// The rows where `kept`, a vector of bool, holds, and their sequences.
void set_kept(OpTranslation& op, const char* slot, const Term& x, const Sequences& s,
              const Term& kept) {
  op.set(slot, x.gather(kept.make("nonzero").reshape({-1})));
  const Term before = Term::concat(
      {Term::full(op, {1}, 0, kPlaces), kept.cast(kPlaces).make("cumsum", {{"axis", int64_t{0}}})},
      0);
  op.set_offsets(slot, {before.gather(s.offsets()).value()});
}

void erase(OpTranslation& op) {
  const Term x = Term::in(op, "X"), flat = x.reshape({-1});
  Term kept = flat.with("equal", flat);
  for (const int64_t token : op.integers("tokens")) {
    kept = kept && flat.with("not_equal", flat.number(static_cast<double>(token)));
  }
  set_kept(op, "Out", x, Sequences::in(op, "X"), kept);
}

void reset(OpTranslation& op) {
  if (op.flag("append", false)) op.unsupported("it appends a level");
  op.set("Out", Term::in(op, "X").make("assign"));
  std::vector<Value*> levels = op.offsets("Y");
  Value* given = op.in_or_null("Y");
  if (levels.empty() && given) levels = {Term(op, given).cast(kPlaces).reshape({-1})};
  if (levels.empty()) {
    const std::vector<int64_t> target = op.integers("target_lod");
    if (target.empty()) op.fail("it is given no offsets");
    levels = {Term::numbers(op, {target.begin(), target.end()}, kPlaces)};
  }
  op.set_offsets("Out", levels);
}

// Windows of images as rows; those of an image are a sequence.
void from_images(OpTranslation& op) {
  if (op.in_or_null("Y")) op.unsupported("it is given the sizes of the images");
  const Term x = Term::in(op, "X");
  Ints dilations{1, 1};
  const Term columns = x.make("unfold", {{"kernel_sizes", op.integers("kernels")},
                                         {"strides", op.integers("strides")},
                                         {"paddings", op.integers("paddings")},
                                         {"dilations", dilations}});
  const Term windows = columns.transpose({0, 2, 1}), extents = windows.extents();
  const Term images = Term::count_up(extents.at(0, 0) + 1);
  op.set("Out", windows.reshape(Term::concat(
                    {Term::full(op, {1}, -1, kPlaces), extents.part(0, 2, INT32_MAX)}, 0)));
  op.set_offsets("Out", {(images * extents.at(0, 1)).value()});
}

// The sum of the rows of a table of each sequence of places.
void pooled_embedding(OpTranslation& op) {
  if (op.text("combiner", "sum") != "sum") op.unsupported("it does not sum");
  const Term places = Term::in(op, "Ids").reshape({-1});
  const Sequences s = Sequences::in(op, "Ids");
  const Term rows = places.make(
      "embedding", {{"weight", op.in("W")}, {"padding_idx", op.integer("padding_idx", -1)}});
  op.set("Out", s.padded(rows, 0).sum({1}));
  op.set_offsets("Out", {});
}

}  // namespace

void add_offsets_translations(TranslationTable& table) {
  table.add("sequence_pool", pool);
  table.add("sequence_softmax", softmax);
  table.add("sequence_conv", convolution);
  table.add("sequence_expand", expand);
  table.add("sequence_expand_as", expand_as);
  table.add("sequence_concat", concatenation);
  table.add("sequence_reshape", reshape);
  table.add("sequence_reverse", reverse);
  table.add("sequence_pad", pad);
  table.add("sequence_unpad", unpad);
  table.add("sequence_slice", slice);
  table.add("sequence_enumerate", enumerate);
  table.add("sequence_erase", erase);
  table.add("lod_reset", reset);
  table.add("im2sequence", from_images);
  table.add("fused_embedding_seq_pool", pooled_embedding);
}

}  // namespace paddle::pir
