// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Methods of the tensor type that are no operators: values, conversions, gradients' state, copies,
// pickling. Operators' methods are installed from their records.
#include <cstring>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "python/bindings/common.h"

namespace paddle::bindings {

namespace {

template <typename F>
PyCFunction with_keywords(F* f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyObject* none() { Py_RETURN_NONE; }

// -- values -------------------------------------------------------------------------------------

PyObject* numpy(PyObject* self, PyObject*) {
  return guarded([&] { return tensor_to_numpy(tensor_of(self)); });
}
PyObject* tolist(PyObject* self, PyObject*) {
  return guarded([&] { return tensor_to_list(tensor_of(self)); });
}

PyObject* array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", const_cast<char**>(names), &dtype,
                                   &copy)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    Ref out = checked(tensor_to_numpy(tensor_of(self)));
    if (dtype == Py_None) return out.release();
    return PyObject_CallMethod(out.get(), "astype", "O", dtype);
  });
}

PyObject* item(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    const Py_ssize_t n = PyTuple_GET_SIZE(args);
    if (n == 0) return scalar_to_python(value_of(t, "item()"));
    if (n == 1 && t.ndim() != 1) {  // an index into the flattened tensor
      const int64_t i = PyLong_AsLongLong(PyTuple_GET_ITEM(args, 0));
      if (i == -1 && PyErr_Occurred()) throw_python();
      const int64_t at = i < 0 ? i + t.numel() : i;
      PADDLE_CHECK_INDEX(at >= 0 && at < t.numel(), "item: index ", i,
                         " is out of bounds for a tensor with ", t.numel(), " elements.");
      const Tensor flat = t.contiguous_copy_if_needed();
      const Tensor one =
          Tensor::alias(flat, Shape{}, Strides{}, at * static_cast<int64_t>(size_of(t.dtype())));
      return scalar_to_python(one.item());
    }
    const Ref element = checked(PyObject_GetItem(self, args));
    return scalar_to_python(value_of(tensor_of(element.get()), "item()"));
  });
}

PyObject* format(PyObject* self, PyObject* spec) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (t.ndim() == 0 && PyUnicode_GetLength(spec) > 0) {
      const Ref value = checked(scalar_to_python(value_of(t, "format()")));
      return PyObject_Format(value.get(), spec);
    }
    const Ref text = checked(PyObject_Str(self));
    return PyObject_Format(text.get(), spec);
  });
}

PyObject* ndim(PyObject* self, PyObject*) { return PyLong_FromLongLong(tensor_of(self).ndim()); }
PyObject* element_size(PyObject* self, PyObject*) {
  return PyLong_FromSize_t(size_of(tensor_of(self).dtype()));
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  const Tensor& t = tensor_of(self);
  return PyLong_FromVoidPtr(t.has_storage() ? t.raw_data() : nullptr);
}
PyObject* numel(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (!t.has_storage() && has_op("numel")) return wrap(OpCall("numel").at(0, Slot::of(t)).run());
    return wrap(Tensor::full(Shape{}, Scalar(t.numel()), DType::kInt64));
  });
}
PyObject* stride(PyObject* self, PyObject* args) {
  PyObject* axis = Py_None;
  if (!PyArg_ParseTuple(args, "|O:stride", &axis)) return nullptr;
  const Ref strides(PyObject_GetAttrString(self, "strides"));
  if (!strides || axis == Py_None) return strides ? Py_NewRef(strides.get()) : nullptr;
  return PyObject_GetItem(strides.get(), axis);
}
PyObject* version(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(self, "inplace_version");
}
PyObject* bump_version(PyObject* self, PyObject*) {
  if (tensor_of(self).has_storage()) tensor_of(self)->storage->bump_version();
  Py_RETURN_NONE;
}
PyObject* yes(PyObject*, PyObject*) { Py_RETURN_TRUE; }
PyObject* no(PyObject*, PyObject*) { Py_RETURN_FALSE; }
PyObject* is_initialized(PyObject* self, PyObject*) {
  return PyBool_FromLong(tensor_of(self).has_storage());
}
PyObject* is_contiguous(PyObject* self, PyObject*) {
  return PyBool_FromLong(tensor_of(self).is_contiguous());
}
PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }

// -- copies and conversions -----------------------------------------------------------------------

Tensor copy_of(const Tensor& t) { return OpCall("assign").at(0, Slot::of(t)).run(); }

PyObject* contiguous(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    return t.is_contiguous() ? Py_NewRef(self) : wrap(copy_of(t));
  });
}
PyObject* clone(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(copy_of(tensor_of(self))); });
}
PyObject* detach(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(tensor_of(self).detach()); });
}
PyObject* detach_inplace(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    autograd::adopt_history(t, t.detach());
    autograd::set_stop_gradient(t, true);
    return Py_NewRef(self);
  });
}

PyObject* astype(PyObject* self, PyObject* dtype) {
  return guarded([&]() -> PyObject* {
    DType t;
    if (!to_dtype(dtype, t)) {
      throw_type(str("astype: argument dtype must be a dtype such as 'float32', got ",
                     type_of(dtype), "."));
    }
    return wrap(OpCall("cast").at(0, Slot::of(tensor_of(self))).set("dtype", Slot::of(t)).run());
  });
}

Tensor to_device(const Tensor& t, Place p) {
  if (p == t.place()) return t;
  device_of(p);  // raises when this build or machine has none
  throw Error(ErrorKind::kNotImplemented,
              str("to: copies from ", t.place(), " to ", p, " are not available in this build."));
}

PyObject* cpu(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(to_device(tensor_of(self), Place())); });
}
PyObject* cuda(PyObject* self, PyObject* args, PyObject*) {
  return guarded([&] {
    Place p;
    p.kind = DeviceKind::kGpu;
    if (PyTuple_GET_SIZE(args) > 0 && PyLong_Check(PyTuple_GET_ITEM(args, 0))) {
      p.index = static_cast<int16_t>(PyLong_AsLong(PyTuple_GET_ITEM(args, 0)));
    }
    return wrap(to_device(tensor_of(self), p));
  });
}

// to(dtype), to(device), to(other), to(device, dtype, blocking), by position or keyword.
PyObject* to(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    Tensor t = tensor_of(self);
    const auto apply = [&](PyObject* o) {
      DType dtype;
      Place place;
      if (o == Py_None || PyBool_Check(o)) return;
      if (is_tensor(o)) {
        t = cast_to(to_device(t, tensor_of(o).place()), tensor_of(o).dtype());
      } else if (to_place(o, place)) {
        t = to_device(t, place);
      } else if (to_dtype(o, dtype)) {
        t = cast_to(t, dtype);
      } else {
        throw_type(str("to: an argument must be a device, dtype or Tensor, got ", type_of(o), "."));
      }
    };
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) apply(PyTuple_GET_ITEM(args, i));
    if (kwargs) {
      for (const char* name : {"device", "dtype", "other"}) {
        if (PyObject* o = PyDict_GetItemString(kwargs, name)) apply(o);
      }
    }
    return wrap(std::move(t));
  });
}

// Writes values without touching history.
void write_values(const Tensor& t, PyObject* value, const char* fn) {
  const Tensor v = make_tensor(value);
  PADDLE_CHECK_VALUE(v.shape() == t.shape(), fn, ": argument value has shape ", v.shape(),
                     " and the tensor ", t.shape(), "; they must be equal.");
  const ModeGuard no_grad(kModeAutograd);
  if (t.has_storage() && v.has_storage()) {
    t.copy_data_from(v);
  } else {
    assign_inplace(t, v, fn);
  }
}
PyObject* set_value(PyObject* self, PyObject* value) {
  return guarded([&] {
    write_values(tensor_of(self), value, "set_value");
    return none();
  });
}
PyObject* copy_inplace(PyObject* self, PyObject* args, PyObject*) {
  PyObject *value, *blocking = nullptr;
  if (!PyArg_ParseTuple(args, "O|O:copy_", &value, &blocking)) return nullptr;
  return guarded([&] {
    write_values(tensor_of(self), value, "copy_");
    return Py_NewRef(self);
  });
}
PyObject* share_buffer_to(PyObject* self, PyObject* other) {
  if (!is_tensor(other)) {
    PyErr_SetString(PyExc_TypeError, "_share_buffer_to: argument dst must be a Tensor.");
    return nullptr;
  }
  return PyObject_SetAttrString(other, "data", self) < 0 ? nullptr : none();
}
PyObject* is_shared_buffer_with(PyObject* self, PyObject* other) {
  return PyBool_FromLong(is_tensor(other) && tensor_of(self).shares_storage(tensor_of(other)));
}

PyObject* deepcopy(PyObject* self, PyObject* memo) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
    copy.copy_data_from(t);
    copy->persistable = t->persistable;
    copy->is_parameter = t->is_parameter;
    autograd::set_stop_gradient(copy, t->stop_gradient);
    Ref out = checked(wrap_as(Py_TYPE(self), std::move(copy)));
    PyObject* dict = reinterpret_cast<PyTensor*>(self)->dict;
    const Ref id = checked(PyLong_FromVoidPtr(self));
    if (PyDict_Check(memo)) checked(PyDict_SetItem(memo, id.get(), out.get()));
    if (dict && PyDict_GET_SIZE(dict) > 0) {
      const Ref module = checked(PyImport_ImportModule("copy"));
      const Ref copied = checked(PyObject_CallMethod(module.get(), "deepcopy", "OO", dict, memo));
      checked(PyObject_SetAttrString(out.get(), "__dict__", copied.get()));
    }
    return out.release();
  });
}

// Pickle: the bytes of the values as a NumPy array, dtype, stop_gradient, type and attributes.
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    const Ref module = checked(PyImport_ImportModule("paddle._core"));
    const Ref rebuild = checked(PyObject_GetAttrString(module.get(), "_rebuild_tensor"));
    const Ref array = checked(tensor_to_numpy(t));
    const Ref dtype = checked(wrap_dtype(t.dtype()));
    PyObject* dict = reinterpret_cast<PyTensor*>(self)->dict;
    return Py_BuildValue("(O(OOOiii)O)", rebuild.get(), Py_TYPE(self), array.get(), dtype.get(),
                         static_cast<int>(t->stop_gradient), static_cast<int>(t->persistable),
                         static_cast<int>(t->is_parameter), dict ? dict : Py_None);
  });
}

// -- gradients ------------------------------------------------------------------------------------

PyObject* clear_grad(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"set_to_zero", nullptr};
  int zero = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:clear_gradient", const_cast<char**>(names),
                                   &zero)) {
    return nullptr;
  }
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    const Tensor grad = autograd::grad_of(t);
    if (!grad.defined()) return none();
    if (zero && grad.has_storage()) {
      const ModeGuard no_grad(kModeAutograd);
      autograd::set_grad(t, Tensor::full(grad.shape(), Scalar(0), grad.dtype(), grad.place()));
    } else {
      autograd::set_grad(t, Tensor());
    }
    return none();
  });
}
PyObject* drop_grad(PyObject* self, PyObject*) {
  return guarded([&] {
    autograd::set_grad(tensor_of(self), Tensor());
    return none();
  });
}
PyObject* retain_grads(PyObject* self, PyObject*) {
  return guarded([&] {
    autograd::retain_grads(tensor_of(self));
    return none();
  });
}
PyObject* gradient(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Tensor grad = autograd::grad_of(tensor_of(self));
    return grad.defined() ? tensor_to_numpy(grad) : none();
  });
}
PyObject* grad_tensor(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "grad"); }

}  // namespace

PyMethodDef tensor_methods[] = {
    {"numpy", numpy, METH_NOARGS, "The values as a new NumPy array."},
    {"tolist", tolist, METH_NOARGS, "The values as nested lists."},
    {"item", item, METH_VARARGS, "One element as a Python number."},
    {"__array__", with_keywords(array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack__", with_keywords(tensor_dlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, nullptr},
    {"__format__", format, METH_O, nullptr},
    {"__deepcopy__", deepcopy, METH_O, nullptr},
    {"__reduce_ex__", reduce, METH_O, nullptr},
    {"dim", ndim, METH_NOARGS, "Number of axes."},
    {"ndimension", ndim, METH_NOARGS, "Number of axes."},
    {"element_size", element_size, METH_NOARGS, "Bytes of one element."},
    {"data_ptr", data_ptr, METH_NOARGS, "Address of the first element."},
    {"numel", numel, METH_NOARGS, "Number of elements, as a 0-D tensor."},
    {"stride", stride, METH_VARARGS, "Strides in elements, all or of one axis."},
    {"get_strides", stride, METH_VARARGS, "Strides in elements."},
    {"_inplace_version", version, METH_NOARGS, "Number of in-place writes to its memory."},
    {"_bump_inplace_version", bump_version, METH_NOARGS, "Marks the memory as written."},
    {"_is_initialized", is_initialized, METH_NOARGS, "Whether it has memory."},
    {"is_dense", yes, METH_NOARGS, "Whether it is a dense tensor."},
    {"is_dist", no, METH_NOARGS, "Whether it is a distributed tensor."},
    {"is_sparse", no, METH_NOARGS, "Whether it is a sparse tensor."},
    {"is_sparse_coo", no, METH_NOARGS, "Whether it is a sparse COO tensor."},
    {"is_sparse_csr", no, METH_NOARGS, "Whether it is a sparse CSR tensor."},
    {"is_selected_rows", no, METH_NOARGS, "Whether it holds selected rows."},
    {"is_contiguous", is_contiguous, METH_NOARGS, "Whether elements lie in order without gaps."},
    {"contiguous", contiguous, METH_NOARGS, "Itself, or a contiguous copy."},
    {"value", same, METH_NOARGS, "Itself."},
    {"get_tensor", same, METH_NOARGS, "Itself."},
    {"clone", clone, METH_NOARGS, "A copy through which gradients flow."},
    {"detach", detach, METH_NOARGS, "The same memory without history."},
    {"detach_", detach_inplace, METH_NOARGS, "Forgets the history."},
    {"astype", astype, METH_O, "A copy with another element type."},
    {"to", with_keywords(to), METH_VARARGS | METH_KEYWORDS, "Another device or element type."},
    {"cpu", cpu, METH_NOARGS, "The tensor in host memory."},
    {"cuda", with_keywords(cuda), METH_VARARGS | METH_KEYWORDS, "The tensor in GPU memory."},
    {"set_value", set_value, METH_O, "Overwrites the values."},
    {"copy_", with_keywords(copy_inplace), METH_VARARGS | METH_KEYWORDS, "Overwrites the values."},
    {"_share_buffer_to", share_buffer_to, METH_O, "Lets another tensor use this memory."},
    {"_is_shared_buffer_with", is_shared_buffer_with, METH_O, "Whether memory is shared."},
    {"backward", with_keywords(tensor_backward), METH_VARARGS | METH_KEYWORDS,
     "Accumulates gradients into the leaves."},
    {"register_hook", tensor_register_hook, METH_O, "Calls hook(grad) in backward."},
    {"clear_grad", with_keywords(clear_grad), METH_VARARGS | METH_KEYWORDS, "Clears the gradient."},
    {"clear_gradient", with_keywords(clear_grad), METH_VARARGS | METH_KEYWORDS,
     "Clears the gradient: zeros, or None with set_to_zero=False."},
    {"_clear_grad", drop_grad, METH_NOARGS, "Drops the gradient."},
    {"retain_grads", retain_grads, METH_NOARGS, "Keeps the gradient of a tensor that is no leaf."},
    {"gradient", gradient, METH_NOARGS, "The gradient as a NumPy array, or None."},
    {"_grad_ivar", grad_tensor, METH_NOARGS, "The gradient, or None."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
