// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of operations of any dialect.
#include "pir/ir/clone.h"

namespace paddle::pir {

std::unique_ptr<Operation> Cloner::clone(const Operation& op) {
  std::vector<Value*> operands;
  for (const Value* v : op.operands()) {
    Value* mine = v ? of(v) : nullptr;
    PADDLE_CHECK_VALUE(mine || !v, "program: ", op.name(),
                       " reads a result of an operator that comes after it or that was "
                       "removed; move or remove it too.");
    operands.push_back(mine);
  }
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result(i)->type());
  auto made =
      std::make_unique<Operation>(op.op_name(), operands, std::move(types), op.attributes());
  made->location = op.location;
  made->def = op.def;
  made->handle = op.handle;
  for (const auto& region : op.regions()) clone_region(*region, made->add_region());
  for (size_t i = 0; i < op.num_results(); ++i) {
    made->result(i)->stop_gradient = op.result(i)->stop_gradient;
    made->result(i)->persistable = op.result(i)->persistable;
    values_.emplace(op.result(i), made->result(i));
  }
  return made;
}

void Cloner::clone_region(const Region& from, Region& to) {
  for (const auto& block : from.blocks()) {
    Block& mine = to.add_block();
    for (size_t i = 0; i < block->num_arguments(); ++i) {
      values_.emplace(block->argument(i), mine.add_argument(block->argument(i)->type()));
    }
    for (const auto& op : block->operations()) mine.append(clone(*op));
  }
}

std::unique_ptr<Program> clone(const Program& program) {
  auto copy = std::make_unique<Program>();
  copy->keep_symbols_of(program);
  Cloner cloner;
  for (const auto& op : program.block().operations()) copy->block().append(cloner.clone(*op));
  return copy;
}

}  // namespace paddle::pir
