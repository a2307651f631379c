// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Old operators that make tensors or take them apart and become several operators.
#include <algorithm>
#include <charconv>
#include <limits>

#include "pir/dialect/dialect.h"
#include "pir/legacy/terms.h"

namespace paddle::pir {
namespace {

using Ints = std::vector<int64_t>;

// A tensor of one value; its shape is an attribute, one tensor or a list of tensors.
Value* filled(OpTranslation& op, const Scalar& value, DType dtype) {
  const auto full = [&](const Ints& shape) {
    std::vector<NamedGiven> args{{"shape", shape}, {"dtype", dtype}};
    if (value.is_integral()) {
      args.emplace_back("value", value.to_int());
    } else {
      args.emplace_back("value", value.to_double());
    }
    return op.make_all("full", args);
  };
  if (Value* shape = op.in_or_null("ShapeTensor")) {
    return op.make("expand", {{"x", full({})}, {"shape", shape}});
  }
  if (const std::vector<Value*> list = op.ins("ShapeTensorList"); !list.empty()) {
    return op.make("expand", {{"x", full({})}, {"shape", list}});
  }
  return full(op.integers("shape"));
}

// The text holds what a 32-bit float cannot.
Scalar fill_value(OpTranslation& op) {
  const std::string text = op.text("str_value", "");
  const char* end = text.data() + text.size();
  int64_t whole = 0;
  double real = 0;
  if (const auto r = std::from_chars(text.data(), end, whole);
      !text.empty() && r.ec == std::errc() && r.ptr == end) {
    return Scalar(whole);
  }
  if (const auto r = std::from_chars(text.data(), end, real);
      !text.empty() && r.ec == std::errc() && r.ptr == end) {
    return Scalar(real);
  }
  return Scalar(op.number("value", 0));
}

void fill_constant(OpTranslation& op) {
  const DType dtype = op.dtype("dtype", DType::kFloat32);
  Value* given = op.in_or_null("ValueTensor");
  if (!given) return op.set("Out", filled(op, fill_value(op), dtype));
  Value* like = filled(op, Scalar(0), dtype);
  op.set("Out", op.make("add", {{"x", like}, {"y", op.cast(given, dtype)}}));
}

// An attribute shape in which one extent is that of the input.
std::vector<Value*> shape_like_input(OpTranslation& op) {
  const Ints shape = op.integers("shape");
  const int64_t from = op.integer("input_dim_idx", 0), to = op.integer("output_dim_idx", 0);
  if (to < 0 || to >= static_cast<int64_t>(shape.size())) op.fail("output_dim_idx is out of range");
  Value* all = op.make("shape64", {{"input", op.in("Input")}});
  std::vector<Value*> extents;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<int64_t>(i) == to) {
      extents.push_back(op.make(
          "slice",
          {{"input", all}, {"axes", Ints{0}}, {"starts", Ints{from}}, {"ends", Ints{from + 1}}}));
    } else {
      extents.push_back(
          op.make("full", {{"shape", Ints{1}}, {"value", shape[i]}, {"dtype", DType::kInt64}}));
    }
  }
  return extents;
}

void fill_constant_batch_size_like(OpTranslation& op) {
  const Scalar value = fill_value(op);
  Value* one = op.make("full", {{"shape", Ints{}},
                                {"value", value.to_double()},
                                {"dtype", op.dtype("dtype", DType::kFloat32)}});
  op.set("Out", op.make("expand", {{"x", one}, {"shape", shape_like_input(op)}}));
}

void uniform_random_batch_size_like(OpTranslation& op) {
  op.set("Out", op.make("uniform", {{"shape", shape_like_input(op)},
                                    {"dtype", op.dtype("dtype", DType::kFloat32)},
                                    {"min", op.number("min", -1)},
                                    {"max", op.number("max", 1)},
                                    {"seed", op.integer("seed", 0)}}));
}

// The extents are int32 in old programs.
void shape(OpTranslation& op) {
  op.set("Out", op.cast(op.make("shape64", {{"input", op.in("Input")}}), DType::kInt32));
}

void flatten(OpTranslation& op) {
  Value* x = op.in("X");
  const auto rank = static_cast<int64_t>(OpTranslation::rank(x));
  const int64_t axis = op.integer("axis", 1);
  if (axis < 0 || axis > rank) op.fail(str("axis ", axis, " is out of range"));
  if (axis == 0) {
    op.set("Out", op.make("reshape", {{"x", x}, {"shape", Ints{1, -1}}}));
  } else if (axis == rank) {
    op.set("Out", op.make("reshape", {{"x", x}, {"shape", Ints{-1, 1}}}));
  } else {
    Value* rows =
        op.make("flatten", {{"x", x}, {"start_axis", int64_t{0}}, {"stop_axis", axis - 1}});
    op.set("Out", op.make("flatten",
                          {{"x", rows}, {"start_axis", int64_t{1}}, {"stop_axis", rank - axis}}));
  }
}

// Axes of another extent than 1 stay, so the rank hangs on extents that may be open; the file says
// what the exporter found.
void squeeze(OpTranslation& op) {
  Value* x = op.in("X");
  const Ints axes = op.integers("axes");
  Value* out = op.make("squeeze", {{"x", x}, {"axis", axes}});
  op.set("Out", out);
  if (is_static(x->type().shape()) || op.out_names("Out").empty()) return;
  const VarDesc* var = op.translator().declared(op.out_names("Out")[0]);
  if (!var || var->dims.size() >= OpTranslation::rank(x)) return;
  Shape shape;
  for (size_t i = 0; i < var->dims.size(); ++i) shape.push_back(op.translator().symbols().fresh());
  if (shape.size() != OpTranslation::rank(out))
    out->set_type(Type::tensor(x->type().dtype(), shape));
}

void split(OpTranslation& op) {
  const size_t count = op.out_names("Out").size();
  std::vector<NamedGiven> args{{"x", op.in("X")}};
  if (Value* axis = op.in_or_null("AxisTensor")) {
    args.emplace_back("axis", axis);
  } else {
    args.emplace_back("axis", op.integer("axis", 0));
  }
  const std::vector<Value*> tensors = op.ins("SectionsTensorList");
  const Ints sections = op.integers("sections");
  if (tensors.empty() && sections.empty()) {
    args.emplace_back("num", op.integer("num", static_cast<int64_t>(count)));
    return op.set_all("Out", op.make_list("split_with_num", args, count));
  }
  if (tensors.empty()) {
    args.emplace_back("sections", sections);
  } else {
    args.emplace_back("sections", tensors);
  }
  op.set_all("Out", op.make_list("split", args, count));
}

// Where slices end. With a negative step PaddlePaddle 2 wrote -1 for the place before the first
// element; since 3 that is the last one.
Ints ends_of_slices(const OpTranslation& op, const char* steps) {
  constexpr int64_t kBeforeFirst = std::numeric_limits<int32_t>::min(), kVersion3 = 3000000;
  Ints ends = op.integers("ends");
  const Ints by = op.integers(steps);
  for (size_t i = 0; i < ends.size() && i < by.size(); ++i) {
    const bool before_first = ends[i] == -1 && by[i] < 0 && op.translator().version() < kVersion3;
    if (before_first) ends[i] = kBeforeFirst;
  }
  return ends;
}

void strided_slice(OpTranslation& op) {
  std::vector<NamedGiven> args{{"x", op.in("Input")}, {"axes", op.integers("axes")}};
  for (const auto& [name, slot] : {std::pair{"starts", "Starts"}, std::pair{"ends", "Ends"},
                                   std::pair{"strides", "Strides"}}) {
    const std::vector<Value*> list = op.ins(str(slot, "TensorList"));
    Value* one = op.in_or_null(str(slot, "Tensor"));
    if (!list.empty()) {
      args.emplace_back(name, list);
    } else if (one) {
      args.emplace_back(name, one);
    } else {
      args.emplace_back(name, slot == std::string_view("Ends") ? ends_of_slices(op, "strides")
                                                               : op.integers(name));
    }
  }
  Value* out = op.make_all("strided_slice", args);
  const Ints dropped = op.integers("decrease_axis");
  if (!dropped.empty()) out = op.make("squeeze", {{"x", out}, {"axis", dropped}});
  op.set("Out", out);
}

void range(OpTranslation& op) {
  Value* start = op.in("Start");
  op.set("Out", op.make("arange", {{"start", start},
                                   {"end", op.in("End")},
                                   {"step", op.in("Step")},
                                   {"dtype", start->type().dtype()}}));
}

// With its end, where a step meets that.
void closed_range(OpTranslation& op) {
  const auto one = [&](const char* slot) { return Term::in(op, slot).reshape(Ints{}); };
  const Term start = one("Start"), step = one("Step");
  const auto wide = [](const Term& x) { return x.cast(DType::kFloat64); };
  const Term steps = (wide(one("End") - start) / wide(step)).make("floor") + 1;
  op.set("Out", Term::count_up(steps.cast(DType::kInt64)).cast(start.dtype()) * step + start);
}

void triangle(OpTranslation& op) {
  op.set("Out", op.make(op.flag("lower", true) ? "tril" : "triu",
                        {{"x", op.in("X")}, {"diagonal", op.integer("diagonal", 0)}}));
}

// The values stand in the attribute of their type.
std::vector<double> values_of(OpTranslation& op) {
  for (const char* name :
       {"values", "fp32_values", "int32_values", "int64_values", "bool_values", "fp64_values"}) {
    std::vector<double> values = op.numbers(name);
    if (!values.empty()) return values;
  }
  return {};
}

Tensor dense(OpTranslation& op, const char* shape_name) {
  const std::vector<double> values = values_of(op);
  Shape shape;
  uint64_t count = 1;
  for (const int64_t d : op.integers(shape_name)) {
    if (d < 0 || static_cast<uint64_t>(d) > values.size())
      op.fail("the shape does not fit the values");
    shape.push_back(Dim(d));
    count *= static_cast<uint64_t>(d);
    if (count > values.size()) op.fail("the shape does not fit the values");
  }
  if (count != values.size() || shape.size() > kMaxRank) {
    op.fail("the shape does not fit the values");
  }
  Tensor numbers = Tensor::empty(shape, DType::kFloat64);
  std::copy(values.begin(), values.end(), numbers.data<double>());
  Tensor out = Tensor::empty(shape, op.dtype("dtype", DType::kFloat32));
  out.copy_data_from(numbers);
  return out;
}

void assign_value(OpTranslation& op) { op.set("Out", op.constant(dense(op, "shape"))); }

// Numbers, each a tensor of one element, as one vector.
Value* joined(OpTranslation& op, const std::vector<Value*>& numbers) {
  std::vector<Value*> parts;
  for (Value* v : numbers) {
    Value* one = op.make("reshape", {{"x", v}, {"shape", std::vector<int64_t>{1}}});
    parts.push_back(op.cast(one, DType::kInt64));
  }
  return op.make("concat", {{"x", parts}, {"axis", int64_t{0}}});
}

// x with a part replaced. pd_op.set_value_ writes into its operand, so it gets a copy; the
// legalizer turns both into what they do.
void set_value(OpTranslation& op) {
  const auto array = [](const Ints& numbers) {
    AttributeArray out;
    for (const int64_t v : numbers) out.emplace_back(v);
    return out;
  };
  const auto ints = [&](const Ints& numbers) {
    Operation* made = op.builder().create(
        "pd_op.full_int_array", {},
        {Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(numbers.size()))})},
        {{"value", array(numbers)}, {"dtype", DType::kInt64}, {"place", Place()}});
    made->def = find_def(made->name());
    return made->result();
  };
  Value* x = op.make("assign", {{"x", op.in("Input")}});
  std::vector<Value*> operands{x};
  Value* value = op.in_or_null("ValueTensor");
  if (!value) value = op.constant(dense(op, "shape"));
  operands.push_back(op.cast(value, x->type().dtype()));
  const std::vector<std::pair<const char*, Ints>> parts = {
      {"StartsTensorList", op.integers("starts")},
      {"EndsTensorList", ends_of_slices(op, "steps")},
      {"StepsTensorList", op.integers("steps")}};
  for (const auto& [slot, numbers] : parts) {
    operands.push_back(op.ins(slot).empty() ? ints(numbers) : joined(op, op.ins(slot)));
  }
  Operation* set = op.builder().create("pd_op.set_value_with_tensor_", operands, {x->type()},
                                       {{"axes", array(op.integers("axes"))},
                                        {"decrease_axes", array(op.integers("decrease_axes"))},
                                        {"none_axes", array(op.integers("none_axes"))}});
  op.set("Out", set->result());
}

// The shape of a random tensor: an attribute, one tensor or a list of tensors.
void append_shape(OpTranslation& op, std::vector<NamedGiven>& args) {
  if (Value* shape = op.in_or_null("ShapeTensor")) {
    args.emplace_back("shape", shape);
  } else if (const std::vector<Value*> list = op.ins("ShapeTensorList"); !list.empty()) {
    args.emplace_back("shape", list);
  } else {
    args.emplace_back("shape", op.integers("shape"));
  }
}

void uniform_random(OpTranslation& op) {
  std::vector<NamedGiven> args{{"min", op.number("min", -1)},
                               {"max", op.number("max", 1)},
                               {"seed", op.integer("seed", 0)},
                               {"dtype", op.dtype("dtype", DType::kFloat32)}};
  append_shape(op, args);
  op.set("Out", op.make_all("uniform", args));
}

void gaussian_random(OpTranslation& op) {
  std::vector<NamedGiven> args{{"mean", op.number("mean", 0)},
                               {"std", op.number("std", 1)},
                               {"seed", op.integer("seed", 0)},
                               {"dtype", op.dtype("dtype", DType::kFloat32)}};
  append_shape(op, args);
  op.set("Out", op.make_all("gaussian", args));
}

void randint(OpTranslation& op) {
  std::vector<NamedGiven> args{{"low", op.integer("low", 0)},
                               {"high", op.integer("high", 0)},
                               {"dtype", op.dtype("dtype", DType::kInt64)}};
  append_shape(op, args);
  op.set("Out", op.make_all("randint", args));
}

void one_hot(OpTranslation& op) {
  std::vector<NamedGiven> args{{"x", op.in("X")}};
  if (Value* depth = op.in_or_null("depth_tensor")) {
    args.emplace_back("num_classes", depth);
  } else {
    args.emplace_back("num_classes", op.integer("depth", -1));
  }
  op.set("Out", op.cast(op.make_all("one_hot", args), op.dtype("dtype", DType::kFloat32)));
}

// The first embedding: ids end in an axis of extent 1.
void lookup_table(OpTranslation& op) {
  Value* ids = op.make("squeeze", {{"x", op.in("Ids")}, {"axis", Ints{-1}}});
  op.set("Out", op.make("embedding", {{"x", ids},
                                      {"weight", op.in("W")},
                                      {"padding_idx", op.integer("padding_idx", -1)}}));
}

void expand_as(OpTranslation& op) {
  Value* y = op.in_or_null("target_tensor");
  op.set("Out", op.make("expand_as", {{"x", op.in("X")}, {"y", y ? y : op.in("Y")}}));
}

}  // namespace

void add_shapes_translations(TranslationTable& table) {
  table.add("fill_constant", fill_constant);
  table.add("fill_constant_batch_size_like", fill_constant_batch_size_like);
  table.add("uniform_random_batch_size_like", uniform_random_batch_size_like);
  table.add("shape", shape);
  table.add("flatten", flatten);
  table.add("flatten2", flatten);
  table.add("squeeze", squeeze);
  table.add("squeeze2", squeeze);
  table.add("split", split);
  table.add("strided_slice", strided_slice);
  table.add("range", range);
  table.add("range_v2", closed_range);
  table.add("tril_triu", triangle);
  table.add("assign_value", assign_value);
  table.add("set_value", set_value);
  table.add("uniform_random", uniform_random);
  table.add("gaussian_random", gaussian_random);
  table.add("randint", randint);
  table.add("one_hot_v2", one_hot);
  table.add("lookup_table", lookup_table);
  table.add("expand_as", expand_as);
}

}  // namespace paddle::pir
