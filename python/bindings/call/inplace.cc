// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// In-place writes for composites in Python: the two ways in which a tensor becomes another value,
// with history, as the operators' own in-place forms do it.
#include "paddle_core/dispatch/call.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/call/operator_functions.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

// (x, value, name): both Tensors.
template <typename Write>
PyObject* with_two(PyObject* args, const char* name, Write write) {
  return guarded([&]() -> PyObject* {
    PyObject *target, *value;
    const char* op;
    if (!PyArg_ParseTuple(args, "OOs", &target, &value, &op)) throw_python();
    if (!is_tensor(target) || !is_tensor(value)) {
      throw_type(str(name, ": both arguments must be Tensors."));
    }
    write(tensor_of(target), tensor_of(value), op);
    return Py_NewRef(target);
  });
}

PyObject* assign_into(PyObject*, PyObject* args) {
  return with_two(args, "assign_inplace", [](const Tensor& x, const Tensor& value, const char* op) {
    PADDLE_CHECK_VALUE(value.shape() == x.shape(), op, ": the result has shape ", value.shape(),
                       " but the tensor written in place has shape ", x.shape(),
                       "; they must be equal. Use the form without underscore.");
    assign_inplace(x, value, op);
  });
}

PyObject* rebind_into(PyObject*, PyObject* args) {
  return with_two(args, "rebind_inplace", rebind_inplace);
}

}  // namespace

PyMethodDef inplace_methods[] = {
    {"assign_inplace", assign_into, METH_VARARGS,
     "Writes a value of equal shape into a tensor and its history."},
    {"rebind_inplace", rebind_into, METH_VARARGS,
     "Gives a tensor the memory, shape, dtype and history of another."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
