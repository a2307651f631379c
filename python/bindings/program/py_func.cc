// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator py_func: a Python function as an operation of a program. What it gives is declared
// when the function is registered; functions live as long as the process, as programs that name
// them may.
#include <deque>
#include <mutex>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

struct Declared {
  std::vector<int64_t> shape;  // negative: known when it ran
  DType dtype = DType::kFloat32;
};

struct Function {
  PyObject* callable = nullptr;  // (list of tensors) -> list of tensors
  std::vector<Declared> results;
  int64_t backward = -1;  // function of inputs, results and their gradients; -1: none
};

std::mutex mutex;
std::deque<Function>& functions() {
  static auto* all = new std::deque<Function>;  // outlives every program
  return *all;
}

const Function& function_at(int64_t i) {
  const std::lock_guard lock(mutex);
  PADDLE_CHECK_VALUE(i >= 0 && i < static_cast<int64_t>(functions().size()), "py_func: function ",
                     i,
                     " is not known to this process; a program with Python functions runs only "
                     "where it was built.");
  return functions()[static_cast<size_t>(i)];
}

void infer(Infer& c) {
  const Function& f = function_at(c.i(1));
  c.set_list_size(f.results.size());
  for (size_t k = 0; k < f.results.size(); ++k) {
    Shape& shape = c.out(static_cast<int>(k), f.results[k].dtype);
    for (const int64_t n : f.results[k].shape) {
      shape.push_back(n < 0 ? c.data_dependent_size() : Dim(n));
    }
  }
}

void run(KernelContext& c) {
  const Function& f = function_at(c.i(1));
  const GilAcquire gil;
  Ref given = checked(PyList_New(0));
  for (const Tensor& t : c.list(0)) {
    const Ref item = checked(wrap(t.detach()));
    checked(PyList_Append(given.get(), item.get()));
  }
  const Ref made = checked(PyObject_CallOneArg(f.callable, given.get()));
  const Ref list = checked(PySequence_Fast(made.get(), "py_func: the function gives no list."));
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(list.get()));
  PADDLE_CHECK_VALUE(count == f.results.size(), "py_func: the function returns ", count,
                     " values; ", f.results.size(), " were declared.");
  for (size_t k = 0; k < count; ++k) {
    PyObject* item = PySequence_Fast_GET_ITEM(list.get(), static_cast<Py_ssize_t>(k));
    if (!is_tensor(item)) throw_type(str("py_func: result ", k, " is no tensor."));
    c.set_out(static_cast<int>(k), tensor_of(item).detach());
  }
}

TensorList called(const TensorList& given, int64_t function) {
  const OpDef& op = Registry::global().at("py_func");
  const Slot slots[] = {Slot::of(given), Slot::of_int(function)};
  Outputs outs;
  call(op, slots, outs);
  return {outs.begin(), outs.end()};
}

Tensor zeros_like(const Tensor& t) {
  const OpDef& op = Registry::global().at("full_like");
  const Scalar zero(0.0);
  const Slot slots[] = {Slot::of(t), Slot::of(zero), Slot::of(t.dtype()), Slot::of(t.place())};
  Outputs outs;
  call(op, slots, outs);
  return outs[0];
}

void gradient(Vjp& v) {
  const Function& f = function_at(v.i(1));
  if (f.backward < 0) return;
  TensorList given = v.list(0);
  for (size_t k = 0; k < f.results.size(); ++k) given.push_back(v.out(static_cast<int>(k)));
  for (size_t k = 0; k < f.results.size(); ++k) {
    const int at = static_cast<int>(k);
    given.push_back(v.has_grad(at) ? v.grad(at) : zeros_like(v.out(at)));
  }
  v.set_list(0, called(given, f.backward));
}

void define_operator() {
  if (Registry::global().find("py_func")) return;
  OpDef op;
  op.schema("py_func(Tensor[] x, int64 function) -> (Tensor[] out)")
      .doc("What a Python function makes of the values of x.")
      .opaque("a Python function")
      .trait(kDynamicOutput | kSideEffect)
      .infer(infer)
      .saves({"x", "out"})
      .vjp(gradient);
  for (int d = 0; d < kNumDTypes; ++d) {
    op.kernels.set(Place(), static_cast<DType>(d), Kernel{run, false});
  }
  Registry::global().add(std::move(op));
}

}  // namespace

void bind_py_func(py::module_& m) {
  m.def("register_function",
        [](const py::function& callable, const std::vector<std::vector<int64_t>>& shapes,
           const py::sequence& dtypes, int64_t backward) {
          return translated([&] {
            define_operator();
            Function f;
            for (size_t k = 0; k < shapes.size(); ++k) {
              Declared d{shapes[k]};
              if (!to_dtype(py::object(dtypes[k]).ptr(), d.dtype)) {
                throw_type("py_func: a declared dtype is no data type.");
              }
              f.results.push_back(std::move(d));
            }
            f.callable = py::object(callable).release().ptr();
            f.backward = backward;
            const std::lock_guard lock(mutex);
            functions().push_back(std::move(f));
            return static_cast<int64_t>(functions().size()) - 1;
          });
        });
  m.def("call_function", [](const py::sequence& given, int64_t function) {
    return translated([&] { return wrapped(called(tensors(given), function)); });
  });
}

}  // namespace paddle::bindings
