// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients from Python: grad mode, backward(), grad() and hooks on tensors. The GIL is released
// while a graph runs.
#include "paddle_core/autograd/autograd.h"

#include "paddle_core/autograd/saved_tensors.h"
#include "paddle_core/dispatch/core_ops.h"

#include <ctime>
#include <vector>

#include "paddle_core/shape/sym.h"
#include "pir/capture/capture.h"
#include "python/bindings/autograd/autograd.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

// None: empty list; one tensor: a list of it; elements may be None where they are gradients, which
// have a default.
TensorList tensor_list(PyObject* o, const char* fn, const char* name, bool gradients = false) {
  TensorList out;
  if (!o || o == Py_None) return out;
  if (is_tensor(o)) return {tensor_of(o)};
  if (!PyList_Check(o) && !PyTuple_Check(o)) {
    throw_type(str(fn, ": argument ", name, " must be a Tensor or a list of Tensors, got ",
                   type_of(o), "."));
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (item == Py_None && gradients) {
      out.emplace_back();
    } else if (is_tensor(item)) {
      out.push_back(tensor_of(item));
    } else {
      throw_type(str(fn, ": element ", i, " of argument ", name, " must be a Tensor, got ",
                     type_of(item), "."));
    }
  }
  return out;
}

// What waits for the end of the outermost backward of a thread: a PyLayer may run another one
// inside.
struct Ending {
  int depth = 0;
  std::vector<SharedRef> calls;
};
thread_local Ending ending;

void run_backward(const TensorList& outputs, const TensorList& grads, bool retain_graph) {
  ++ending.depth;
  try {
    const GilRelease released;
    autograd::backward(outputs, grads, retain_graph);
  } catch (...) {
    if (--ending.depth == 0) ending.calls.clear();
    throw;
  }
  if (--ending.depth > 0) return;
  const std::vector<SharedRef> calls = std::exchange(ending.calls, {});
  for (const SharedRef& call : calls) checked(PyObject_CallNoArgs(call.get()));
}

PyObject* after_backward(PyObject*, PyObject* fn) {
  return guarded([&]() -> PyObject* {
    if (!PyCallable_Check(fn)) {
      throw_type(str("after_backward: the argument must be callable, got ", type_of(fn), "."));
    }
    PADDLE_CHECK_RUNTIME(ending.depth > 0,
                         "after_backward: no backward runs in this thread; call it from a hook.");
    ending.calls.emplace_back(fn);
    Py_RETURN_NONE;
  });
}

PyObject* py_backward(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"tensors", "grad_tensors", "retain_graph", nullptr};
  PyObject *tensors, *grads = nullptr;
  int retain = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|Op:backward", const_cast<char**>(names),
                                   &tensors, &grads, &retain)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const TensorList outputs = tensor_list(tensors, "backward", "tensors");
    if (outputs.empty()) throw_assertion("backward: tensors is empty; pass at least one.");
    for (size_t i = 0; i < outputs.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!outputs[i].same_impl(outputs[j])) continue;
        throw_assertion(str("backward: tensors holds one tensor twice, at ", j, " and ", i, "."));
      }
    }
    run_backward(outputs, tensor_list(grads, "backward", "grad_tensors", true), retain != 0);
    Py_RETURN_NONE;
  });
}

PyObject* py_grad(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"outputs",      "inputs",       "grad_outputs", "retain_graph",
                                "create_graph", "allow_unused", "no_grad_vars", nullptr};
  PyObject *outputs, *inputs, *grad_outputs = nullptr, *retain = Py_None, *blocked = nullptr;
  int create = 0, unused = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OOppO:grad", const_cast<char**>(names),
                                   &outputs, &inputs, &grad_outputs, &retain, &create, &unused,
                                   &blocked)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const TensorList outs = tensor_list(outputs, "grad", "outputs");
    const TensorList ins = tensor_list(inputs, "grad", "inputs");
    const TensorList seeds = tensor_list(grad_outputs, "grad", "grad_outputs", true);
    const TensorList stops = tensor_list(blocked, "grad", "no_grad_vars");
    const bool keep = retain == Py_None ? create != 0 : PyObject_IsTrue(retain) == 1;
    TensorList grads;
    {
      const GilRelease released;
      // A program takes its gradients again where other extents come than were taken for granted.
      const SymbolScope::Rule rule(stops.empty() ? SymbolScope::current() : nullptr);
      grads = autograd::grad(outs, ins, seeds, keep, create != 0, unused != 0, stops);
    }
    return wrap_list(grads);
  });
}

PyObject* set_grad_enabled(PyObject*, PyObject* arg) {
  const int on = PyObject_IsTrue(arg);
  if (on < 0) return nullptr;
  const bool before = grad_enabled();
  if (on) {
    thread_modes.allowed |= kModeAutograd;
  } else {
    thread_modes.allowed &= ~uint32_t{kModeAutograd};
  }
  return PyBool_FromLong(before);
}

PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(grad_enabled()); }

// -- hooks --------------------------------------------------------------------------------------

autograd::Hook python_hook(PyObject* fn) {
  return [fn = SharedRef(fn)](const Tensor& grad) -> Tensor {
    const GilAcquire gil;
    const Ref argument = checked(wrap(grad));
    const Ref result = checked(PyObject_CallOneArg(fn.get(), argument.get()));
    if (result.get() == Py_None) return Tensor();
    if (!is_tensor(result.get())) {
      throw_type(str("register_hook: the hook must return a Tensor or None, got ",
                     type_of(result.get()), "."));
    }
    return tensor_of(result.get());
  };
}

PyObject* push_saved_hooks(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *pack, *unpack;
    if (!PyArg_ParseTuple(args, "OO", &pack, &unpack)) throw_python();
    if (!PyCallable_Check(pack) || !PyCallable_Check(unpack)) {
      throw_type("saved_tensors_hooks: pack_hook and unpack_hook must be callable.");
    }
    auto hooks = std::make_shared<autograd::SavedTensorHooks>();
    hooks->pack = [fn = SharedRef(pack)](const Tensor& t) {
      const GilAcquire gil;
      const Ref argument = checked(wrap(t));
      const Ref result = checked(PyObject_CallOneArg(fn.get(), argument.get()));
      return std::static_pointer_cast<void>(std::make_shared<SharedRef>(result.get()));
    };
    hooks->unpack = [fn = SharedRef(unpack)](const std::shared_ptr<void>& handle) {
      const GilAcquire gil;
      PyObject* packed = static_cast<SharedRef*>(handle.get())->get();
      const Ref result = checked(PyObject_CallOneArg(fn.get(), packed));
      if (!is_tensor(result.get())) {
        throw_type(str("saved_tensors_hooks: unpack_hook must return a Tensor, got ",
                       type_of(result.get()), "."));
      }
      return tensor_of(result.get());
    };
    autograd::push_saved_tensor_hooks(std::move(hooks));
    Py_RETURN_NONE;
  });
}

PyObject* pop_saved_hooks(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    autograd::pop_saved_tensor_hooks();
    Py_RETURN_NONE;
  });
}

pir::Capture* capture_in_progress() { return dynamic_cast<pir::Capture*>(capture_sink()); }

struct HookHandle {
  PyObject_HEAD Tensor tensor;
  uint64_t id;
};
PyTypeObject* handle_type;

void handle_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<HookHandle*>(self)->tensor.~Tensor();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* handle_remove(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* h = reinterpret_cast<HookHandle*>(self);
    if (auto* capture = capture_in_progress()) capture->gradients().forget_hook(h->tensor, h->id);
    return PyBool_FromLong(autograd::remove_hook(h->tensor, h->id));
  });
}

PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "Removes the hook; False when it was gone already."},
    {nullptr, nullptr, 0, nullptr}};

// Called between steps of long work, with or without the GIL: looks for Ctrl-C now and then.
void check_interrupt() {
  static __thread int64_t last = 0;
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  const int64_t now = t.tv_sec * 1000 + t.tv_nsec / 1'000'000;
  if (now - last < 20) return;
  last = now;
  const GilAcquire gil;
  if (PyErr_CheckSignals() < 0) throw Error(ErrorKind::kInterrupt, "interrupted");
}

}  // namespace

PyObject* tensor_register_hook(PyObject* self, PyObject* fn) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    if (!PyCallable_Check(fn)) {
      throw_type(str("register_hook: argument hook must be callable, got ", type_of(fn), "."));
    }
    PADDLE_CHECK_RUNTIME(!t->stop_gradient,
                         "register_hook: the tensor has stop_gradient=True and gets no gradient; "
                         "set stop_gradient to False first.");
    auto* h = reinterpret_cast<HookHandle*>(handle_type->tp_alloc(handle_type, 0));
    if (!h) throw_python();
    new (&h->tensor) Tensor(t);
    autograd::Hook hook = python_hook(fn);
    h->id = autograd::add_hook(t, hook);
    if (auto* capture = capture_in_progress()) {
      capture->gradients().record_hook(t, h->id, [hook](const TensorList& gradient) -> TensorList {
        return {hook(gradient[0])};
      });
    }
    return reinterpret_cast<PyObject*>(h);
  });
}

PyObject* tensor_register_backward_hook(PyObject* self, PyObject* fn) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = tensor_of(self);
    PADDLE_CHECK_VALUE(autograd::is_leaf(t) && !t->stop_gradient,
                       "_register_backward_hook: the tensor must be a leaf with "
                       "stop_gradient=False; no gradient is accumulated into others.");
    const auto call = [fn = SharedRef(fn)](const Tensor&) -> Tensor {
      const GilAcquire gil;
      checked(PyObject_CallNoArgs(fn.get()));
      return {};
    };
    autograd::add_hook(t, call, true);
    Py_RETURN_NONE;
  });
}

PyObject* tensor_backward(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"grad_tensor", "retain_graph", "dump_backward_graph_path", nullptr};
  PyObject *grad = Py_None, *dump = Py_None;
  int retain = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op$O:backward", const_cast<char**>(names), &grad,
                                   &retain, &dump)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    if (grad != Py_None && !is_tensor(grad)) {
      throw_assertion(
          str("backward: grad_tensor must be a paddle.Tensor, got ", type_of(grad), "."));
    }
    if (grad != Py_None && !(tensor_of(grad).shape() == tensor_of(self).shape())) {
      throw_assertion(str("backward: grad_tensor has shape ", tensor_of(grad).shape(),
                          " and the tensor ", tensor_of(self).shape(), "; they must be equal."));
    }
    if (dump != Py_None) {
      throw Error(ErrorKind::kNotImplemented,
                  "backward: dump_backward_graph_path is not supported; leave it None.");
    }
    run_backward({tensor_of(self)}, tensor_list(grad, "backward", "grad_tensor"), retain != 0);
    Py_RETURN_NONE;
  });
}

bool add_autograd_types(PyObject*) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(handle_dealloc)},
                         {Py_tp_methods, handle_methods},
                         {0, nullptr}};
  PyType_Spec spec = {"paddle._core.TensorHookRemoveHelper", sizeof(HookHandle), 0,
                      Py_TPFLAGS_DEFAULT, slots};
  handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  autograd::set_interrupt_check(check_interrupt);
  return handle_type != nullptr;
}

template <typename F>
static PyCFunction with_keywords(F* f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef autograd_methods[] = {
    {"backward", with_keywords(py_backward), METH_VARARGS | METH_KEYWORDS,
     "Accumulates the gradients of tensors into the leaves."},
    {"after_backward", after_backward, METH_O,
     "Calls a function once, when the outermost backward of this thread has ended."},
    {"grad", with_keywords(py_grad), METH_VARARGS | METH_KEYWORDS,
     "Gradients of outputs with respect to inputs."},
    {"set_grad_enabled", set_grad_enabled, METH_O, "Switches recording; returns what it was."},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, "Whether calls are recorded."},
    {"push_saved_tensor_hooks", push_saved_hooks, METH_VARARGS,
     "(pack, unpack): how this thread's nodes keep what they save, from here on."},
    {"pop_saved_tensor_hooks", pop_saved_hooks, METH_NOARGS, "Ends the last push."},
    {"pylayer_apply", pylayer_apply, METH_VARARGS, "Runs a PyLayer: (cls, ctx, args, kwargs)."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
