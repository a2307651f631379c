// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations against the records of their operators.
#include "pir/serialize/after_reading/check_operands.h"

#include "pir/dialect/arguments.h"

namespace paddle::pir {
namespace {

void check(Operation& op, bool kinds) {
  size_t given = 0;
  for (const ArgSpec& arg : op.def->schema().args) {
    if (!is_operand(arg)) continue;
    PADDLE_CHECK_VALUE(given < op.num_operands(), op.name(), ": operand ", arg.name,
                       " is missing in the program.");
    const Value* v = op.operand(given++);
    PADDLE_CHECK_VALUE(v || arg.optional || arg.has_default, op.name(), ": operand ", arg.name,
                       " is absent in the program; it is not optional.");
    if (kinds) check_operand(op, arg, v);
  }
  const size_t results = op.def->list_result ? 1 : op.def->num_results;
  PADDLE_CHECK_VALUE(given == op.num_operands() && op.num_results() <= results, op.name(),
                     ": the program gives ", op.num_operands(), " operands and ", op.num_results(),
                     " results; the operator has ", given, " and ", results, ".");
  while (op.num_results() < results) op.add_result(Type());
}

void check(Block& block, bool kinds) {
  for (const auto& op : block.operations()) {
    if (op->def) check(*op, kinds);
    if (op->is("builtin.combine") || op->is("builtin.split") || op->is("cf.yield")) {
      for (const Value* v : op->operands()) {
        PADDLE_CHECK_VALUE(v, "program file: an operand of ", op->name(), " is absent.");
      }
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) check(*inner, kinds);
    }
  }
}

}  // namespace

void check_presence(Program& program) { check(program.block(), false); }
void check_operands(Program& program) { check(program.block(), true); }

}  // namespace paddle::pir
