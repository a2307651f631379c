// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of PaddlePaddle 1 over sequences of several lengths: a table sorts the sequences by length,
// the longest first; element t of an array holds row t of all that are long enough.
#include "pir/legacy/arrays.h"
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

constexpr DType kPlaces = DType::kInt64;

const std::string& name_in(const OpTranslation& op, const char* slot, bool output = false) {
  const auto& slots = output ? op.desc().outputs : op.desc().inputs;
  const auto at = slots.find(slot);
  if (at == slots.end() || at->second.size() != 1) op.fail(str(slot, " names no variable"));
  return at->second[0];
}

// In the order of the table: numbers of the sequences, their lengths and first rows; the offsets.
struct RankTable {
  Term order, lengths, starts, offsets;

  static std::string part(const std::string& name, size_t k) { return str(name, "@RANK", k); }

  static RankTable in(OpTranslation& op) {
    const std::string& name = name_in(op, "RankTable");
    std::vector<Term> parts;
    for (size_t k = 0; k < 4; ++k) {
      Value* v = op.translator().read(part(name, k), op.type());
      if (!v->type().is_tensor() || OpTranslation::rank(v) != 1) op.fail("RankTable is no table");
      parts.emplace_back(op, v);
    }
    return {parts[0], parts[1], parts[2], parts[3]};
  }

  // Row and step of everything, step by step: [steps, sequences], whether a sequence is so long.
  Term alive() const {
    const Term longest =
        Term::concat({lengths, lengths.part(0, 0, 1) * 0}, 0).make("max", {{"axis", Ints{0}}});
    return Term::count_up(longest).unsqueeze(1) < lengths.unsqueeze(0);
  }
  // The row at which each of them lies.
  Term places(const Term& alive) const {
    const Term at = alive.make("nonzero").cast(kPlaces);
    return starts.gather(at.at(1, 1)) + at.at(1, 0);
  }
};

void rank_table(OpTranslation& op) {
  const std::vector<Value*> levels = op.offsets("X");
  if (levels.empty()) op.unsupported("its input X has no sequences");
  if (op.integer("level", 0) + 1 != static_cast<int64_t>(levels.size())) {
    op.unsupported("it sorts sequences of sequences");
  }
  const Sequences s(op, levels.back());
  const Term order(op, op.emit("argsort", {{"x", s.lengths().value()},
                                           {"axis", int64_t{0}},
                                           {"descending", true},
                                           {"stable", true}})
                           ->result(1));
  const std::string& name = name_in(op, "Out", true);
  const Term parts[] = {order, s.lengths().gather(order), s.starts().gather(order), s.offsets()};
  for (size_t k = 0; k < 4; ++k) op.translator().write(RankTable::part(name, k), parts[k].value());
}

void longest(OpTranslation& op) {
  const RankTable table = RankTable::in(op);
  op.set("Out", Term::concat({table.lengths, table.lengths.part(0, 0, 1) * 0}, 0)
                    .make("max", {{"axis", Ints{0}}, {"keepdim", true}}));
}

void to_array(OpTranslation& op) {
  const RankTable table = RankTable::in(op);
  const Term x = Term::in(op, "X"), alive = table.alive();
  const Term counts = alive.cast(kPlaces).sum({1}).unsqueeze(1);
  const Term rest = x.extents().part(0, 1, INT32_MAX).unsqueeze(0);
  const Term wide = Term::concat({counts.extents().part(0, 0, 1), rest.extents().part(0, 1, 2)}, 0);
  const Term shapes = Term::concat({counts, rest.make("expand", {{"shape", wide.value()}})}, 1)
                          .reshape({-1, x.rank()});
  op.translator().write_array(name_in(op, "Out", true),
                              {x.gather(table.places(alive)).reshape({-1}), shapes.value()});
}

void to_sequences(OpTranslation& op) {
  const RankTable table = RankTable::in(op);
  const ArrayState state = op.translator().array(name_in(op, "X"), op.type());
  const Term rows(op, join_elements(op, state, 0, false));
  const Term places = table.places(table.alive());
  const Term back(op, op.emit("argsort", {{"x", places.value()}, {"axis", int64_t{0}}})->result(1));
  op.set("Out", rows.gather(back));
  op.set_offsets("Out", {table.offsets.value()});
}

// The rows of the sequences that reach step I.
void shrink(OpTranslation& op) {
  const RankTable table = RankTable::in(op);
  const Term step = Term::in(op, "I").cast(kPlaces).reshape({1});
  const Term count = (table.lengths > step).cast(kPlaces).sum({0}, true);
  op.set("Out", op.make("slice", {{"input", op.in("X")},
                                  {"axes", Ints{0}},
                                  {"starts", Ints{0}},
                                  {"ends", count.value()}}));
  op.set_offsets("Out", {});
}

void reorder(OpTranslation& op) {
  const RankTable table = RankTable::in(op);
  const Term x = Term::in(op, "X");
  const std::vector<Value*> levels = op.offsets("X");
  if (levels.empty()) return op.set("Out", x.gather(table.order));
  if (levels.size() > 1) op.unsupported("it sorts sequences of sequences");
  const Sequences s(op, levels[0]);
  const Sequences made = Sequences::of_lengths(op, s.lengths().gather(table.order));
  op.set("Out", x.gather(made.rows_from(s.starts().gather(table.order))));
  op.set_offsets("Out", {made.offsets().value()});
}

// -- branches of rows -------------------------------------------------------------------------

// Places where the mask holds or does not.
Term chosen(OpTranslation& op, bool wanted) {
  const Term mask = Term::in(op, "Mask").cast(DType::kBool).reshape({-1});
  return (wanted ? mask : !mask).make("nonzero").cast(kPlaces).reshape({-1});
}

void split(OpTranslation& op) {
  const Term x = Term::in(op, "X");
  const std::vector<Value*> levels = op.offsets("X");
  if (levels.size() > 1) op.unsupported("it splits sequences of sequences");
  for (const bool wanted : {true, false}) {
    const char* slot = wanted ? "OutTrue" : "OutFalse";
    const Term which = chosen(op, wanted);
    if (levels.empty()) {
      op.set(slot, x.gather(which));
      continue;
    }
    const Sequences s(op, levels[0]);
    const Sequences made = Sequences::of_lengths(op, s.lengths().gather(which));
    op.set(slot, x.gather(made.rows_from(s.starts().gather(which))));
    op.set_offsets(slot, {made.offsets().value()});
  }
}

void merge(OpTranslation& op) {
  const Term yes = Term::in(op, "InTrue"), no = Term::in(op, "InFalse");
  const Term rows = Term::concat({yes, no}, 0);
  const Term places = Term::concat({chosen(op, true), chosen(op, false)}, 0);
  const Term from(op, op.emit("argsort", {{"x", places.value()}, {"axis", int64_t{0}}})->result(1));
  if (op.offsets("X").empty()) return op.set("Out", rows.gather(from));
  const Sequences a = Sequences::in(op, "InTrue"), b = Sequences::in(op, "InFalse");
  const Term lengths = Term::concat({a.lengths(), b.lengths()}, 0);
  const Term starts = Term::concat({a.starts(), b.starts() + yes.extents().at(0, 0)}, 0);
  const Sequences made = Sequences::of_lengths(op, lengths.gather(from));
  op.set("Out", rows.gather(made.rows_from(starts.gather(from))));
  op.set_offsets("Out", {made.offsets().value()});
}

}  // namespace

void add_rank_tables_translations(TranslationTable& table) {
  table.add("lod_rank_table", rank_table);
  table.add("max_sequence_len", longest);
  table.add("lod_tensor_to_array", to_array);
  table.add("array_to_lod_tensor", to_sequences);
  table.add("shrink_rnn_memory", shrink);
  table.add("reorder_lod_tensor_by_rank", reorder);
  table.add("split_lod_tensor", split);
  table.add("merge_lod_tensor", merge);
  table.add("merge_lod_tensor_infer", merge);
  table.add_rows("rnn_memory_helper: assign x=X => Out\n");
}

}  // namespace paddle::pir
