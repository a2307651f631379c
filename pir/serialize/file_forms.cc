// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations as PaddlePaddle's files spell them.
#include "pir/serialize/file_forms.h"

#include <algorithm>

namespace paddle::pir {
namespace {

AttributeArray int64s(const Shape& dims) {
  AttributeArray out;
  for (const Dim d : dims) out.emplace_back(d.value());
  return out;
}

class Forms {
 public:
  explicit Forms(Operation& op) : op_(op), b_(*op.block()) { b_.set_before(&op); }

  // Each element of x where starts, ends and strides point is that of value.
  void slice_scatter() {
    std::vector<Value*> operands{op_.operand(0), op_.operand(1)};
    for (const char* name : {"starts", "ends", "strides"}) {
      operands.push_back(ints(op_.attribute(name).to_dims()));
    }
    const Type& type = op_.result()->type();
    Operation* made = b_.create("pd_op.set_value_with_tensor", operands, {type},
                                {{"axes", int64s(op_.attribute("axes").to_dims())},
                                 {"decrease_axes", AttributeArray()},
                                 {"none_axes", AttributeArray()}});
    become({made->result()});
  }

  // One direction: its gates are the products with a unit matrix. The other direction is the second
  // one of both. What the gradient keeps has no place in the file's form.
  void recurrence() {
    const size_t told = 1 + (op_.operand(1) != nullptr) + (op_.operand(2) != nullptr);
    for (size_t k = told; k < op_.num_results(); ++k) {
      if (op_.result(k)->used()) return;
    }
    const bool reverse = op_.attribute("reverse").to_int() != 0;
    const int32_t directions = reverse ? 2 : 1;
    Value *weight = op_.operand(3), *bias = op_.operand(4);
    const DType dtype = weight->type().dtype();
    const Dim gates = weight->type().shape()[0], units = weight->type().shape()[1];
    Value* size = full(Shape{Dim(1)}, static_cast<double>(gates.value()), DType::kFloat32);
    Value* unit = make("pd_op.eye", {size, size}, Type::tensor(dtype, {gates, gates}),
                       {{"dtype", dtype}, {"place", Place()}});
    Value* zeros = full(Shape{gates}, 0, dtype);
    std::vector<Value*> weights, states;
    for (int32_t d = 0; d < directions; ++d) weights.insert(weights.end(), {unit, weight});
    for (int32_t d = 0; d < directions; ++d) {
      weights.insert(weights.end(), {zeros, bias ? bias : zeros});
    }
    std::vector<Type> state_types;
    for (const size_t i : {1, 2}) {
      if (!op_.operand(i)) continue;
      const std::vector<Value*> all(static_cast<size_t>(directions), op_.operand(i));
      states.push_back(stack(all));
      state_types.push_back(states.back()->type());
    }
    Shape out = op_.result(0)->type().shape();
    out.back() = Dim(units.value() * directions);
    Value* length = op_.operand(5);
    if (length) {
      length = make("pd_op.cast", {length}, Type::tensor(DType::kInt32, length->type().shape()),
                    {{"dtype", DType::kInt32}});
    }
    const Type open = Type::tensor(dtype, {});
    Operation* rnn = b_.create("pd_op.rnn",
                               {op_.operand(0), b_.combine(states), b_.combine(weights), length,
                                full(Shape{Dim(1)}, 0, DType::kUInt8)},
                               {Type::tensor(dtype, out), Type::tensor(DType::kUInt8, {Dim(1)}),
                                Type::vector(state_types), open},
                               {{"dropout_prob", Float32{0}},
                                {"is_bidirec", reverse},
                                {"input_size", static_cast<int32_t>(gates.value())},
                                {"hidden_size", static_cast<int32_t>(units.value())},
                                {"num_layers", int32_t{1}},
                                {"mode", op_.attribute("mode")},
                                {"seed", int32_t{0}},
                                {"is_test", true}});
    Operation* split = b_.create("builtin.split", {rnn->result(2)}, state_types);
    std::vector<Value*> results{rnn->result(0)};
    if (reverse) results[0] = slice(rnn->result(0), 2, units.value(), 2 * units.value(), false);
    for (size_t k = 0; k < split->num_results(); ++k) {
      results.push_back(slice(split->result(k), 0, directions - 1, directions, true));
    }
    become(results);
  }

  // The axis is counted from the first one.
  void split() {
    const size_t at = op_.num_operands() - 1;
    const Operation* axis = op_.operand(at) ? op_.operand(at)->producer() : nullptr;
    if (!axis || !axis->is("pd_op.full") || !op_.operand(0)->type().is_tensor()) return;
    const double given = axis->attribute("value").to_double();
    if (given >= 0) return;
    const auto rank = static_cast<double>(op_.operand(0)->type().shape().size());
    op_.set_operand(at, full(Shape{Dim(1)}, given + rank, DType::kInt32));
  }

  // pad3d takes five axes: those that are missing have extent 1 and stand first.
  void pad3d() {
    Value* x = op_.operand(0);
    const size_t rank = x->type().shape().size();
    const Operation* amounts = op_.operand(1) ? op_.operand(1)->producer() : nullptr;
    if (rank < 3 || rank > 4 || !amounts || !amounts->is("pd_op.full_int_array")) return;
    const bool last = op_.attribute("data_format").get<std::string>().back() == 'C';
    Shape axes, wide = x->type().shape(), paddings = amounts->attribute("value").to_dims();
    for (size_t k = rank; k < 5; ++k)
      axes.push_back(Dim(static_cast<int64_t>(last ? 1 : 2) + static_cast<int64_t>(k - rank)));
    Shape out = op_.result()->type().shape();
    for (const Dim axis : axes) {
      wide.insert(wide.begin() + axis.value(), Dim(1));
      out.insert(out.begin() + axis.value(), Dim(1));
      paddings.push_back(Dim(0));
      paddings.push_back(Dim(0));
    }
    const DType dtype = x->type().dtype();
    Value* volume = make("pd_op.unsqueeze", {x, ints(axes)}, Type::tensor(dtype, wide), {});
    std::vector<NamedAttribute> attributes = op_.attributes();
    for (auto& [name, value] : attributes) {
      if (name == "data_format") value = std::string(last ? "NDHWC" : "NCDHW");
    }
    Value* padded = make("pd_op.pad3d", {volume, ints(paddings)}, Type::tensor(dtype, out),
                         std::move(attributes));
    become({make("pd_op.squeeze", {padded, ints(axes)}, op_.result()->type(), {})});
  }

 private:
  Value* make(const char* name, const std::vector<Value*>& operands, const Type& type,
              std::vector<NamedAttribute> attributes) {
    Operation* op = b_.create(name, operands, {type}, std::move(attributes));
    op->def = find_def(name);
    return op->result();
  }

  Value* ints(const Shape& dims) {
    const Type type = Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(dims.size()))});
    if (!is_static(dims)) return b_.create("builtin.dims", {}, {type}, {{"value", dims}})->result();
    return make("pd_op.full_int_array", {}, type,
                {{"value", int64s(dims)}, {"dtype", DType::kInt64}, {"place", Place()}});
  }

  Value* full(const Shape& shape, double value, DType dtype) {
    return make("pd_op.full", {}, Type::tensor(dtype, shape),
                {{"shape", shape}, {"value", Scalar(value)}, {"dtype", dtype}, {"place", Place()}});
  }

  Value* stack(const std::vector<Value*>& values) {
    Shape shape = values[0]->type().shape();
    shape.insert(shape.begin(), Dim(static_cast<int64_t>(values.size())));
    return make("pd_op.stack", {b_.combine(values)}, Type::tensor(values[0]->type().dtype(), shape),
                {{"axis", int32_t{0}}});
  }

  Value* slice(Value* x, int64_t axis, int64_t from, int64_t to, bool drop) {
    Shape shape = x->type().shape();
    shape[static_cast<size_t>(axis)] = Dim(to - from);
    if (drop) shape.erase(shape.begin() + axis);
    const AttributeArray at{Attribute(axis)}, one{Attribute(int64_t{1})};
    return make(
        "pd_op.slice", {x, ints({Dim(from)}), ints({Dim(to)})},
        Type::tensor(x->type().dtype(), shape),
        {{"axes", at}, {"infer_flags", one}, {"decrease_axis", drop ? at : AttributeArray()}});
  }

  void become(const std::vector<Value*>& values) {
    for (size_t k = 0; k < op_.num_results(); ++k) {
      if (k < values.size()) op_.result(k)->replace_all_uses_with(values[k]);
    }
    op_.block()->erase(&op_);
  }

  Operation& op_;
  Builder b_;
};

// Attributes without an argument here.
void complete(Operation& op) {
  if (op.is("pd_op.mish")) op.set_attribute("lambda", Float32{1});
  if (op.is("pd_op.unique")) op.set_attribute("is_sorted", true);
  if (!op.name().ends_with("_interp")) return;
  AttributeArray scale;
  for (const Attribute& a : op.attribute("scale").get<AttributeArray>()) {
    scale.emplace_back(a.to_double());
  }
  op.set_attribute("scale", scale);
}

}  // namespace

void to_file_forms(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) to_file_forms(*inner);
    }
    complete(*op);
    Forms forms(*op);
    if (op->is("pd_op.slice_scatter")) {
      forms.slice_scatter();
    } else if (op->is("pd_op.recurrence")) {
      forms.recurrence();
    } else if (op->is("pd_op.split") || op->is("pd_op.split_with_num")) {
      forms.split();
    } else if (op->is("pd_op.pad3d")) {
      forms.pad3d();
    }
  }
}

}  // namespace paddle::pir
