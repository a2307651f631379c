// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// PyLayer: a graph node whose backward calls back into Python.
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/core_ops.h"
#include "python/bindings/autograd/autograd.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

bool attribute_is_false(PyObject* o, const char* name) {
  const Ref value(PyObject_GetAttrString(o, name));
  if (!value) {
    PyErr_Clear();
    return false;
  }
  return PyObject_IsTrue(value.get()) == 0;
}

class PyLayerNode : public autograd::Node {
 public:
  PyLayerNode(PyObject* cls, PyObject* ctx)
      : cls_(cls), ctx_(ctx), name_(reinterpret_cast<PyTypeObject*>(cls)->tp_name) {}

  const char* name() const override { return name_.c_str(); }

  void apply(const TensorList& grads, const std::vector<bool>& needs, TensorList& out) override {
    const GilAcquire gil;
    const Ref args = arguments(grads);
    const Ref backward = checked(PyObject_GetAttrString(cls_.get(), "backward"));
    Ref result = checked(PyObject_CallObject(backward.get(), args.get()));
    if (PyList_Check(result.get())) {
      result = checked(PyList_AsTuple(result.get()));
    } else if (!PyTuple_Check(result.get())) {
      result = checked(PyTuple_Pack(1, result.get()));
    }
    take(result.get(), needs, out);
  }

  std::vector<autograd::ResultInfo> outputs;

 private:
  Ref arguments(const TensorList& grads) const {
    const bool fill = !attribute_is_false(ctx_.get(), "materialize_grads");
    Ref args = checked(PyTuple_New(static_cast<Py_ssize_t>(outputs.size()) + 1));
    PyTuple_SET_ITEM(args.get(), 0, Py_NewRef(ctx_.get()));
    Place place;  // of the gradients that there are
    for (const Tensor& g : grads) {
      if (g.defined()) place = g.place();
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      Tensor g = k < grads.size() ? grads[k] : Tensor();
      if (!g.defined() && fill)
        g = Tensor::full(outputs[k].shape, Scalar(0), outputs[k].dtype, place);
      PyObject* o = wrap(std::move(g));
      if (!o) throw_python();
      PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(k) + 1, o);
    }
    return args;
  }

  void take(PyObject* tuple, const std::vector<bool>& needs, TensorList& out) const {
    const auto n = static_cast<size_t>(PyTuple_GET_SIZE(tuple));
    PADDLE_CHECK_VALUE(n == edges.size(), name_, ".backward: returned ", n, " gradients for ",
                       edges.size(), " Tensor inputs of forward; return one for each, or None.");
    out.resize(n);
    for (size_t i = 0; i < n; ++i) {
      PyObject* o = PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i));
      if (o == Py_None) continue;
      if (!is_tensor(o)) {
        throw_type(str(name_, ".backward: gradient ", i, " must be a Tensor or None, got ",
                       type_of(o), "."));
      }
      if (i < needs.size() && needs[i]) out[i] = fitting(tensor_of(o), *edge_info[i].shape, i);
    }
  }

  // g in the shape of its input: expanded where it is smaller. The engine adds up or reshapes
  // larger ones.
  Tensor fitting(const Tensor& g, const Shape& shape, size_t i) const {
    if (g.shape() == shape || broadcasts(shape, g.shape())) return g;
    if (broadcasts(g.shape(), shape)) return core_ops().expand(g, shape);
    PADDLE_CHECK_VALUE(decide_eq(numel_of(g.shape()), numel_of(shape), true), name_,
                       ".backward: gradient ", i, " has shape ", g.shape(),
                       " and its input has shape ", shape, "; they must be equal or broadcast.");
    return g;
  }
  static bool broadcasts(const Shape& from, const Shape& to) {
    if (from.size() > to.size()) return false;
    for (size_t d = 0; d < from.size(); ++d) {
      const Dim extent = to[to.size() - from.size() + d];
      if (!(from[d] == Dim(1)) && !decide_eq(from[d], extent, true)) return false;
    }
    return true;
  }

  SharedRef cls_, ctx_;
  std::string name_;
};

void collect(PyObject* o, TensorList& out) {
  if (is_tensor(o)) {
    out.push_back(tensor_of(o));
  } else if (PyList_Check(o) || PyTuple_Check(o)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n; ++i) collect(PySequence_Fast_GET_ITEM(o, i), out);
  }
}

// Whether `t` is in a list of ctx.
bool is_marked(PyObject* ctx, const char* name, const Tensor& t) {
  const Ref marked(PyObject_GetAttrString(ctx, name));
  if (!marked) {
    PyErr_Clear();
    return false;
  }
  TensorList list;
  collect(marked.get(), list);
  for (const Tensor& m : list) {
    if (m.same_impl(t)) return true;
  }
  return false;
}

// An input that forward returns counts as written in place, unless the context says otherwise.
Tensor returned_input(const Tensor& t, PyObject* ctx) {
  const autograd::Meta* meta = autograd::meta_of(t);
  if (is_marked(ctx, "not_inplace_tensors", t) || (meta && meta->view)) return t.detach();
  PADDLE_CHECK_VALUE(
      t->stop_gradient || !autograd::is_leaf(t),
      "PyLayer.forward: it returns an input that is a leaf with stop_gradient=False, which may not "
      "be written in place; return a new tensor, or call ctx.mark_not_inplace(input) first.");
  if (t.has_storage()) t->storage->bump_version();
  return t;
}

// The outputs of forward with `node` as their history, in the form in which forward gave them.
PyObject* with_history(PyObject* result, const TensorList& inputs, PyObject* ctx,
                       const IntrusivePtr<PyLayerNode>& node, uint32_t& k) {
  if (PyTuple_Check(result) || PyList_Check(result)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(result);
    Ref out = checked(PyTuple_Check(result) ? PyTuple_New(n) : PyList_New(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* o = with_history(PySequence_Fast_GET_ITEM(result, i), inputs, ctx, node, k);
      if (PyTuple_Check(result)) {
        PyTuple_SET_ITEM(out.get(), i, o);
      } else {
        PyList_SET_ITEM(out.get(), i, o);
      }
    }
    return out.release();
  }
  if (!is_tensor(result)) return Py_NewRef(result);
  Tensor t = tensor_of(result);
  const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const Tensor& input) { return input.same_impl(t); });
  if (is_input) t = returned_input(t, ctx);
  node->outputs.push_back({t.shape(), t.dtype()});
  if (!is_marked(ctx, "non_differentiable", tensor_of(result))) {
    autograd::set_stop_gradient(t, false);
    autograd::set_history(t, autograd::NodePtr::share(node.get()), k);
  }
  ++k;
  PyObject* o = wrap(std::move(t));
  if (!o) throw_python();
  return o;
}

Ref call_forward(PyObject* cls, PyObject* ctx, PyObject* args, PyObject* kwargs) {
  const ModeGuard no_grad(kModeAutograd);
  const Ref forward = checked(PyObject_GetAttrString(cls, "forward"));
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  const Ref all = checked(PyTuple_New(n + 1));
  PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(ctx));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyTuple_SET_ITEM(all.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
  }
  return checked(PyObject_Call(forward.get(), all.get(), kwargs));
}

}  // namespace

PyObject* pylayer_apply(PyObject*, PyObject* args) {
  PyObject *cls, *ctx, *fn_args, *kwargs = nullptr;
  if (!PyArg_ParseTuple(args, "OOO!|O:pylayer_apply", &cls, &ctx, &PyTuple_Type, &fn_args,
                        &kwargs)) {
    return nullptr;
  }
  if (kwargs == Py_None) kwargs = nullptr;
  return guarded([&]() -> PyObject* {
    if (!PyType_Check(cls)) throw_type("pylayer_apply: the first argument must be a class.");
    TensorList inputs;
    collect(fn_args, inputs);
    if (kwargs) {
      PyObject *key, *value;
      Py_ssize_t at = 0;
      while (PyDict_Next(kwargs, &at, &key, &value)) collect(value, inputs);
    }
    // The edges of before forward: it may write its inputs in place.
    auto node = IntrusivePtr<PyLayerNode>::adopt(new PyLayerNode(cls, ctx));
    bool wanted = false;
    for (const Tensor& t : inputs) {
      const bool wants = grad_enabled() && !t->stop_gradient;
      node->edges.push_back(wants ? autograd::edge_of(t) : autograd::Edge());
      node->edge_info.push_back({std::make_unique<Shape>(t.shape()), t.dtype()});
      wanted |= wants;
    }
    const Ref result = call_forward(cls, ctx, fn_args, kwargs);
    TensorList made;
    collect(result.get(), made);
    PADDLE_CHECK_VALUE(!made.empty(), reinterpret_cast<PyTypeObject*>(cls)->tp_name,
                       ".forward: the result holds no Tensor; return at least one.");
    if (!wanted) return Py_NewRef(result.get());
    uint32_t k = 0;
    Ref out(with_history(result.get(), inputs, ctx, node, k));
    node->num_results = k;
    return out.release();
  });
}

}  // namespace paddle::bindings
