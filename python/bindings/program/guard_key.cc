// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys by which a call finds its captured program, as far as they are read in every call.
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {
namespace {

bool is_plain(PyObject* v) {
  return v == Py_None || PyBool_Check(v) || PyFloat_Check(v) || PyLong_Check(v) ||
         PyUnicode_Check(v);
}

void append(PyObject* list, PyObject* value) {
  if (PyList_Append(list, value) < 0) throw_python();
}

// Each with its type: 1, 1.0 and True are three constants.
void append_constants(PyObject* key, PyObject* attributes) {
  Py_ssize_t at = 0;
  PyObject *name = nullptr, *value = nullptr;
  while (PyDict_Next(attributes, &at, &name, &value)) {
    if (!is_plain(value)) continue;
    append(key, value);
    append(key, reinterpret_cast<PyObject*>(Py_TYPE(value)));
  }
  append(key, checked(PyLong_FromSsize_t(PyDict_GET_SIZE(attributes))).get());
}

// The tensors of a table by identity and whether they need a gradient.
void append_tensors(PyObject* key, PyObject* held, PyObject* table, PyObject* skipped) {
  Py_ssize_t at = 0;
  PyObject *name = nullptr, *tensor = nullptr;
  while (PyDict_Next(table, &at, &name, &tensor)) {
    if (tensor == Py_None) continue;
    const int skip = PySequence_Contains(skipped, name);
    if (skip < 0) throw_python();
    if (skip) continue;
    append(held, tensor);
    append(key, checked(PyLong_FromVoidPtr(tensor)).get());
    append(key, checked(PyObject_GetAttrString(tensor, "stop_gradient")).get());
  }
}

// append_layer(key, held, attributes, skipped): what a capture takes as constant of a layer.
PyObject* append_layer(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *key = nullptr, *held = nullptr, *attributes = nullptr, *skipped = nullptr;
    if (!PyArg_ParseTuple(args, "O!O!O!O:append_layer", &PyList_Type, &key, &PyList_Type, &held,
                          &PyDict_Type, &attributes, &skipped)) {
      throw_python();
    }
    append_constants(key, attributes);
    for (const char* name : {"_parameters", "_buffers"}) {
      PyObject* table = PyDict_GetItemString(attributes, name);
      if (table && PyDict_Check(table)) append_tensors(key, held, table, skipped);
    }
    return Py_NewRef(Py_None);
  });
}

}  // namespace

PyMethodDef guard_methods[] = {
    {"append_layer", append_layer, METH_VARARGS,
     "Appends the constants and tensors that a layer's dict holds to a key, the tensors to a list; "
     "tables leave out the names given last."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
