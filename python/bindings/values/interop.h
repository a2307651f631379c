// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers, lists and arrays from and to tensors.
#pragma once

#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

bool to_scalar(PyObject* o, Scalar& out);  // Python and NumPy numbers; false when it is none
bool is_array_like(PyObject* o);           // NumPy array or object with __array__
Tensor make_tensor(PyObject* data, DType dtype = DType::kUndefined);
PyObject* tensor_to_numpy(const Tensor& t);
PyObject* tensor_to_list(const Tensor& t);
// item() of a tensor as a Python number.
PyObject* scalar_to_python(const Scalar& s);
// The only element; of a tensor that is captured, the error that names `what`.
Scalar value_of(const Tensor& t, const char* what);

extern PyMethodDef interop_methods[];
PyObject* tensor_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* tensor_dlpack_device(PyObject* self, PyObject*);

}  // namespace paddle::bindings
