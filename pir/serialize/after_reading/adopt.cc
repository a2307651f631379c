// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators by their names of today and with the results of their records.
#include "pir/serialize/after_reading/adopt.h"

#include <algorithm>

#include "pir/dialect/dialect.h"
#include "pir/serialize/after_reading/upgrade.h"

namespace paddle::pir {
namespace {

constexpr std::string_view kOneDnn = "onednn_op.";

Operation* emit(Builder& b, const std::string& name, const std::vector<Value*>& operands,
                std::vector<Type> types, std::vector<NamedAttribute> attributes) {
  Operation* op = b.create(name, operands, std::move(types), std::move(attributes));
  op->def = find_def(name);
  if (!op->def && name.ends_with('_')) op->def = find_def(name.substr(0, name.size() - 1));
  return op;
}

void activate(Operation& op, Builder& b) {
  const Attribute* fused = op.find_attribute("fuse_with_relu");
  if (!fused || !fused->is(Attribute::Kind::kBool) || !fused->get<bool>()) return;
  Value* x = op.result(0);
  Operation* relu = emit(b, "pd_op.relu", {x}, {x->type()}, {});
  x->replace_all_uses_with(relu->result());
  relu->set_operand(0, x);
}

void rename(Operation& op, Builder& b, const std::string& name) {
  PADDLE_CHECK_VALUE(op.regions().empty() && op.num_results() > 0, "program file: ", op.name(),
                     " has regions or no results.");
  std::vector<Type> types;
  for (size_t k = 0; k < op.num_results(); ++k) types.push_back(op.result(k)->type());
  Operation* made = emit(b, name, op.operands(), types, op.attributes());
  for (size_t k = 0; k < types.size(); ++k) op.result(k)->replace_all_uses_with(made->result(k));
  activate(*made, b);
}

// The one result of `op`, of which `count` operands are there.
Value* checked(const Operation& op, size_t count, bool tensors = true) {
  PADDLE_CHECK_VALUE(
      op.num_operands() == count && op.num_results() == 1 && op.result() &&
          op.result()->type().is_tensor() &&
          std::all_of(op.operands().begin(), op.operands().end(),
                      [&](const Value* v) { return v && (!tensors || v->type().is_tensor()); }),
      "program file: ", op.name(), " has other operands or results than expected.");
  return op.result();
}

void feed(Operation& op, Builder& b) {
  Value* result = checked(op, 0);
  const Type& t = result->type();
  Operation* data = emit(b, "pd_op.data", {}, {t},
                         {{"name", op.attribute("name")},
                          {"shape", t.shape()},
                          {"dtype", t.dtype()},
                          {"place", Place()}});
  data->result()->stop_gradient = result->stop_gradient;
  result->replace_all_uses_with(data->result());
}

void slice(Operation& op, Builder& b) {
  Value* result = checked(op, 1, false);
  const Type list = op.operand(0)->type();
  const int64_t index = op.attribute("index").to_int();
  PADDLE_CHECK_VALUE(
      list.is_vector() && index >= 0 && index < static_cast<int64_t>(list.elements().size()),
      "program file: builtin.slice takes element ", index, " of ", list, '.');
  Operation* all = b.create("builtin.split", {op.operand(0)}, list.elements());
  result->replace_all_uses_with(all->result(static_cast<size_t>(index)));
}

// Numbers, or what stands for a variable that nothing has defined before a loop writes it: then the
// operator says nothing of its type.
void assign_value(Operation& op, Builder& b) {
  Value* result = checked(op, 0);
  const Type& t = result->type();
  const DType dtype = op.attribute("dtype").get<DType>();
  const Shape extents = op.attribute("shape").to_dims();
  const auto& list = op.attribute("values").get<AttributeArray>();
  if (dtype != t.dtype() || extents != t.shape()) {
    Shape ones;
    for (const Dim d : t.shape()) ones.push_back(d.is_symbolic() || d.value() < 0 ? Dim(1) : d);
    return result->replace_all_uses_with(
        emit(b, "pd_op.full", {}, {Type::tensor(t.dtype(), ones)},
             {{"shape", ones}, {"value", Scalar(0)}, {"dtype", t.dtype()}, {"place", Place()}})
            ->result());
  }
  const bool known = std::none_of(t.shape().begin(), t.shape().end(),
                                  [](const Dim& d) { return d.is_symbolic() || d.value() < 0; });
  PADDLE_CHECK_VALUE(known && numel_of(t.shape()) == Dim(static_cast<int64_t>(list.size())),
                     "program file: ", op.name(), " holds ", list.size(), " values for shape ",
                     t.shape(), '.');
  const Tensor numbers = Tensor::empty(t.shape(), DType::kFloat64);
  for (size_t i = 0; i < list.size(); ++i) numbers.data<double>()[i] = list[i].to_double();
  Tensor value = Tensor::empty(t.shape(), dtype);
  value.copy_data_from(numbers);
  Operation* made = b.create("builtin.constant", {}, {t}, {{"value", DenseValues{value}}});
  result->replace_all_uses_with(made->result());
}

// The second or the third operand, as the first is 0 or 1.
void select_input(Operation& op, Builder& b) {
  Value* result = checked(op, 3);
  Operation* second =
      emit(b, "pd_op.cast", {op.operand(0)},
           {Type::tensor(DType::kBool, op.operand(0)->type().shape())}, {{"dtype", DType::kBool}});
  Operation* made = b.create("pd_op.if", {second->result()}, {result->type()});
  for (const size_t i : {2u, 1u}) {
    Builder(made->add_region().add_block()).create("cf.yield", {op.operand(i)}, {});
  }
  result->replace_all_uses_with(made->result());
}

// What its forward pass does; a program from a file has no other.
void pylayer(Operation& op, Builder&) {
  PADDLE_CHECK_VALUE(op.regions().size() == 1 && op.regions()[0]->blocks().size() == 1 &&
                         op.regions()[0]->blocks()[0]->num_arguments() == 0,
                     "program file: pd_op.pylayer has another region than expected.");
  Block& inner = *op.regions()[0]->blocks()[0];
  PADDLE_CHECK_VALUE(!inner.operations().empty() && inner.operations().back()->is("cf.yield") &&
                         inner.operations().back()->num_operands() == op.num_results(),
                     "program file: pd_op.pylayer does not yield its results.");
  while (inner.operations().size() > 1) {
    op.block()->move(inner.operations().front().get(), op.position());
  }
  for (size_t k = 0; k < op.num_results(); ++k) {
    op.result(k)->replace_all_uses_with(inner.operations().back()->operand(k));
  }
}

size_t results_of(const OpDef& def) { return def.list_result ? 1 : def.num_results; }

// PaddlePaddle's operator may have results that ours does not compute, behind the others.
void drop_unread_results(Operation& op, Builder& b) {
  std::vector<Type> types;
  for (size_t k = 0; k < op.num_results(); ++k) {
    if (k < results_of(*op.def)) {
      types.push_back(op.result(k)->type());
      continue;
    }
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !op.result(k)->used(), op.name(),
                      ": the program reads result ", k, ", which paddle does not compute.");
  }
  Operation* made = emit(b, op.name(), op.operands(), types, op.attributes());
  for (size_t k = 0; k < types.size(); ++k) op.result(k)->replace_all_uses_with(made->result(k));
}

// In a file "cpu" is where the program was made: what follows its tensors does so where it runs.
void follow_tensors(Operation& op) {
  for (const ArgSpec& arg : op.def->schema().args) {
    const Attribute* place = arg.follows_tensors() ? op.find_attribute(arg.name) : nullptr;
    if (!place || !place->is(Attribute::Kind::kPlace) || !place->get<Place>().is_host()) continue;
    op.set_attribute(arg.name, undefined_place());
  }
}

using Adopt = void (*)(Operation&, Builder&);
constexpr std::pair<std::string_view, Adopt> kAdopted[] = {
    {"pd_op.feed", feed},
    {"builtin.slice", slice},
    {"pd_op.assign_value", assign_value},
    {"pd_op.select_input", select_input},
    {"pd_op.pylayer", pylayer},
};

void adopt(Operation& op, int version) {
  Builder b(*op.block());
  b.set_before(&op);
  const std::string& name = op.name();
  if (op.def) {
    if (op.def->place_arg >= 0) follow_tensors(op);
    if (op.num_results() <= results_of(*op.def) || !op.regions().empty()) return;
    drop_unread_results(op, b);
    return op.block()->erase(&op);
  }
  if (name.starts_with(kOneDnn)) {
    rename(op, b, str("pd_op.", name.substr(kOneDnn.size())));
    return op.block()->erase(&op);
  }
  for (const auto& [adopted, fn] : kAdopted) {
    if (name != adopted) continue;
    fn(op, b);
    return op.block()->erase(&op);
  }
  // What writes in place is upgraded when its values are known (legalize.cc).
  if (name.ends_with('_')) return;
  if (const Upgrade found = upgrade_of(op, version)) upgrade(op, found);
}

void adopt(Block& block, int version) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) adopt(*inner, version);
    }
    adopt(*op, version);
  }
}

}  // namespace

void adopt_operators(Program& program, int version) { adopt(program.block(), version); }

}  // namespace paddle::pir
