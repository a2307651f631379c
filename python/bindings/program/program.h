// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the bindings of programs share: lists of tensors both ways, times of operations; and the
// parts of `_core.pir`, one file each.
#pragma once

#include "paddle_core/op/slot.h"
#include "pir/capture/recording.h"
#include "pir/draw/draw.h"
#include "pir/interpreter/observe.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

inline DType dtype_of(const py::handle& o) {
  DType t = DType::kUndefined;
  if (!to_dtype(o.ptr(), t)) throw_type("program: dtype is not a data type.");
  return t;
}

inline TensorList tensors(const py::sequence& list) {
  TensorList out;
  for (const py::handle& item : list) {
    if (!is_tensor(item.ptr())) throw_type("to_static: the captured function takes Tensors here.");
    out.push_back(tensor_of(item.ptr()));
  }
  return out;
}

inline py::list wrapped(const TensorList& list) {
  py::list out;
  for (const Tensor& t : list) out.append(py::reinterpret_steal<py::object>(wrap(t)));
  return out;
}

// None becomes an undefined tensor.
inline TensorList optional_tensors(const py::sequence& list) {
  TensorList out;
  for (const py::handle& t : list) out.push_back(t.is_none() ? Tensor() : tensor_of(t.ptr()));
  return out;
}

// (shape, dtype) of each value; -1 stands for extents that are not known.
py::list types_of(const std::vector<pir::Value*>& values);

// Times of operations, filled by the runs of the thread inside of `with times:`.
class Times {
 public:
  void enter() { watch_ = std::make_unique<pir::OperationWatch>(times_); }
  void leave() { watch_.reset(); }
  const pir::OperationTimes& get() const { return times_; }
  // (name, calls, ns, bytes) of each operation.
  py::list rows() const {
    py::list out;
    for (const auto& [op, time] : times_) {
      out.append(py::make_tuple(op->name(), time.calls, time.ns, time.bytes));
    }
    return out;
  }

 private:
  pir::OperationTimes times_;
  std::unique_ptr<pir::OperationWatch> watch_;
};

// Writes a program as SVG or HTML, with times when there are some.
inline void draw(const pir::Program& program, const std::string& path, const Times* times) {
  pir::draw(program, path, times ? times->get() : pir::OperationTimes());
}

// An attribute of an operation as a Python value (recorded.cc).
py::object python_value(const pir::Attribute& attribute);

// A Python value as an attribute in the place of another one, of the same kind where that has one.
pir::Attribute attribute_like(const pir::Attribute* known, const py::object& value);

// Static programs (recording.cc).
void bind_recording(py::module_& m);
// Programs of files (saved_program.cc).
void bind_saved_program(py::module_& m);
// Passes, rules and programs as text (passes.cc).
void bind_passes(py::module_& m);
// Deferred calls of a function (segments.cc).
void bind_segments(py::module_& m);
// Whether programs are compiled, and what was (compiler.cc).
void bind_compiler(py::module_& m);
void bind_reported_groups(py::module_& m);
// Python functions as operations (py_func.cc).
void bind_py_func(py::module_& m);
// What a recorded program holds (recorded.cc).
py::list recorded_operations(pir::Recording& recording);
// Of any program; `tensors` are its parameters.
py::list program_operations(const pir::Program& program, const std::vector<pir::Value*>& parameters,
                            const TensorList& tensors);
// Operators of PaddlePaddle 2 (operator_desc.cc).
void bind_operator_desc(py::module_& m);
// Whether a call may take the program of an earlier one at once (call_guard.cc).
void bind_call_guard(py::module_& m);

// `_core.pir`, all of the above (program.cc).
void bind_program(PyObject* module);
// `_core.inference` (inference.cc).
void bind_inference(PyObject* module);
void bind_engine(PyObject* module);
extern PyMethodDef guard_methods[];  // guard_key.cc

}  // namespace paddle::bindings
