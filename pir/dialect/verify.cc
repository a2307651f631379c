// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The verifier: definitions before uses, operand and attribute counts, result types that agree with
// each operator's shape rule, and the form of control flow.
#include <unordered_set>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/arguments.h"
#include "pir/dialect/control_flow.h"
#include "pir/dialect/operation_record.h"
#include "pir/dialect/runtime_value.h"
#include "pir/ir/extension_type.h"

namespace paddle::pir {
namespace {

// Tensors without memory that stand for a value in shape rules.
TensorList metas_of(const Value* v) {
  TensorList list;
  const auto add = [&](const Type& t) {
    list.push_back(t.is_tensor() ? Tensor::meta(t.shape(), t.dtype(), t.place()) : Tensor());
  };
  if (v->type().is_vector()) {
    for (const Type& t : v->type().elements()) add(t);
  } else {
    add(v->type());
  }
  return list;
}

bool compatible(const Type& a, const Type& b) {
  if (a.kind() != b.kind()) return a.is_null() || b.is_null();
  if (a.is_null()) return true;
  if (a.is_vector()) {
    if (a.elements().size() != b.elements().size()) return false;
    for (size_t i = 0; i < a.elements().size(); ++i) {
      if (!compatible(a.elements()[i], b.elements()[i])) return false;
    }
    return true;
  }
  if (a.is_extension()) return a == b;
  if (a.dtype() != b.dtype() || a.shape().size() != b.shape().size()) return false;
  for (size_t i = 0; i < a.shape().size(); ++i) {
    const Dim x = a.shape()[i], y = b.shape()[i];
    if (!x.is_symbolic() && !y.is_symbolic() && !(x == y)) return false;
  }
  return true;
}

void verify_condition(const Operation& op, const Value* v) {
  const bool fits = v && v->type().is_tensor() && v->type().dtype() == DType::kBool &&
                    (v->type().shape().empty() || v->type().shape().size() == 1);
  PADDLE_CHECK_VALUE(fits, op.name(), ": the condition has type ", v ? v->type() : Type(),
                     "; it must be one bool.");
}

void verify_same(const Operation& op, const char* what, const Value* a, const Type& b, size_t i) {
  PADDLE_CHECK_VALUE(a && compatible(a->type(), b), op.name(), ": ", what, ' ', i, " has type ",
                     a ? a->type() : Type(), "; ", b, " is expected.");
}

void verify_if(const Operation& op) {
  PADDLE_CHECK_VALUE(op.regions().size() == 2, op.name(), ": ", op.regions().size(),
                     " regions stand where 2 are expected.");
  PADDLE_CHECK_VALUE(op.num_operands() == 1, op.name(), ": ", op.num_operands(),
                     " operands stand where 1 is expected.");
  verify_condition(op, op.operand(0));
  for (const auto& region : op.regions()) {
    const Operation& yield = terminator_of(op, *region);
    PADDLE_CHECK_VALUE(yield.num_operands() == op.num_results(), op.name(), ": a branch yields ",
                       yield.num_operands(), " values; the operation has ", op.num_results(),
                       " results.");
    for (size_t i = 0; i < op.num_results(); ++i) {
      verify_same(op, "the branch's value", yield.operand(i), op.result(i)->type(), i);
    }
  }
}

void verify_while(const Operation& op) {
  PADDLE_CHECK_VALUE(op.regions().size() == 1, op.name(), ": ", op.regions().size(),
                     " regions stand where 1 is expected.");
  PADDLE_CHECK_VALUE(op.num_operands() == op.num_results() + 1, op.name(), ": ", op.num_operands(),
                     " operands stand where a condition and ", op.num_results(),
                     " values are expected.");
  verify_condition(op, op.operand(0));
  const Operation& yield = terminator_of(op, *op.regions()[0]);
  const Block& body = *op.regions()[0]->blocks()[0];
  PADDLE_CHECK_VALUE(body.num_arguments() == op.num_results(), op.name(), ": the body takes ",
                     body.num_arguments(), " values; the operation has ", op.num_results(),
                     " results.");
  PADDLE_CHECK_VALUE(yield.num_operands() == op.num_operands(), op.name(), ": the body yields ",
                     yield.num_operands(), " values; a condition and ", op.num_results(),
                     " values are expected.");
  verify_condition(op, yield.operand(0));
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type& type = body.argument(i)->type();
    verify_same(op, "operand", op.operand(i + 1), type, i + 1);
    verify_same(op, "the body's value", yield.operand(i + 1), type, i);
    verify_same(op, "result", op.result(i), type, i);
  }
}

void verify_block(const Block& block, std::unordered_set<const Value*> visible) {
  for (size_t i = 0; i < block.num_arguments(); ++i) {
    verify_type(block.argument(i)->type());
    visible.insert(block.argument(i));
  }
  for (const auto& op : block.operations()) {
    for (const Value* v : op->operands()) {
      PADDLE_CHECK_VALUE(!v || visible.contains(v), op->name(),
                         ": an operand is used before its definition.");
    }
    const OperationRecord* record = op->record();
    if (record && record->verify) record->verify(*op);
    if ((op->def && op->def->infer_fn) || (record && record->infer)) {
      const std::vector<Type> types = infer_types(*op);
      PADDLE_CHECK_VALUE(types.size() == op->num_results(), op->name(), ": the program gives ",
                         op->num_results(), " results; the operator has ", types.size(), ".");
      for (size_t i = 0; i < types.size(); ++i) {
        PADDLE_CHECK_VALUE(compatible(types[i], op->result(i)->type()), op->name(), ": result ", i,
                           " has type ", op->result(i)->type(), "; its shape rule gives ", types[i],
                           ".");
      }
    }
    if (is_if(*op)) verify_if(*op);
    if (is_while(*op)) verify_while(*op);
    for (size_t i = 0; i < op->num_results(); ++i) verify_type(op->result(i)->type());
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) verify_block(*inner, visible);
    }
    for (size_t i = 0; i < op->num_results(); ++i) visible.insert(op->result(i));
  }
}

}  // namespace

std::vector<Type> infer_types(const Operation& op) {
  if (const OperationRecord* record = op.record()) {
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, record->infer, op.name(),
                      ": its record has no rule for the types of its results.");
    return record->infer(op);
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op.def, op.name(),
                    ": the program uses an operator that paddle does not have.");
  const OperationArgs args(op, metas_of);
  Outputs outs;
  infer_results(*op.def, args.slots(), outs);
  std::vector<Type> types;
  for (const Tensor& t : outs) types.push_back(Type::of(t));
  if (op.def->list_result) types = {Type::vector(std::move(types))};
  return types;
}

void verify(const Program& program) {
  SymbolScope scope;
  verify_block(program.block(), {});
}

}  // namespace paddle::pir
