// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the extension module offer each other: the layout of the Python tensor object,
// conversions between Python's values and ours, and the tables of methods. Functions here throw
// paddle::Error unless they are noexcept. All need the GIL.
#pragma once

#include <string>
#include <vector>

#include "paddle_core/type/promotion.h"
#include "python/bindings/errors.h"
#include "python/bindings/op_call.h"
#include "python/bindings/reference.h"

namespace paddle::bindings {

struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* tensor_type;
extern DType default_float;  // dtype of Python floats, set by set_default_dtype

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }

// -- tensor.cc ----------------------------------------------------------------------------------
// The Python object of a tensor: the living one, or a new one. None for an undefined tensor.
PyObject* wrap(Tensor t);
// A new tensor under a subclass, without calling its __init__.
PyObject* wrap_as(PyTypeObject* type, Tensor t);
PyObject* wrap_list(const TensorList& list);
std::string type_of(PyObject* o);  // name of its type, for messages
// Its type, and of a text what it says: a misspelt name more often than not.
std::string described(PyObject* o);
bool add_tensor_type(PyObject* module);
PyObject* tensor_get_dict(PyObject* self, void*);
int tensor_set_dict(PyObject* self, PyObject* value, void*);
PyObject* shape_list(const Shape& shape);
// item() of a tensor as a Python number.
PyObject* scalar_to_python(const Scalar& s);
// The only element; of a tensor that is captured, the error that names `what`.
Scalar value_of(const Tensor& t, const char* what);

// -- dtype.cc -----------------------------------------------------------------------------------
bool add_dtype_types(PyObject* module);
PyObject* wrap_dtype(DType t);
PyObject* wrap_place(Place p);
// A paddle dtype, its name, a NumPy dtype or scalar type, a Python type; false when it is none.
bool to_dtype(PyObject* o, DType& out);
bool to_place(PyObject* o, Place& out);
// The tensor at another place, through which gradients flow; itself when it is there.
Tensor moved_to(const Tensor& t, Place place);

// -- interop.cc ---------------------------------------------------------------------------------
bool to_scalar(PyObject* o, Scalar& out);  // Python and NumPy numbers; false when it is none
bool is_array_like(PyObject* o);           // NumPy array or object with __array__
Tensor make_tensor(PyObject* data, DType dtype = DType::kUndefined);
PyObject* tensor_to_numpy(const Tensor& t);
PyObject* tensor_to_list(const Tensor& t);
extern PyMethodDef interop_methods[];
PyObject* tensor_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* tensor_dlpack_device(PyObject* self, PyObject*);

// -- indexing.cc --------------------------------------------------------------------------------
PyObject* tensor_subscript(PyObject* self, PyObject* key);
int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value);
PyObject* tensor_row(PyObject* self, Py_ssize_t i);
void set_items(const Tensor& self, PyObject* key, PyObject* value);

// -- tensor_methods.cc, number.cc, number_methods.cc, properties.cc -----------------------------
extern PyMethodDef tensor_methods[];
std::vector<PyMethodDef> number_methods();
extern PyGetSetDef tensor_properties[];
const PyType_Slot* number_slots(size_t& count);

// -- op_function.cc -----------------------------------------------------------------------------
bool add_operator_functions(PyObject* module);
extern PyMethodDef op_methods[];

// -- describe.cc --------------------------------------------------------------------------------
extern PyMethodDef describe_methods[];

// -- profile.cc ---------------------------------------------------------------------------------
extern PyMethodDef profile_methods[];

// -- autograd.cc, state.cc ----------------------------------------------------------------------
extern PyMethodDef autograd_methods[];
extern PyMethodDef inplace_methods[];    // inplace.cc
extern PyMethodDef device_methods[];     // device.cc
extern PyMethodDef guard_methods[];      // guard_key.cc
extern PyMethodDef extension_methods[];  // extension.cc
extern PyMethodDef state_methods[];
PyObject* tensor_register_hook(PyObject* self, PyObject* fn);
PyObject* tensor_register_backward_hook(PyObject* self, PyObject* fn);
PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs);
bool add_autograd_types(PyObject* module);
PyObject* printer();  // borrowed; null when set_printer was not called

}  // namespace paddle::bindings
