// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients from Python.
#pragma once

#include "python/bindings/base/errors.h"

namespace paddle::bindings {

extern PyMethodDef autograd_methods[];
PyObject* tensor_register_hook(PyObject* self, PyObject* fn);
PyObject* tensor_register_backward_hook(PyObject* self, PyObject* fn);
PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs);
// Runs a PyLayer: (cls, ctx, args, kwargs). In py_layer.cc.
PyObject* pylayer_apply(PyObject*, PyObject* args);
// Adds the handles of hooks; false with a Python error set.
bool add_autograd_types(PyObject* module);

}  // namespace paddle::bindings
