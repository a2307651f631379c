// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations as PaddlePaddle's files spell them.
#include "pir/serialize/before_writing/file_forms.h"

#include <cmath>
#include <limits>
#include <optional>

#include "paddle_core/shape/shape.h"
#include "pir/serialize/before_writing/form_builder.h"

namespace paddle::pir {
namespace {

// The axis, counted from the first one.
void complete_axis(Operation& op) {
  const auto rank = static_cast<int64_t>(op.operand(0)->type().shape().size());
  const int64_t axis = op.attribute("axis").to_int();
  op.set_attribute("axis", static_cast<int32_t>(axis < 0 ? axis + rank : axis));
}

class Forms : public FormBuilder {
 public:
  using FormBuilder::FormBuilder;

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

  // What the gates of a recurrence are computed from, where all weights are parameters.
  struct Gates {
    Value *x, *weight, *bias, *state_bias;
  };

  // reshape(reshape(x) @ weight^T + bias); without that bias the one of the state is a sum of both.
  std::optional<Gates> gates() const {
    const auto made_by = [](const Value* v, OpId name) {
      const Operation* op = v ? v->producer() : nullptr;
      return op && op->is(name) ? op : nullptr;
    };
    const auto is_parameter = [&](const Value* v) { return made_by(v, "builtin.parameter"); };
    const Operation* op = made_by(op_.operand(0), "pd_op.reshape");
    Gates found{nullptr, nullptr, nullptr, op_.operand(4)};
    if (const Operation* sum = op ? made_by(op->operand(0), "pd_op.add") : nullptr) {
      found.bias = sum->operand(1);
      op = sum;
    } else if (const Operation* both = made_by(op_.operand(4), "pd_op.add")) {
      found.bias = both->operand(0);
      found.state_bias = both->operand(1);
    }
    op = op ? made_by(op->operand(0), "pd_op.matmul") : nullptr;
    if (!op || op->attribute("transpose_x").to_int() || !op->attribute("transpose_y").to_int()) {
      return std::nullopt;
    }
    found.weight = op->operand(1);
    const Operation* rows = made_by(op->operand(0), "pd_op.reshape");
    for (const Value* v : {found.weight, op_.operand(3), found.bias, found.state_bias}) {
      if (!rows || !is_parameter(v)) return std::nullopt;
    }
    found.x = rows->operand(0);
    const Shape &shape = found.x->type().shape(), &made = op_.operand(0)->type().shape();
    const Shape& of_weight = found.weight->type().shape();
    const bool fits = shape.size() == 3 && of_weight.size() == 2 && shape[0] == made[0] &&
                      shape[1] == made[1] && shape[2] == of_weight[1] && !shape[2].is_symbolic();
    return fits ? std::optional(found) : std::nullopt;
  }

  // One direction. Gates that are not a product with parameters are the products with a unit
  // matrix. The other direction is the second one of both. What the gradient keeps has no place in
  // the file's form.
  void recurrence() {
    const size_t written = 1 + (op_.operand(1) != nullptr) + (op_.operand(2) != nullptr);
    for (size_t k = written; k < op_.num_results(); ++k) {
      if (op_.result(k)->used()) return;
    }
    const bool reverse = op_.attribute("reverse").to_int() != 0;
    const int32_t directions = reverse ? 2 : 1;
    const DType dtype = op_.operand(3)->type().dtype();
    const Dim units = op_.operand(3)->type().shape()[1];
    const std::optional<Gates> products = gates();
    const Gates from = products ? *products : unit_gates();
    // PaddlePaddle frees what a list holds as it frees its first value. It does not free
    // parameters: where the first is none, copies of the others stand in the list.
    Value* state_weight = op_.operand(3);
    if (!products) state_weight = unary("pd_op.assign", state_weight);
    std::vector<Value*> weights, states;
    for (int32_t d = 0; d < directions; ++d) {
      weights.insert(weights.end(), {from.weight, state_weight});
    }
    for (int32_t d = 0; d < directions; ++d) {
      weights.insert(weights.end(), {from.bias, from.state_bias});
    }
    std::vector<Type> state_types;
    for (const size_t i : {1, 2}) {
      if (!op_.operand(i)) continue;
      const std::vector<Value*> all(static_cast<size_t>(directions), of_the_round(op_.operand(i)));
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
    Operation* rnn =
        b_.create("pd_op.rnn",
                  {from.x, b_.combine(states), b_.combine(weights), length,
                   full(Shape{Dim(1)}, 0, DType::kUInt8)},
                  {Type::tensor(dtype, out), Type::tensor(DType::kUInt8, {Dim(1)}),
                   Type::vector(state_types), open},
                  {{"dropout_prob", Float32{0}},
                   {"is_bidirec", reverse},
                   {"input_size", static_cast<int32_t>(from.weight->type().shape()[1].value())},
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

  // In a loop a state that no round changes depends on the gates too: PaddlePaddle would move it in
  // front of the loop and free it in the first round.
  Value* of_the_round(Value* state) {
    if (!op_.block()->region()->parent()) return state;
    Value* gates = op_.operand(0);
    const DType dtype = gates->type().dtype();
    const Shape& shape = gates->type().shape();
    Value* sums =
        make("pd_op.sum", {gates, ints({Dim(0)})}, Type::tensor(dtype, {shape[1], shape[2]}),
             {{"dtype", dtype}, {"keepdim", false}});
    const int64_t units = op_.operand(3)->type().shape()[1].value();
    return binary("pd_op.add", state, like(slice(sums, 1, 0, units, false), 0));
  }

  // The gates as they are: products with a unit matrix.
  Gates unit_gates() {
    const DType dtype = op_.operand(3)->type().dtype();
    const Dim count = op_.operand(3)->type().shape()[0];
    Value* size = full(Shape{Dim(1)}, static_cast<double>(count.value()), DType::kFloat32);
    Value* unit = make("pd_op.eye", {size, size}, Type::tensor(dtype, {count, count}),
                       {{"dtype", dtype}, {"place", Place()}});
    Value* zeros = full(Shape{count}, 0, dtype);
    Value* bias = op_.operand(4);
    return {op_.operand(0), unit, zeros, bias ? unary("pd_op.assign", bias) : zeros};
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
    if (rank < 3 || rank > 4 || !op_.operand(1)) return;
    const bool known = amounts && amounts->is("pd_op.full_int_array");
    const bool last = op_.attribute("data_format").get<std::string>().back() == 'C';
    Shape axes, wide = x->type().shape(), paddings;
    if (known) paddings = amounts->attribute("value").to_dims();
    for (size_t k = rank; k < 5; ++k)
      axes.push_back(Dim(static_cast<int64_t>(last ? 1 : 2) + static_cast<int64_t>(k - rank)));
    Shape out = op_.result()->type().shape();
    for (const Dim axis : axes) {
      wide.insert(wide.begin() + axis.value(), Dim(1));
      out.insert(out.begin() + axis.value(), Dim(1));
      paddings.push_back(Dim(0));
      paddings.push_back(Dim(0));
    }
    Value* around = known ? ints(paddings) : beside(op_.operand(1), paddings.size());
    const DType dtype = x->type().dtype();
    Value* volume = make("pd_op.unsqueeze", {x, ints(axes)}, Type::tensor(dtype, wide), {});
    std::vector<NamedAttribute> attributes = op_.attributes();
    for (auto& [name, value] : attributes) {
      if (name == "data_format") value = std::string(last ? "NDHWC" : "NCDHW");
    }
    Value* padded =
        make("pd_op.pad3d", {volume, around}, Type::tensor(dtype, out), std::move(attributes));
    become({make("pd_op.squeeze", {padded, ints(axes)}, op_.result()->type(), {})});
  }

  // The other modes of pad3d.
  void border_pad() {
    Operation* made =
        b_.create("pd_op.pad3d", {op_.operand(0), ints(op_.attribute("paddings").to_dims())},
                  {op_.result()->type()},
                  {{"mode", op_.attribute("mode")},
                   {"pad_value", 0.0},
                   {"data_format", op_.attribute("data_format")}});
    become({made->result()});
    Forms(*made).pad3d();
  }

  // Of indices that broadcast together one has an axis.
  void index_put() {
    Operation* list = op_.operand(1) ? op_.operand(1)->producer() : nullptr;
    if (!list || !list->is("builtin.combine")) return;
    std::vector<Value*> indices = list->operands();
    for (const Value* v : indices) {
      if (!v || !v->type().shape().empty()) return;
    }
    if (indices.empty()) return;
    indices[0] = reshape(indices[0], {Dim(1)});
    op_.set_operand(1, b_.combine(indices));
  }

  // Sizes are int32: one tensor, or a list of them.
  void interp() {
    const auto narrow = [&](Value* v) {
      return v->type().dtype() == DType::kInt64 ? cast(v, DType::kInt32) : v;
    };
    if (Value* size = op_.operand(1)) op_.set_operand(1, narrow(size));
    Value* list = op_.operand(2);
    if (!list || !list->producer() || !list->producer()->is("builtin.combine")) return;
    std::vector<Value*> sizes;
    for (Value* v : list->producer()->operands()) sizes.push_back(narrow(v));
    op_.set_operand(2, b_.combine(sizes));
  }

  // A vector and `count` zeros behind it.
  Value* beside(Value* x, size_t count) {
    const DType dtype = x->type().dtype();
    const Dim more(static_cast<int64_t>(count));
    return make(
        "pd_op.concat",
        {b_.combine({x, full(Shape{more}, 0, dtype)}), full(Shape{Dim(1)}, 0, DType::kInt32)},
        Type::tensor(dtype, {x->type().shape()[0] + more}));
  }

  // What the result is, -1 where the file leaves it open.
  void expand_as() {
    AttributeArray shape;
    for (const Dim d : op_.result()->type().shape()) {
      shape.emplace_back(d.is_symbolic() ? int64_t{-1} : d.value());
    }
    op_.set_attribute("target_shape", shape);
  }

  // The elements of x, counted from `offset` with these steps, one axis after the other.
  void as_strided() {
    const Shape dims = op_.attribute("dims").to_dims(), steps = op_.attribute("stride").to_dims();
    if (!is_static(dims)) return;
    const auto start = static_cast<double>(op_.attribute("offset").to_int()) /
                       static_cast<double>(size_of(op_.operand(0)->type().dtype()));
    Value* places = full(Shape{}, start, DType::kInt64);
    for (size_t k = 0; k < dims.size(); ++k) {
      Value* along = scaled(counted(dims[k]), static_cast<double>(steps[k].value()));
      const Shape shape(dims.begin(), dims.begin() + static_cast<int64_t>(k) + 1);
      places = make("pd_op.add", {reshape(places, wide(dims, k)), along},
                    Type::tensor(DType::kInt64, shape));
    }
    become(
        {reshape(taken(reshape(op_.operand(0), {Dim(-1)}), reshape(places, {Dim(-1)}), 0), dims)});
  }

  // Windows of an axis, each a further axis behind the others.
  void tensor_unfold() {
    Value* x = op_.operand(0);
    const Shape shape = x->type().shape(), out = op_.result()->type().shape();
    const auto rank = static_cast<int64_t>(shape.size());
    int64_t axis = op_.attribute("axis").to_int();
    if (axis < 0) axis += rank;
    const Dim count = out[static_cast<size_t>(axis)];
    const int64_t size = op_.attribute("size").to_int(), step = op_.attribute("step").to_int();
    if (rank == 0) return;
    Value* starts = reshape(scaled(counted(count), static_cast<double>(step)), {count, Dim(1)});
    Value* inside = reshape(counted(Dim(size)), {Dim(1), Dim(size)});
    Value* places =
        make("pd_op.add", {starts, inside}, Type::tensor(DType::kInt64, {count, Dim(size)}));
    Value* rows = taken(x, reshape(places, {count * Dim(size)}), axis);
    Shape split = shape;
    split[static_cast<size_t>(axis)] = count;
    split.insert(split.begin() + axis + 1, Dim(size));
    AttributeArray perm;
    for (int64_t k = 0; k <= rank; ++k) {
      if (k != axis + 1) perm.emplace_back(static_cast<int32_t>(k));
    }
    perm.emplace_back(static_cast<int32_t>(axis + 1));
    become(
        {make("pd_op.transpose", {reshape(rows, split)}, op_.result()->type(), {{"perm", perm}})});
  }

  // A complex number is two real ones, behind the other axes.
  void view_dtype() {
    const DType from = op_.operand(0)->type().dtype(), to = op_.result()->type().dtype();
    const bool opens = is_complex(from) && size_of(from) == 2 * size_of(to) && is_floating(to);
    const bool joins = is_complex(to) && size_of(to) == 2 * size_of(from) && is_floating(from);
    const Shape out = op_.result()->type().shape();
    Shape pairs = opens ? op_.operand(0)->type().shape() : out;
    pairs.push_back(Dim(2));
    if (opens) {
      Value* parts = make("pd_op.as_real", {op_.operand(0)}, Type::tensor(to, pairs));
      become({reshape(parts, out)});
    } else if (joins) {
      become({make("pd_op.as_complex", {reshape(op_.operand(0), pairs)}, Type::tensor(to, out))});
    }
  }

  // x as a view of its memory is x of another shape.
  void view_shape() { become({reshape(op_.operand(0), op_.result()->type().shape())}); }

  // 0, 1 ... below `count`.
  Value* counted(Dim count) {
    Value* end = count.is_symbolic()
                     ? ints({count})
                     : full(Shape{Dim(1)}, static_cast<double>(count.value()), DType::kInt64);
    Value* step = full(Shape{Dim(1)}, 1, DType::kInt64);
    return make("pd_op.arange", {full(Shape{Dim(1)}, 0, DType::kInt64), end, step},
                Type::tensor(DType::kInt64, {count}),
                {{"dtype", DType::kInt64}, {"place", Place()}});
  }

  // Rows of x along an axis.
  Value* taken(Value* x, Value* index, int64_t axis) {
    Shape shape = x->type().shape();
    shape[static_cast<size_t>(axis)] = index->type().shape()[0];
    return make("pd_op.gather",
                {x, index, full(Shape{Dim(1)}, static_cast<double>(axis), DType::kInt32)},
                Type::tensor(x->type().dtype(), shape));
  }

  // The first k extents and an axis of extent 1.
  static Shape wide(const Shape& dims, size_t k) {
    Shape out(dims.begin(), dims.begin() + static_cast<int64_t>(k));
    out.push_back(Dim(1));
    return out;
  }

  // A reduction that reads the values too is the same operator there.
  void put_along_axis() {
    complete_axis(op_);
    Operation* made =
        b_.create("pd_op.put_along_axis", op_.operands(), {op_.result()->type()}, op_.attributes());
    become({made->result()});
  }

  // The vectors are a second result.
  void eigvalsh() {
    Operation* made =
        b_.create("pd_op.eigvalsh", op_.operands(), {op_.result()->type(), op_.operand(0)->type()},
                  {{"uplo", op_.attribute("uplo")}, {"is_test", true}});
    become({made->result(0)});
  }

  // No NaN can be read: it is the difference of infinities.
  void not_a_number() {
    const Type& type = op_.result()->type();
    if (!is_floating(type.dtype()) || !std::isnan(op_.attribute("value").to_double())) return;
    Value* infinite = full(type.shape(), std::numeric_limits<double>::infinity(), type.dtype());
    become({binary("pd_op.subtract", infinite, infinite)});
  }

  // Operands from `first` on take the shape of the result, or of the first operand.
  void of_one_shape(size_t first, size_t count, bool as_result) {
    const Shape shape = (as_result ? op_.result() : op_.operand(0))->type().shape();
    for (size_t i = first; i < first + count; ++i) {
      if (op_.operand(i)) op_.set_operand(i, expand(op_.operand(i), shape));
    }
  }

  // The places of the two values in the middle of the sorted ones. NaN is behind all others; it
  // does not count with skip_nan, and is the median without.
  void median_positions() {
    Value* x = op_.operand(0);
    const Type& type = x->type();
    const Type lane = op_.result(0)->type(), whole = Type::tensor(DType::kInt64, type.shape());
    const AttributeArray last{Attribute(int64_t{-1})};
    const auto axis = static_cast<int32_t>(type.shape().size()) - 1;
    Operation* sorted = b_.create("pd_op.argsort", {x}, {type, whole},
                                  {{"axis", axis}, {"descending", false}, {"stable", true}});
    Value* count = ints({type.shape().back()});
    Value *nan = nullptr, *any = nullptr, *first = nullptr;
    if (is_floating(type.dtype())) {
      nan = make("pd_op.isnan", {x}, Type::tensor(DType::kBool, type.shape()));
      if (op_.attribute("skip_nan").get<bool>()) {
        Value* numbers = cast(make("pd_op.logical_not", {nan}, nan->type()), DType::kInt64);
        count = make("pd_op.sum", {numbers, ints({Dim(-1)})}, lane,
                     {{"dtype", DType::kInt64}, {"keepdim", true}});
      } else {
        any = make("pd_op.any", {nan}, Type::tensor(DType::kBool, lane.shape()),
                   {{"axis", last}, {"keepdim", true}});
        first =
            make("pd_op.argmax", {cast(nan, DType::kInt64), full(Shape{Dim(1)}, -1, DType::kInt64)},
                 lane, {{"keepdims", true}, {"flatten", false}, {"dtype", DType::kInt64}});
      }
    }
    if (count->type().shape() != lane.shape()) count = expand(count, lane.shape());
    const auto place = [&](double before) {
      Value* half = binary("pd_op.floor_divide", scaled(count, 1, before), like(count, 2));
      Value* at = make("pd_op.take_along_axis",
                       {sorted->result(1), binary("pd_op.maximum", half, like(count, 0))}, lane,
                       {{"axis", axis}});
      return any ? make("pd_op.where", {any, first, at}, lane) : at;
    };
    Value* low = place(-1);
    become({low, op_.attribute("average").get<bool>() ? place(0) : low});
  }

  // Counts of the dtype of the probabilities.
  void binomial() { op_.set_operand(0, cast(op_.operand(0), op_.operand(1)->type().dtype())); }

  // allclose compares tensors of one shape.
  void compared() {
    Shape shape;
    broadcast_into(op_.operand(0)->type().shape(), op_.operand(1)->type().shape(), "allclose", "x",
                   "y", shape);
    for (const size_t i : {0, 1}) op_.set_operand(i, expand(op_.operand(i), shape));
  }

  // There the scores have the shape [N, C] or [N, C, H, W].
  void nll_loss() {
    const Shape scores = op_.operand(0)->type().shape(), out = op_.result()->type().shape();
    if (scores.size() == 2 || scores.size() == 4) return;
    Dim places(1);
    for (size_t k = 2; k < scores.size(); ++k) places = places * scores[k];
    op_.set_operand(0, reshape(op_.operand(0), {scores[0], scores[1], Dim(1), places}));
    const Shape flat{scores[0], Dim(1), places};
    op_.set_operand(1, reshape(op_.operand(1), flat));
    if (out.empty()) return;
    Operation* made =
        b_.create(op_.name(), op_.operands(),
                  {Type::tensor(op_.result()->type().dtype(), flat), op_.result(1)->type()},
                  op_.attributes());
    become({reshape(made->result(0), out), made->result(1)});
  }
};

// Attributes without an argument here, and those that have only one meaning here.
void complete(Operation& op) {
  if (op.is("pd_op.mish")) op.set_attribute("lambda", Float32{20});
  if (op.is("pd_op.unique")) op.set_attribute("is_sorted", true);
  if (op.is("pd_op.unstack")) {
    op.set_attribute("num", static_cast<int32_t>(op.result()->type().elements().size()));
  }
  if (op.is("pd_op.take_along_axis") || op.is("pd_op.put_along_axis")) complete_axis(op);
  if ((op.is("pd_op.var") || op.is("pd_op.std")) && !op.attribute("unbiased").to_int()) {
    op.set_attribute("correction", 0.0);
  }
  if (!op.name().ends_with("_interp")) return;
  AttributeArray scale;
  for (const Attribute& a : op.attribute("scale").get<AttributeArray>()) {
    scale.emplace_back(a.to_double());
  }
  op.set_attribute("scale", scale);
  const bool last = op.attribute("data_format").get<std::string>().back() == 'C';
  op.set_attribute("data_format", std::string(last ? "NHWC" : "NCHW"));
}

struct Form {
  std::string_view name;
  void (*write)(Forms&);
};

constexpr Form kForms[] = {
    {"pd_op.allclose", [](Forms& f) { f.compared(); }},
    {"pd_op.as_strided", [](Forms& f) { f.as_strided(); }},
    {"pd_op.atan2", [](Forms& f) { f.of_one_shape(0, 2, true); }},
    {"pd_op.bicubic_interp", [](Forms& f) { f.interp(); }},
    {"pd_op.bilinear_interp", [](Forms& f) { f.interp(); }},
    {"pd_op.binomial", [](Forms& f) { f.binomial(); }},
    {"pd_op.border_pad", [](Forms& f) { f.border_pad(); }},
    {"pd_op.eigvalsh", [](Forms& f) { f.eigvalsh(); }},
    {"pd_op.expand_as", [](Forms& f) { f.expand_as(); }},
    {"pd_op.full", [](Forms& f) { f.not_a_number(); }},
    {"pd_op.index_put", [](Forms& f) { f.index_put(); }},
    {"pd_op.linear_interp", [](Forms& f) { f.interp(); }},
    {"pd_op.median_positions", [](Forms& f) { f.median_positions(); }},
    {"pd_op.nearest_interp", [](Forms& f) { f.interp(); }},
    {"pd_op.nll_loss", [](Forms& f) { f.nll_loss(); }},
    {"pd_op.pad3d", [](Forms& f) { f.pad3d(); }},
    {"pd_op.put_along_axis_reduce", [](Forms& f) { f.put_along_axis(); }},
    {"pd_op.recurrence", [](Forms& f) { f.recurrence(); }},
    {"pd_op.sigmoid_cross_entropy_with_logits", [](Forms& f) { f.of_one_shape(1, 2, false); }},
    {"pd_op.slice_scatter", [](Forms& f) { f.slice_scatter(); }},
    {"pd_op.split", [](Forms& f) { f.split(); }},
    {"pd_op.split_with_num", [](Forms& f) { f.split(); }},
    {"pd_op.trilinear_interp", [](Forms& f) { f.interp(); }},
    {"pd_op.tensor_unfold", [](Forms& f) { f.tensor_unfold(); }},
    {"pd_op.view_dtype", [](Forms& f) { f.view_dtype(); }},
    {"pd_op.view_shape", [](Forms& f) { f.view_shape(); }},
    {"pd_op.where", [](Forms& f) { f.of_one_shape(0, 3, true); }},
};

void to_file_form(Operation& op) {
  complete(op);
  if (to_loop(op)) return;
  for (const Form& form : kForms) {
    if (form.name != op.name()) continue;
    Forms forms(op);
    form.write(forms);
    return;
  }
}

}  // namespace

void to_file_forms(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) to_file_forms(*inner);
    }
    to_file_form(*op);
  }
}

}  // namespace paddle::pir
