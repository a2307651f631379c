// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loading users' operators, and what Python needs to know of them to call them.
#include "paddle_core/extension/host.h"
#include "paddle_core/extension/library.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

PyObject* texts(const std::vector<std::string>& values) {
  Ref list = checked(PyList_New(0));
  for (const std::string& value : values) {
    const Ref text = checked(PyUnicode_FromString(value.c_str()));
    checked(PyList_Append(list.get(), text.get()));
  }
  return list.release();
}

std::vector<std::string> declared(const std::vector<extension::Port>& ports) {
  std::vector<std::string> names;
  for (const extension::Port& p : ports) names.push_back(p.declared);
  return names;
}

PyObject* indices(const std::vector<int>& values) {
  Ref list = checked(PyList_New(0));
  for (const int value : values) {
    const Ref number = checked(PyLong_FromLong(value));
    checked(PyList_Append(list.get(), number.get()));
  }
  return list.release();
}

PyObject* describe(const extension::CustomOp& op) {
  return Py_BuildValue("{s:s,s:N,s:N,s:N,s:N,s:N}", "name", op.name.c_str(), "inputs",
                       texts(declared(op.inputs)), "outputs", texts(declared(op.outputs)),
                       "attributes", texts(op.attributes), "attribute_types",
                       texts(op.attribute_types), "inplace_input", indices(op.inplace_input));
}

PyObject* load_extension(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const char* path;
    int registers = 1;
    if (!PyArg_ParseTuple(args, "s|p", &path, &registers)) throw_python();
    Ref list = checked(PyList_New(0));
    const auto add = [&](const extension::CustomOp& op) {
      const Ref record = checked(describe(op));
      checked(PyList_Append(list.get(), record.get()));
    };
    if (registers) {
      for (const extension::CustomOp* op : extension::load_library(path)) add(*op);
    } else {
      for (const extension::CustomOp& op : extension::describe_library(path)) add(op);
    }
    return list.release();
  });
}

PyObject* extension_python(PyObject*, PyObject*) {
  static const PaddlePython table{
      sizeof(PaddlePython), &extension::host_table(),
      [](void* object) -> PaddleTensor {
        PyObject* o = static_cast<PyObject*>(object);
        return is_tensor(o) ? extension::raw_of(tensor_of(o).ptr().get()) : nullptr;
      },
      [](PaddleTensor t) -> void* { return guarded([&] { return wrap(extension::share(t)); }); }};
  return PyCapsule_New(const_cast<PaddlePython*>(&table), nullptr, nullptr);
}

}  // namespace

PyMethodDef extension_methods[] = {
    {"load_extension", load_extension, METH_VARARGS,
     "(path, register=True): the declarations of a library's operators as dicts."},
    {"extension_python", extension_python, METH_NOARGS,
     "A capsule of the functions that extensions for Python call (paddle/extension/abi.h)."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
