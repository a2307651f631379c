// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Conversion between Dim and the Python class that stands for symbolic extents.
#include "python/bindings/symint.h"

#include <bit>

#include "pir/capture/capture.h"
#include "python/bindings/bindings.h"

namespace paddle::bindings {
namespace {

PyObject* symint_type = nullptr;  // owned; lives as long as the module

}  // namespace

void set_symint_type(PyObject* type) {
  Py_XINCREF(type);
  Py_XDECREF(symint_type);
  symint_type = type;
}

bool is_symint(PyObject* o) {
  return symint_type && reinterpret_cast<PyObject*>(Py_TYPE(o)) == symint_type;
}

int64_t dim_bits(Dim d) { return std::bit_cast<int64_t>(d); }

Dim symint_dim(PyObject* o) {
  const Ref bits = checked(PyObject_GetAttrString(o, "_dim"));
  const int64_t v = PyLong_AsLongLong(bits.get());
  if (v == -1 && PyErr_Occurred()) throw_python();
  return Dim(v);
}

std::optional<Dim> symbolic_extent(PyObject* o) {
  if (is_symint(o)) return symint_dim(o);
  if (!capture_sink() || !is_tensor(o)) return std::nullopt;
  auto* capture = dynamic_cast<pir::Capture*>(capture_sink());
  return capture ? capture->extent_from(tensor_of(o)) : std::nullopt;
}

bool captured_extent(const Tensor& t, Dim& out) {
  if (t.has_storage() || !capture_sink()) return false;
  const auto* capture = dynamic_cast<const pir::Capture*>(capture_sink());
  return capture && capture->extent_of(t, out);
}

PyObject* make_symint(Dim d) {
  if (!symint_type) return PyLong_FromLong(-1);
  return PyObject_CallFunction(symint_type, "L", static_cast<long long>(dim_bits(d)));
}

}  // namespace paddle::bindings
