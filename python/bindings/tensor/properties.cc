// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of the tensor type.
#include <atomic>
#include <cctype>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/tensor/sharded_part.h"
#include "pir/capture/capture.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/tensor/tensor_docs.h"
#include "python/bindings/tensor/tensor_type.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/size.h"
#include "python/bindings/values/symint.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return make_size(tensor_of(self).shape()); });
}
PyObject* get_dtype(PyObject* self, void*) { return wrap_dtype(tensor_of(self).dtype()); }
PyObject* get_place(PyObject* self, void*) { return wrap_place(tensor_of(self).place()); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLongLong(tensor_of(self).ndim()); }
// An int that gives the shape when it is called.
PyObject* get_size(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    if (const Dim count = numel_of(tensor_of(self).shape()); count.is_symbolic()) {
      return make_symint(count);
    }
    static PyObject* type = nullptr;  // lives as long as the process
    if (!type) {
      const Ref module = checked(PyImport_ImportModule("paddle.tensor.typed"));
      type = checked(PyObject_GetAttrString(module.get(), "TensorSize")).release();
    }
    const Tensor& t = tensor_of(self);
    const Ref shape = checked(make_size(t.shape()));
    return PyObject_CallFunction(type, "LO", static_cast<long long>(t.numel()), shape.get());
  });
}

PyObject* get_stop_gradient(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self)->stop_gradient);
}

int need_bool(PyObject* value, const char* name) {
  if (!value) {
    PyErr_Format(PyExc_TypeError, "%s: the attribute cannot be deleted.", name);
    return -1;
  }
  const char* type = Py_TYPE(value)->tp_name;
  if (!PyBool_Check(value) && std::string_view(type).rfind("numpy.bool", 0) != 0) {
    PyErr_Format(PyExc_TypeError, "%s: the value has type %s; it must be a bool.", name, type);
    return -1;
  }
  return PyObject_IsTrue(value);
}

void change_stop_gradient(const Tensor& t, bool stop) {
  if (auto* const capture = dynamic_cast<pir::Capture*>(capture_sink())) {
    capture->gradients().set_stop_gradient(t, stop);
  } else {
    if (!stop) autograd::become_variable(t);
    autograd::set_stop_gradient(t, stop);
  }
}

int set_stop_gradient(PyObject* self, PyObject* value, void*) {
  const int stop = need_bool(value, "stop_gradient");
  if (stop < 0) return -1;
  return guarded([&]() -> int {
    change_stop_gradient(tensor_of(self), stop != 0);
    return 0;
  });
}
PyObject* get_requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(!tensor_of(self)->stop_gradient);
}
int set_requires_grad(PyObject* self, PyObject* value, void*) {
  const int wants = need_bool(value, "requires_grad");
  if (wants < 0) return -1;
  return guarded([&]() -> int {
    change_stop_gradient(tensor_of(self), wants == 0);
    return 0;
  });
}

PyObject* get_grad(PyObject* self, void*) {
  return guarded([&] { return wrap(autograd::grad_of(tensor_of(self))); });
}
int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded([&]() -> int {
    const Tensor& t = tensor_of(self);
    if (!value || value == Py_None) {
      autograd::set_grad(t, Tensor());
      return 0;
    }
    if (!is_tensor(value)) {
      throw_type(str("grad: the gradient must be a Tensor or None, got ", type_of(value), "."));
    }
    const Tensor& g = tensor_of(value);
    PADDLE_CHECK_VALUE(g.shape() == t.shape(), "grad: the gradient has shape ", g.shape(),
                       " and the tensor ", t.shape(), "; they must be equal.");
    autograd::set_grad(t, g);
    return 0;
  });
}

PyObject* get_name(PyObject* self, void*) {
  return guarded([&] {
    TensorImpl* t = tensor_of(self).impl();
    static std::atomic<uint64_t> count{0};
    if (!t->name) t->name = new std::string(str("generated_tensor_", count++));
    return PyUnicode_FromString(t->name->c_str());
  });
}
int set_name(PyObject* self, PyObject* value, void*) {
  const char* text = value ? PyUnicode_AsUTF8(value) : nullptr;
  if (!text) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "name: the attribute must be a str.");
    return -1;
  }
  return guarded([&]() -> int {
    TensorImpl* t = tensor_of(self).impl();
    delete std::exchange(t->name, new std::string(text));
    return 0;
  });
}

PyObject* get_persistable(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self)->persistable);
}
int set_persistable(PyObject* self, PyObject* value, void*) {
  const int on = need_bool(value, "persistable");
  if (on < 0) return -1;
  tensor_of(self)->persistable = on != 0;
  return 0;
}
PyObject* get_is_parameter(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self)->is_parameter);
}
int set_is_parameter(PyObject* self, PyObject* value, void*) {
  const int on = need_bool(value, "is_parameter");
  if (on < 0) return -1;
  tensor_of(self)->is_parameter = on != 0;
  return 0;
}

PyObject* get_is_leaf(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(autograd::is_leaf(tensor_of(self))); });
}

// -- the producer, as an object with a name and its producers -------------------------------------

// A recorded call, or the leaf whose .grad takes what comes.
struct PyNode {
  PyObject_HEAD autograd::Edge edge;
};
PyTypeObject* node_type;

PyObject* wrap_node(autograd::Edge edge);

void node_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<PyNode*>(self)->edge.~Edge();
  type->tp_free(self);
  Py_DECREF(type);
}
const autograd::Edge& edge_of_node(PyObject* self) { return reinterpret_cast<PyNode*>(self)->edge; }
const void* identity_of(PyObject* self) {
  const autograd::Edge& edge = edge_of_node(self);
  if (edge.node) return edge.node.get();
  return edge.leaf.impl();
}
// scaled_sum: ScaledSumGradNode.
std::string name_of_node(PyObject* self) {
  const autograd::Edge& edge = edge_of_node(self);
  if (!edge.node) return "GradNodeAccumulation";
  std::string name = edge.node->name();
  if (!edge.node->is_operator()) return "GradNodePyLayer_" + name;
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') out.push_back(upper ? static_cast<char>(std::toupper(c)) : c);
    upper = c == '_';
  }
  return out + "GradNode";
}
PyObject* node_name(PyObject* self, PyObject*) {
  return guarded([&] { return PyUnicode_FromString(name_of_node(self).c_str()); });
}
PyObject* node_repr(PyObject* self) {
  return guarded([&] { return PyUnicode_FromFormat("<%s>", name_of_node(self).c_str()); });
}
PyObject* node_next(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    Ref list = checked(PyList_New(0));
    const autograd::Edge& own = edge_of_node(self);
    if (!own.node) return list.release();
    for (const autograd::Edge& edge : own.node->edges) {
      checked(PyList_Append(list.get(), checked(wrap_node(edge)).get()));
    }
    return list.release();
  });
}
PyObject* node_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(b) != node_type) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((identity_of(a) == identity_of(b)) == (op == Py_EQ));
}
Py_hash_t node_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(identity_of(self)) >> 4);
}

PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS,
     "Name of the recorded call, as 'MatmulGradNode'; 'GradNodeAccumulation' of a leaf."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef node_properties[] = {
    {"next_functions", node_next, nullptr,
     "Producers of the call's inputs; None for those that want no gradient.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* wrap_node(autograd::Edge edge) {
  if (!edge.valid()) Py_RETURN_NONE;
  if (!node_type) {
    PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(node_dealloc)},
                           {Py_tp_repr, reinterpret_cast<void*>(node_repr)},
                           {Py_tp_richcompare, reinterpret_cast<void*>(node_compare)},
                           {Py_tp_hash, reinterpret_cast<void*>(node_hash)},
                           {Py_tp_methods, node_methods},
                           {Py_tp_getset, node_properties},
                           {0, nullptr}};
    PyType_Spec spec = {"paddle._core.GradNode", sizeof(PyNode), 0, Py_TPFLAGS_DEFAULT, slots};
    node_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (!node_type) return nullptr;
  }
  PyObject* o = node_type->tp_alloc(node_type, 0);
  if (o) new (&reinterpret_cast<PyNode*>(o)->edge) autograd::Edge(std::move(edge));
  return o;
}

autograd::Edge edge_into(const Tensor& t) {
  if (autograd::NodePtr node = autograd::grad_fn(t)) return {std::move(node), 0, {}};
  return t->stop_gradient ? autograd::Edge() : autograd::Edge{{}, 0, t};
}
PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded([&] { return wrap_node(edge_into(tensor_of(self))); });
}

// -- transposes and layout ------------------------------------------------------------------------

PyObject* permuted(PyObject* self, bool last_two) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    const int64_t n = t.ndim();
    PADDLE_CHECK_VALUE(!last_two || n >= 2, "mT: the tensor has rank ", n,
                       "; at least 2 is needed.");
    Shape order;
    for (int64_t i = 0; i < n; ++i) order.push_back(last_two ? i : n - 1 - i);
    if (last_two) std::swap(order[order.size() - 1], order[order.size() - 2]);
    return wrap(OpCall("transpose").at(0, Slot::of(t)).set("perm", Slot::of(order)).run());
  });
}
PyObject* get_t(PyObject* self, void*) { return permuted(self, false); }
PyObject* get_mt(PyObject* self, void*) { return permuted(self, true); }

// False with a Python error when the values could not be computed.
bool materialized(PyObject* self, const char* why) {
  return guarded([&]() -> int {
           materialize_values(tensor_of(self), why);
           return 0;
         }) == 0;
}

PyObject* get_strides(PyObject* self, void*) {
  if (!materialized(self, "strides")) return nullptr;
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (t->sharded) refuse_sharded(*t.impl(), "strides");
    // What stands for a value to come is taken as contiguous.
    const Strides strides = t.has_storage() ? t.strides() : contiguous_strides(t.shape());
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(strides.size()));
    for (size_t i = 0; list && i < strides.size(); ++i) {
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(strides[i]));
    }
    return list;
  });
}
PyObject* get_offset(PyObject* self, void*) {
  if (!materialized(self, "offset")) return nullptr;
  return PyLong_FromLongLong(tensor_of(self)->offset);
}
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(size_of(tensor_of(self).dtype()));
}
PyObject* get_nbytes(PyObject* self, void*) {
  const Tensor& t = tensor_of(self);
  return PyLong_FromLongLong(t.numel() * static_cast<int64_t>(size_of(t.dtype())));
}
PyObject* get_version(PyObject* self, void*) {
  if (!materialized(self, "inplace_version")) return nullptr;
  const Tensor& t = tensor_of(self);
  return PyLong_FromUnsignedLong(t.has_storage() ? t->storage->inplace_version() : 0);
}
PyObject* get_type(PyObject*, void*) {
  const Ref core(PyImport_ImportModule("paddle.base.core"));
  const Ref home(core ? PyObject_GetAttrString(core.get(), "VarDesc") : nullptr);
  const Ref kinds(home ? PyObject_GetAttrString(home.get(), "VarType") : nullptr);
  return kinds ? PyObject_GetAttrString(kinds.get(), "DENSE_TENSOR") : nullptr;
}
PyObject* get_priority(PyObject*, void*) { return PyLong_FromLong(1000); }
PyObject* get_data(PyObject* self, void*) {
  return guarded([&] { return wrap(tensor_of(self).detach()); });
}
int set_data(PyObject* self, PyObject* value, void*) {
  return guarded([&]() -> int {
    if (!value || !is_tensor(value)) throw_type("data: the value must be a Tensor.");
    const Tensor& t = tensor_of(self);
    const Tensor& v = tensor_of(value);
    materialize_all("data");
    auto* const capture = dynamic_cast<pir::Capture*>(capture_sink());
    if (capture && !(t.has_storage() && v.has_storage())) {
      capture->writes().move_to(t, v);
      return 0;
    }
    v->ensure_logical_order();
    t->ensure_logical_order();
    t->storage = v->storage;
    t->offset = v->offset;
    t->dtype = v->dtype;
    t->place = v->place;
    t->contiguous = v->contiguous;
    t->numel = v->numel;
    t->shape = v->shape;
    t->strides = v->strides;
    return 0;
  });
}

}  // namespace

PyGetSetDef tensor_properties[] = {
    {"__dict__", tensor_get_dict, tensor_set_dict, nullptr, nullptr},
    {"shape", get_shape, nullptr, kShapeDoc, nullptr},
    {"dtype", get_dtype, nullptr, kDTypeDoc, nullptr},
    {"place", get_place, nullptr, "Where the memory is.", nullptr},
    {"ndim", get_ndim, nullptr, kNdimDoc, nullptr},
    {"size", get_size, nullptr, kSizeDoc, nullptr},
    {"stop_gradient", get_stop_gradient, set_stop_gradient, kStopGradientDoc, nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, "The opposite of stop_gradient.",
     nullptr},
    {"grad", get_grad, set_grad, kGradDoc, nullptr},
    {"name", get_name, set_name, "Name of the tensor.", nullptr},
    {"persistable", get_persistable, set_persistable, "Whether it is saved with its layer.",
     nullptr},
    {"is_parameter", get_is_parameter, set_is_parameter, "Whether it is a parameter.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether no recorded call made it.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The recorded call that made it, or None.", nullptr},
    {"T", get_t, nullptr, kTransposedDoc, nullptr},
    {"mT", get_mt, nullptr, "The last two axes swapped.", nullptr},
    {"strides", get_strides, nullptr, "Strides in elements.", nullptr},
    {"offset", get_offset, nullptr, "Bytes from the start of the storage.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"inplace_version", get_version, nullptr, "Number of in-place writes to its memory.", nullptr},
    {"type", get_type, nullptr, "Kind of tensor.", nullptr},
    {"data", get_data, set_data, "The same memory without history; assigning shares memory.",
     nullptr},
    {"__array_priority__", get_priority, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace paddle::bindings
