// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Making operations in rewrites.
#include "pir/transform/emit.h"

#include "pir/dialect/effects.h"

namespace paddle::pir {

Value* emit(PatternRewriter& r, OpName name, const std::vector<Value*>& operands,
            std::vector<NamedAttribute> attributes, std::optional<Type> type) {
  const OpDef* def = find_def(name);
  PADDLE_ASSERT(def != nullptr);
  std::vector<NamedAttribute> all;
  for (const ArgSpec& arg : def->schema().args) {
    if (is_operand(arg)) continue;
    const auto given = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const NamedAttribute& a) { return a.first == arg.name; });
    if (given != attributes.end()) {
      all.push_back(*given);
    } else if (arg.type == ArgType::kPlace) {
      all.emplace_back(arg.name, arg.follows_tensors() ? undefined_place() : Place());
    } else {
      all.emplace_back(arg.name, attribute_of(arg, arg.default_value.slot()));
    }
  }
  std::vector<Type> types;
  if (type) {
    types.push_back(*type);
  } else {
    Operation shape(name, operands, {}, all);
    shape.def = def;
    types = infer_types(shape);
  }
  Operation* op = r.create(name, operands, std::move(types), std::move(all));
  op->def = def;
  return op->result();
}

Value* emit_ints(PatternRewriter& r, const Shape& values) {
  AttributeArray array;
  for (const Dim d : values) array.emplace_back(d.value());
  const Type type = Type::tensor(DType::kInt64, {Dim(static_cast<int64_t>(values.size()))});
  return r
      .create("pd_op.full_int_array", {}, {type},
              {{"value", std::move(array)}, {"dtype", DType::kInt64}, {"place", Place()}})
      ->result();
}

Value* emit_full(PatternRewriter& r, double value, DType dtype) {
  const Place place = r.place();
  return emit(r, "pd_op.full", {},
              {{"shape", Shape()}, {"value", Scalar(value)}, {"dtype", dtype}, {"place", place}},
              Type::tensor(dtype, {}, place));
}

Value* emit_reshape(PatternRewriter& r, Value* x, const Shape& shape) {
  return emit(r, "pd_op.reshape", {x, emit_ints(r, shape)});
}

bool is_weight(const Value* v) {
  const Operation* op = v ? v->producer() : nullptr;
  for (int depth = 0; op && depth < 8; ++depth) {
    if (op->is("builtin.parameter") || is_constant(*op)) return !is_written(v);
    // What folding will evaluate.
    if (!op->def || !is_pure(*op) || op->num_operands() == 0 || !op->operand(0)) return false;
    for (size_t i = 1; i < op->num_operands(); ++i) {
      if (op->operand(i) && !is_weight(op->operand(i))) return false;
    }
    op = op->operand(0)->producer();
  }
  return false;
}

std::optional<double> number_of(const Value* v) {
  const Operation* op = v ? v->producer() : nullptr;
  if (!op || num_elements(v->type()) != 1) return {};
  if (op->is("pd_op.full")) return op->attribute("value").to_scalar().to_double();
  if (!op->is("builtin.constant")) return {};
  const Tensor& t = op->attribute("value").get<DenseValues>().tensor;
  return Tensor::alias(t, {}, {}, 0).item().to_double();
}

Operation* only_producer(const Value* v, OpId name) {
  Operation* op = v ? v->producer() : nullptr;
  if (!op || !op->is(name) || v->index() != 0 || v->uses().size() != 1) return nullptr;
  return op;
}

int64_t num_elements(const Type& type) {
  if (!type.is_tensor() || !is_static(type.shape())) return -1;
  int64_t count = 1;
  for (const Dim d : type.shape()) count *= d.value();
  return count;
}

}  // namespace paddle::pir
