// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Short spellings of the operations that saved forms are made of.
#include "paddle_core/op/saved_form.h"

#include "paddle_core/shape/sym.h"

namespace paddle {

AttributeArray int32s(const Shape& dims) {
  AttributeArray out;
  for (const Dim d : dims) out.emplace_back(static_cast<int32_t>(d.value()));
  return out;
}

AttributeArray int64s(const Shape& dims) {
  AttributeArray out;
  for (const Dim d : dims) out.emplace_back(d.value());
  return out;
}

Tensor tensor_of(const Attribute& values, const Shape& shape, DType dtype,
                 std::string_view operation) {
  const auto& list = values.get<AttributeArray>();
  const bool one = list.size() == 1;
  Tensor numbers = Tensor::empty(shape, DType::kFloat64);
  PADDLE_CHECK_VALUE(one || static_cast<int64_t>(list.size()) == numbers.numel(),
                     "program file: ", operation, " holds ", list.size(), " values for shape ",
                     shape, '.');
  for (int64_t i = 0; i < numbers.numel(); ++i) {
    numbers.data<double>()[i] = list[one ? 0 : static_cast<size_t>(i)].to_double();
  }
  Tensor out = Tensor::empty(shape, dtype);
  out.copy_data_from(numbers);
  return out;
}

const Attribute& FormOperation::attribute(std::string_view name) const {
  const Attribute* found = nullptr;
  for (const auto& [known, value] : attributes()) {
    if (known == name) found = &value;
  }
  PADDLE_CHECK_VALUE(found, this->name(), ": attribute ", name, " is missing in the program.");
  return *found;
}

FormValues FormOperation::operands() const {
  FormValues out;
  for (size_t i = 0; i < num_operands(); ++i) out.push_back(operand(i));
  return out;
}

FormValue SavedForm::ints_value(const Shape& dims) {
  const FormType type(DType::kInt64, {Dim(static_cast<int64_t>(dims.size()))});
  if (!is_static(dims)) return make("builtin.dims", {}, type, {{"value", dims}});
  return make("full_int_array", {}, type,
              {{"value", int64s(dims)}, {"dtype", DType::kInt64}, {"place", Place()}});
}

FormValue SavedForm::full(const Shape& shape, double value, DType dtype) {
  return make("full", {}, {dtype, shape},
              {{"shape", shape}, {"value", Scalar(value)}, {"dtype", dtype}, {"place", Place()}});
}

FormValue SavedForm::like(FormValue x, double value) {
  return make("full_like", {x, full(Shape{Dim(1)}, value, DType::kFloat32)}, x,
              {{"dtype", dtype(x)}, {"place", Place()}});
}

FormValue SavedForm::stack(const FormValues& values) {
  Shape out = shape(values[0]);
  out.insert(out.begin(), Dim(static_cast<int64_t>(values.size())));
  const DType type = dtype(values[0]);
  return make("stack", {combine(values)}, {type, out}, {{"axis", int32_t{0}}});
}

FormValue SavedForm::slice(FormValue x, int64_t axis, int64_t from, int64_t to, bool drop) {
  Shape out = shape(x);
  out[static_cast<size_t>(axis)] = Dim(to - from);
  if (drop) out.erase(out.begin() + axis);
  const AttributeArray at{Attribute(axis)}, one{Attribute(int64_t{1})};
  const FormValue first = ints_value({Dim(from)}), end = ints_value({Dim(to)});
  return make(
      "slice", {x, first, end}, {dtype(x), out},
      {{"axes", at}, {"infer_flags", one}, {"decrease_axis", drop ? at : AttributeArray()}});
}

FormValue SavedForm::reshape(FormValue x, const Shape& shape) {
  return make("reshape", {x, ints_value(shape)}, {dtype(x), shape});
}

FormValue SavedForm::expand(FormValue x, const Shape& shape) {
  if (this->shape(x) == shape) return x;
  return make("expand", {x, ints_value(shape)}, {dtype(x), shape});
}

FormValue SavedForm::cast(FormValue x, DType dtype) {
  if (this->dtype(x) == dtype) return x;
  return make("cast", {x}, {dtype, shape(x)}, {{"dtype", dtype}});
}

FormValue SavedForm::binary(std::string_view name, FormValue x, FormValue y) {
  const FormValue wider = rank(y) > rank(x) ? y : x;
  if (name == "greater_than") return make(name, {x, y}, {DType::kBool, shape(wider)});
  return make(name, {x, y}, wider);
}

FormValue SavedForm::scaled(FormValue x, double factor, double bias) {
  return make("scale", {x, full(Shape{Dim(1)}, factor, DType::kFloat32)}, x,
              {{"bias", Float32{bias}}, {"bias_after_scale", true}});
}

FormValue SavedForm::counted(Dim count) {
  const Shape one{Dim(1)};
  const FormValue end = count.is_symbolic()
                            ? ints_value({count})
                            : full(one, static_cast<double>(count.value()), DType::kInt64);
  const FormValue step = full(one, 1, DType::kInt64);
  return make("arange", {full(one, 0, DType::kInt64), end, step}, {DType::kInt64, {count}},
              {{"dtype", DType::kInt64}, {"place", Place()}});
}

void SavedForm::expand_operands(std::initializer_list<size_t> which, Shape shape) {
  for (const size_t i : which) {
    if (const FormValue x = operand(i)) set_operand(i, expand(x, shape));
  }
}

void SavedForm::require_tensors(size_t operands) const {
  bool fits = num_operands() == operands && num_results() == 1 && is_tensor(result(0));
  for (size_t i = 0; fits && i < operands; ++i) fits = is_tensor(operand(i));
  PADDLE_CHECK_VALUE(fits, "program file: ", name(),
                     " has other operands or results than expected.");
}

}  // namespace paddle
