// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations as operator calls.
#include "pir/dialect/arguments.h"

#include "pir/dialect/runtime_value.h"

namespace paddle::pir {

void check_operand(const Operation& op, const ArgSpec& arg, const Value* v) {
  if (v && v->type().is_null()) v = nullptr;
  PADDLE_CHECK_VALUE(v || arg.optional || arg.has_default, op.name(), ": operand ", arg.name,
                     " is absent in the program; it is not optional.");
  const bool list = v && v->type().is_vector();
  // A shape may be a list of scalar tensors.
  const bool fits =
      !v || list == (arg.type == ArgType::kTensorList) || (list && arg.type == ArgType::kIntArray);
  PADDLE_CHECK_VALUE(fits, op.name(), ": operand ", arg.name, " has type ", v ? v->type() : Type(),
                     "; ", list ? "one tensor" : "a list of tensors", " is expected.");
}

Place place_of(const Operation& op, const ArgSpec& arg) {
  const Place open = arg.follows_tensors() ? undefined_place() : Place();
  const Attribute* a = op.find_attribute(arg.name);
  if (!a || !a->is(Attribute::Kind::kPlace)) return open;
  const Place place = a->get<Place>();
  return place.kind == DeviceKind::kUndefined ? open : place;
}

OperationArgs::OperationArgs(const Operation& op, const TensorsOf& tensors_of) {
  const Schema& schema = op.def->schema();
  size_t operand = 0;
  constants_.resize(schema.args.size());
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const ArgSpec& arg = schema.args[i];
    Slot slot;
    if (is_operand(arg)) {
      PADDLE_CHECK_VALUE(operand < op.num_operands(), op.name(), ": operand ", arg.name,
                         " is missing in the program.");
      const Value* v = op.operand(operand++);
      check_operand(op, arg, v);
      slot = operand_slot(i, v, arg, tensors_of);
    } else if (arg.type == ArgType::kPlace) {
      slot = Slot::of(place_of(op, arg));
    } else {
      const Attribute* a = op.find_attribute(arg.name);
      PADDLE_CHECK_VALUE(a || arg.has_default, op.name(), ": attribute ", arg.name,
                         " is missing in the program.");
      constants_[i] = a ? constant_of(arg, *a) : arg.default_value;
      slot = constants_[i].slot();
    }
    slots_.push_back(slot);
  }
  PADDLE_CHECK_VALUE(operand == op.num_operands(), op.name(), ": the program gives ",
                     op.num_operands(), " operands; the operator takes ", operand, ".");
}

Slot OperationArgs::operand_slot(size_t i, const Value* v, const ArgSpec& arg,
                                 const TensorsOf& tensors_of) {
  if (!v || v->type().is_null()) return Slot();
  if (constant_operand(v, arg, constants_[i])) return constants_[i].slot();
  const TensorList& list = lists_.emplace_back(tensors_of(v));
  return v->type().is_vector() ? Slot::of(list) : Slot::of(list.at(0));
}

TensorList evaluate(const Operation& op, const OperationArgs::TensorsOf& tensors_of) {
  const OperationArgs args(op, tensors_of);
  Outputs outs;
  infer_results(*op.def, args.slots(), outs);
  // A hostile program may declare a small result where constants ask for one beyond all memory.
  for (size_t i = 0; i < std::min(outs.size(), op.num_results()); ++i) {
    const Type &type = op.result(i)->type(), inferred = Type::of(outs[i]);
    PADDLE_CHECK_VALUE(!type.is_tensor() || !is_static(inferred.shape()) || inferred == type,
                       op.name(), ": result ", i, " has type ", type, "; its constants give ",
                       inferred, ".");
  }
  outs.clear();
  execute(*op.def, args.slots(), outs);
  return TensorList(outs.begin(), outs.end());
}

}  // namespace paddle::pir
