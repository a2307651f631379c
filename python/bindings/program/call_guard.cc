// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir.CallGuard`: whether a call sees just what an earlier call of the same function saw, so
// that its program may run again without the key of the call being made. It compares identities:
// what it calls changed may be equal, never the other way round.
#include <pybind11/pybind11.h>

#include "paddle_core/autograd/autograd.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

bool is_plain(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o);
}

// The values of a dict. Of the attributes of a layer only plain ones count: others are no part of
// a program, or stand in one of its tables.
class Snapshot {
 public:
  enum class Of : uint8_t { kAll, kPlain, kTensors };

  Snapshot(PyObject* dict, Of of) : dict_(Ref::share(dict)), of_(of) {
    visit([&](PyObject* value) {
      values_.push_back(Ref::share(value));
      stops_.push_back(stops(value));
      return true;
    });
    size_ = PyDict_GET_SIZE(dict);
  }

  bool holds() const {
    if (PyDict_GET_SIZE(dict_.get()) != size_) return false;
    size_t at = 0;
    const bool same = visit([&](PyObject* value) {
      const size_t i = at++;
      return i < values_.size() && values_[i].get() == value && stops_[i] == stops(value);
    });
    return same && at == values_.size();
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(dict_.get());
    for (const Ref& value : values_) Py_VISIT(value.get());
    return 0;
  }

 private:
  template <typename F>
  bool visit(F&& f) const {
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict_.get(), &at, &key, &value)) {
      if (of_ == Of::kPlain && !is_plain(value)) continue;
      if (!f(value)) return false;
    }
    return true;
  }
  bool stops(PyObject* value) const {
    return of_ == Of::kTensors && is_tensor(value) && tensor_of(value)->stop_gradient;
  }

  Ref dict_;
  Of of_;
  std::vector<Ref> values_;
  std::vector<bool> stops_;
  Py_ssize_t size_ = 0;
};

struct Given {
  Shape shape;
  DType dtype;
  bool stop_gradient;
};

class CallGuard {
 public:
  // `cells` of the closure, `names` read from `globals`, every layer that the function reaches,
  // and the owner's own dict (or None), of which everything counts.
  CallGuard(const py::tuple& args, const py::object& cells, const py::dict& globals,
            const py::tuple& names, const py::object& owner, const py::list& layers)
      : globals_(Ref::share(globals.ptr())), modes_(modes()) {
    for (const py::handle arg : args) {
      const Tensor& t = tensor_of(arg.ptr());
      given_.push_back({t.shape(), t.dtype(), t->stop_gradient});
    }
    if (!cells.is_none()) {
      for (const py::handle cell : cells) {
        cells_.push_back({Ref::share(cell.ptr()), content(cell.ptr())});
      }
    }
    for (const py::handle name : names) {
      names_.push_back({Ref::share(name.ptr()), global(name.ptr())});
    }
    PADDLE_CHECK_TYPE(owner.is_none() || PyDict_Check(owner.ptr()),
                      "CallGuard: owner must be a dict or None.");
    if (!owner.is_none()) dicts_.emplace_back(owner.ptr(), Snapshot::Of::kAll);
    for (const py::handle layer : layers) add_layer(layer);
  }

  bool holds(const py::tuple& args) {
    const bool same = still_holds(args);
    used_ = used_ || same;
    return same;
  }
  bool used() const { return used_; }  // it held once

  bool still_holds(const py::tuple& args) const {
    if (modes() != modes_ || !same_arguments(args)) return false;
    for (const auto& [cell, value] : cells_) {
      if (PyCell_GET(cell.get()) != value.get()) return false;
    }
    for (const auto& [name, value] : names_) {
      if (PyDict_GetItemWithError(globals_.get(), name.get()) != value.get()) return false;
    }
    for (const Snapshot& dict : dicts_) {
      if (!dict.holds()) return false;
    }
    return true;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(globals_.get());
    for (const auto* pairs : {&cells_, &names_}) {
      for (const auto& [first, second] : *pairs) {
        Py_VISIT(first.get());
        Py_VISIT(second.get());
      }
    }
    for (const Snapshot& dict : dicts_) {
      if (const int status = dict.traverse(visit, arg)) return status;
    }
    return 0;
  }

  void clear() {
    globals_ = Ref();
    cells_.clear();
    names_.clear();
    dicts_.clear();
    modes_ = ~0u;  // holds for no call
  }

 private:
  using Pairs = std::vector<std::pair<Ref, Ref>>;

  // A call under automatic mixed precision takes the long way.
  static uint32_t modes() {
    return (grad_enabled() ? 1u : 0u) | (thread_modes.on & kModeAmp ? 2u : 0u);
  }
  static Ref content(PyObject* cell) { return Ref::share(PyCell_GET(cell)); }
  Ref global(PyObject* name) const {
    return Ref::share(PyDict_GetItemWithError(globals_.get(), name));
  }

  void add_layer(const py::handle& layer) {
    const py::dict attributes = layer.attr("__dict__");
    dicts_.emplace_back(attributes.ptr(), Snapshot::Of::kPlain);
    for (const char* table : {"_parameters", "_buffers"}) {
      dicts_.emplace_back(py::object(attributes[table]).ptr(), Snapshot::Of::kTensors);
    }
    dicts_.emplace_back(py::object(attributes["_sub_layers"]).ptr(), Snapshot::Of::kAll);
  }

  bool same_arguments(const py::tuple& args) const {
    if ((modes_ & 2u) || args.size() != given_.size()) return false;
    for (size_t i = 0; i < given_.size(); ++i) {
      PyObject* o = PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i));
      if (!is_tensor(o)) return false;
      const Tensor& t = tensor_of(o);
      const Given& g = given_[i];
      if (t.dtype() != g.dtype || t->stop_gradient != g.stop_gradient || t.shape() != g.shape) {
        return false;
      }
    }
    return true;
  }

  std::vector<Given> given_;
  Ref globals_;
  Pairs cells_, names_;
  std::vector<Snapshot> dicts_;
  uint32_t modes_;
  bool used_ = false;
};

// The guard holds layers that hold the function that holds the guard: it takes part in collection.
void collectable(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) -> int {
    Py_VISIT(Py_TYPE(self));
    if (!py::detail::is_holder_constructed(self)) return 0;
    return py::cast<const CallGuard&>(py::handle(self)).traverse(visit, arg);
  };
  type.tp_clear = [](PyObject* self) -> int {
    py::cast<CallGuard&>(py::handle(self)).clear();
    return 0;
  };
}

}  // namespace

void bind_call_guard(py::module_& m) {
  py::class_<CallGuard>(m, "CallGuard", py::custom_type_setup(collectable))
      .def(py::init<const py::tuple&, const py::object&, const py::dict&, const py::tuple&,
                    const py::object&, const py::list&>())
      .def("holds", &CallGuard::holds)
      .def_property_readonly("used", &CallGuard::used);
}

}  // namespace paddle::bindings
