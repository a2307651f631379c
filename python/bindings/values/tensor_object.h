// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The Python object of a tensor: its layout, and how tensors become objects. Functions here throw
// paddle::Error unless they are noexcept. All need the GIL.
#pragma once

#include <vector>

#include "paddle_core/op/slot.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"

namespace paddle::bindings {

struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* tensor_type;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }

// The Python object of a tensor: the living one, or a new one. None for an undefined tensor.
PyObject* wrap(Tensor t);
// A new tensor under a subclass, without calling its __init__.
PyObject* wrap_as(PyTypeObject* type, Tensor t);
PyObject* wrap_list(const TensorList& list);

// The attribute __dict__.
PyObject* tensor_get_dict(PyObject* self, void*);
int tensor_set_dict(PyObject* self, PyObject* value, void*);

// The slots of the type by which its objects live and die, __new__ excepted.
std::vector<PyType_Slot> lifetime_slots();

}  // namespace paddle::bindings
