// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// paddle.Size, what Python gets for a shape.
#pragma once

#include "paddle_core/shape/shape.h"
#include "python/bindings/base/errors.h"

namespace paddle::bindings {

// Creates the type and adds it to the module; false with a Python error set.
bool add_size_type(PyObject* module);
// The extents as a list of Python.
PyObject* shape_list(const Shape& shape);
// A new paddle.Size.
PyObject* make_size(const Shape& shape);

}  // namespace paddle::bindings
