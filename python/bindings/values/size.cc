// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The type of `Tensor.shape`: paddle.Size, a list of extents that also equals tuples and knows its
// product.
#include "python/bindings/values/size.h"

#include "python/bindings/base/reference.h"
#include "python/bindings/values/symint.h"

namespace paddle::bindings {
PyObject* shape_list(const Shape& shape) {
  Ref out(PyList_New(static_cast<Py_ssize_t>(shape.size())));
  if (!out) return nullptr;
  for (size_t i = 0; i < shape.size(); ++i) {
    PyObject* n =
        shape[i].is_symbolic() ? make_symint(shape[i]) : PyLong_FromLongLong(shape[i].value());
    if (!n) return nullptr;
    PyList_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), n);
  }
  return out.release();
}

namespace {

PyTypeObject* size_type = nullptr;  // owned; lives as long as the module

PyObject* as_size(PyObject* list) {
  if (!list) return nullptr;
  // paddle.Size has the layout of list, so a fresh list becomes one by its type.
  Py_INCREF(size_type);
  Py_SET_TYPE(list, size_type);
  return list;
}

bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

int size_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (reinterpret_cast<initproc>(PyList_Type.tp_init)(self, args, kwargs) < 0) return -1;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self); ++i) {
    PyObject* item = PyList_GET_ITEM(self, i);
    if (is_symint(item)) continue;
    PyObject* n = PyFloat_Check(item) ? nullptr : PyNumber_Index(item);
    if (!n) {
      PyErr_Format(PyExc_TypeError, "paddle.Size: item %zd is a %s; every extent must be an int.",
                   i, Py_TYPE(item)->tp_name);
      return -1;
    }
    PyList_SetItem(self, i, n);
  }
  return 0;
}

PyObject* size_repr(PyObject* self) {
  const Ref list(PyList_GetSlice(self, 0, PyList_GET_SIZE(self)));
  return list ? PyUnicode_FromFormat("paddle.Size(%R)", list.get()) : nullptr;
}

PyObject* size_compare(PyObject* self, PyObject* other, int operation) {
  if (!PyTuple_Check(other)) return PyList_Type.tp_richcompare(self, other, operation);
  const Ref list(PySequence_List(other));
  return list ? PyList_Type.tp_richcompare(self, list.get(), operation) : nullptr;
}

PyObject* size_add(PyObject* left, PyObject* right) {
  if (!is_sequence(left) || !is_sequence(right)) Py_RETURN_NOTIMPLEMENTED;
  const Ref all(PySequence_List(left));
  if (!all || PyList_SetSlice(all.get(), PyList_GET_SIZE(all.get()), PY_SSIZE_T_MAX, right) < 0) {
    return nullptr;
  }
  return as_size(PyList_GetSlice(all.get(), 0, PyList_GET_SIZE(all.get())));
}

PyObject* size_repeat(PyObject* self, Py_ssize_t times) {
  return as_size(PyList_Type.tp_as_sequence->sq_repeat(self, times));
}

PyObject* size_item(PyObject* self, PyObject* key) {
  PyObject* out = PyList_Type.tp_as_mapping->mp_subscript(self, key);
  return out && PyList_CheckExact(out) && PySlice_Check(key) ? as_size(out) : out;
}

PyObject* size_copy(PyObject* self, PyObject*) {
  return as_size(PyList_GetSlice(self, 0, PyList_GET_SIZE(self)));
}

PyObject* size_numel(PyObject* self, PyObject*) {
  Ref product(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyList_GET_SIZE(self); ++i) {
    product = Ref(PyNumber_Multiply(product.get(), PyList_GET_ITEM(self, i)));
  }
  return product.release();
}

PyObject* size_reduce(PyObject* self, PyObject*) {
  const Ref list(PyList_GetSlice(self, 0, PyList_GET_SIZE(self)));
  return list ? Py_BuildValue("O(O)", size_type, list.get()) : nullptr;
}

PyMethodDef size_methods[] = {
    {"numel", size_numel, METH_NOARGS, "numel($self)\n--\n\nThe product of the extents."},
    {"__copy__", size_copy, METH_NOARGS, nullptr},
    {"__reduce__", size_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

template <class F>
void* slot(F function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

bool add_size_type(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Size(iterable=(), /)\n--\n\nA shape: a list of extents that "
                                    "equals tuples too and knows its product.")},
      {Py_tp_init, slot(size_init)},
      {Py_tp_repr, slot(size_repr)},
      {Py_tp_richcompare, slot(size_compare)},
      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
      {Py_nb_add, slot(size_add)},
      {Py_sq_repeat, slot(size_repeat)},
      {Py_mp_subscript, slot(size_item)},
      {Py_tp_methods, size_methods},
      {0, nullptr}};
  PyType_Spec spec{"paddle.Size", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const Ref list_base(PyTuple_Pack(1, &PyList_Type));
  size_type = reinterpret_cast<PyTypeObject*>(
      checked(PyType_FromSpecWithBases(&spec, list_base.get())).release());
  return PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(size_type)) == 0;
}

PyObject* make_size(const Shape& shape) {
  Ref out(shape_list(shape));
  return out ? as_size(out.release()) : nullptr;
}

}  // namespace paddle::bindings
