// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Dtypes and places as Python objects, and from what users write for them.
#pragma once

#include "paddle_core/device/place.h"
#include "paddle_core/type/dtype.h"
#include "python/bindings/base/errors.h"

namespace paddle::bindings {

extern DType default_float;  // dtype of Python floats, set by set_default_dtype

bool add_dtype_types(PyObject* module);
PyObject* wrap_dtype(DType t);
PyObject* wrap_place(Place p);
// A paddle dtype, its name, a NumPy dtype or scalar type, a Python type; false when it is none.
bool to_dtype(PyObject* o, DType& out);
bool to_place(PyObject* o, Place& out);
// Loads the device plugins that the environment and installed packages name, at the first call. For
// questions that only they can answer.
void discover_plugins();

}  // namespace paddle::bindings
