// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// x[key] and x[key] = value.
#pragma once

#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

PyObject* tensor_subscript(PyObject* self, PyObject* key);
int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value);
PyObject* tensor_row(PyObject* self, Py_ssize_t i);
void set_items(const Tensor& self, PyObject* key, PyObject* value);

}  // namespace paddle::bindings
