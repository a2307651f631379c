// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations against the records of their operators.
#include "pir/serialize/after_reading/check_operands.h"

#include "pir/dialect/arguments.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/host_function.h"
#include "pir/dialect/operation_record.h"

namespace paddle::pir {
namespace {

void check(Operation& op, bool kinds) {
  size_t given = 0;
  for (const ArgSpec& arg : op.def->schema().args) {
    if (!is_operand(arg)) continue;
    PADDLE_CHECK_VALUE(given < op.num_operands(), op.name(), ": operand ", arg.name,
                       " is missing in the program.");
    const Value* v = op.operand(given++);
    const bool optional = arg.optional || (arg.is_tensor() && arg.has_default);
    PADDLE_CHECK_VALUE((v && !v->type().is_null()) || optional, op.name(), ": operand ", arg.name,
                       " is absent in the program; it is not optional.");
    if (kinds) check_operand(op, arg, v);
  }
  const size_t results = op.def->list_result ? 1 : op.def->num_results;
  PADDLE_CHECK_VALUE(given == op.num_operands() && op.num_results() <= results, op.name(),
                     ": the program gives ", op.num_operands(), " operands and ", op.num_results(),
                     " results; the operator has ", given, " and ", results, ".");
  while (op.num_results() < results) op.add_result(Type());
  if (!kinds) return;
  for (size_t k = 0; k < results; ++k) {
    const Type& type = op.result(k)->type();
    PADDLE_CHECK_VALUE(type.is_null() || type.is_vector() == op.def->list_result, op.name(),
                       ": result ", k, " has type ", type, "; ",
                       op.def->list_result ? "a list of tensors" : "one tensor", " is expected.");
  }
}

// A list and its elements: builtin.combine makes it of them, builtin.split makes them of it.
void check_list(const Operation& op) {
  const bool split = op.is("builtin.split");
  for (const Value* v : op.operands()) {
    PADDLE_CHECK_VALUE(v, op.name(), ": an operand is absent in the program.");
  }
  PADDLE_CHECK_VALUE((split ? op.num_operands() : op.num_results()) == 1, op.name(), ": ",
                     op.num_operands(), " operands and ", op.num_results(),
                     " results are given where one of them is a list.");
  const Type& list = split ? op.operand(0)->type() : op.result()->type();
  const size_t n = split ? op.num_results() : op.num_operands();
  PADDLE_CHECK_VALUE(list.is_vector() && list.elements().size() == n, op.name(), ": ", list,
                     " is given where a list of ", n, " tensors is expected.");
  for (size_t i = 0; i < n; ++i) {
    const Type& element = (split ? op.result(i) : op.operand(i))->type();
    PADDLE_CHECK_VALUE(element.is_tensor() || (split && element.is_null()), op.name(), ": element ",
                       i, " has type ", element, "; one tensor is expected.");
  }
}

// Branches or a loop.
void check_regions(const Operation& op) {
  const bool loop = is_while(op);
  PADDLE_CHECK_VALUE(op.regions().size() == (loop ? 1u : 2u), op.name(), ": ", op.regions().size(),
                     " regions are given where ", loop ? 1 : 2, " are expected.");
  PADDLE_CHECK_VALUE(op.num_operands() == (loop ? op.num_results() : 0) + 1, op.name(), ": ",
                     op.num_operands(), " operands do not match ", op.num_results(), " results.");
  for (const auto& region : op.regions()) {
    const auto& blocks = region->blocks();
    PADDLE_CHECK_VALUE(blocks.size() == 1 && !blocks[0]->operations().empty() &&
                           blocks[0]->operations().back()->is("cf.yield"),
                       op.name(), ": a region does not end in cf.yield.");
    const size_t given = blocks[0]->num_arguments(),
                 yielded = blocks[0]->operations().back()->num_operands();
    PADDLE_CHECK_VALUE(
        given == (loop ? op.num_results() : 0) && yielded == op.num_results() + (loop ? 1 : 0),
        op.name(), ": a region takes ", given, " values and yields ", yielded,
        "; the operation has ", op.num_results(), " results.");
  }
}

// Those that only programs in memory hold: they name functions and symbols of the process.
bool is_of_memory(const Operation& op) { return op.has(kInMemoryOnly); }

// What is no operator.
void check_structure(const Operation& op) {
  if (const OperationRecord* record = op.record()) {
    if (record->verify) record->verify(op);
    return;
  }
  if (op.is("builtin.combine") || op.is("builtin.split")) return check_list(op);
  PADDLE_CHECK_VALUE(!is_of_memory(op), "program file: ", op.name(), " is no operation of files.");
  const bool branches = is_if(op) || is_while(op);
  if (branches || op.is("cf.yield") || op.is(kDetach) || op.is(kWithHistory)) {
    for (const Value* v : op.operands()) {
      PADDLE_CHECK_VALUE(v, "program file: an operand of ", op.name(), " is absent.");
    }
  }
  if (branches) check_regions(op);
  if (!op.is(kDetach) && !op.is(kWithHistory)) return;
  PADDLE_CHECK_VALUE(op.num_operands() == (op.is(kDetach) ? 1u : 2u) && op.num_results() == 1 &&
                         op.result()->type().is_tensor(),
                     "program file: ", op.name(), " has other operands or results than expected.");
}

void check(Block& block, bool kinds) {
  for (const auto& op : block.operations()) {
    if (op->def) check(*op, kinds);
    if (!op->def) check_structure(*op);
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) check(*inner, kinds);
    }
  }
}

}  // namespace

void check_presence(Program& program) { check(program.block(), false); }
void check_operands(Program& program) { check(program.block(), true); }

}  // namespace paddle::pir
