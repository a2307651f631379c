// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The type paddle.Tensor, put together: making of tensors, printing, and the slots and methods of
// the other files.
#include "python/bindings/tensor/tensor_type.h"

#include <iterator>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/device/execution_context.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/tensor/tensor_docs.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

// Tensor(): empty; Tensor(t): the same tensor under this (sub)class; Tensor(data): a new one.
// The sizes of Tensor(2, 3), which is a tensor of that shape; false when an argument is no int.
bool sizes_of(PyObject* args, Shape& shape) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* o = PyTuple_GET_ITEM(args, i);
    if (!PyLong_Check(o) || PyBool_Check(o)) return false;
    const int64_t size = PyLong_AsLongLong(o);
    if (size == -1 && PyErr_Occurred()) throw_python();
    PADDLE_CHECK_VALUE(size >= 0, "Tensor: size ", i, " is ", size, "; sizes must be at least 0.");
    shape.push_back(size);
  }
  return !shape.empty();
}

// Whether a call has more than the data: the place, a name and other settings, which Python sorts
// out.
bool has_settings(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (type != tensor_type) return false;
  if (kwargs && PyDict_Size(kwargs) > (PyDict_GetItemString(kwargs, "data") ? 1 : 0)) return true;
  return PyTuple_GET_SIZE(args) > 1 && !PyLong_Check(PyTuple_GET_ITEM(args, 0));
}

PyObject* tensor_with_settings(PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const Ref module = checked(PyImport_ImportModule("paddle.tensor.constructor"));
    const Ref make = checked(PyObject_GetAttrString(module.get(), "construct"));
    return PyObject_Call(make.get(), args, kwargs);
  });
}

PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (has_settings(type, args, kwargs)) return tensor_with_settings(args, kwargs);
  PyObject* data = PyTuple_GET_SIZE(args) > 0      ? PyTuple_GET_ITEM(args, 0)
                   : kwargs && type == tensor_type ? PyDict_GetItemString(kwargs, "data")
                                                   : nullptr;
  return guarded([&]() -> PyObject* {
    Tensor t;
    Shape shape;
    if (!data) {
      t = Tensor::empty(Shape{0}, default_float, default_place());
    } else if (type == tensor_type && sizes_of(args, shape)) {
      t = Tensor::full(shape, Scalar(0), default_float, default_place());
    } else if (type == tensor_type && (PyList_Check(data) || PyTuple_Check(data))) {
      t = moved_to(make_tensor(data, default_float), default_place());
    } else if (is_tensor(data)) {
      t = tensor_of(data);
      // The other object keeps its identity when it has one.
      if (t->py_object) t = type == Py_TYPE(data) ? t : t.detach();
      if (t.same_impl(tensor_of(data))) return Py_NewRef(data);
      autograd::set_stop_gradient(t, tensor_of(data)->stop_gradient);
    } else {
      t = moved_to(make_tensor(data), default_place());
    }
    return wrap_as(type, std::move(t));
  });
}

// A subclass may define __init__ with arguments of its own; ours takes them all.
int tensor_init(PyObject*, PyObject*, PyObject*) { return 0; }

PyObject* tensor_repr(PyObject* self) {
  if (PyObject* fn = printer()) return PyObject_CallOneArg(fn, self);
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    const Ref values = checked(tensor_to_list(t));
    return PyUnicode_FromFormat("Tensor(%s, dtype=%s, %S)", str(t.shape()).c_str(),
                                std::string(name_of(t.dtype())).c_str(), values.get());
  });
}

// That of its id(), as PaddlePaddle's.
Py_hash_t tensor_hash(PyObject* self) {
  const auto hash = static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self));
  return hash == -1 ? -2 : hash;
}

template <typename F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

// The tables of methods as one; the type keeps it.
PyMethodDef* all_methods() {
  static auto* all = new std::vector<PyMethodDef>(number_methods());
  for (const PyMethodDef* m = tensor_methods;; ++m) {
    all->push_back(*m);
    if (!m->ml_name) return all->data();
  }
}

}  // namespace

bool add_tensor_type(PyObject* module) {
  std::vector<PyType_Slot> slots = lifetime_slots();
  const PyType_Slot more[] = {
      {Py_tp_new, slot(tensor_new)},     {Py_tp_init, slot(tensor_init)},
      {Py_tp_repr, slot(tensor_repr)},   {Py_tp_str, slot(tensor_repr)},
      {Py_tp_hash, slot(tensor_hash)},   {Py_tp_methods, all_methods()},
      {Py_tp_getset, tensor_properties}, {Py_tp_doc, const_cast<char*>(kTensorDoc)}};
  slots.insert(slots.end(), std::begin(more), std::end(more));
  size_t count = 0;
  const PyType_Slot* number = number_slots(count);
  slots.insert(slots.end(), number, number + count);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"paddle.Tensor", sizeof(PyTensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!tensor_type) return false;
  return PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type)) == 0;
}

}  // namespace paddle::bindings
