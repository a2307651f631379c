// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Life of the objects of the tensor type, and their identity. A TensorImpl has at most one living
// Python object, found through impl->py_object. When an object with attributes or of a subclass
// dies while C++ still holds the tensor, type and attributes are kept with the tensor (a
// `Keepsake`, marked by the low bit of py_object) and the next object of this tensor gets them
// back. Objects of the exact type are tracked by the garbage collector from their first attribute
// on.
#include "python/bindings/values/tensor_object.h"

#include <structmember.h>

#include <utility>

#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"

namespace paddle::bindings {

PyTypeObject* tensor_type;

namespace {

struct Keepsake {
  PyTypeObject* type;
  PyObject* dict;
};

constexpr uintptr_t kKeepsakeBit = 1;

Keepsake* keepsake_of(void* p) {
  const auto bits = reinterpret_cast<uintptr_t>(p);
  return bits & kKeepsakeBit ? reinterpret_cast<Keepsake*>(bits & ~kKeepsakeBit) : nullptr;
}

// The tensor dies with a keepsake: drop it, on any thread.
void release_keepsake(TensorImpl* impl) {
  void* object = std::exchange(impl->py_object, nullptr);
  if (Keepsake* kept = keepsake_of(object)) {
    drop_anywhere(kept->dict);
    drop_anywhere(reinterpret_cast<PyObject*>(kept->type));
    delete kept;
  }
  TensorImpl::destroy(impl);
}

// Dead objects of the exact type, for reuse. Guarded by the GIL.
constexpr int kMaxFree = 256;
PyTensor* free_objects[kMaxFree];
int num_free = 0;

PyTensor* allocate() {
#ifndef Py_GIL_DISABLED
  if (num_free > 0) [[likely]] {
    PyTensor* o = free_objects[--num_free];
    PyObject_Init(reinterpret_cast<PyObject*>(o), tensor_type);
    return o;
  }
#endif
  return PyObject_GC_New(PyTensor, tensor_type);
}

PyObject* revive(Tensor t) {
  Keepsake* kept = keepsake_of(t->py_object);
  PyTypeObject* type = kept->type;
  auto* o = reinterpret_cast<PyTensor*>(type->tp_alloc(type, 0));
  if (!o) return nullptr;
  TensorImpl* impl = t.impl();
  new (&o->tensor) Tensor(std::move(t));
  o->dict = kept->dict;
  o->weakrefs = nullptr;
  impl->py_object = o;
  Py_DECREF(type);
  delete kept;
  return reinterpret_cast<PyObject*>(o);
}

// Leaves what the object owned with the tensor when C++ goes on holding it.
void leave_keepsake(PyTensor* o) {
  TensorImpl* impl = o->tensor.impl();
  impl->py_object = nullptr;
  const bool worth = Py_TYPE(o) != tensor_type || (o->dict && PyDict_GET_SIZE(o->dict) > 0);
  if (!worth || impl->use_count() == 1) return;
  auto* kept = new Keepsake{Py_TYPE(o), std::exchange(o->dict, nullptr)};
  Py_INCREF(kept->type);
  impl->py_object = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(kept) | kKeepsakeBit);
}

void tensor_dealloc(PyObject* self) {
  auto* o = reinterpret_cast<PyTensor*>(self);
  PyTypeObject* type = Py_TYPE(self);
  // Always: the collector may have tracked the object without our knowing.
  PyObject_GC_UnTrack(self);
  if (o->weakrefs) [[unlikely]]
    PyObject_ClearWeakRefs(self);
  if (o->tensor.defined() && o->tensor->py_object == o) leave_keepsake(o);
  o->tensor.~Tensor();
  Py_CLEAR(o->dict);
#ifndef Py_GIL_DISABLED
  if (type == tensor_type && num_free < kMaxFree) [[likely]] {
    free_objects[num_free++] = o;
    Py_DECREF(type);
    return;
  }
#endif
  type->tp_free(self);
  Py_DECREF(type);
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<PyTensor*>(self)->dict);
  return 0;
}

int tensor_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<PyTensor*>(self)->dict);
  return 0;
}

void track_if_needed(PyObject* self) {
  if (reinterpret_cast<PyTensor*>(self)->dict && !PyObject_GC_IsTracked(self)) {
    PyObject_GC_Track(self);
  }
}

int tensor_setattro(PyObject* self, PyObject* name, PyObject* value) {
  const int status = PyObject_GenericSetAttr(self, name, value);
  track_if_needed(self);
  return status;
}

}  // namespace

PyObject* tensor_get_dict(PyObject* self, void* context) {
  PyObject* dict = PyObject_GenericGetDict(self, context);
  track_if_needed(self);
  return dict;
}

int tensor_set_dict(PyObject* self, PyObject* value, void* context) {
  const int status = PyObject_GenericSetDict(self, value, context);
  track_if_needed(self);
  return status;
}

PyObject* wrap(Tensor t) {
  if (!t.defined()) Py_RETURN_NONE;
  if (void* object = t->py_object) {
    if (keepsake_of(object)) return revive(std::move(t));
    return Py_NewRef(static_cast<PyObject*>(object));
  }
  PyTensor* o = allocate();
  if (!o) [[unlikely]]
    return nullptr;
  t->py_object = o;
  new (&o->tensor) Tensor(std::move(t));
  o->dict = nullptr;
  o->weakrefs = nullptr;
  return reinterpret_cast<PyObject*>(o);
}

PyObject* wrap_as(PyTypeObject* type, Tensor t) {
  if (type == tensor_type) return wrap(std::move(t));
  auto* o = reinterpret_cast<PyTensor*>(type->tp_alloc(type, 0));
  if (!o) throw_python();
  t->py_object = o;
  new (&o->tensor) Tensor(std::move(t));
  return reinterpret_cast<PyObject*>(o);
}

PyObject* wrap_list(const TensorList& list) {
  Ref out(PyList_New(static_cast<Py_ssize_t>(list.size())));
  if (!out) return nullptr;
  for (size_t i = 0; i < list.size(); ++i) {
    PyObject* o = wrap(list[i]);
    if (!o) return nullptr;
    PyList_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), o);
  }
  return out.release();
}

namespace {

PyMemberDef tensor_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(PyTensor, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <typename F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

std::vector<PyType_Slot> lifetime_slots() {
  set_py_object_release(release_keepsake);
  return {{Py_tp_dealloc, slot(tensor_dealloc)},   {Py_tp_traverse, slot(tensor_traverse)},
          {Py_tp_clear, slot(tensor_clear)},       {Py_tp_free, slot(PyObject_GC_Del)},
          {Py_tp_setattro, slot(tensor_setattro)}, {Py_tp_members, tensor_members}};
}

}  // namespace paddle::bindings
