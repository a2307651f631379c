// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Spellings of operations.
#include "pir/serialize/before_writing/form_builder.h"

#include "paddle_core/shape/sym.h"

namespace paddle::pir {

AttributeArray int64s(const Shape& dims) {
  AttributeArray out;
  for (const Dim d : dims) out.emplace_back(d.value());
  return out;
}

Value* FormBuilder::make(const char* name, const Values& operands, const Type& type,
                         std::vector<NamedAttribute> attributes) {
  Operation* op = b_.create(name, operands, {type}, std::move(attributes));
  op->def = find_def(name);
  return op->result();
}

Value* FormBuilder::ints(const Shape& dims) {
  const Type type = Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(dims.size()))});
  if (!is_static(dims)) return b_.create("builtin.dims", {}, {type}, {{"value", dims}})->result();
  return make("pd_op.full_int_array", {}, type,
              {{"value", int64s(dims)}, {"dtype", DType::kInt64}, {"place", Place()}});
}

Value* FormBuilder::full(const Shape& shape, double value, DType dtype) {
  return make("pd_op.full", {}, Type::tensor(dtype, shape),
              {{"shape", shape}, {"value", Scalar(value)}, {"dtype", dtype}, {"place", Place()}});
}

Value* FormBuilder::like(Value* x, double value) {
  const DType dtype = x->type().dtype();
  return make("pd_op.full_like", {x, full(Shape{Dim(1)}, value, DType::kFloat32)}, x->type(),
              {{"dtype", dtype}, {"place", Place()}});
}

Value* FormBuilder::stack(const Values& values) {
  Shape shape = values[0]->type().shape();
  shape.insert(shape.begin(), Dim(static_cast<int64_t>(values.size())));
  return make("pd_op.stack", {b_.combine(values)}, Type::tensor(values[0]->type().dtype(), shape),
              {{"axis", int32_t{0}}});
}

Value* FormBuilder::slice(Value* x, int64_t axis, int64_t from, int64_t to, bool drop) {
  Shape shape = x->type().shape();
  shape[static_cast<size_t>(axis)] = Dim(to - from);
  if (drop) shape.erase(shape.begin() + axis);
  const AttributeArray at{Attribute(axis)}, one{Attribute(int64_t{1})};
  return make(
      "pd_op.slice", {x, ints({Dim(from)}), ints({Dim(to)})},
      Type::tensor(x->type().dtype(), shape),
      {{"axes", at}, {"infer_flags", one}, {"decrease_axis", drop ? at : AttributeArray()}});
}

Value* FormBuilder::reshape(Value* x, const Shape& shape) {
  return make("pd_op.reshape", {x, ints(shape)}, Type::tensor(x->type().dtype(), shape));
}

Value* FormBuilder::expand(Value* x, const Shape& shape) {
  if (x->type().shape() == shape) return x;
  return make("pd_op.expand", {x, ints(shape)}, Type::tensor(x->type().dtype(), shape));
}

Value* FormBuilder::cast(Value* x, DType dtype) {
  if (x->type().dtype() == dtype) return x;
  return make("pd_op.cast", {x}, Type::tensor(dtype, x->type().shape()), {{"dtype", dtype}});
}

Value* FormBuilder::binary(const char* name, Value* x, Value* y) {
  const bool wider = y->type().shape().size() > x->type().shape().size();
  const bool compares = std::string_view(name) == "pd_op.greater_than";
  const Type& type = (wider ? y : x)->type();
  return make(name, {x, y}, compares ? Type::tensor(DType::kBool, type.shape()) : type);
}

Value* FormBuilder::scaled(Value* x, double factor, double bias) {
  return make("pd_op.scale", {x, full(Shape{Dim(1)}, factor, DType::kFloat32)}, x->type(),
              {{"bias", Float32{bias}}, {"bias_after_scale", true}});
}

Value* FormBuilder::any(Value* x) {
  return make("pd_op.any", {x}, Type::tensor(DType::kBool, {}),
              {{"axis", AttributeArray()}, {"keepdim", false}});
}

FormBuilder::Values FormBuilder::loop(const Values& first,
                                      const std::function<Value*(const Values&)>& condition,
                                      const std::function<Values(const Values&)>& step) {
  Values operands{condition(first)};
  std::vector<Type> types;
  for (Value* v : first) {
    operands.push_back(v);
    types.push_back(v->type());
  }
  Operation* made = b_.create("pd_op.while", operands, types);
  Block& body = made->add_region().add_block();
  Values values;
  for (const Type& t : types) values.push_back(body.add_argument(t));
  const Builder outside = b_;
  b_ = Builder(body);
  values = step(values);
  values.insert(values.begin(), condition(values));
  b_.create("cf.yield", values, {});
  b_ = outside;
  values.clear();
  for (size_t k = 0; k < types.size(); ++k) values.push_back(made->result(k));
  return values;
}

void FormBuilder::become(const Values& values) {
  for (size_t k = 0; k < op_.num_results(); ++k) {
    if (k < values.size()) op_.result(k)->replace_all_uses_with(values[k]);
  }
  op_.block()->erase(&op_);
}

}  // namespace paddle::pir
