// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The boundary between C++ exceptions and Python errors. A Python error that is already set travels
// as ErrorKind::kPython. All need the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace paddle::bindings {

// Turns the C++ exception in flight into the Python error. For catch (...) blocks. The message
// names the public function that was called, where that is another than the operator that failed:
// the one of the package that called in turn, or else `called`.
void set_python_error(std::string_view called = {}) noexcept;
[[noreturn]] void throw_python();  // a Python error is set
[[noreturn]] void throw_type(std::string message);
[[noreturn]] void throw_assertion(const std::string& message);  // a ValueError, too

std::string type_of(PyObject* o);  // name of its type, for messages
// Its type, and of a text what it says: a misspelt name more often than not.
std::string described(PyObject* o);

// Creates the exception types and adds them to the module; false with a Python error set.
bool add_errors(PyObject* module);

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

}  // namespace paddle::bindings
