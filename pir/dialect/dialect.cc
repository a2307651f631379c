// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Conversion between argument packs and operations.
#include "pir/dialect/dialect.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "paddle_core/shape/sym.h"

namespace paddle::pir {
namespace {

constexpr std::string_view kPrefix = "pd_op.";

// Records by the name that saved programs use; grows with the registry.
std::mutex saved_names_mutex;
std::unordered_map<std::string_view, const OpDef*> saved_names;
size_t saved_names_known = 0;

AttributeArray int_array(const Slot& slot, bool wide) {
  AttributeArray array;
  for (uint32_t k = 0; k < slot.count; ++k) {
    const int64_t v = slot.dims[k].value();
    if (wide) {
      array.emplace_back(v);
    } else {
      array.emplace_back(static_cast<int32_t>(v));
    }
  }
  return array;
}

bool any_symbolic(const Slot& slot) {
  for (uint32_t k = 0; k < slot.count; ++k) {
    if (slot.dims[k].is_symbolic()) return true;
  }
  return false;
}

Value* constant_ints(Builder& b, const Slot& slot, DType dtype) {
  const Type type = Type::tensor(DType::kInt64, {Dim(slot.count)});
  if (any_symbolic(slot)) {
    return b
        .create("builtin.dims", {}, {type}, {{"value", Shape(slot.dims, slot.dims + slot.count)}})
        ->result();
  }
  Operation* op =
      b.create("pd_op.full_int_array", {}, {Type::tensor(dtype, {Dim(slot.count)})},
               {{"value", int_array(slot, true)}, {"dtype", dtype}, {"place", Place()}});
  op->def = find_def(op->op_name());
  return op->result();
}

DType scalar_operand_dtype(const ArgSpec& arg, const Scalar& value) {
  if (value.kind() == Scalar::Kind::kBool) return DType::kBool;
  if (value.kind() == Scalar::Kind::kComplex) return DType::kComplex128;
  if (value.kind() != Scalar::Kind::kFloat || is_floating(arg.operand_dtype))
    return arg.operand_dtype;
  return DType::kFloat32;
}

Value* constant_scalar(Builder& b, const ArgSpec& arg, const Slot& slot) {
  Scalar value;
  if (slot.kind == SlotKind::kScalar) {
    value = *slot.scalar;
  } else if (slot.kind == SlotKind::kFloat) {
    value = Scalar(slot.f);
  } else if (slot.kind == SlotKind::kBool) {
    value = Scalar(slot.i != 0);
  } else {
    value = Scalar(slot.i);
  }
  const DType dtype = scalar_operand_dtype(arg, value);
  Operation* full =
      b.create("pd_op.full", {}, {Type::tensor(dtype, {Dim(1)})},
               {{"shape", Shape{Dim(1)}}, {"value", value}, {"dtype", dtype}, {"place", Place()}});
  full->def = find_def(full->op_name());
  return full->result();
}

}  // namespace

std::string operation_name(const OpDef& op) { return std::string(kPrefix) + op.saved_name(); }

const OpDef* find_def(OpName name) {
  if (const OpDef* known = name.info().def.load(std::memory_order_acquire)) return known;
  std::string_view operation = name.text();
  if (!operation.starts_with(kPrefix)) return nullptr;
  operation.remove_prefix(kPrefix.size());
  const std::lock_guard<std::mutex> lock(saved_names_mutex);
  for (const OpDef* op : Registry::global().since(saved_names_known)) {
    saved_names.emplace(op->name(), op);
    if (op->saved_name() != op->name()) saved_names.insert_or_assign(op->saved_name(), op);
    ++saved_names_known;
  }
  const auto found = saved_names.find(operation);
  if (found == saved_names.end()) return nullptr;
  name.info().def.store(found->second, std::memory_order_release);
  return found->second;
}

Attribute attribute_of(const ArgSpec& arg, const Slot& slot) {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented,
                    slot.kind != SlotKind::kTensor && slot.kind != SlotKind::kTensorList,
                    "program: argument ", arg.name,
                    " is a Tensor of the program that is captured, which holds it as a constant. "
                    "Give a number, or capture the function with full_graph=False.");
  if (slot.kind == SlotKind::kNone) return Attribute();
  switch (arg.type) {
    case ArgType::kBool:
      return slot.i != 0;
    case ArgType::kInt:
      return static_cast<int32_t>(slot.i);
    case ArgType::kInt64:
      return slot.i;
    case ArgType::kFloat:
      return Float32{slot.f};
    case ArgType::kDouble:
      return slot.f;
    case ArgType::kString:
      return std::string(slot.chars, slot.count);
    case ArgType::kDType:
      return static_cast<DType>(slot.i);
    case ArgType::kPlace:
      return slot.place;
    case ArgType::kScalar:
      return *slot.scalar;
    case ArgType::kInts:
    case ArgType::kInt64s:
      if (!any_symbolic(slot)) return int_array(slot, arg.type == ArgType::kInt64s);
      [[fallthrough]];
    case ArgType::kIntArray:
      return Shape(slot.dims, slot.dims + slot.count);
    case ArgType::kFloats: {
      AttributeArray array;
      for (uint32_t k = 0; k < slot.count; ++k) array.emplace_back(Float32{slot.floats[k]});
      return array;
    }
    default:
      break;
  }
  throw_error(ErrorKind::kRuntime, str("program: argument ", arg.name, " has no attribute form."));
}

Constant constant_of(const ArgSpec& arg, const Attribute& attribute) {
  Constant c;
  if (attribute.is(Attribute::Kind::kNone)) return c;
  switch (arg.type) {
    case ArgType::kBool:
      c.kind = SlotKind::kBool;
      c.i = attribute.to_int();
      break;
    case ArgType::kInt:
    case ArgType::kInt64:
      c.kind = SlotKind::kInt;
      c.i = attribute.to_int();
      break;
    case ArgType::kFloat:
    case ArgType::kDouble:
      c.kind = SlotKind::kFloat;
      c.f = attribute.to_double();
      break;
    case ArgType::kString:
      c.kind = SlotKind::kString;
      c.text = attribute.get<std::string>();
      break;
    case ArgType::kDType:
      c.kind = SlotKind::kDType;
      c.i = static_cast<int64_t>(attribute.get<DType>());
      break;
    case ArgType::kScalar:
      c.kind = SlotKind::kScalar;
      c.scalar = attribute.to_scalar();
      break;
    case ArgType::kInts:
    case ArgType::kInt64s:
    case ArgType::kIntArray:
      c.kind = SlotKind::kInts;
      c.ints = attribute.to_dims();
      break;
    case ArgType::kFloats:
      c.kind = SlotKind::kFloats;
      for (const Attribute& a : attribute.get<AttributeArray>()) c.floats.push_back(a.to_double());
      break;
    default:
      break;
  }
  return c;
}

bool constant_operand(const Value* v, const ArgSpec& arg, Constant& out) {
  const Operation* op = v ? v->producer() : nullptr;
  if (!op || arg.is_tensor()) return false;
  if (op->is("pd_op.full_int_array") || op->is("builtin.dims")) {
    out = constant_of(arg, op->attribute("value"));
    return true;
  }
  if (!op->is("pd_op.full") || v->type().shape().size() > 1) return false;
  const Attribute& value = op->attribute("value");
  if (arg.type == ArgType::kIntArray || arg.type == ArgType::kInts ||
      arg.type == ArgType::kInt64s) {
    const Shape& shape = v->type().shape();
    const int64_t count = shape.empty() ? 1 : shape[0].is_symbolic() ? -1 : shape[0].value();
    if (count < 0 || count > kMaxRank) return false;
    const Attribute one(value.to_scalar().to_int());
    out = constant_of(arg, AttributeArray(static_cast<size_t>(count), one));
    return true;
  }
  const bool integral = !is_floating(v->type().dtype()) && !is_complex(v->type().dtype());
  out = constant_of(arg, value);
  if (out.kind == SlotKind::kScalar && integral && value.is(Attribute::Kind::kF64)) {
    out.scalar = v->type().dtype() == DType::kBool ? Scalar(out.scalar.to_bool())
                                                   : Scalar(out.scalar.to_int());
  }
  return true;
}

Value* make_operand(Builder& b, const ArgSpec& arg, const Slot& slot, const ValueOf& value_of) {
  switch (slot.kind) {
    case SlotKind::kNone:
      return nullptr;
    case SlotKind::kTensor:
      return value_of(Tensor(IntrusivePtr<TensorImpl>::share(slot.tensor)));
    case SlotKind::kTensorList: {
      std::vector<Value*> values;
      for (uint32_t k = 0; k < slot.count; ++k) {
        values.push_back(slot.list[k].defined() ? value_of(slot.list[k]) : nullptr);
      }
      std::vector<Type> types;
      for (const Value* v : values) types.push_back(v ? v->type() : Type());
      return b.create("builtin.combine", values, {Type::vector(std::move(types))})->result();
    }
    case SlotKind::kInts:
      if (arg.optional && slot.count == 0) return nullptr;
      return constant_ints(b, slot, arg.operand_dtype);
    default:
      return constant_scalar(b, arg, slot);
  }
}

Operation* build_operation(Builder& b, const OpDef& op, const Slot* args, const Outputs& outs,
                           const ValueOf& value_of) {
  std::vector<Value*> operands;
  std::vector<NamedAttribute> attributes;
  for (size_t i = 0; i < op.schema().args.size(); ++i) {
    const ArgSpec& arg = op.schema().args[i];
    if (is_operand(arg)) {
      operands.push_back(make_operand(b, arg, args[i], value_of));
    } else {
      attributes.emplace_back(arg.name, attribute_of(arg, args[i]));
    }
  }
  std::vector<Type> types;
  for (const Tensor& t : outs) types.push_back(Type::of(t));
  if (op.list_result) types = {Type::vector(std::move(types))};
  Operation* made = b.create(operation_name(op), operands, std::move(types), std::move(attributes));
  made->def = &op;
  return made;
}

}  // namespace paddle::pir
