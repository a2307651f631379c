// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the extension module share: the layout of the Python tensor object, owning
// references, the boundary between C++ exceptions and Python errors, and the conversions that each
// file offers to the others. Functions here throw paddle::Error unless they are noexcept; a Python
// error that is already set travels as ErrorKind::kPython. All need the GIL unless they say not.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <algorithm>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/type/promotion.h"

namespace paddle::bindings {

struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* tensor_type;
extern DType default_float;  // dtype of Python floats, set by set_default_dtype

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }

// -- errors.cc ----------------------------------------------------------------------------------
// Turns the C++ exception in flight into the Python error. For catch (...) blocks.
void set_python_error() noexcept;
[[noreturn]] void throw_python();  // a Python error is set
[[noreturn]] void throw_type(std::string message);
[[noreturn]] void throw_assertion(const std::string& message);  // a ValueError, too

template <typename F>
auto guarded(F&& f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    if constexpr (std::is_pointer_v<decltype(f())>) {
      return nullptr;
    } else {
      return static_cast<decltype(f())>(-1);
    }
  }
}

// An owned reference; only with the GIL.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  static Ref share(PyObject* o) {
    Py_XINCREF(o);
    return Ref(o);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// A new reference that must not be null.
inline Ref checked(PyObject* owned) {
  if (!owned) [[unlikely]]
    throw_python();
  return Ref(owned);
}
inline void checked(int status) {
  if (status < 0) [[unlikely]]
    throw_python();
}

// Drops a reference from any thread: at once with the GIL, else at the next safe point.
void drop_anywhere(PyObject* object) noexcept;

// A reference that graph nodes and hooks may hold, copy (with the GIL) and drop (without).
class SharedRef {
 public:
  explicit SharedRef(PyObject* borrowed)
      : object_((Py_INCREF(borrowed), borrowed), [](PyObject* o) { drop_anywhere(o); }) {}
  PyObject* get() const { return object_.get(); }

 private:
  std::shared_ptr<PyObject> object_;
};

class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { PyEval_RestoreThread(state_); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

class GilAcquire {
 public:
  GilAcquire() : state_(PyGILState_Ensure()) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

// -- tensor.cc ----------------------------------------------------------------------------------
// The Python object of a tensor: the living one, or a new one. None for an undefined tensor.
PyObject* wrap(Tensor t);
// A new tensor under a subclass, without calling its __init__.
PyObject* wrap_as(PyTypeObject* type, Tensor t);
PyObject* wrap_list(const TensorList& list);
std::string type_of(PyObject* o);  // name of its type, for messages
bool add_tensor_type(PyObject* module);
PyObject* tensor_get_dict(PyObject* self, void*);
int tensor_set_dict(PyObject* self, PyObject* value, void*);
PyObject* shape_list(const Shape& shape);
// item() of a tensor as a Python number.
PyObject* scalar_to_python(const Scalar& s);
Scalar value_of(const Tensor& t,
                const char* what);  // the only element, or what capture says to that

// -- dtype.cc -----------------------------------------------------------------------------------
bool add_dtype_types(PyObject* module);
PyObject* wrap_dtype(DType t);
PyObject* wrap_place(Place p);
// A paddle dtype, its name, a NumPy dtype or scalar type, a Python type; false when it is none.
bool to_dtype(PyObject* o, DType& out);
bool to_place(PyObject* o, Place& out);

// -- interop.cc ---------------------------------------------------------------------------------
bool to_scalar(PyObject* o, Scalar& out);  // Python and NumPy numbers; false when it is none
bool is_array_like(PyObject* o);           // NumPy array or object with __array__
Tensor make_tensor(PyObject* data, DType dtype = DType::kUndefined);
PyObject* tensor_to_numpy(const Tensor& t);
PyObject* tensor_to_list(const Tensor& t);
extern PyMethodDef interop_methods[];
PyObject* tensor_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* tensor_dlpack_device(PyObject* self, PyObject*);

// -- indexing.cc --------------------------------------------------------------------------------
PyObject* tensor_subscript(PyObject* self, PyObject* key);
int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value);
PyObject* tensor_row(PyObject* self, Py_ssize_t i);
void set_items(const Tensor& self, PyObject* key, PyObject* value);

// -- tensor_methods.cc, number.cc, number_methods.cc, properties.cc
// ------------------------------------------------
extern PyMethodDef tensor_methods[];
std::vector<PyMethodDef> number_methods();
extern PyGetSetDef tensor_properties[];
const PyType_Slot* number_slots(size_t& count);

// -- op_function.cc -----------------------------------------------------------------------------
bool add_operator_functions(PyObject* module);
extern PyMethodDef op_methods[];

// -- describe.cc --------------------------------------------------------------------------------
extern PyMethodDef describe_methods[];

// -- profile.cc ---------------------------------------------------------------------------------
extern PyMethodDef profile_methods[];

// -- autograd.cc, state.cc ----------------------------------------------------------------------
extern PyMethodDef autograd_methods[];
extern PyMethodDef inplace_methods[];    // inplace.cc
extern PyMethodDef extension_methods[];  // extension.cc
extern PyMethodDef state_methods[];
PyObject* tensor_register_hook(PyObject* self, PyObject* fn);
PyObject* tensor_register_backward_hook(PyObject* self, PyObject* fn);
PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs);
bool add_autograd_types(PyObject* module);
PyObject* printer();  // borrowed; null when set_printer was not called

// -- calls by name for the bindings' own use ------------------------------------------------------
// NotImplementedError when this build has no such operator.
const OpDef& op_named(const char* name);
bool has_op(const char* name);

// Elements that an operator call reads, about; above kGilReleaseElements the GIL is released
// around it.
inline constexpr int64_t kGilReleaseElements = 64 * 1024;
inline int64_t traffic(const OpDef& op, const Slot* slots) {
  int64_t elements = 0;
  for (int i = 0; i < op.num_args; ++i) {
    const Slot& s = slots[i];
    if (s.kind == SlotKind::kTensor) {
      elements += s.tensor->numel;
    } else if (s.kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < s.count; ++k) {
        if (s.list[k].defined()) elements += s.list[k].numel();
      }
    } else if (s.kind == SlotKind::kInts && op.num_tensor_args == 0) {
      int64_t n = 1;
      for (uint32_t k = 0; k < s.count && n < kGilReleaseElements; ++k) {
        if (!s.dims[k].is_symbolic()) n *= std::clamp<int64_t>(s.dims[k].value(), 0, 1 << 20);
      }
      elements += n;
    }
  }
  return elements;
}
inline void run_op(const OpDef& op, const Slot* slots, Outputs& outs) {
  if (traffic(op, slots) > kGilReleaseElements) [[unlikely]] {
    GilRelease released;
    call(op, slots, outs);
  } else {
    call(op, slots, outs);
  }
}

class OpCall {
 public:
  explicit OpCall(const char* name);
  // The argument at a position, or by its schema name; an absent name is ignored when `optional`.
  OpCall& at(size_t i, Slot s) {
    slots_[i] = s;
    return *this;
  }
  OpCall& set(const char* name, Slot s, bool optional = false);
  Tensor run();
  Outputs run_all();
  Tensor run_inplace();

 private:
  const OpDef& op_;
  SmallVector<Slot, 8> slots_;
};

Tensor cast_to(const Tensor& t, DType dtype);

}  // namespace paddle::bindings
