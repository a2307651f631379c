// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// paddle.Size, what Python gets for a shape.
#pragma once

#include "python/bindings/bindings.h"

namespace paddle::bindings {

// Creates the type and adds it to the module; false with a Python error set.
bool add_size_type(PyObject* module);
// A new paddle.Size.
PyObject* make_size(const Shape& shape);

}  // namespace paddle::bindings
