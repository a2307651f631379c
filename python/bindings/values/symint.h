// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Symbolic extents in Python: paddle.jit's SymInt, an object whose `_dim` is the Dim's 64 bits.
#pragma once

#include <optional>

#include "paddle_core/shape/shape.h"
#include "python/bindings/base/pybind.h"

namespace paddle {
class Tensor;
}

namespace paddle::bindings {

void set_symint_type(PyObject* type);
bool is_symint(PyObject* o);
Dim symint_dim(PyObject* o);
// Of a SymInt, or of an integer tensor of the capture in progress; nullopt for anything else.
std::optional<Dim> symbolic_extent(PyObject* o);
// Whether a tensor of the program that is captured was computed from shapes alone, and its value.
bool captured_extent(const Tensor& t, Dim& out);
// The same for a list of numbers.
bool captured_sizes(const Tensor& t, Shape& out);
// New reference; null with a Python error set.
PyObject* make_symint(Dim d);
int64_t dim_bits(Dim d);
// Arithmetic of symbolic extents, for the class that stands for them.
void bind_extents(py::module_& m);

}  // namespace paddle::bindings
