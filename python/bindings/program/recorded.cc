// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a recorded program holds, for Python: its operations with their tensors, attributes, places
// in the user's files and regions.
#include <pybind11/complex.h>

#include <functional>
#include <unordered_map>

#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

using pir::Operation;
using pir::Value;

// The tensor that stands for a value; None when there is none.
using TensorOf = std::function<py::object(const Value*)>;

// A tensor, None, or the list that a builtin.combine gathers or a builtin.split splits.
py::object tensors_of(const TensorOf& r, const Value* v, bool is_result) {
  if (!v || !v->type().is_vector()) return r(v);
  py::list out;
  const Operation* parts = is_result ? nullptr : v->producer();
  if (is_result) {
    for (const pir::Use& use : v->uses()) {
      if (use.op->is("builtin.split")) parts = use.op;
    }
    for (size_t i = 0; parts && i < parts->num_results(); ++i) out.append(r(parts->result(i)));
  } else if (parts && parts->is("builtin.combine")) {
    for (const Value* part : parts->operands()) out.append(r(part));
  }
  return out;
}

py::list operations_of(const TensorOf& r, const pir::Block& block);

py::tuple described(const TensorOf& r, const Operation& op) {
  py::list operands, results, regions;
  for (const Value* v : op.operands()) operands.append(tensors_of(r, v, false));
  for (size_t i = 0; i < op.num_results(); ++i) results.append(tensors_of(r, op.result(i), true));
  py::dict attributes;
  for (const auto& [name, value] : op.attributes()) attributes[py::str(name)] = python_value(value);
  for (const auto& region : op.regions()) {
    for (const auto& inner : region->blocks()) regions.append(operations_of(r, *inner));
  }
  py::list inputs, outputs;
  if (op.def) {
    for (const ArgSpec& arg : op.def->schema().args) {
      if (pir::is_operand(arg)) inputs.append(arg.name);
    }
    for (const auto& result : op.def->schema().results) outputs.append(result.name);
  }
  return py::make_tuple(op.name(), operands, results, attributes, inputs, outputs, op.location,
                        regions, reinterpret_cast<uintptr_t>(&op));
}

py::list operations_of(const TensorOf& r, const pir::Block& block) {
  py::list out;
  for (const auto& op : block.operations()) {
    if (!op->is("builtin.combine") && !op->is("builtin.split")) out.append(described(r, *op));
  }
  return out;
}

}  // namespace

py::object python_value(const pir::Attribute& a) {
  using Kind = pir::Attribute::Kind;
  switch (a.kind()) {
    case Kind::kBool:
      return py::bool_(a.get<bool>());
    case Kind::kI32:
    case Kind::kI64:
      return py::int_(a.to_int());
    case Kind::kF32:
    case Kind::kF64:
      return py::float_(a.to_double());
    case Kind::kString:
      return py::str(a.get<std::string>());
    case Kind::kDType:
      return py::reinterpret_steal<py::object>(wrap_dtype(a.get<DType>()));
    case Kind::kComplex:
      return py::cast(a.get<std::complex<double>>());
    case Kind::kScalar: {
      const Scalar s = a.get<Scalar>();
      if (s.kind() == Scalar::Kind::kBool) return py::bool_(s.to_bool());
      if (s.is_integral()) return py::int_(s.to_int());
      if (s.kind() == Scalar::Kind::kComplex) return py::cast(s.to_complex());
      return py::float_(s.to_double());
    }
    case Kind::kArray: {
      py::list list;
      for (const pir::Attribute& item : a.get<pir::AttributeArray>()) {
        list.append(python_value(item));
      }
      return list;
    }
    case Kind::kIntArray: {
      py::list list;
      for (const Dim d : a.get<Shape>()) {
        if (d.is_symbolic()) {
          list.append(py::none());
        } else {
          list.append(d.value());
        }
      }
      return list;
    }
    default:
      return py::none();
  }
}

pir::Attribute attribute_like(const pir::Attribute* known, const py::object& value) {
  using Kind = pir::Attribute::Kind;
  const Kind kind = known ? known->kind() : Kind::kNone;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) {
    if (kind == Kind::kF32) return pir::Float32{value.cast<double>()};
    if (kind == Kind::kF64) return value.cast<double>();
    if (kind == Kind::kScalar && !py::isinstance<py::int_>(value)) {
      return Scalar(value.cast<double>());
    }
    if (kind == Kind::kScalar) return Scalar(value.cast<int64_t>());
    if (py::isinstance<py::float_>(value)) return value.cast<double>();
    if (kind == Kind::kI32) return value.cast<int32_t>();
    return value.cast<int64_t>();
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    if (kind == Kind::kIntArray) {
      Shape dims;
      for (const py::handle& item : value) dims.push_back(Dim(item.cast<int64_t>()));
      return dims;
    }
    const pir::AttributeArray* list =
        kind == Kind::kArray ? &known->get<pir::AttributeArray>() : nullptr;
    pir::AttributeArray items;
    for (const py::handle& item : value) {
      items.push_back(attribute_like(list && !list->empty() ? &list->front() : nullptr,
                                     py::reinterpret_borrow<py::object>(item)));
    }
    return items;
  }
  return dtype_of(value);
}

py::list recorded_operations(pir::Recording& recording) {
  const auto tensor_of = [&](const Value* v) -> py::object {
    if (!v || !v->type().is_tensor()) return py::none();
    return py::reinterpret_steal<py::object>(wrap(recording.tensor_of(v)));
  };
  return operations_of(tensor_of, recording.recorded().program->block());
}

py::list program_operations(const pir::Program& program, const std::vector<Value*>& parameters,
                            const TensorList& tensors) {
  std::unordered_map<const Value*, py::object> known;  // one object a value
  for (size_t i = 0; i < parameters.size() && i < tensors.size(); ++i) {
    if (!tensors[i].defined()) continue;
    known[parameters[i]] = py::reinterpret_steal<py::object>(wrap(tensors[i]));
  }
  const auto tensor_of = [&](const Value* v) -> py::object {
    if (!v || !v->type().is_tensor()) return py::none();
    py::object& made = known[v];
    if (!made) {
      const Tensor like = Tensor::meta(v->type().shape(), v->type().dtype());
      made = py::reinterpret_steal<py::object>(wrap(like));
    }
    return made;
  };
  return operations_of(tensor_of, program.block());
}

}  // namespace paddle::bindings
