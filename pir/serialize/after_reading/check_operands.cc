// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations against the records of their operators.
#include "pir/serialize/after_reading/check_operands.h"

#include "pir/dialect/arguments.h"

namespace paddle::pir {
namespace {

void check(Operation& op) {
  size_t given = 0;
  for (const ArgSpec& arg : op.def->schema().args) {
    if (!is_operand(arg)) continue;
    PADDLE_CHECK_VALUE(given < op.num_operands(), op.name(), ": operand ", arg.name,
                       " is missing in the program.");
    check_operand(op, arg, op.operand(given++));
  }
  const size_t results = op.def->list_result ? 1 : op.def->num_results;
  PADDLE_CHECK_VALUE(given == op.num_operands() && op.num_results() <= results, op.name(),
                     ": the program gives ", op.num_operands(), " operands and ", op.num_results(),
                     " results; the operator has ", given, " and ", results, ".");
  while (op.num_results() < results) op.add_result(Type());
}

void check(Block& block) {
  for (const auto& op : block.operations()) {
    if (op->def) check(*op);
    if (op->is("builtin.combine") || op->is("builtin.split") || op->is("cf.yield")) {
      for (const Value* v : op->operands()) {
        PADDLE_CHECK_VALUE(v, "program file: an operand of ", op->name(), " is absent.");
      }
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) check(*inner);
    }
  }
}

}  // namespace

void check_operands(Program& program) { check(program.block()); }

}  // namespace paddle::pir
