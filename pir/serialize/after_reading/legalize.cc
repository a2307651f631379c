// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// In-place operators of files as values.
#include "pir/serialize/after_reading/legalize.h"

#include <algorithm>
#include <unordered_map>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/control_flow.h"
#include "pir/serialize/after_reading/adopt.h"
#include "pir/serialize/after_reading/check_operands.h"
#include "pir/serialize/after_reading/unknown_operations.h"

namespace paddle::pir {
namespace {

// Position of each operation in the order of the text.
using Order = std::unordered_map<const Operation*, size_t>;

void number(const Block& block, Order& order) {
  for (const auto& op : block.operations()) {
    order.emplace(op.get(), order.size());
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) number(*inner, order);
    }
  }
}

bool is_inside(const Block* block, const Operation& op) {
  while (block) {
    const Operation* parent = block->region()->parent();
    if (parent == &op) return true;
    block = parent ? parent->block() : nullptr;
  }
  return false;
}

// Behind `op`, `value` is what `old` was.
void rebind(const Operation& op, Value* old, Value* value, const Order& order) {
  const std::vector<Use> uses = old->uses();
  for (const Use& use : uses) {
    const auto at = order.find(use.op);
    if (at == order.end() || at->second <= order.at(&op)) continue;
    if (is_inside(use.op->block(), op)) continue;
    const Block* block = use.op->block();
    bool visible = false;
    while (block && !visible) {
      visible = block == op.block();
      const Operation* parent = block->region()->parent();
      block = parent ? parent->block() : nullptr;
    }
    if (visible) use.op->set_operand(use.index, value);
  }
}

// The operand that the operation writes into; null when it gives new values only.
Value* written_by(const Operation& op) {
  const std::string& name = op.name();
  if (!name.starts_with("pd_op.") || !name.ends_with('_') || op.num_results() == 0) return nullptr;
  const size_t at = op.is("pd_op.assign_out_") ? 1 : 0;
  const bool known =
      op.def ? !op.def->is_native_inplace()
             : at == 1 || op.is("pd_op.assign_value_") || name.starts_with("pd_op.set_value");
  return known && op.num_operands() > at ? op.operand(at) : nullptr;
}

// Values from outside of `op` that operations in its blocks write into.
void collect_written(const Operation& op, const Block& block, std::vector<Value*>& out) {
  for (const auto& inner : block.operations()) {
    Value* v = written_by(*inner);
    if (v && v->type().is_tensor() && !is_inside(v->block(), op) &&
        std::find(out.begin(), out.end(), v) == out.end()) {
      out.push_back(v);
    }
    for (const auto& region : inner->regions()) {
      for (const auto& b : region->blocks()) collect_written(op, *b, out);
    }
  }
}

class Legalizer {
 public:
  explicit Legalizer(Program& program) : program_(program) { number(program.block(), order_); }

  void run() {
    carry(program_.block());
    visit(program_.block());
  }

 private:
  // What blocks write into values from outside goes through operands and results of the operation
  // that owns them, the outermost first.
  void carry(Block& block) {
    for (const auto& op : block.operations()) {
      std::vector<Value*> written;
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) collect_written(*op, *inner, written);
      }
      for (Value* v : written) carry(*op, v);
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) carry(*inner);
      }
    }
  }

  void carry(Operation& op, Value* v) {
    const Type open = Type::tensor(v->type().dtype(), Shape(v->type().shape().size(), Dim(-1)));
    const bool loop = op.is("pd_op.while");
    for (const auto& region : op.regions()) {
      for (const auto& inner : region->blocks()) {
        PADDLE_CHECK_VALUE(
            !inner->operations().empty() && inner->operations().back()->is("cf.yield"),
            "program file: a block of ", op.name(), " does not end in a yield.");
        Value* inside = loop ? inner->add_argument(open) : v;
        inner->operations().back()->add_operand(inside);
        if (!loop) continue;
        const std::vector<Use> uses = v->uses();
        for (const Use& use : uses) {
          if (is_inside(use.op->block(), op)) use.op->set_operand(use.index, inside);
        }
      }
    }
    Value* after = op.add_result(open);
    rebind(op, v, after, order_);
    if (loop) op.add_operand(v);
  }

  void visit(Block& block) {
    auto& ops = block.operations();
    for (auto at = ops.begin(); at != ops.end();) {
      Operation* op = (at++)->get();
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) visit(*inner);
      }
      const std::string& name = op->name();
      if (!name.starts_with("pd_op.")) continue;
      if (name.starts_with("pd_op.sync_batch_norm")) {
        batch_norm(op);
        continue;
      }
      if (name == "pd_op.fill_diagonal_tensor") flatten_diagonal(op);
      if (name == "pd_op.put_along_axis") {
        name_reduction(op);
        continue;
      }
      if (!op->def && name.starts_with("pd_op.set_value")) {
        set_value(op);
        continue;
      }
      if (!name.ends_with('_')) continue;
      if (!op->def && (name == "pd_op.assign_value_")) {
        assign_value(op);
      } else if (!op->def && name == "pd_op.assign_out_") {
        replace(op, op->num_operands() > 0 ? op->operand(0) : nullptr, 1);
      } else if (Value* written = written_by(*op)) {
        rebind(*op, written, op->result(0), order_);
      }
    }
  }

  Value* make(Builder& b, const char* name, const std::vector<Value*>& operands, Type type,
              std::vector<NamedAttribute> attributes) {
    Operation* op = b.create(name, operands, {std::move(type)}, std::move(attributes));
    op->def = find_def(name);
    return op->result();
  }

  // The numbers of `values` as a tensor of the given type.
  static Tensor dense(const Attribute& values, const Shape& shape, DType dtype,
                      const std::string& op) {
    const auto& list = values.get<AttributeArray>();
    const bool one = list.size() == 1;
    Tensor numbers = Tensor::empty(shape, DType::kFloat64);
    PADDLE_CHECK_VALUE(one || static_cast<int64_t>(list.size()) == numbers.numel(),
                       "program file: ", op, " holds ", list.size(), " values for shape ", shape,
                       '.');
    for (int64_t i = 0; i < numbers.numel(); ++i) {
      numbers.data<double>()[i] = list[one ? 0 : static_cast<size_t>(i)].to_double();
    }
    Tensor out = Tensor::empty(shape, dtype);
    out.copy_data_from(numbers);
    return out;
  }

  Value* constant(Builder& b, const Tensor& t) {
    Value* v = make(b, "builtin.constant", {}, Type::of(t), {{"value", DenseValues{t}}});
    return make(b, "pd_op.assign", {v}, Type::of(t), {});
  }

  // `written`: the operand whose place the value takes.
  void replace(Operation* op, Value* value, size_t written = 0) {
    PADDLE_CHECK_VALUE(value && op->num_operands() > written && op->num_results() == 1, op->name(),
                       ": operands or results are missing in the program.");
    if (op->name().ends_with('_') && op->operand(written)) {
      rebind(*op, op->operand(written), value, order_);
    }
    op->result()->replace_all_uses_with(value);
    op->block()->erase(op);
  }

  // The diagonal of a matrix may be one row there.
  void flatten_diagonal(Operation* op) {
    const Type& x = op->operand(0)->type();
    const Type& y = op->operand(1)->type();
    if (x.shape().size() != 2 || y.shape().size() != 2) return;
    Builder b(*op->block());
    b.set_before(op);
    op->set_operand(1, make(b, "pd_op.reshape", {op->operand(1), bound(b, Shape{Dim(-1)})},
                            Type::tensor(y.dtype(), {Dim(-1)}), {}));
  }

  // Reductions whose gradient reads the values are an operator of their own.
  static void name_reduction(Operation* op) {
    const std::string how = op->attribute("reduce").get<std::string>();
    if (how == "assign" || (how == "add" && op->attribute("include_self").to_int())) return;
    Builder b(*op->block());
    b.set_before(op);
    Operation* made = b.create("pd_op.put_along_axis_reduce", op->operands(),
                               {op->result()->type()}, op->attributes());
    made->def = find_def(made->name());
    op->result()->replace_all_uses_with(made->result());
    op->block()->erase(op);
  }

  // The statistics of all processes are those of one.
  static void batch_norm(Operation* op) {
    Builder b(*op->block());
    b.set_before(op);
    std::vector<Type> types;
    for (size_t k = 0; k < op->num_results(); ++k) types.push_back(op->result(k)->type());
    Operation* made = b.create("pd_op.batch_norm_", op->operands(), types, op->attributes());
    made->def = find_def(made->name());
    for (size_t k = 0; k < types.size(); ++k) {
      op->result(k)->replace_all_uses_with(made->result(k));
    }
    op->block()->erase(op);
  }

  void assign_value(Operation* op) {
    PADDLE_CHECK_VALUE(op->num_operands() >= 1 && op->num_results() == 1, op->name(),
                       ": one operand and one result are expected.");
    Builder b(*op->block());
    b.set_before(op);
    const DType dtype = op->attribute("dtype").get<DType>();
    replace(op, constant(b, dense(op->attribute("values"), op->attribute("shape").to_dims(), dtype,
                                  op->name())));
  }

  static bool is_known(const Value* v) {
    return v && v->producer() && v->producer()->is("pd_op.full_int_array");
  }

  // x with a part replaced: slice_scatter(x, value expanded to the part).
  void set_value(Operation* op) {
    const bool with_tensor = op->name().starts_with("pd_op.set_value_with_tensor");
    PADDLE_CHECK_VALUE(op->num_operands() == (with_tensor ? 5u : 4u) && op->num_results() == 1 &&
                           op->operand(0) && op->operand(with_tensor ? 1 : 0),
                       op->name(), ": operands or results are missing in the program.");
    const size_t first = with_tensor ? 2 : 1;
    std::vector<Value*> bounds;
    bool known = true;
    for (size_t i = first; i < first + 3; ++i) {
      PADDLE_CHECK_VALUE(op->operand(i), op->name(), ": a bound is missing in the program.");
      known = known && is_known(op->operand(i));
      bounds.push_back(op->operand(i));
    }
    const Shape axes = op->attribute("axes").to_dims();
    const Shape dropped = op->attribute("decrease_axes").to_dims();
    Value* x = op->operand(0);
    Builder b(*op->block());
    b.set_before(op);
    Value* value =
        with_tensor ? op->operand(1)
                    : constant(b, dense(op->attribute("values"), op->attribute("shape").to_dims(),
                                        x->type().dtype(), op->name()));
    value = narrowed(b, value, op->attribute("none_axes").to_dims(),
                     x->type().shape().size() - dropped.size());
    value = widened(b, value, dropped, x->type().shape().size());
    if (!known) return replace(op, scattered(b, x, value, axes, bounds));
    std::vector<Attribute> numbers;
    for (Value*& v : bounds) {
      numbers.push_back(v->producer()->attribute("value").to_dims());
      v = bound(b, numbers.back());
    }
    // The part as it is now gives the extents.
    const Shape unknown(x->type().shape().size(), Dim(-1));
    AttributeArray axes32, axes64;
    for (const Dim d : axes) {
      axes32.emplace_back(static_cast<int32_t>(d.value()));
      axes64.emplace_back(d.value());
    }
    const Type part_type = Type::tensor(x->type().dtype(), unknown);
    Value* part = make(b, "pd_op.strided_slice", {x, bounds[0], bounds[1], bounds[2]}, part_type,
                       {{"axes", axes32}});
    value =
        make(b, "pd_op.expand_as", {value, part}, part_type, {{"target_shape", AttributeArray{}}});
    replace(op, make(b, "pd_op.slice_scatter", {x, value}, x->type(),
                     {{"axes", axes64},
                      {"starts", numbers[0]},
                      {"ends", numbers[1]},
                      {"strides", numbers[2]}}));
  }

  // Where the bounds are tensors: the places of the part among the elements of x, counted in order.
  Value* scattered(Builder& b, Value* x, Value* value, const Shape& axes,
                   const std::vector<Value*>& bounds) {
    const auto vector = [](DType dtype) { return Type::tensor(dtype, {Dim(-1)}); };
    const Shape unknown(x->type().shape().size(), Dim(-1));
    const DType dtype = x->type().dtype();
    const auto number = [&](int64_t v) {
      return make(
          b, "pd_op.full", {}, Type::tensor(DType::kInt64, {}),
          {{"shape", Shape()}, {"value", Scalar(v)}, {"dtype", DType::kInt64}, {"place", Place()}});
    };
    Value* flat = bound(b, Shape{Dim(-1)});
    Value* count = make(b, "pd_op.numel", {x}, Type::tensor(DType::kInt64, {}), {});
    Value* order = make(b, "pd_op.arange", {number(0), count, number(1)}, vector(DType::kInt64),
                        {{"dtype", DType::kInt64}, {"place", Place()}});
    Value* extents =
        make(b, "pd_op.shape64", {x},
             Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(unknown.size()))}), {});
    Value* places =
        make(b, "pd_op.reshape", {order, extents}, Type::tensor(DType::kInt64, unknown), {});
    AttributeArray axes32;
    for (const Dim d : axes) axes32.emplace_back(static_cast<int32_t>(d.value()));
    Value* part = make(b, "pd_op.strided_slice", {places, bounds[0], bounds[1], bounds[2]},
                       Type::tensor(DType::kInt64, unknown), {{"axes", axes32}});
    value = make(b, "pd_op.expand_as", {value, part}, Type::tensor(dtype, unknown),
                 {{"target_shape", AttributeArray{}}});
    Value* out = make(b, "pd_op.scatter",
                      {make(b, "pd_op.reshape", {x, flat}, vector(dtype), {}),
                       make(b, "pd_op.reshape", {part, flat}, vector(DType::kInt64), {}),
                       make(b, "pd_op.reshape", {value, flat}, vector(dtype), {})},
                      vector(dtype), {{"overwrite", true}});
    return make(b, "pd_op.reshape", {out, extents}, x->type(), {});
  }

  Value* bound(Builder& b, const Attribute& values) {
    const Shape dims = values.to_dims();
    return make(b, "pd_op.full_int_array", {},
                Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(dims.size()))}),
                {{"value", values}});
  }

  // Without the axes that an index made (None): `rank` others are there when the value has all.
  Value* narrowed(Builder& b, Value* value, const Shape& made, size_t rank) {
    const Shape shape = value->type().shape();
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
    return make(b, "pd_op.squeeze", {value, bound(b, at)},
                Type::tensor(value->type().dtype(), left), {});
  }

  // The axes that an index dropped come back with extent 1, if the value has not broadcast them.
  Value* widened(Builder& b, Value* value, const Shape& dropped, size_t rank) {
    const size_t have = value->type().shape().size();
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
    Shape shape = value->type().shape();
    for (const Dim d : at) {
      if (d.value() > static_cast<int64_t>(shape.size())) return value;
      shape.insert(shape.begin() + d.value(), Dim(1));
    }
    return make(b, "pd_op.unsqueeze", {value, bound(b, at)},
                Type::tensor(value->type().dtype(), shape), {});
  }

  Program& program_;
  Order order_;
};

}  // namespace

void legalize(Program& program) {
  adopt_operators(program);
  check_presence(program);
  expand_unknown(program);
  Legalizer(program).run();
}

}  // namespace paddle::pir
