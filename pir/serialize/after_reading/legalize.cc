// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// In-place operators of files as values.
#include "pir/serialize/after_reading/legalize.h"

#include <algorithm>
#include <unordered_map>

#include "paddle_core/op/saved_form.h"
#include "paddle_core/shape/sym.h"
#include "pir/dialect/control_flow.h"
#include "pir/serialize/after_reading/adopt.h"
#include "pir/serialize/after_reading/check_operands.h"
#include "pir/serialize/after_reading/unknown_operations.h"
#include "pir/serialize/after_reading/upgrade.h"

namespace paddle::pir {
namespace {

// Position of each operation in the order of the text.
using Order = std::unordered_map<const Operation*, size_t>;

void number(const Block& block, Order& order) {
  for (const auto& op : block.operations()) {
    order.emplace(op.get(), order.size());
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) number(*inner, order);
    }
  }
}

bool is_inside(const Block* block, const Operation& op) {
  while (block) {
    const Operation* parent = block->region()->parent();
    if (parent == &op) return true;
    block = parent ? parent->block() : nullptr;
  }
  return false;
}

// Behind `op`, `value` is what `old` was.
void rebind(const Operation& op, Value* old, Value* value, const Order& order) {
  const std::vector<Use> uses = old->uses();
  for (const Use& use : uses) {
    const auto at = order.find(use.op);
    if (at == order.end() || at->second <= order.at(&op)) continue;
    if (is_inside(use.op->block(), op)) continue;
    const Block* block = use.op->block();
    bool visible = false;
    while (block && !visible) {
      visible = block == op.block();
      const Operation* parent = block->region()->parent();
      block = parent ? parent->block() : nullptr;
    }
    if (visible) use.op->set_operand(use.index, value);
  }
}

// The operand that the operation writes into; null when it gives new values only.
Value* written_by(const Operation& op) {
  const std::string& name = op.name();
  if (!name.starts_with("pd_op.") || !name.ends_with('_') || op.num_results() == 0) return nullptr;
  const size_t at = op.is("pd_op.assign_out_") ? 1 : 0;
  const OpDef* def = op.def ? op.def : upgrade_of(op, 1).def;
  const bool known = def ? !def->is_native_inplace() : at == 1 || op.is("pd_op.assign_value_");
  return known && op.num_operands() > at ? op.operand(at) : nullptr;
}

// Values from outside of `op` that operations in its blocks write into.
void collect_written(const Operation& op, const Block& block, std::vector<Value*>& out) {
  for (const auto& inner : block.operations()) {
    Value* v = written_by(*inner);
    if (v && v->type().is_tensor() && !is_inside(v->block(), op) &&
        std::find(out.begin(), out.end(), v) == out.end()) {
      out.push_back(v);
    }
    for (const auto& region : inner->regions()) {
      for (const auto& b : region->blocks()) collect_written(op, *b, out);
    }
  }
}

class Legalizer {
 public:
  Legalizer(Program& program, int version) : program_(program), version_(version) {
    number(program.block(), order_);
  }

  void run() {
    carry(program_.block());
    visit(program_.block());
  }

 private:
  // What blocks write into values from outside goes through operands and results of the operation
  // that owns them, the outermost first.
  void carry(Block& block) {
    for (const auto& op : block.operations()) {
      std::vector<Value*> written;
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) collect_written(*op, *inner, written);
      }
      for (Value* v : written) carry(*op, v);
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) carry(*inner);
      }
    }
  }

  void carry(Operation& op, Value* v) {
    const Type open = Type::tensor(v->type().dtype(), Shape(v->type().shape().size(), Dim(-1)));
    const bool loop = op.is("pd_op.while");
    for (const auto& region : op.regions()) {
      for (const auto& inner : region->blocks()) {
        PADDLE_CHECK_VALUE(
            !inner->operations().empty() && inner->operations().back()->is("cf.yield"),
            "program file: a block of ", op.name(), " does not end in a yield.");
        Value* inside = loop ? inner->add_argument(open) : v;
        inner->operations().back()->add_operand(inside);
        if (!loop) continue;
        const std::vector<Use> uses = v->uses();
        for (const Use& use : uses) {
          if (is_inside(use.op->block(), op)) use.op->set_operand(use.index, inside);
        }
      }
    }
    Value* after = op.add_result(open);
    rebind(op, v, after, order_);
    if (loop) op.add_operand(v);
  }

  void visit(Block& block) {
    auto& ops = block.operations();
    for (auto at = ops.begin(); at != ops.end();) {
      Operation* op = (at++)->get();
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) visit(*inner);
      }
      const std::string& name = op->name();
      if (!name.starts_with("pd_op.")) continue;
      if (const Upgrade found = upgrade_of(*op, version_)) {
        Value* written = written_by(*op);
        const auto take_place = [&](Value* value) {
          if (written) rebind(*op, written, value, order_);
        };
        if (upgrade(*op, found, take_place)) continue;
      }
      if (!name.ends_with('_')) continue;
      if (!op->def && (name == "pd_op.assign_value_")) {
        assign_value(op);
      } else if (!op->def && name == "pd_op.assign_out_") {
        replace(op, op->num_operands() > 0 ? op->operand(0) : nullptr, 1);
      } else if (Value* written = written_by(*op)) {
        rebind(*op, written, op->result(0), order_);
      }
    }
  }

  Value* make(Builder& b, const char* name, const std::vector<Value*>& operands, Type type,
              std::vector<NamedAttribute> attributes) {
    Operation* op = b.create(name, operands, {std::move(type)}, std::move(attributes));
    op->def = find_def(name);
    return op->result();
  }

  Value* constant(Builder& b, const Tensor& t) {
    Value* v = make(b, "builtin.constant", {}, Type::of(t), {{"value", DenseValues{t}}});
    return make(b, "pd_op.assign", {v}, Type::of(t), {});
  }

  // `written`: the operand whose place the value takes.
  void replace(Operation* op, Value* value, size_t written = 0) {
    PADDLE_CHECK_VALUE(value && op->num_operands() > written && op->num_results() == 1, op->name(),
                       ": operands or results are missing in the program.");
    if (op->name().ends_with('_') && op->operand(written)) {
      rebind(*op, op->operand(written), value, order_);
    }
    op->result()->replace_all_uses_with(value);
    op->block()->erase(op);
  }

  void assign_value(Operation* op) {
    PADDLE_CHECK_VALUE(op->num_operands() >= 1 && op->num_results() == 1, op->name(),
                       ": one operand and one result are expected.");
    Builder b(*op->block());
    b.set_before(op);
    const DType dtype = op->attribute("dtype").get<DType>();
    const Shape shape = op->attribute("shape").to_dims();
    replace(op, constant(b, tensor_of(op->attribute("values"), shape, dtype, op->name())));
  }

  Program& program_;
  const int version_;
  Order order_;
};

}  // namespace

void legalize(Program& program, int version) {
  adopt_operators(program, version);
  check_presence(program);
  expand_unknown(program, version);
  Legalizer(program, version).run();
}

}  // namespace paddle::pir
