// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// C++ exceptions become Python exceptions; Python references dropped without the GIL are queued.
#include "python/bindings/base/errors.h"

#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "paddle_core/base/error.h"
#include "python/bindings/base/reference.h"

namespace paddle::bindings {

namespace {

// PaddlePaddle raises ValueError for most arguments that an operator refuses. Those that are a
// TypeError or an IndexError by Python's customs are both, so that either `except` catches them;
// what it checks by `assert` is a ValueError and an AssertionError.
PyObject* wrong_type;
PyObject* wrong_index;
PyObject* wrong_value;

PyObject* exception_type(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kValue:
      return PyExc_ValueError;
    case ErrorKind::kType:
      return wrong_type;
    case ErrorKind::kIndex:
      return wrong_index;
    case ErrorKind::kKey:
      return PyExc_KeyError;
    case ErrorKind::kRuntime:
      return PyExc_RuntimeError;
    case ErrorKind::kNotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::kMemory:
      return PyExc_MemoryError;
    case ErrorKind::kOs:
      return PyExc_OSError;
    case ErrorKind::kOverflow:
      return PyExc_OverflowError;
    case ErrorKind::kPermission:
      return PyExc_PermissionError;
    case ErrorKind::kInterrupt:
      return PyExc_KeyboardInterrupt;
    case ErrorKind::kPython:
      break;
  }
  return PyExc_SystemError;
}

// An attribute of text, or "".
std::string text_of(PyObject* object, const char* name) {
  const Ref value(PyObject_GetAttrString(object, name));
  const char* text =
      value && PyUnicode_Check(value.get()) ? PyUnicode_AsUTF8(value.get()) : nullptr;
  PyErr_Clear();
  return text ? text : "";
}

bool is_public_function(const std::string& module, const std::string& qualified_name) {
  const bool runs_programs =  // their callers are functions of users
      module.starts_with("paddle.jit") || module.starts_with("paddle.utils.cpp_extension") ||
      module.starts_with("paddle.command_line");
  return !runs_programs && !qualified_name.starts_with('_') &&
         qualified_name.find_first_of(".<") == std::string::npos;
}

// The outermost public function among the frames of the package from here on outwards, or "".
std::string calling_function() {
  std::string found;
  Ref frame = Ref::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* at = reinterpret_cast<PyFrameObject*>(frame.get());
    const Ref globals(PyFrame_GetGlobals(at));
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
    PyObject* name = PyDict_GetItemString(globals.get(), "__name__");
    const char* module = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (!module || !str(module, ".").starts_with("paddle.")) break;
    std::string function = text_of(code.get(), "co_qualname");
    if (is_public_function(module, function)) found = std::move(function);
    frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
  return found;
}

// "sort: argsort: axis has value ...": what was called stands in front, unless it does already. A
// form of it by a longer name (conv2d_bias, batch_norm_) is called as it was.
std::string as_called(const Error& e, std::string_view called) {
  std::string function = calling_function();
  if (function.empty()) function = called;
  const std::string& message = e.message();
  const std::string inner = message.substr(0, message.find_first_of(": "));
  if (function.empty() || (inner == function && message.starts_with(function + ":")))
    return message;
  const bool form = inner.starts_with(function + "_") && message.starts_with(inner + ":");
  return function + (form ? "" : ": ") + (form ? message.substr(inner.size()) : message);
}

// Names out of damaged files need not be text.
void set_message(PyObject* type, const std::string& message) {
  const Ref text(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  if (text) PyErr_SetObject(type, text.get());
}

std::mutex queue_mutex;
std::vector<PyObject*>& queue() {
  static auto* objects = new std::vector<PyObject*>;  // outlives the interpreter
  return *objects;
}

int drain_queue(void*) {
  std::vector<PyObject*> objects;
  {
    std::lock_guard lock(queue_mutex);
    objects.swap(queue());
  }
  for (PyObject* o : objects) Py_DECREF(o);
  return 0;
}

}  // namespace

bool add_errors(PyObject* module) {
  const auto make = [module](const char* name, PyObject* base, const char* doc) {
    const Ref bases(Py_BuildValue("(OO)", base, PyExc_ValueError));
    if (!bases.get()) return static_cast<PyObject*>(nullptr);
    const std::string path = str("paddle._core.", name);
    PyObject* type = PyErr_NewExceptionWithDoc(path.c_str(), doc, bases.get(), nullptr);
    return type && PyModule_AddObjectRef(module, name, type) == 0 ? type : nullptr;
  };
  wrong_type =
      make("ArgumentTypeError", PyExc_TypeError, "An argument of the wrong type or dtype.");
  wrong_index = make("ArgumentIndexError", PyExc_IndexError, "An index or axis out of range.");
  wrong_value = make("ArgumentValueError", PyExc_AssertionError,
                     "A value that PaddlePaddle refuses with an AssertionError.");
  return wrong_type && wrong_index && wrong_value;
}

void set_python_error(std::string_view called) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kPython) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a Python error was lost");
    } else if (e.kind() == ErrorKind::kInterrupt && PyErr_Occurred()) {
      // The signal handler's own exception stays.
    } else {
      set_message(exception_type(e.kind()), as_called(e, called));
    }
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of host memory; use smaller tensors.");
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
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

void throw_python() { throw Error(ErrorKind::kPython, "a Python exception is set"); }

void throw_assertion(const std::string& message) {
  PyErr_SetString(wrong_value, message.c_str());
  throw_python();
}

void throw_type(std::string message) { throw Error(ErrorKind::kType, std::move(message)); }

void drop_anywhere(PyObject* object) noexcept {
  if (!object || !Py_IsInitialized()) return;
  if (PyGILState_Check()) {
    // Destructors run during unwinding: keep the error that is on its way to the user.
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_DECREF(object);
    PyErr_Restore(type, value, trace);
    return;
  }
  bool first;
  {
    std::lock_guard lock(queue_mutex);
    first = queue().empty();
    queue().push_back(object);
  }
  if (first && Py_AddPendingCall(drain_queue, nullptr) < 0) {
    const GilAcquire gil;
    drain_queue(nullptr);
  }
}

}  // namespace paddle::bindings
