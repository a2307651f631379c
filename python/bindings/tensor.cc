// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The tensor type: life of its objects and their identity. A TensorImpl has at most one living
// Python object, found through impl->py_object. When an object with attributes or of a subclass
// dies while C++ still holds the tensor, type and attributes are kept with the tensor (a
// `Keepsake`, marked by the low bit of py_object) and the next object of this tensor gets them
// back. Objects of the exact type are tracked by the garbage collector from their first attribute
// on.
#include "python/bindings/bindings.h"
#include "python/bindings/symint.h"
#include "python/bindings/tensor_docs.h"

#include <structmember.h>

#include <cstring>
#include <vector>

#include "paddle_core/autograd/autograd.h"

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

PyMemberDef tensor_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(PyTensor, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <typename F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

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

std::string type_of(PyObject* o) {
  const char* name = Py_TYPE(o)->tp_name;
  const char* dot = std::strrchr(name, '.');
  return std::strncmp(name, "paddle.", 7) == 0 && dot ? dot + 1 : name;
}
std::string described(PyObject* o) {
  const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  return text ? str("str '", text, "'") : type_of(o);
}

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
  set_py_object_release(release_keepsake);
  std::vector<PyType_Slot> slots = {
      {Py_tp_new, slot(tensor_new)},           {Py_tp_init, slot(tensor_init)},
      {Py_tp_dealloc, slot(tensor_dealloc)},   {Py_tp_traverse, slot(tensor_traverse)},
      {Py_tp_clear, slot(tensor_clear)},       {Py_tp_free, slot(PyObject_GC_Del)},
      {Py_tp_setattro, slot(tensor_setattro)}, {Py_tp_repr, slot(tensor_repr)},
      {Py_tp_str, slot(tensor_repr)},          {Py_tp_hash, slot(tensor_hash)},
      {Py_tp_members, tensor_members},         {Py_tp_methods, all_methods()},
      {Py_tp_getset, tensor_properties},       {Py_tp_doc, const_cast<char*>(kTensorDoc)}};
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

// -- calls by name ------------------------------------------------------------------------------

bool has_op(const char* name) { return Registry::global().find(name) != nullptr; }

const OpDef& op_named(const char* name) {
  // Most names are literals: the address finds the operator of the last one that stood there.
  static const OpDef* recent[256];
  const OpDef*& last = recent[(reinterpret_cast<uintptr_t>(name) >> 2) % 256];
  if (last && std::strcmp(last->name(), name) == 0) return *last;
  const OpDef* op = Registry::global().find(name);
  if (op) last = op;
  if (!op) {
    throw Error(ErrorKind::kNotImplemented, str(name, ": paddle has no such operator."));
  }
  return *op;
}

OpCall::OpCall(const char* name) : op_(op_named(name)) {
  slots_.resize(op_.num_args);
  const auto& args = op_.schema().args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].has_default) slots_[i] = args[i].default_value.slot();
  }
}

OpCall& OpCall::set(const char* name, Slot s, bool optional) {
  const int i = op_.schema().arg_index(name);
  if (i < 0 && optional) return *this;
  PADDLE_CHECK_RUNTIME(i >= 0, op_.name(), ": the operator has no argument named ", name, ".");
  slots_[static_cast<size_t>(i)] = s;
  return *this;
}

Outputs OpCall::run_all() {
  Outputs outs;
  run_op(op_, slots_.data(), outs);
  return outs;
}

Tensor OpCall::run() { return run_all()[0]; }

Tensor OpCall::run_inplace() { return call_inplace(op_, slots_.data()); }

Tensor cast_to(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  return OpCall("cast").at(0, Slot::of(t)).set("dtype", Slot::of(dtype)).run();
}

}  // namespace paddle::bindings
