// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Methods of the tensor type that are no operators: values, conversions, gradients' state, copies,
// pickling. Operators' methods are installed from their records.
#include <algorithm>
#include <string_view>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/tensor/sharded_part.h"
#include "python/bindings/autograd/autograd.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/index/indexing.h"
#include "python/bindings/tensor/tensor_docs.h"
#include "python/bindings/tensor/tensor_type.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

template <typename F>
PyCFunction with_keywords(F* f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyObject* none() { Py_RETURN_NONE; }

// -- values -------------------------------------------------------------------------------------

PyObject* numpy(PyObject* self, PyObject* args, PyObject* kwargs) {
  // Both change nothing: a copy waits, and leaves the graph, in any case.
  static const char* names[] = {"blocking", "force", nullptr};
  PyObject *blocking = Py_True, *force = Py_False;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:numpy", const_cast<char**>(names), &blocking,
                                   &force)) {
    return nullptr;
  }
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

// Whether `t` stands for a value of the static program that is being recorded.
bool is_of_static_program(const Tensor& t) {
  if (!capturing() || t.has_storage()) return false;
  const Ref modes(checked(PyImport_ImportModule("paddle.framework.modes")));
  const Ref program(checked(PyObject_CallMethod(modes.get(), "recording_program", nullptr)));
  return program.get() != Py_None;
}

// One element of a value of a static program: a 0-d value.
PyObject* element_to_come(PyObject* self, PyObject* args) {
  const Shape& shape = tensor_of(self).shape();
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n > 1 || (n == 1 && shape.size() == 1)) return PyObject_GetItem(self, args);
  const Dim elements = numel_of(shape);
  PADDLE_CHECK_VALUE(n == 1 || elements.is_symbolic() || elements == Dim(1), "item: x has shape ",
                     shape, "; pass the index of one of its elements.");
  if (n == 0) return PyObject_CallMethod(self, "reshape", "[]");
  const Ref flat(checked(PyObject_CallMethod(self, "reshape", "[i]", -1)));
  return PyObject_GetItem(flat.get(), PyTuple_GET_ITEM(args, 0));
}

PyObject* item(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (is_of_static_program(t)) return checked(element_to_come(self, args)).release();
    materialize_values(t, "item()");
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
    const bool plain = PyUnicode_GetLength(spec) == 0;
    if (t.ndim() == 0 && !(plain && capturing() && !t.has_storage())) {
      const Ref value = checked(scalar_to_python(value_of(t, "format()")));
      return PyObject_Format(value.get(), spec);
    }
    if (!plain) throw_type("unsupported format string passed to Tensor.__format__");
    return PyObject_Str(self);
  });
}

PyObject* dense_tensor(PyObject* self, PyObject*) {
  const Ref module(PyImport_ImportModule("paddle.static.scope"));
  return module ? PyObject_CallMethod(module.get(), "DenseTensor", "O", self) : nullptr;
}
PyObject* ndim(PyObject* self, PyObject*) { return PyLong_FromLongLong(tensor_of(self).ndim()); }
PyObject* element_size(PyObject* self, PyObject*) {
  return PyLong_FromSize_t(size_of(tensor_of(self).dtype()));
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (t->sharded) refuse_sharded(*t.impl(), "data_ptr()");
    materialize_values(t, "data_ptr()");
    return PyLong_FromVoidPtr(t.has_storage() ? t.raw_data() : nullptr);
  });
}
PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dim", nullptr};
  PyObject* axis = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:stride", const_cast<char**>(names), &axis)) {
    return nullptr;
  }
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
  const Tensor& t = tensor_of(self);
  const bool deferred = deferred_sink() && deferred_sink()->is_pending(t);
  return PyBool_FromLong(deferred || t.has_storage() || (t->sharded && local_part(t).defined()));
}
PyObject* is_contiguous(PyObject* self, PyObject*) {
  return guarded([&] {
    materialize_values(tensor_of(self), "is_contiguous()");
    return PyBool_FromLong(tensor_of(self).is_contiguous());
  });
}
PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }

// -- copies and conversions -----------------------------------------------------------------------

Tensor copy_of(const Tensor& t) { return OpCall("assign").at(0, Slot::of(t)).run(); }

PyObject* contiguous(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    // Of a deferred view the order of elements is not known yet.
    if (DeferredSink* sink = deferred_sink(); sink && sink->is_pending(t) && sink->has_aliases(t)) {
      materialize_values(t, "contiguous()");
    }
    return t.is_contiguous() ? Py_NewRef(self) : wrap(copy_of(t));
  });
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

PyObject* cpu(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(moved_to(tensor_of(self), Place())); });
}
PyObject* cuda(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device_id", "blocking", nullptr};
  PyObject* device = Py_None;
  int blocking = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op:cuda", const_cast<char**>(names), &device,
                                   &blocking)) {
    return nullptr;
  }
  return guarded([&] {
    Place p;
    p.kind = DeviceKind::kGpu;
    if (PyLong_Check(device)) {
      p.index = static_cast<int16_t>(PyLong_AsLong(device));
    } else if (device != Py_None && !to_place(device, p)) {
      throw_type(
          str("cuda: argument device_id must be an int or a place, got ", type_of(device), "."));
    }
    return wrap(moved_to(tensor_of(self), p));
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
        t = cast_to(moved_to(t, tensor_of(o).place()), tensor_of(o).dtype());
      } else if (to_place(o, place)) {
        t = moved_to(t, place);
      } else if (to_dtype(o, dtype)) {
        t = cast_to(t, dtype);
      } else {
        throw_type(
            str("to: an argument must be a device, dtype or Tensor, got ", described(o), "."));
      }
    };
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) apply(PyTuple_GET_ITEM(args, i));
    if (kwargs) {
      static constexpr std::string_view kKnown[] = {
          "device", "dtype", "other", "blocking", "non_blocking", "copy", "memory_format"};
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) {
        const char* text = PyUnicode_AsUTF8(key);
        if (!text) throw_python();
        const std::string_view name = text;
        if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
          throw_type(str("to: got an unexpected keyword argument ", name, "."));
        }
      }
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
  if (!(v.shape() == t.shape())) {
    throw_assertion(str(fn, ": argument value has shape ", v.shape(), " and the tensor ", t.shape(),
                        "; they must be equal."));
  }
  const ModeGuard no_grad(kModeAutograd);
  materialize_all(fn);
  if (t.has_storage() && v.has_storage()) {
    t.overwrite_from(v);
  } else {
    assign_inplace(t, v, fn);
  }
}
// Memory for a tensor that `_clear` took it from.
void take_memory(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (t.has_storage() || capturing() || !PyObject_HasAttrString(self, "_is_cleared")) return;
  const auto memory = checked(wrap(Tensor::empty(t.shape(), t.dtype(), t.place())));
  if (PyObject_SetAttrString(self, "data", memory.get()) < 0) throw_python();
}
// The only argument of a call f(value) or f(name=value).
PyObject* only_argument(const char* fn, const char* name, PyObject* const* args, Py_ssize_t n,
                        PyObject* kwnames) {
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  if (n + keywords == 1 &&
      (n == 1 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), name) == 0)) {
    return args[0];
  }
  PyErr_Format(PyExc_TypeError, "%s: takes one argument, %s.", fn, name);
  return nullptr;
}

PyObject* set_value(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  PyObject* value = only_argument("set_value", "value", args, n, kwnames);
  if (!value) return nullptr;
  return guarded([&] {
    take_memory(self);
    write_values(tensor_of(self), value, "set_value");
    return none();
  });
}
PyObject* copy_inplace(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"other", "blocking", nullptr};
  PyObject *value, *blocking = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:copy_", const_cast<char**>(names), &value,
                                   &blocking)) {
    return nullptr;
  }
  return guarded([&] {
    const Tensor& t = tensor_of(self);
    if (is_tensor(value) && !(tensor_of(value).shape() == t.shape())) {  // takes the shape as well
      materialize_all("copy_");
      Tensor copy = Tensor::empty(tensor_of(value).shape(), t.dtype(), t.place());
      copy.overwrite_from(tensor_of(value));
      if (PyObject_SetAttrString(self, "data", checked(wrap(copy)).get()) < 0) throw_python();
    } else {
      take_memory(self);
      write_values(t, value, "copy_");
    }
    return Py_NewRef(self);
  });
}
PyObject* set_item(PyObject* self, PyObject* args) {
  PyObject *item, *value;
  if (!PyArg_ParseTuple(args, "OO:__setitem__", &item, &value)) return nullptr;
  return tensor_assign_subscript(self, item, value) < 0 ? nullptr : none();
}
PyObject* share_buffer_to(PyObject* self, PyObject* other) {
  if (!is_tensor(other)) {
    PyErr_SetString(PyExc_TypeError, "_share_buffer_to: argument dst must be a Tensor.");
    return nullptr;
  }
  return PyObject_SetAttrString(other, "data", self) < 0 ? nullptr : none();
}
PyObject* is_shared_buffer_with(PyObject* self, PyObject* other) {
  materialize_all("_is_shared_buffer_with()");
  return PyBool_FromLong(is_tensor(other) && tensor_of(self).shares_storage(tensor_of(other)));
}

PyObject* deepcopy(PyObject* self, PyObject* memo) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    materialize_values(t, "deepcopy()");
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
    if (zero) {
      autograd::zero_grad(t);
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
PyObject* register_hook(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  PyObject* hook = only_argument("register_hook", "hook", args, n, kwnames);
  return hook ? tensor_register_hook(self, hook) : nullptr;
}
PyObject* grad_tensor(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "grad"); }

}  // namespace

PyMethodDef tensor_methods[] = {
    {"__getitem__", tensor_subscript, METH_O | METH_COEXIST,
     "__getitem__($self, item, /)\n--\n\nThe part of the tensor at an index."},
    {"__setitem__", set_item, METH_VARARGS | METH_COEXIST,
     "__setitem__($self, item, value, /)\n--\n\nWrites the part of the tensor at an index."},
    {"numpy", with_keywords(numpy), METH_VARARGS | METH_KEYWORDS, kNumpyDoc},
    {"tolist", tolist, METH_NOARGS, kToListDoc},
    {"item", item, METH_VARARGS, kItemDoc},
    {"__array__", with_keywords(array), METH_VARARGS | METH_KEYWORDS,
     "__array__($self, dtype=None, copy=None)\n--\n\nThe values as a NumPy array."},
    {"__dlpack__", with_keywords(tensor_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA "
     "DLPack capsule of the memory."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self)\n--\n\nKind and number of the device, as DLPack counts them."},
    {"__format__", format, METH_O,
     "__format__($self, format_spec, /)\n--\n\nText of the number of a 0-D tensor, else of the "
     "printed tensor."},
    {"__deepcopy__", deepcopy, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\nA copy of a leaf with its attributes."},
    {"__reduce_ex__", reduce, METH_O, "__reduce_ex__($self, protocol, /)\n--\n\nHow to pickle it."},
    {"dim", ndim, METH_NOARGS, "dim($self)\n--\n\nNumber of axes."},
    {"ndimension", ndim, METH_NOARGS, "ndimension($self)\n--\n\nNumber of axes."},
    {"element_size", element_size, METH_NOARGS, "element_size($self)\n--\n\nBytes of one element."},
    {"data_ptr", data_ptr, METH_NOARGS, "data_ptr($self)\n--\n\nAddress of the first element."},
    {"stride", with_keywords(stride), METH_VARARGS | METH_KEYWORDS,
     "stride($self, dim=None)\n--\n\nStrides in elements, all or of one axis."},
    {"get_strides", with_keywords(stride), METH_VARARGS | METH_KEYWORDS,
     "get_strides($self)\n--\n\nStrides in elements."},
    {"_inplace_version", version, METH_NOARGS,
     "_inplace_version($self)\n--\n\nNumber of in-place writes to its memory."},
    {"_bump_inplace_version", bump_version, METH_NOARGS,
     "_bump_inplace_version($self)\n--\n\nMarks the memory as written."},
    {"_is_initialized", is_initialized, METH_NOARGS,
     "_is_initialized($self)\n--\n\nWhether it has memory."},
    {"is_dense", yes, METH_NOARGS, "is_dense($self)\n--\n\nWhether it is a dense tensor."},
    {"is_dist", no, METH_NOARGS, "is_dist($self)\n--\n\nWhether it is a distributed tensor."},
    {"is_sparse", no, METH_NOARGS, "is_sparse($self)\n--\n\nWhether it is a sparse tensor."},
    {"is_sparse_coo", no, METH_NOARGS,
     "is_sparse_coo($self)\n--\n\nWhether it is a sparse COO tensor."},
    {"is_sparse_csr", no, METH_NOARGS,
     "is_sparse_csr($self)\n--\n\nWhether it is a sparse CSR tensor."},
    {"is_selected_rows", no, METH_NOARGS,
     "is_selected_rows($self)\n--\n\nWhether it holds selected rows."},
    {"is_contiguous", is_contiguous, METH_NOARGS,
     "is_contiguous($self)\n--\n\nWhether elements lie in order without gaps."},
    {"contiguous", contiguous, METH_NOARGS, kContiguousDoc},
    {"value", same, METH_NOARGS, "value($self)\n--\n\nItself."},
    {"get_tensor", dense_tensor, METH_NOARGS,
     "get_tensor($self)\n--\n\nIts memory, as variables of a scope give theirs."},
    {"detach", detach, METH_NOARGS, kDetachDoc},
    {"detach_", detach_inplace, METH_NOARGS, "detach_($self)\n--\n\nForgets the history."},
    {"to", with_keywords(to), METH_VARARGS | METH_KEYWORDS, kToDoc},
    {"cpu", cpu, METH_NOARGS, kCpuDoc},
    {"cuda", with_keywords(cuda), METH_VARARGS | METH_KEYWORDS,
     "cuda($self, device_id=None, blocking=True)\n--\n\nThe tensor in GPU memory."},
    {"set_value", with_keywords(set_value), METH_FASTCALL | METH_KEYWORDS, kSetValueDoc},
    {"copy_", with_keywords(copy_inplace), METH_VARARGS | METH_KEYWORDS,
     "copy_($self, other, blocking=True)\n--\n\nOverwrites the values."},
    {"_register_backward_hook", tensor_register_backward_hook, METH_O,
     "_register_backward_hook($self, hook, /)\n--\n\nCalls hook() after each accumulation into the "
     "gradient of a leaf."},
    {"_share_buffer_to", share_buffer_to, METH_O,
     "_share_buffer_to($self, dst, /)\n--\n\nLets another tensor use this memory."},
    {"_is_shared_buffer_with", is_shared_buffer_with, METH_O,
     "_is_shared_buffer_with($self, other, /)\n--\n\nWhether memory is shared."},
    {"backward", with_keywords(tensor_backward), METH_VARARGS | METH_KEYWORDS, kBackwardDoc},
    {"register_hook", with_keywords(register_hook), METH_FASTCALL | METH_KEYWORDS,
     kRegisterHookDoc},
    {"clear_grad", with_keywords(clear_grad), METH_VARARGS | METH_KEYWORDS, kClearGradDoc},
    {"clear_gradient", with_keywords(clear_grad), METH_VARARGS | METH_KEYWORDS,
     "clear_gradient($self, set_to_zero=True, /)\n--\n\nClears the gradient: zeros, or None with "
     "set_to_zero=False."},
    {"_clear_grad", drop_grad, METH_NOARGS, "_clear_grad($self)\n--\n\nDrops the gradient."},
    {"retain_grads", retain_grads, METH_NOARGS,
     "retain_grads($self)\n--\n\nKeeps the gradient of a tensor that is no leaf."},
    {"gradient", gradient, METH_NOARGS,
     "gradient($self)\n--\n\nThe gradient as a NumPy array, or None."},
    {"_grad_ivar", grad_tensor, METH_NOARGS, "_grad_ivar($self)\n--\n\nThe gradient, or None."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
