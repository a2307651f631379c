// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator recurrent: a block that runs for every step of time-major inputs and hands states
// on.
#include "pir/dialect/dialect.h"
#include "pir/legacy/arrays.h"
#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Terms = std::vector<Term>;
using Names = std::vector<std::string>;

Names names_of(const OpTranslation& op, const char* attribute) {
  const auto at = op.desc().attributes.find(attribute);
  return at == op.desc().attributes.end() ? Names{} : at->second.texts;
}

Names inputs_of(const OpTranslation& op, const char* slot) {
  const auto at = op.desc().inputs.find(slot);
  return at == op.desc().inputs.end() ? Names{} : at->second;
}

int64_t block_of(const OpTranslation& op) {
  const auto at = op.desc().attributes.find("sub_block");
  if (at == op.desc().attributes.end() || at->second.kind != AttrDesc::Kind::kBlock ||
      at->second.ints.size() != 1) {
    op.fail("attribute sub_block is missing");
  }
  return at->second.ints[0];
}

// Of every output an array that the rounds write.
std::vector<ArrayState> arrays(OpTranslation& op, const BlockDesc& inner) {
  std::vector<ArrayState> out;
  for (const std::string& name : op.out_names("outputs")) {
    const auto var = inner.vars.find(name);
    if (var == inner.vars.end() || !var->second.is_tensor()) {
      op.fail(str("its block declares no tensor ", name));
    }
    out.push_back(empty_array(op, var->second.dtype, var->second.dims.size()));
  }
  return out;
}

struct Round {
  Names inputs, before, after;  // states before and after
  std::vector<Value*> sequences, first;
  bool reverse;
};

// Another round gives states of the same rank and dtype.
void check_state(const OpTranslation& op, const std::string& name, const Value* v, const Type& t) {
  if (v->type().is_tensor() && v->type().dtype() == t.dtype() &&
      v->type().shape().size() == t.shape().size()) {
    return;
  }
  op.fail(str("state ", name, " changes its data type or rank"));
}

// The body of the loop: the round's number, states, parts of the arrays.
void body_of(OpTranslation& op, const Round& round, Block& block, const std::vector<Type>& types,
             Value* count, size_t arrays) {
  Translator& t = op.translator();
  Builder inside(block);
  OpTranslation body(t, op.desc(), inside);
  Terms carried;
  for (const Type& type : types) carried.emplace_back(body, block.add_argument(type));
  const Term rounds(body, count);
  const Term at = round.reverse ? rounds - carried[0] - 1 : carried[0];
  for (size_t k = 0; k < round.inputs.size(); ++k) {
    t.write(round.inputs[k], Term(body, round.sequences[k]).gather(at.reshape({1})).squeeze(0));
  }
  for (size_t k = 0; k < round.before.size(); ++k) t.write(round.before[k], carried[1 + k]);
  t.block(block_of(op), block);
  const Term next = carried[0] + 1;
  std::vector<Value*> values{(next < rounds).value(), next.value()};
  for (size_t k = 0; k < round.after.size(); ++k) {
    values.push_back(t.read(round.after[k], op.type()));
    check_state(op, round.after[k], values.back(), types[1 + k]);
  }
  for (size_t k = 0; k < arrays; ++k) {
    const auto first =
        carried.begin() + static_cast<std::ptrdiff_t>(1 + round.before.size() + 2 * k);
    ArrayState state(first, first + 2);
    const DType dtype = state[0]->type().dtype();
    write_element(body, state, body.cast(t.read(op.out_names("outputs")[k], op.type()), dtype),
                  carried[0]);
    values.insert(values.end(), state.begin(), state.end());
  }
  inside.create("cf.yield", values, {});
}

void recurrent(OpTranslation& op) {
  Translator& t = op.translator();
  const Round round{inputs_of(op, "inputs"), names_of(op, "ex_states"), names_of(op, "states"),
                    op.ins("inputs"),        op.ins("initial_states"),  op.flag("reverse", false)};
  if (round.inputs.empty()) op.fail("it has no inputs");
  if (round.before.size() != round.first.size() || round.after.size() != round.before.size()) {
    op.fail("initial_states, ex_states and states must be of one number");
  }
  for (const Value* v : round.sequences) {
    if (!v->type().is_tensor() || OpTranslation::rank(v) < 1) op.fail("an input has no steps");
  }
  const Term count = Term(op, round.sequences[0]).extents().part(0, 0, 1), zero = count * 0;
  std::vector<ArrayState> outputs = arrays(op, t.block_desc(block_of(op)));
  std::vector<Value*> operands{(zero < count).value(), zero.value()};
  std::vector<Type> types{zero.value()->type()};
  const auto open = [&](const Type& type) {
    Shape shape;
    for (size_t i = 0; i < type.shape().size(); ++i) shape.push_back(t.symbols().fresh());
    return Type::tensor(type.dtype(), shape);
  };
  for (Value* state : round.first) {
    if (!state->type().is_tensor()) op.fail("a state is no tensor");
    operands.push_back(state);
    types.push_back(open(state->type()));
  }
  for (const ArrayState& state : outputs) {
    for (size_t k = 0; k < state.size(); ++k) {
      operands.push_back(state[k]);
      types.push_back(later_part(k, state[k]->type(), t.symbols()));
    }
  }
  Operation* loop = op.builder().create("pd_op.while", operands, types);
  const size_t mark = t.mark();
  body_of(op, round, loop->add_region().add_block(), types, count.value(), outputs.size());
  t.rollback(mark);
  std::vector<Value*> made;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const size_t first = 1 + round.before.size() + 2 * k;
    const ArrayState state{loop->result(first), loop->result(first + 1)};
    const Term rows(op, join_elements(op, state, 0, true));
    made.push_back(round.reverse ? rows.make("flip", {{"axis", Term::Ints{0}}}) : rows);
  }
  op.set_all("outputs", made);
}

}  // namespace

void add_recurrent_translations(TranslationTable& table) { table.add("recurrent", recurrent); }

}  // namespace paddle::pir
