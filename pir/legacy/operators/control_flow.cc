// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// while, conditional_block and select_input as pd_op.while and pd_op.if. Old blocks write variables
// of the blocks around them; here those are arguments and results.
#include <algorithm>

#include "pir/dialect/dialect.h"
#include "pir/legacy/arrays.h"
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

constexpr int kMaxDepth = 32;

// Names that a block or a block in it writes, each once, in order.
void collect_written(const Translator& t, int64_t index, int depth, std::set<int64_t>& visited,
                     std::vector<std::string>& out, std::set<std::string>& seen) {
  PADDLE_CHECK_VALUE(depth < kMaxDepth, "program file: blocks are nested too deeply.");
  if (!visited.insert(index).second) return;
  for (const OpDesc& op : t.block_desc(index).ops) {
    for (const auto& [slot, names] : op.outputs) {
      for (const std::string& name : names) {
        if (!seen.insert(name).second) continue;
        out.push_back(name);
        for (size_t k = 0; k < 6; ++k) out.push_back(Translator::part_of_array(name, k));
        for (size_t k = 0; k < 2; ++k) out.push_back(Translator::part_of_offsets(name, k));
      }
    }
    for (const auto& [name, attr] : op.attributes) {
      if (attr.kind != AttrDesc::Kind::kBlock) continue;
      for (const int64_t inner : attr.ints) {
        collect_written(t, inner, depth + 1, visited, out, seen);
      }
    }
  }
}

std::vector<std::string> written_by(const Translator& t, int64_t index) {
  std::vector<std::string> out;
  std::set<int64_t> visited;
  std::set<std::string> seen;
  collect_written(t, index, 0, visited, out, seen);
  return out;
}

int64_t sub_block(const OpTranslation& op) {
  const auto at = op.desc().attributes.find("sub_block");
  if (at == op.desc().attributes.end() || at->second.kind != AttrDesc::Kind::kBlock ||
      at->second.ints.size() != 1) {
    op.fail("attribute sub_block is missing");
  }
  return at->second.ints[0];
}

// Of the same rank, every extent open: another round or branch may have others.
Type open_type(OpTranslation& op, const Type& t) {
  Shape shape;
  for (size_t i = 0; i < t.shape().size(); ++i) {
    shape.push_back(op.translator().symbols().fresh());
  }
  return Type::tensor(t.dtype(), shape);
}

// What a variable may be after more rounds or another branch. The rank of an array's elements
// stays.
Type later_type(OpTranslation& op, const std::string& name, const Type& t) {
  const bool shapes = name.ends_with("#1") && t.shape().size() == 2;
  return shapes ? later_part(1, t, op.translator().symbols()) : open_type(op, t);
}

Value* condition(OpTranslation& op, Value* v) {
  if (!v->type().is_tensor()) op.fail("the condition is no tensor");
  return op.cast(v, DType::kBool);
}

bool same_kind(const Value* a, const Type& b) {
  return a->type().is_tensor() && a->type().dtype() == b.dtype() &&
         OpTranslation::rank(a) == b.shape().size();
}

void check_same(OpTranslation& op, const std::string& name, const Value* a, const Type& b) {
  if (same_kind(a, b)) return;
  op.fail(str("variable ", name, " changes its data type or rank"));
}

void yield(Block& block, const std::vector<Value*>& values) {
  Builder(block).create("cf.yield", values, {});
}

// A value for a variable that nothing has defined on this way; nothing reads it.
Value* placeholder(Builder builder, const Type& like, int64_t extent = 1) {
  const Shape shape(like.shape().size(), Dim(extent));
  Operation* op = builder.create(
      "pd_op.full", {}, {Type::tensor(like.dtype(), shape)},
      {{"shape", shape}, {"value", Scalar(0)}, {"dtype", like.dtype()}, {"place", Place()}});
  op->def = find_def(op->name());
  return op->result();
}

// Exporters give a variable that only the body of a loop defines a number before it, of whatever
// dtype: the body does not read that.
void define_in_body(OpTranslation& op, Operation* loop, size_t i, const Value* made) {
  Builder before(*loop->block());
  before.set_before(loop);
  const Type type = open_type(op, made->type());
  loop->set_operand(i + 1, placeholder(before, type, 0));
  loop->result(i)->set_type(type);
  loop->regions()[0]->blocks()[0]->argument(i)->set_type(type);
}

void while_loop(OpTranslation& op) {
  Translator& t = op.translator();
  const int64_t index = sub_block(op);
  const auto inputs = op.desc().inputs.find("Condition");
  if (inputs == op.desc().inputs.end() || inputs->second.size() != 1) {
    op.fail("input Condition is missing");
  }
  const std::string name = inputs->second[0];
  std::vector<std::string> carried = written_by(t, index);
  std::erase_if(carried, [&](const std::string& n) {
    const Value* v = t.find(n);
    return !v || !v->type().is_tensor();
  });
  std::vector<Value*> operands{condition(op, op.in("Condition"))};
  std::vector<Type> types;
  for (const std::string& n : carried) {
    operands.push_back(t.find(n));
    types.push_back(later_type(op, n, t.find(n)->type()));
  }
  Operation* loop = op.builder().create("pd_op.while", operands, types);
  Block& body = loop->add_region().add_block();
  const size_t mark = t.mark();
  for (size_t i = 0; i < carried.size(); ++i) {
    t.write(carried[i], body.add_argument(later_type(op, carried[i], types[i])));
  }
  t.block(index, body);
  std::vector<Value*> next{t.read(name, op.type())};
  for (size_t i = 0; i < carried.size(); ++i) {
    Value* const last = t.find(carried[i]);
    next.push_back(last ? last : body.argument(i));
    const bool is_read = body.argument(i)->used();
    if (!is_read && next.back()->type().is_tensor() && !same_kind(next.back(), types[i])) {
      define_in_body(op, loop, i, next.back());
    } else {
      check_same(op, carried[i], next.back(), types[i]);
    }
  }
  if (next[0]->type().dtype() != DType::kBool) op.fail("the next condition is not bool");
  yield(body, next);
  t.rollback(mark);
  for (size_t i = 0; i < carried.size(); ++i) t.write(carried[i], loop->result(i));
}

void conditional_block(OpTranslation& op) {
  if (!op.flag("is_scalar_condition", false)) op.unsupported("its condition is no scalar");
  Translator& t = op.translator();
  const int64_t index = sub_block(op);
  Value* cond = condition(op, op.in("Cond"));
  // Built first: the results are known only then.
  std::vector<std::string> names = op.out_names("Out");
  for (std::string& n : written_by(t, index)) {
    if (t.find(n) && std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
  }
  Operation* branch = op.builder().create("pd_op.if", {cond}, {});
  Block& taken = branch->add_region().add_block();
  Block& other = branch->add_region().add_block();
  const size_t mark = t.mark();
  t.block(index, taken);
  std::vector<std::string> results;
  std::vector<Value*> values, before;
  for (const std::string& n : names) {
    Value* v = t.find(n);
    if (!v || !v->type().is_tensor()) continue;
    results.push_back(n);
    values.push_back(v);
  }
  yield(taken, values);
  t.rollback(mark);
  for (size_t i = 0; i < results.size(); ++i) {
    Value* old = t.find(results[i]);
    if (old) check_same(op, results[i], old, values[i]->type());
    before.push_back(old ? old : placeholder(Builder(other), values[i]->type()));
  }
  yield(other, before);
  for (size_t i = 0; i < results.size(); ++i) {
    t.write(results[i], branch->add_result(later_type(op, results[i], values[i]->type())));
  }
}

void select_input(OpTranslation& op) {
  const std::vector<Value*> choices = op.ins("X");
  if (choices.size() != 2) op.fail("two inputs are expected");
  if (!choices[0]->type().is_tensor()) op.fail("input X is no tensor");
  check_same(op, "X", choices[1], choices[0]->type());
  Operation* branch = op.builder().create("pd_op.if", {condition(op, op.in("Mask"))},
                                          {open_type(op, choices[0]->type())});
  yield(branch->add_region().add_block(), {choices[1]});
  yield(branch->add_region().add_block(), {choices[0]});
  op.set("Out", branch->result());
}

}  // namespace

void add_control_flow_translations(TranslationTable& table) {
  table.add("while", while_loop);
  table.add("conditional_block", conditional_block);
  table.add("conditional_block_infer", conditional_block);
  table.add("select_input", select_input);
}

}  // namespace paddle::pir
