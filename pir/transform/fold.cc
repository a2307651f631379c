// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Constant folding. A folded value becomes pd_op.full_int_array or pd_op.full where it can, which
// consumers then read as constant arguments, else builtin.constant.
#include <cstring>

#include "pir/dialect/arguments.h"
#include "pir/dialect/operation_record.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

constexpr uint32_t kLayers = kModeAutograd | kModeAmp | kModeCapture | kModeSharded;

bool is_constant_list(const Operation& op) {
  for (const Value* v : op.operands()) {
    if (!v || !v->producer() || !is_constant(*v->producer())) return false;
  }
  return true;
}

bool has_constant_operands(const Operation& op) {
  for (const Value* v : op.operands()) {
    if (!v) continue;
    if (!v->producer()) return false;
    const Operation& producer = *v->producer();
    const bool list = producer.is("builtin.combine") && is_constant_list(producer);
    if (!list && !is_constant(producer)) return false;
  }
  return op.num_operands() > 0;
}

bool is_small(const Type& type) {
  if (!type.is_tensor() || !is_static(type.shape())) return false;
  size_t bytes = size_of(type.dtype());
  for (const Dim d : type.shape()) {
    if (d.value() < 0) return false;
    if (d.value() == 0) return true;
    if (bytes > kMaxFoldedBytes / static_cast<size_t>(d.value())) return false;
    bytes *= static_cast<size_t>(d.value());
  }
  return bytes <= kMaxFoldedBytes;
}

bool is_evaluable(const Operation& op) {
  if (!op.def || !op.regions().empty() || is_constant(op) || !is_pure(op)) return false;
  if (op.def->list_result || op.num_results() != 1 || !op.used()) return false;
  return has_constant_operands(op) && !escapes(op.result());
}

bool is_foldable(const Operation& op) {
  if (!is_evaluable(op) || !is_small(op.result()->type())) return false;
  for (const Value* v : op.operands()) {
    if (v && v->type().is_tensor() && !is_small(v->type())) return false;
  }
  return true;
}

Tensor copied_to(const Tensor& t, Place place) {
  if (t.place() == place) return t;
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), place);
  copy.copy_data_from(t);
  return copy;
}

Tensor value_of_constant(const Operation& op) {
  if (op.is("builtin.constant")) {
    return copied_to(op.attribute("value").get<DenseValues>().tensor, op.result()->type().place());
  }
  if (op.is("pd_op.full_int_array")) {
    const Shape ints = op.attribute("value").to_dims();
    Tensor t = Tensor::empty({Dim(static_cast<int64_t>(ints.size()))}, DType::kInt64);
    for (size_t i = 0; i < ints.size(); ++i) t.data<int64_t>()[i] = ints[i].value();
    return t;
  }
  if (const OperationRecord* record = op.record()) {
    return copied_to(record->constant(op), op.result()->type().place());
  }
  return evaluate(op, {}).at(0);
}

TensorList constants_of(const Value* v) {
  const Operation& op = *v->producer();
  TensorList list;
  if (!op.is("builtin.combine")) return {value_of_constant(op)};
  for (const Value* element : op.operands())
    list.push_back(value_of_constant(*element->producer()));
  return list;
}

// One value repeated; +0 and -0 are different.
bool is_uniform(const Tensor& t) {
  const size_t width = size_of(t.dtype());
  const auto* bytes = static_cast<const char*>(t.raw_data());
  for (int64_t i = 1; i < t.numel(); ++i) {
    if (std::memcmp(bytes, bytes + static_cast<size_t>(i) * width, width) != 0) return false;
  }
  return t.numel() > 0;
}

Scalar first_element(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kBool:
      return Scalar(t.data<bool>()[0]);
    case DType::kInt32:
      return Scalar(t.data<int32_t>()[0]);
    case DType::kInt64:
      return Scalar(t.data<int64_t>()[0]);
    case DType::kFloat32:
      return Scalar(static_cast<double>(t.data<float>()[0]));
    default:
      return Scalar(t.data<double>()[0]);
  }
}

bool has_plain_dtype(const Tensor& t) {
  const DType d = t.dtype();
  return d == DType::kBool || d == DType::kInt32 || d == DType::kInt64 || d == DType::kFloat32 ||
         d == DType::kFloat64;
}

Operation* make_constant(Builder& b, const Tensor& t, Place place) {
  const Type type = Type::tensor(t.dtype(), t.shape(), place);
  if (has_plain_dtype(t) && is_uniform(t)) {
    Operation* full = b.create("pd_op.full", {}, {type},
                               {{"shape", t.shape()},
                                {"value", first_element(t)},
                                {"dtype", t.dtype()},
                                {"place", place}});
    full->def = find_def(full->op_name());
    return full;
  }
  if (t.dtype() == DType::kInt64 && t.ndim() == 1 && place == Place()) {
    AttributeArray values;
    for (int64_t i = 0; i < t.numel(); ++i) values.emplace_back(t.data<int64_t>()[i]);
    Operation* ints =
        b.create("pd_op.full_int_array", {}, {type},
                 {{"value", std::move(values)}, {"dtype", DType::kInt64}, {"place", Place()}});
    ints->def = find_def(ints->op_name());
    return ints;
  }
  return b.create("builtin.constant", {}, {type}, {{"value", DenseValues{t}}});
}

// Values of constants stand in the host's memory; the interpreter brings them to their place.
Tensor on_host(const Tensor& t) {
  Tensor copy = Tensor::empty(t.shape(), t.dtype());
  copy.copy_data_from(t);
  return copy;
}

size_t bytes_of(const Type& type) {
  if (!type.is_tensor() || !is_static(type.shape())) return 0;
  size_t bytes = size_of(type.dtype());
  for (const Dim d : type.shape()) bytes *= static_cast<size_t>(d.value());
  return bytes;
}

// The result takes no more memory than what it is made of.
bool saves_memory(const Operation& op) {
  size_t bytes = kMaxFoldedBytes;
  for (const Value* v : op.operands()) bytes += v ? bytes_of(v->type()) : 0;
  const Type& out = op.result()->type();
  return out.is_tensor() && is_static(out.shape()) && bytes_of(out) <= bytes;
}

// Tensors of floats stay dense: their memory is kept from run to run.
Operation* make_folded(Builder& b, const Tensor& t, Place place, bool weight) {
  if (!weight || !is_floating(t.dtype()) || t.numel() == 1) return make_constant(b, t, place);
  const Type type = Type::tensor(t.dtype(), t.shape(), place);
  return b.create("builtin.constant", {}, {type}, {{"value", DenseValues{t}}});
}

bool fold(Operation* op, bool weight = false) {
  Tensor value;
  try {
    value = evaluate(*op, constants_of).at(0);
  } catch (const Error&) {
    return false;  // it fails when the program runs, with the user's line
  }
  if (!(Type::of(value) == op->result()->type())) return false;
  Builder b(*op->block());
  b.set_before(op);
  b.location = op->location;
  op->result()->replace_all_uses_with(
      make_folded(b, on_host(value), value.place(), weight)->result());
  op->block()->erase(op);
  return true;
}

// The operand is read as a tensor, not as a constant argument.
bool reads_tensor(const Use& use) {
  if (!use.op->def) return false;
  size_t operand = 0;
  for (const ArgSpec& arg : use.op->def->schema().args) {
    if (is_operand(arg) && operand++ == use.index) return arg.is_tensor();
  }
  return false;
}

bool hoist(Operation* full) {
  constexpr int64_t kMaxHoisted = 64;
  Value* v = full->result();
  if (!v->type().is_tensor() || !is_small(v->type()) || escapes(v)) return false;
  std::vector<Use> uses;
  for (const Use& use : v->uses()) {
    if (reads_tensor(use)) uses.push_back(use);
  }
  if (uses.empty()) return false;
  Tensor value;
  try {
    value = evaluate(*full, {}).at(0);
  } catch (const Error&) {
    return false;  // it fails when the program runs
  }
  if (value.numel() > kMaxHoisted) return false;
  value = on_host(value);
  Builder b(*full->block());
  b.set_before(full);
  Value* constant =
      b.create("builtin.constant", {}, {v->type()}, {{"value", DenseValues{value}}})->result();
  for (const Use& use : uses) use.op->set_operand(use.index, constant);
  return true;
}

// Offers every operation, inner ones first, to `fold_one`; how many it folded.
template <typename FoldOne>
size_t fold_each(Block& block, const FoldOne& fold_one) {
  const ModeGuard guard(kLayers);
  size_t folded = 0;
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) folded += fold_each(*inner, fold_one);
    }
    if (fold_one(op)) ++folded;
  }
  return folded;
}

}  // namespace

size_t hoist_constants(Block& block) {
  const ModeGuard guard(kLayers);
  size_t hoisted = 0;
  for (const auto& op : block.operations()) {
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) hoisted += hoist_constants(*inner);
    }
    if (op->is("pd_op.full") && hoist(op.get())) ++hoisted;
  }
  return hoisted;
}

size_t fold_weights(Block& block) {
  return fold_each(block, [](Operation* op) {
    return is_evaluable(*op) && saves_memory(*op) && fold(op, true);
  });
}

size_t fold_constants(Block& block) {
  return fold_each(block, [](Operation* op) { return is_foldable(*op) && fold(op); });
}

}  // namespace paddle::pir
