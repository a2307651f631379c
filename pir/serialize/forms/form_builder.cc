// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Handles and names of rules as values and operations of programs.
#include "pir/serialize/forms/form_builder.h"

namespace paddle::pir {
namespace {

FormValues handles(const std::vector<Value*>& values) {
  FormValues out;
  for (Value* v : values) out.emplace_back(v);
  return out;
}

std::vector<Value*> values_of(const FormValues& handles) {
  std::vector<Value*> out;
  for (const FormValue v : handles) out.push_back(static_cast<Value*>(v.get()));
  return out;
}

std::vector<Value*> results_of(const Operation& op) {
  std::vector<Value*> out;
  for (size_t k = 0; k < op.num_results(); ++k) out.push_back(op.result(k));
  return out;
}

std::string in_full(std::string_view name) {
  return name.find('.') == std::string_view::npos ? str("pd_op.", name) : std::string(name);
}

}  // namespace

FormValue OperationView::operand(size_t i) const {
  PADDLE_CHECK_VALUE(i < op_.num_operands(), op_.name(), ": operand ", i,
                     " is missing in the program.");
  return FormValue(op_.operand(i));
}

FormValue OperationView::result(size_t i) const {
  PADDLE_CHECK_VALUE(i < op_.num_results() && op_.result(i), op_.name(), ": result ", i,
                     " is missing in the program.");
  return FormValue(op_.result(i));
}

const Value& FormBuilder::there(FormValue v) const {
  PADDLE_CHECK_VALUE(v, op_.name(), ": an operand or a result is absent in the program.");
  return *value_of(v);
}

bool FormBuilder::is_tensor(FormValue v) const { return v && value_of(v)->type().is_tensor(); }
DType FormBuilder::dtype(FormValue v) const { return there(v).type().dtype(); }
const Shape& FormBuilder::shape(FormValue v) const { return there(v).type().shape(); }

size_t FormBuilder::length(FormValue list) const { return there(list).type().elements().size(); }

bool FormBuilder::is_used(FormValue v) const { return there(v).used(); }

const FormOperation* FormBuilder::made_by(FormValue v, std::string_view operation) const {
  const Operation* op = v ? value_of(v)->producer() : nullptr;
  if (!op || op->name() != in_full(operation)) return nullptr;
  return &producers_.emplace_back(*op);
}

void FormBuilder::set_operand(size_t i, FormValue v) {
  PADDLE_CHECK_VALUE(i < op_.num_operands(), op_.name(), ": operand ", i,
                     " is missing in the program.");
  op_.set_operand(i, value_of(v));
}

void FormBuilder::set_attribute(std::string_view name, Attribute value) {
  op_.set_attribute(name, std::move(value));
}

void FormBuilder::become(const FormValues& values) {
  for (size_t k = 0; k < op_.num_results() && k < values.size(); ++k) {
    if (op_.result(k)->used()) op_.result(k)->replace_all_uses_with(value_of(values[k]));
  }
  op_.block()->erase(&op_);
}

Type FormBuilder::type_of(const FormType& type) const {
  if (type.like) return value_of(type.like)->type();
  if (!type.is_list) return Type::tensor(type.dtype, type.shape);
  std::vector<Type> elements;
  for (const FormType& e : type.elements) elements.push_back(type_of(e));
  return Type::vector(std::move(elements));
}

FormValues FormBuilder::make_all(std::string_view name, const FormValues& operands,
                                 const std::vector<FormType>& results,
                                 std::vector<NamedAttribute> attributes) {
  std::vector<Type> types;
  for (const FormType& t : results) types.push_back(type_of(t));
  Operation* op =
      b_.create(in_full(name), values_of(operands), std::move(types), std::move(attributes));
  op->def = find_def(op->op_name());
  return handles(results_of(*op));
}

FormValue FormBuilder::combine(const FormValues& values) {
  return FormValue(b_.combine(values_of(values)));
}

FormValues FormBuilder::parts(FormValue list) {
  const std::vector<Type> elements = there(list).type().elements();
  return handles(results_of(*b_.create("builtin.split", {value_of(list)}, elements)));
}

FormValue FormBuilder::constant(const Tensor& value) {
  return FormValue(
      b_.create("builtin.constant", {}, {Type::of(value)}, {{"value", DenseValues{value}}})
          ->result());
}

FormValues FormBuilder::loop(const FormValues& first,
                             const std::function<FormValue(const FormValues&)>& condition,
                             const std::function<FormValues(const FormValues&)>& step) {
  std::vector<Value*> operands{value_of(condition(first))};
  std::vector<Type> types;
  for (Value* v : values_of(first)) {
    operands.push_back(v);
    types.push_back(v->type());
  }
  Operation* made = b_.create("pd_op.while", operands, types);
  Block& body = made->add_region().add_block();
  FormValues values;
  for (const Type& t : types) values.emplace_back(body.add_argument(t));
  const Builder outside = b_;
  b_ = Builder(body);
  values = step(values);
  values.insert(values.begin(), condition(values));
  b_.create("cf.yield", values_of(values), {});
  b_ = outside;
  return handles(results_of(*made));
}

}  // namespace paddle::pir
