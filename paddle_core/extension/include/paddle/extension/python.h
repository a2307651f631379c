// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions and classes of an extension for Python, declared with PYBIND11_MODULE: tensors pass as
// paddle.Tensor, an absent one as None, and errors keep their kinds. An extension whose sources
// name pybind11 is compiled with it.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/extension/tensor.h"

PADDLE_EXTENSION_BEGIN
namespace detail {

// What the interpreter's paddle offers to extensions.
inline const PaddlePython& python() {
  static const PaddlePython* const table = [] {
    const pybind11::object capsule =
        pybind11::module_::import("paddle._core").attr("extension_python")();
    return capsule.cast<pybind11::capsule>().get_pointer<const PaddlePython>();
  }();
  return *table;
}

inline PyObject* exception_type(int kind) {
  switch (kind) {
    case PADDLE_ERROR_VALUE:
      return PyExc_ValueError;
    case PADDLE_ERROR_TYPE:
      return PyExc_TypeError;
    case PADDLE_ERROR_INDEX:
      return PyExc_IndexError;
    case PADDLE_ERROR_NOT_IMPLEMENTED:
      return PyExc_NotImplementedError;
    case PADDLE_ERROR_MEMORY:
      return PyExc_MemoryError;
    case PADDLE_ERROR_OS:
      return PyExc_OSError;
    default:
      return PyExc_RuntimeError;
  }
}

inline bool connect_to_python() {
  if (!Py_IsInitialized() || !PyGILState_Check()) return false;
  find_host = [] { return python().host; };
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Exception& e) {
      PyErr_SetString(exception_type(e.kind()), e.what());
    }
  });
  return true;
}
inline const bool connected_to_python = connect_to_python();

}  // namespace detail
PADDLE_EXTENSION_END

namespace pybind11::detail {

template <>
struct type_caster<::paddle::Tensor> {
  PYBIND11_TYPE_CASTER(::paddle::Tensor, const_name("paddle.Tensor"));

  bool load(handle source, bool) {
    const PaddleTensor raw = ::paddle::detail::python().tensor_of(source.ptr());
    if (!raw) return false;
    ::paddle::detail::installed_host = ::paddle::detail::python().host;
    value = ::paddle::Tensor(::paddle::detail::Handle::share(raw));
    return true;
  }
  static handle cast(const ::paddle::Tensor& tensor, return_value_policy, handle) {
    if (!tensor.defined()) return none().release();
    PyObject* made = static_cast<PyObject*>(::paddle::detail::python().object_of(tensor.raw()));
    if (!made) throw error_already_set();
    return made;
  }
};

template <typename T>
struct type_caster<::paddle::optional<T>> : optional_caster<::paddle::optional<T>, T> {};

}  // namespace pybind11::detail

namespace py = pybind11;
