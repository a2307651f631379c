// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir`: captures of Python functions and the programs made of them; the parts of the module
// that stand in other files.
#include "python/bindings/program/program.h"
#include "pir/compiler_door/compiler_library.h"

#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "pir/capture/capture.h"
#include "pir/interpreter/executable.h"
#include "pir/serialize/serialize.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/control_flow.h"
#include "python/bindings/values/deferred.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/symint.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

using pir::Capture;
using pir::Executable;

// The user's line, from Python's frames.
std::string location() {
  const py::gil_scoped_acquire gil;
  // Not initialised by the declaration: the import lets other threads of Python run, and one that
  // waited here for the first would hold the interpreter.
  static py::handle function;
  if (!function) {
    function = py::object(py::module_::import("paddle.framework.location").attr("user_location"))
                   .release();
  }
  return py::cast<std::string>(function());
}

void bind_times(py::module_& m) {
  py::class_<Times>(m, "Times")
      .def(py::init<>())
      .def(
          "__enter__",
          [](Times& t) -> Times& {
            t.enter();
            return t;
          },
          py::return_value_policy::reference)
      .def("__exit__", [](Times& t, const py::args&) { t.leave(); })
      .def("rows", &Times::rows);
}

// A Python function as one that programs call; its error goes on to the caller of the program.
pir::HostFunction host_function_of(const py::object& function) {
  return [shared = SharedRef(function.ptr())](const TensorList& values) {
    const GilAcquire gil;
    const ModeGuard no_capture(kModeCapture);
    const Ref arguments = checked(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
    for (size_t i = 0; i < values.size(); ++i) {
      PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), wrap(values[i]));
    }
    const Ref made = checked(PyObject_CallObject(shared.get(), arguments.get()));
    return made.get() == Py_None ? TensorList()
                                 : tensors(py::reinterpret_borrow<py::sequence>(made.get()));
  };
}

void bind_capture(py::module_& m) {
  py::class_<Capture> type(m, "Capture");
  bind_control_flow(type);
  type.def(py::init<bool>())
      .def("host_call",
           [](Capture& c, const py::object& function, const py::sequence& values) {
             translated([&] { c.host_call(host_function_of(function), tensors(values)); });
           })
      .def("host_results",
           [](Capture& c, const py::object& function, const py::sequence& values,
              const py::sequence& like) {
             return translated([&] {
               return wrapped(
                   c.host_call(host_function_of(function), tensors(values), tensors(like)));
             });
           })
      .def_property_readonly("has_gradient", [](Capture& c) { return c.recorded().has_gradient; })
      .def("begin", [](Capture& c) { translated([&] { c.begin(); }); })
      .def("abandon", [](Capture& c) { c.abandon(); })
      .def("add_input",
           [](Capture& c, const std::string& name, const std::vector<int64_t>& shape,
              py::object dtype, bool stop_gradient, const std::vector<int64_t>& examples,
              const py::object& like) {
             return translated([&] {
               const Place place = is_tensor(like.ptr()) ? tensor_of(like.ptr()).place() : Place();
               return py::reinterpret_steal<py::object>(wrap(c.values().add_input(
                   name, shape, dtype_of(dtype), stop_gradient, examples, place)));
             });
           })
      .def("set_outputs",
           [](Capture& c, const py::sequence& outputs, bool differentiate) {
             translated([&] { c.set_outputs(tensors(outputs), differentiate); });
           })
      .def("finish", [](Capture& c) {
        return translated([&] { return std::make_shared<Executable>(c.finish()); });
      });
}

void bind_executable(py::module_& m) {
  py::class_<Executable, std::shared_ptr<Executable>>(m, "Executable")
      .def("run",
           [](Executable& e, const py::sequence& inputs) {
             return translated([&] {
               const TensorList given = tensors(inputs);
               TensorList out;
               {
                 const GilRelease released;
                 const RunsNow now("a captured program runs");
                 out = e.run(given);
               }
               return wrapped(out);
             });
           })
      .def("gradients_fit", &Executable::gradients_fit)
      .def_property_readonly("finds_gradients", &Executable::finds_gradients)
      .def("guards_hold",
           [](const Executable& e, const py::sequence& inputs) {
             return translated([&] { return e.guards_hold(tensors(inputs)); });
           })
      .def_property_readonly("reusable", &Executable::reusable)
      .def_property_readonly("output_types",
                             [](const Executable& e) { return types_of(e.captured().outputs); })
      .def_property_readonly(
          "num_operations",
          [](const Executable& e) { return e.captured().program->num_operations(); })
      .def_property_readonly("guards",
                             [](const Executable& e) {
                               std::vector<std::string> list;
                               for (const auto& f : e.captured().facts) list.push_back(str(f));
                               return list;
                             })
      .def_property_readonly("decisions", [](const Executable& e) { return e.captured().grouping; })
      .def_property_readonly(
          "groups",
          [](const Executable& e) { return pir::reported_groups(e.captured().program->block()); })
      .def_property_readonly("captured",
                             [](const Executable& e) {
                               TensorList list;
                               for (const auto& c : e.captured().captured) list.push_back(c.tensor);
                               return wrapped(list);
                             })
      .def("operations",
           [](const Executable& e) {
             std::vector<pir::Value*> values;
             TensorList list;
             for (const auto& c : e.captured().captured) {
               values.push_back(c.value);
               list.push_back(c.tensor);
             }
             return program_operations(*e.captured().program, values, list);
           })
      .def("__str__", [](const Executable& e) { return e.text(); })
      .def(
          "visualize",
          [](const Executable& e, const std::string& path, const Times* times) {
            translated([&] { draw(*e.captured().program, path, times); });
          },
          py::arg("path"), py::arg("times") = nullptr)
      .def(
          "save",
          [](const Executable& e, const std::string& prefix, const std::vector<std::string>& names,
             const std::optional<std::vector<size_t>>& outputs) {
            translated([&] {
              pir::save_program(e.captured(), prefix, names, outputs ? &*outputs : nullptr);
            });
          },
          py::arg("prefix"), py::arg("names"), py::arg("outputs") = py::none());
}

}  // namespace

py::list types_of(const std::vector<pir::Value*>& values) {
  py::list out;
  for (const pir::Value* v : values) {
    std::vector<int64_t> shape;
    for (const Dim d : v->type().shape()) shape.push_back(d.is_symbolic() ? -1 : d.value());
    out.append(
        py::make_tuple(shape, py::reinterpret_steal<py::object>(wrap_dtype(v->type().dtype()))));
  }
  return out;
}

void bind_program(PyObject* module) {
  py::module_ root = py::reinterpret_borrow<py::module_>(module);
  py::module_ m = root.def_submodule("pir", "Capture and saved programs.");
  bind_times(m);
  bind_capture(m);
  bind_executable(m);
  bind_recording(m);
  bind_saved_program(m);
  bind_extents(m);
  bind_passes(m);
  set_location_source(location);
  bind_segments(m);
  bind_compiler(m);
  bind_reported_groups(m);
  bind_call_guard(m);
  bind_py_func(m);
  bind_operator_desc(m);
  m.def("is_symbolic", [](const py::object& t) {
    return capturing() && is_tensor(t.ptr()) && !tensor_of(t.ptr()).has_storage();
  });
  m.def("parse", [](const std::string& text) {
    return translated([&] { return pir::print(*pir::parse(text)); });
  });
}

}  // namespace paddle::bindings
