// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// In-place operators of files as values.
#include "pir/serialize/legalize.h"

#include <algorithm>
#include <unordered_map>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/control_flow.h"

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

// From `op` on, `value` is what `old` was.
void rebind(const Operation& op, Value* old, Value* value, const Order& order) {
  const std::vector<Use> uses = old->uses();
  for (const Use& use : uses) {
    const auto at = order.find(use.op);
    if (at == order.end() || at->second <= order.at(&op)) continue;
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

class Legalizer {
 public:
  explicit Legalizer(Program& program) : program_(program) { number(program.block(), order_); }

  void run() { visit(program_.block()); }

 private:
  void visit(Block& block) {
    auto& ops = block.operations();
    for (auto at = ops.begin(); at != ops.end();) {
      Operation* op = (at++)->get();
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) visit(*inner);
      }
      const std::string& name = op->name();
      if (!name.starts_with("pd_op.") || !name.ends_with('_')) continue;
      if (!op->def && (name == "pd_op.assign_value_")) {
        assign_value(op);
      } else if (!op->def && name.starts_with("pd_op.set_value")) {
        set_value(op);
      } else if (op->def && !op->def->is_native_inplace() && op->num_operands() > 0 &&
                 op->num_results() > 0 && op->operand(0)) {
        rebind(*op, op->operand(0), op->result(0), order_);
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

  void replace(Operation* op, Value* value) {
    if (op->operand(0)) rebind(*op, op->operand(0), value, order_);
    op->result()->replace_all_uses_with(value);
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

  Attribute ints(const Operation& op, size_t operand) {
    const Value* v = operand < op.num_operands() ? op.operand(operand) : nullptr;
    const bool known = v && v->producer() && v->producer()->is("pd_op.full_int_array");
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, known, op.name(),
                      ": the program writes a part whose bounds are tensors, which this build "
                      "cannot run; use numbers as bounds when the program is saved.");
    return v->producer()->attribute("value").to_dims();
  }

  // x with a part replaced: slice_scatter(x, value expanded to the part).
  void set_value(Operation* op) {
    const bool with_tensor = op->is("pd_op.set_value_with_tensor_");
    PADDLE_CHECK_VALUE(op->num_operands() == (with_tensor ? 5u : 4u) && op->num_results() == 1 &&
                           op->operand(0) && op->operand(with_tensor ? 1 : 0),
                       op->name(), ": operands or results are missing in the program.");
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, op->attribute("none_axes").to_dims().empty(),
                      op->name(),
                      ": the program writes through a new axis (None), which this "
                      "build cannot run.");
    const size_t first = with_tensor ? 2 : 1;
    const Attribute starts = ints(*op, first), ends = ints(*op, first + 1),
                    steps = ints(*op, first + 2);
    const Shape axes = op->attribute("axes").to_dims();
    const Shape dropped = op->attribute("decrease_axes").to_dims();
    Value* x = op->operand(0);
    Builder b(*op->block());
    b.set_before(op);
    Value* value =
        with_tensor ? op->operand(1)
                    : constant(b, dense(op->attribute("values"), op->attribute("shape").to_dims(),
                                        x->type().dtype(), op->name()));
    value = widened(b, value, dropped, x->type().shape().size());
    // The part as it is now gives the extents.
    const Shape unknown(x->type().shape().size(), Dim(-1));
    AttributeArray axes32, axes64;
    for (const Dim d : axes) {
      axes32.emplace_back(static_cast<int32_t>(d.value()));
      axes64.emplace_back(d.value());
    }
    const Type part_type = Type::tensor(x->type().dtype(), unknown);
    Value* part =
        make(b, "pd_op.strided_slice", {x, bound(b, starts), bound(b, ends), bound(b, steps)},
             part_type, {{"axes", axes32}});
    value =
        make(b, "pd_op.expand_as", {value, part}, part_type, {{"target_shape", AttributeArray{}}});
    replace(op, make(b, "pd_op.slice_scatter", {x, value}, x->type(),
                     {{"axes", axes64}, {"starts", starts}, {"ends", ends}, {"strides", steps}}));
  }

  Value* bound(Builder& b, const Attribute& values) {
    const Shape dims = values.to_dims();
    return make(b, "pd_op.full_int_array", {},
                Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(dims.size()))}),
                {{"value", values}});
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

void legalize(Program& program) { Legalizer(program).run(); }

}  // namespace paddle::pir
