// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Owning references to Python objects, and the GIL as scopes.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <utility>

#include "python/bindings/base/errors.h"

namespace paddle::bindings {

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

}  // namespace paddle::bindings
