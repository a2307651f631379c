// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// slice_scatter to and from set_value and set_value_with_tensor.
#include "phi_kernels/ops/shape/slice_scatter_form.h"

#include <algorithm>

namespace paddle::ops {
namespace {

// Where the bounds are tensors: the places of the part among the elements of x, counted in order.
FormValue scattered(SavedForm& f, FormValue x, FormValue value, const Shape& axes,
                    const FormValues& bounds) {
  const Shape unknown(f.shape(x).size(), Dim(-1));
  const DType dtype = f.dtype(x);
  const FormType elements(dtype, {Dim(-1)}), positions(DType::kInt64, {Dim(-1)});
  const auto number = [&](int64_t v) {
    return f.make(
        "full", {}, {DType::kInt64, {}},
        {{"shape", Shape()}, {"value", Scalar(v)}, {"dtype", DType::kInt64}, {"place", Place()}});
  };
  const FormValue flat = f.ints_value({Dim(-1)});
  const FormValue count = f.make("numel", {x}, {DType::kInt64, {}});
  const FormValue order = f.make("arange", {number(0), count, number(1)}, positions,
                                 {{"dtype", DType::kInt64}, {"place", Place()}});
  const FormValue extents =
      f.make("shape64", {x}, {DType::kInt64, {Dim(static_cast<int64_t>(unknown.size()))}});
  const FormValue places = f.make("reshape", {order, extents}, {DType::kInt64, unknown});
  const FormValue part = f.make("strided_slice", {places, bounds[0], bounds[1], bounds[2]},
                                {DType::kInt64, unknown}, {{"axes", int32s(axes)}});
  value =
      f.make("expand_as", {value, part}, {dtype, unknown}, {{"target_shape", AttributeArray{}}});
  const FormValue out =
      f.make("scatter",
             {f.make("reshape", {x, flat}, elements), f.make("reshape", {part, flat}, positions),
              f.make("reshape", {value, flat}, elements)},
             elements, {{"overwrite", true}});
  return f.make("reshape", {out, extents}, x);
}

// Without the axes that an index made (None): `rank` others are there when the value has all.
FormValue narrowed(SavedForm& f, FormValue value, const Shape& made, size_t rank) {
  const Shape shape = f.shape(value);
  const auto missing =
      static_cast<int64_t>(rank + made.size()) - static_cast<int64_t>(shape.size());
  Shape at, left = shape;
  for (const Dim d : made) {
    if (d.value() >= missing && d.value() - missing < static_cast<int64_t>(shape.size())) {
      at.push_back(Dim(d.value() - missing));
    }
  }
  if (at.empty() || missing < 0) return value;
  std::sort(at.begin(), at.end(), [](Dim p, Dim q) { return p.value() > q.value(); });
  for (const Dim d : at) left.erase(left.begin() + d.value());
  return f.make("squeeze", {value, f.ints_value(at)}, {f.dtype(value), left});
}

// The axes that an index dropped come back with extent 1, if the value has not broadcast them.
FormValue widened(SavedForm& f, FormValue value, const Shape& dropped, size_t rank) {
  const size_t have = f.shape(value).size();
  if (dropped.empty() || have == 0 || have + dropped.size() > rank) return value;
  Shape sorted = dropped, at;
  for (const Dim d : dropped) {
    PADDLE_CHECK_VALUE(d.value() >= 0 && d.value() < static_cast<int64_t>(rank),
                       "program file: decrease_axes holds ", d, " for rank ", rank, '.');
  }
  std::sort(sorted.begin(), sorted.end(), [](Dim p, Dim q) { return p.value() < q.value(); });
  // Only axes behind the value's first one need a place; broadcasting adds those before it.
  const auto lead = static_cast<int64_t>(rank - have - dropped.size());
  for (const Dim d : sorted) {
    if (d.value() >= lead) at.push_back(Dim(d.value() - lead));
  }
  if (at.empty()) return value;
  Shape shape = f.shape(value);
  for (const Dim d : at) {
    if (d.value() > static_cast<int64_t>(shape.size())) return value;
    shape.insert(shape.begin() + d.value(), Dim(1));
  }
  return f.make("unsqueeze", {value, f.ints_value(at)}, {f.dtype(value), shape});
}

}  // namespace

void write_slice_scatter(SavedForm& f) {
  FormValues operands{f.operand(0), f.operand(1)};
  for (const char* name : {"starts", "ends", "strides"}) {
    operands.push_back(f.ints_value(f.ints(name)));
  }
  f.become({f.make("set_value_with_tensor", operands, f.result(),
                   {{"axes", int64s(f.ints("axes"))},
                    {"decrease_axes", AttributeArray()},
                    {"none_axes", AttributeArray()}})});
}

void read_set_value(SavedForm& f) {
  const bool with_tensor = f.name().starts_with("pd_op.set_value_with_tensor");
  const size_t first = with_tensor ? 2 : 1;
  PADDLE_CHECK_VALUE(
      f.num_operands() == first + 3 && f.num_results() == 1 && f.operand(0) && f.operand(first - 1),
      f.name(), ": operands or results are missing in the program.");
  FormValues bounds;
  bool known = true;
  for (size_t i = first; i < first + 3; ++i) {
    PADDLE_CHECK_VALUE(f.operand(i), f.name(), ": a bound is missing in the program.");
    known = known && f.made_by(f.operand(i), "full_int_array");
    bounds.push_back(f.operand(i));
  }
  const Shape axes = f.ints("axes"), dropped = f.ints("decrease_axes");
  const FormValue x = f.operand(0);
  const size_t rank = f.shape(x).size();
  FormValue value = f.operand(1);
  if (!with_tensor) {
    value = f.unary("assign", f.constant(tensor_of(f.attribute("values"), f.ints("shape"),
                                                   f.dtype(x), f.name())));
  }
  value = narrowed(f, value, f.ints("none_axes"), rank - dropped.size());
  value = widened(f, value, dropped, rank);
  if (!known) return f.become({scattered(f, x, value, axes, bounds)});
  std::vector<Attribute> numbers;
  for (FormValue& v : bounds) {
    const Shape dims = f.made_by(v, "full_int_array")->ints("value");
    numbers.emplace_back(dims);
    v = f.ints_value(dims);
  }
  // The part as it is now gives the extents.
  const FormType part_type(f.dtype(x), Shape(rank, Dim(-1)));
  const FormValue part = f.make("strided_slice", {x, bounds[0], bounds[1], bounds[2]}, part_type,
                                {{"axes", int32s(axes)}});
  value = f.make("expand_as", {value, part}, part_type, {{"target_shape", AttributeArray{}}});
  f.become({f.make("slice_scatter", {x, value}, x,
                   {{"axes", int64s(axes)},
                    {"starts", numbers[0]},
                    {"ends", numbers[1]},
                    {"strides", numbers[2]}})});
}

}  // namespace paddle::ops
