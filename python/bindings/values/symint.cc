// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Conversion between Dim and the Python class that stands for symbolic extents, and the arithmetic
// of that class.
#include "python/bindings/values/symint.h"

#include <bit>

#include "pir/capture/capture.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

PyObject* symint_type = nullptr;  // owned; lives as long as the module

Dim arithmetic(const std::string& name, Dim a, Dim b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "min") return min(a, b);
  if (name == "max") return max(a, b);
  return name == "mod" ? mod(a, b) : floordiv(a, b);
}

bool compare(const std::string& name, Dim a, Dim b) {
  // Without examples, two unknown extents count as equal: in PaddlePaddle both are -1.
  const bool unknown = a.is_symbolic() && b.is_symbolic();
  if (name == "eq") return decide_eq(a, b, unknown);
  if (name == "ne") return !decide_eq(a, b, unknown);
  if (name == "le") return decide_le(a, b, true);
  if (name == "ge") return decide_le(b, a, true);
  return name == "lt" ? !decide_le(b, a, false) : !decide_le(a, b, false);
}

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
  return capture ? capture->extents().extent_from(tensor_of(o)) : std::nullopt;
}

bool captured_extent(const Tensor& t, Dim& out) {
  if (t.has_storage() || !capture_sink()) return false;
  const auto* capture = dynamic_cast<const pir::Capture*>(capture_sink());
  return capture && capture->extents().extent_of(t, out);
}

bool captured_sizes(const Tensor& t, Shape& out) {
  if (t.has_storage() || !capture_sink()) return false;
  const auto* capture = dynamic_cast<const pir::Capture*>(capture_sink());
  return capture && capture->extents().sizes_of(t, out);
}

PyObject* make_symint(Dim d) {
  if (!symint_type) return PyLong_FromLong(-1);
  return PyObject_CallFunction(symint_type, "L", static_cast<long long>(dim_bits(d)));
}

void bind_extents(py::module_& m) {
  m.def("set_symint_type", [](const py::object& type) { set_symint_type(type.ptr()); });
  m.def("dim_is_symbolic", [](int64_t d) { return Dim(d).is_symbolic(); });
  m.def("num_expressions", [] { return num_expressions(); });
  m.def("dim_text", [](int64_t d) { return str(Dim(d)); });
  m.def("dim_arithmetic", [](const std::string& name, int64_t a, int64_t b) {
    return translated([&] { return dim_bits(arithmetic(name, Dim(a), Dim(b))); });
  });
  m.def("dim_compare", [](const std::string& name, int64_t a, int64_t b) {
    return translated([&] { return compare(name, Dim(a), Dim(b)); });
  });
  m.def("dim_pin", [](int64_t d) {
    return translated([&] {
      SymbolScope* scope = SymbolScope::current();
      PADDLE_CHECK_RUNTIME(scope, "SymInt: the capture of this extent has ended.");
      return scope->pin(Dim(d));
    });
  });
  m.def("dim_is_known", [](int64_t d) {
    const SymbolScope* scope = SymbolScope::current();
    return scope && evaluate(Dim(d), scope->examples()).has_value();
  });
}

}  // namespace paddle::bindings
