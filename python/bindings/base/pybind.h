// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts that are written with pybind11 share.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/bindings/base/errors.h"

namespace paddle::bindings {

namespace py = pybind11;

// Errors of `f` as Python exceptions.
template <typename F>
auto translated(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const py::error_already_set&) {
    throw;
  } catch (...) {
    set_python_error();
    throw py::error_already_set();
  }
}

}  // namespace paddle::bindings
