// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators on sequences that passes put in the place of several.
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

// Shows and clicks, the first two columns, as their logarithms.
Term logarithms(const Term& x) {
  const Term shows = (x.part(1, 0, 1) + 1).make("log");
  const Term clicks = (x.part(1, 1, 2) + 1).make("log") - shows;
  return Term::concat({shows, clicks, x.part(1, 2, INT32_MAX)}, 1);
}

// The pooled sequences of every input.
std::vector<Term> pools(OpTranslation& op, double fill) {
  const auto slot = op.desc().inputs.find("X");
  std::vector<Term> out;
  for (Value* v : op.ins("X")) {
    const std::vector<Value*> levels = op.translator().offsets_of(slot->second[out.size()]);
    if (levels.size() != 1) op.unsupported("its inputs have no sequences of one level");
    const Sequences s(op, levels[0]);
    out.push_back(s.pooled(Term(op, v), op.text("pooltype", "SUM"), fill));
  }
  if (out.empty()) op.fail("input X is empty");
  return out;
}

void pool_concat(OpTranslation& op) {
  if (op.integer("axis", 1) != 1) op.unsupported("its axis is not 1");
  std::vector<Term> all = pools(op, 0);
  if (op.type() == "fusion_seqpool_cvm_concat") {
    for (Term& one : all)
      one = op.flag("use_cvm", true) ? logarithms(one) : one.part(1, 2, INT32_MAX);
  }
  op.set("Out", Term::concat(all, 1));
  // Each row is a sequence.
  op.set_offsets("Out", {Term::count_up(all[0].extents().at(0, 0) + 1).value()});
}

void pool_cvm(OpTranslation& op) {
  const int64_t offset = op.integer("cvm_offset", 2);
  if (op.flag("use_cvm", true) ? offset != 2 : offset < 0)
    op.unsupported(str("its cvm_offset is ", offset));
  std::vector<Value*> out;
  for (const Term& one : pools(op, op.number("pad_value", 0))) {
    out.push_back(op.flag("use_cvm", true) ? logarithms(one) : one.part(1, offset, INT32_MAX));
  }
  op.set_all("Out", out);
}

// relu of a sequence_conv and its bias
void convolution(OpTranslation& op) {
  if (op.integer("contextStride", 1) != 1) op.unsupported("its contextStride is not 1");
  const int64_t length = op.integer("contextLength", 1);
  if (length < 1 || length > 4096) op.fail(str("contextLength is ", length));
  const Term rows =
      Sequences::in(op, "X").around(Term::in(op, "X"), op.integer("contextStart", 0), length);
  const Term out = rows.matmul(Term::in(op, "Filter")) + Term::in(op, "Bias").reshape({1, -1});
  op.set("Out", out.make("relu"));
}

// Rows of sequences, beside them one row for each sequence of the other inputs, through a layer.
void expand_concat(OpTranslation& op) {
  const Sequences s = Sequences::in(op, "X");
  std::vector<Term> parts;
  for (Value* v : op.ins("X"))
    parts.push_back(parts.empty() ? Term(op, v) : Term(op, v).gather(s.owners()));
  Term out = Term::concat(parts, 1).matmul(Term::in(op, "FCWeight"));
  if (Value* bias = op.in_or_null("FCBias")) out = out + Term(op, bias).reshape({1, -1});
  op.set("Out", out.activated(op.text("fc_activation", "identity")));
  op.set_offsets("Out", {s.offsets().value()});
}

// Row i of X plus the updates of the i-th sequence at their columns.
void scatter(OpTranslation& op) {
  const Sequences s = Sequences::in(op, "Ids");
  const Term columns = Term::in(op, "Ids").cast(DType::kInt64).reshape({-1});
  const Term at = Term::concat({s.owners().unsqueeze(1), columns.unsqueeze(1)}, 1);
  const Term x = Term::in(op, "X"), updates = Term::in(op, "Updates").reshape({-1});
  op.set("Out", x.make("scatter_nd_add", {{"index", at.value()}, {"updates", updates.value()}}));
  op.set_offsets("Out", op.offsets("X"));
}

}  // namespace

void add_fused_sequences_translations(TranslationTable& table) {
  table.add("fusion_seqpool_concat", pool_concat);
  table.add("fusion_seqpool_cvm_concat", pool_concat);
  table.add("fused_seqpool_cvm", pool_cvm);
  table.add("fusion_seqconv_eltadd_relu", convolution);
  table.add("fusion_seqexpand_concat_fc", expand_concat);
  table.add("sequence_scatter", scatter);
}

}  // namespace paddle::pir
