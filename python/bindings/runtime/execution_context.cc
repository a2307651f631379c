// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Contexts of ranks, bound to the thread that asks, and draws of parts of tensors.
#include "paddle_core/device/execution_context.h"

#include <limits>
#include <optional>

#include "paddle_core/dispatch/deferred.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/runtime/runtime.h"

namespace paddle::bindings {
namespace {

constexpr const char* kName = "execution_context";

ExecutionContext* context_of(PyObject* capsule) {
  void* found = PyCapsule_GetPointer(capsule, kName);
  if (!found) throw_python();
  return static_cast<ExecutionContext*>(found);
}

PyObject* new_execution_context(PyObject*, PyObject* args) {
  unsigned long long seed;
  int rank, world_size;
  PyObject* owner;
  if (!PyArg_ParseTuple(args, "KiiO:new_execution_context", &seed, &rank, &world_size, &owner)) {
    return nullptr;
  }
  auto context = std::make_unique<ExecutionContext>(seed);
  context->rank = rank;
  context->world_size = world_size;
  context->host_data = owner;
  PyObject* capsule = PyCapsule_New(context.get(), kName, [](PyObject* self) {
    delete static_cast<ExecutionContext*>(PyCapsule_GetPointer(self, kName));
  });
  if (capsule) context.release();
  return capsule;
}

PyObject* owner_of(const ExecutionContext* context) {
  return Py_NewRef(context ? static_cast<PyObject*>(context->host_data) : Py_None);
}

PyObject* bind_execution_context(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    materialize_all("bind_execution_context()");
    ExecutionContext* next = arg == Py_None ? nullptr : context_of(arg);
    return owner_of(std::exchange(thread_binding.context, next));
  });
}

PyObject* bound_execution_context(PyObject*, PyObject*) { return owner_of(thread_binding.context); }

PyObject* execution_place(PyObject*, PyObject*) {
  const ExecutionContext& context = execution_context();
  return Py_BuildValue("(ii)", context.rank, context.world_size);
}

int64_t extent_of(PyObject* number) {
  const int64_t n = PyLong_AsLongLong(number);
  if (n == -1 && PyErr_Occurred()) throw_python();
  return n;
}

// arguments: a list of (whole, begin, step, count), a function without arguments
PyObject* draw_part(PyObject*, PyObject* args) {
  PyObject *axes, *function;
  if (!PyArg_ParseTuple(args, "O!O:draw_part", &PyList_Type, &axes, &function)) return nullptr;
  return guarded([&]() -> PyObject* {
    SmallVector<ElementMap::Axis, 5> taken;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(axes); ++k) {
      PyObject* axis = PyList_GET_ITEM(axes, k);
      if (!PyTuple_Check(axis) || PyTuple_GET_SIZE(axis) != 4) {
        throw_type("draw_part: argument axes must hold tuples (whole, begin, step, count).");
      }
      const auto at = [&](Py_ssize_t i) { return extent_of(PyTuple_GET_ITEM(axis, i)); };
      taken.push_back({at(0), at(1), at(2), at(3)});
    }
    const ElementMap map({taken.data(), taken.size()});
    materialize_all("draw_part()");
    const ElementMapScope scope(map);
    const Ref result(checked(PyObject_CallNoArgs(function)));
    materialize_all("draw_part()");
    return Py_NewRef(result.get());
  });
}

}  // namespace

PyMethodDef execution_context_methods[] = {
    {"new_execution_context", new_execution_context, METH_VARARGS,
     "The context of a rank: seed, rank, world size, the object that stands for it."},
    {"bind_execution_context", bind_execution_context, METH_O,
     "Binds a context, or None for the process's, to this thread; the object bound before."},
    {"bound_execution_context", bound_execution_context, METH_NOARGS,
     "The object whose context is bound to this thread, or None."},
    {"execution_place", execution_place, METH_NOARGS,
     "(rank, world size) of the thread's context; -1: as the environment says."},
    {"draw_part", draw_part, METH_VARARGS,
     "Calls a function whose random results are parts of larger tensors."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
