// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent operators of PaddlePaddle 1: over sequences that offsets tell apart, and of one step.
#include "pir/dialect/dialect.h"
#include "pir/legacy/sequences.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;
using Terms = std::vector<Term>;

std::string activation(OpTranslation& op, const char* attribute, const char* fallback) {
  // Operators of one step number their activations.
  static constexpr const char* kNames[] = {"identity", "sigmoid", "tanh", "relu"};
  const auto at = op.desc().attributes.find(attribute);
  if (at == op.desc().attributes.end()) return fallback;
  if (at->second.kind == AttrDesc::Kind::kTexts) return op.text(attribute, fallback);
  const int64_t number = op.integer(attribute, 0);
  if (number < 0 || number > 3) op.fail(str(attribute, " is ", number));
  return kNames[number];
}

// [n, k * width] as k terms of [n, width].
Terms columns(const Term& x, int64_t k, int64_t width) {
  Terms out;
  for (int64_t i = 0; i < k; ++i) out.push_back(x.part(1, i * width, (i + 1) * width));
  return out;
}

// The gated recurrent unit (Cho et al. 2014): update and reset gates, then the candidate, of which
// the weights lie behind those of the gates, each a matrix of its own.
struct Gru {
  Term gates, candidate;  // weights
  int64_t width;
  std::string gate, active;
  bool origin;

  static Gru of(OpTranslation& op, const char* active) {
    const char* slot = op.in_or_null("WeightH") ? "WeightH" : "Weight";
    const int64_t width = op.extent(slot, 0);
    const Term flat = Term::in(op, slot).reshape({-1});
    const int64_t cut = 2 * width * width;
    return {flat.part(0, 0, cut).reshape({width, 2 * width}),
            flat.part(0, cut, 3 * width * width).reshape({width, width}),
            width,
            activation(op, "gate_activation", "sigmoid"),
            activation(op, active, "tanh"),
            op.flag("origin_mode", false)};
  }

  // The same in another block: weights are values that every block sees.
  Gru in(OpTranslation& op) const {
    return {Term(op, gates), Term(op, candidate), width, gate, active, origin};
  }
  Terms states(const Term& x, const Terms& before) const { return {step(x, before[0]).hidden}; }

  struct Step {
    Term gates, reset, hidden;
  };
  // x [n, 3 * width] holds the bias already.
  Step step(const Term& x, const Term& before) const {
    const Term both = (x.part(1, 0, 2 * width) + before.matmul(gates)).activated(gate);
    const Term update = both.part(1, 0, width), reset = both.part(1, width, 2 * width) * before;
    const Term made = (x.part(1, 2 * width, 3 * width) + reset.matmul(candidate)).activated(active);
    const Term kept = origin ? before : made, other = origin ? made : before;
    return {Term::concat({both, made}, 1), reset, update * (kept - other) + other};
  }
};

// Long short-term memory (Hochreiter and Schmidhuber 1997): candidate, input, forget, output;
// peepholes are weights of the cell for the last three.
struct Lstm {
  Term weight;
  Terms peepholes;
  int64_t width;
  std::string gate, cell, active;

  static Lstm of(OpTranslation& op) {
    const char* slot = op.in_or_null("WeightH") ? "WeightH" : "Weight";
    const int64_t width = op.extent(slot, 0);
    Lstm made{Term::in(op, slot),
              {},
              width,
              activation(op, "gate_activation", "sigmoid"),
              activation(op, "cell_activation", "tanh"),
              activation(op, "candidate_activation", "tanh")};
    if (!op.flag("use_peepholes", true)) return made;
    const Term bias = Term::in(op, "Bias").reshape({1, -1});
    made.peepholes = columns(bias.part(1, 4 * width, 7 * width), 3, width);
    return made;
  }

  Lstm in(OpTranslation& op) const {
    Lstm out{Term(op, weight), {}, width, gate, cell, active};
    for (const Term& p : peepholes) out.peepholes.emplace_back(op, p);
    return out;
  }

  // Hidden and cell.
  Terms states(const Term& x, const Terms& states) const {
    const Term &hidden = states[0], &before = states[1];
    const Terms all = columns(x + hidden.matmul(weight), 4, width);
    const auto look = [&](size_t k, const Term& at) {
      return peepholes.empty() ? all[k + 1] : all[k + 1] + at * peepholes[k];
    };
    const Term in = look(0, before).activated(gate), forget = look(1, before).activated(gate);
    const Term now = forget * before + in * all[0].activated(active);
    return {look(2, now).activated(gate) * now.activated(cell), now};
  }
};

// The steps of padded sequences, [longest, sequences, width], as a loop.
class Steps {
 public:
  Steps(OpTranslation& op, const Sequences& s, const Term& rows) : op_(op), sequences_(s) {
    reverse_ = op.flag("is_reverse", false);
    const Term x = reverse_ ? rows.gather(mirrored()) : rows;
    inputs_ = s.padded(x, 0).transpose({1, 0, 2});
  }

  // The states of `cell` from the first ones on, as rows.
  template <typename Cell>
  Terms run(const Cell& cell, const Terms& first) {
    return run(first, &cell,
               [](const void* at, OpTranslation& body, const Term& x, const Terms& states) {
                 return static_cast<const Cell*>(at)->in(body).states(x, states);
               });
  }

  // The given first state, or zeros [sequences, width].
  Term first(const char* slot, int64_t width) const {
    if (Value* given = op_.in_or_null(slot)) return {op_, given};
    const Term count = sequences_.count().reshape({1});
    const Term shape =
        Term::concat({count, Term::full(op_, {1}, static_cast<double>(width), DType::kInt64)}, 0);
    return Term::full(op_, {1, 1}, 0, inputs_->dtype()).make("expand", {{"shape", shape.value()}});
  }

 private:
  using Step = Terms (*)(const void* cell, OpTranslation& body, const Term& x, const Terms& states);
  Terms run(const Terms& first, const void* cell, Step step);
  static std::ptrdiff_t count_of(const Terms& t) { return static_cast<std::ptrdiff_t>(t.size()); }
  Term mirrored() const {
    return sequences_.ends().gather(sequences_.owners()) - sequences_.places() - 1;
  }

  OpTranslation& op_;
  const Sequences& sequences_;
  bool reverse_ = false;
  std::optional<Term> inputs_;
};

Terms Steps::run(const Terms& first, const void* cell, Step step) {
  const Term length = inputs_->extents().at(0, 0), zero = length * 0;
  std::vector<Value*> operands{(zero < length).value(), zero.value()};
  Ints perm{1, 0, 2};
  for (const Term& state : first) operands.push_back(state.value());
  for (const Term& state : first) {
    const Term all = Term::concat({length.reshape({1}), state.extents()}, 0);
    operands.push_back((zero.cast(state.dtype()).reshape({1, 1, 1}))
                           .make("expand", {{"shape", all.value()}})
                           .value());
  }
  std::vector<Type> types;
  for (size_t i = 1; i < operands.size(); ++i) types.push_back(operands[i]->type());
  Operation* loop = op_.builder().create("pd_op.while", operands, types);
  Block& block = loop->add_region().add_block();
  Builder inside(block);
  OpTranslation body(op_.translator(), op_.desc(), inside);
  Terms carried;
  for (const Type& type : types) carried.emplace_back(body, block.add_argument(type));
  const Term at = carried[0].reshape({1}), x = Term(body, *inputs_).gather(at).squeeze(0);
  const Terms states =
      step(cell, body, x, Terms(carried.begin() + 1, carried.begin() + 1 + count_of(first)));
  const Term next = carried[0] + 1;
  std::vector<Value*> values{(next < Term(body, length)).value(), next.value()};
  for (const Term& state : states) values.push_back(state.value());
  for (size_t k = 0; k < states.size(); ++k) {
    const Term& rows = carried[1 + states.size() + k];
    values.push_back(body.make("scatter", {{"x", rows.value()},
                                           {"index", at.value()},
                                           {"updates", states[k].unsqueeze(0).value()},
                                           {"overwrite", true}}));
  }
  inside.create("cf.yield", values, {});
  Terms out;
  for (size_t k = 0; k < first.size(); ++k) {
    const Term all(op_, loop->result(1 + first.size() + k));
    const Term rows = sequences_.unpadded(all.transpose(perm));
    out.push_back(reverse_ ? rows.gather(mirrored()) : rows);
  }
  return out;
}

Term with_bias(OpTranslation& op, const Term& x, int64_t width) {
  Value* bias = op.in_or_null("Bias");
  return bias ? x + Term(op, bias).reshape({1, -1}).part(1, 0, width) : x;
}

// What the cells read, without the bias: given, or the product that was fused with them.
Term gates(OpTranslation& op) {
  if (op.in_or_null("Embeddings")) {
    const Term ids = Term::in(op, "Ids").reshape({-1});
    return ids.make("embedding", {{"weight", op.in("Embeddings")}});
  }
  if (op.in_or_null("WeightX")) return Term::in(op, "X").matmul(Term::in(op, "WeightX"));
  return Term::in(op, "Input");
}

Sequences sequences(OpTranslation& op) {
  if (op.in_or_null("Embeddings")) return Sequences::in(op, "Ids");
  return Sequences::in(op, op.in_or_null("WeightX") ? "X" : "Input");
}

void gru(OpTranslation& op) {
  const Gru cell = Gru::of(op, "activation");
  const Sequences s = sequences(op);
  Steps steps(op, s, with_bias(op, gates(op), 3 * cell.width));
  op.set("Hidden", steps.run(cell, {steps.first("H0", cell.width)})[0]);
}

void lstm(OpTranslation& op) {
  const Lstm cell = Lstm::of(op);
  const Sequences s = sequences(op);
  // The biases of a fused table lie in it.
  const Term x = op.in_or_null("Embeddings") ? gates(op) : with_bias(op, gates(op), 4 * cell.width);
  Steps steps(op, s, x);
  const Terms made =
      steps.run(cell, {steps.first("H0", cell.width), steps.first("C0", cell.width)});
  op.set("Hidden", made[0]);
  op.set("Cell", made[1]);
}

void gru_unit(OpTranslation& op) {
  const Gru cell = Gru::of(op, "activation");
  const Gru::Step made =
      cell.step(with_bias(op, Term::in(op, "Input"), 3 * cell.width), Term::in(op, "HiddenPrev"));
  op.set("Gate", made.gates);
  op.set("ResetHiddenPrev", made.reset);
  op.set("Hidden", made.hidden);
}

}  // namespace

void add_steps_translations(TranslationTable& table) {
  table.add("gru", gru);
  table.add("lstm", lstm);
  table.add("gru_unit", gru_unit);
  table.add("fusion_gru", gru);
  table.add("fusion_lstm", lstm);
  table.add("fused_embedding_fc_lstm", lstm);
}

}  // namespace paddle::pir
