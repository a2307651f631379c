// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir.Recording`: programs that calls append to, how they are read, changed and compiled.
// `_core.pir.Suspended`: a scope in which calls run at once.
#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/deferred.h"
#include "pir/interpreter/executable.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/program/control_flow.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

using pir::Executable;
using pir::Recording;

// While one is alive, calls on this thread run although a program is being recorded.
class Suspended {
 public:
  void enter() {
    materialize_all("calls that run at once");
    sink_ = capture_sink();
    set_capture_sink(nullptr);
  }
  void leave() { set_capture_sink(sink_); }

 private:
  CaptureSink* sink_ = nullptr;
};

// Entering, inputs, and what was recorded.
void bind_contents(py::class_<Recording>& type) {
  type.def(py::init<>())
      .def("enter", [](Recording& r) { translated([&] { r.enter(); }); })
      .def("leave", [](Recording& r) { r.leave(); })
      .def_property_readonly("active", &Recording::active)
      .def("data",
           [](Recording& r, const std::string& name, const std::vector<int64_t>& shape,
              py::object dtype, bool stop_gradient) {
             return translated([&] {
               return py::reinterpret_steal<py::object>(
                   wrap(r.data(name, shape, dtype_of(dtype), stop_gradient)));
             });
           })
      .def_property_readonly("input_names", &Recording::input_names)
      .def_property_readonly("captured",
                             [](const Recording& r) {
                               TensorList list;
                               for (const auto& c : r.recorded().captured) list.push_back(c.tensor);
                               return wrapped(list);
                             })
      .def_property_readonly(
          "num_operations",
          [](const Recording& r) { return r.recorded().program->num_operations(); })
      .def("find",
           [](const Recording& r, const std::string& name) -> py::object {
             const Tensor t = r.find(name);
             if (!t.defined()) return py::none();
             return py::reinterpret_steal<py::object>(wrap(t));
           })
      .def("placeholder",
           [](Recording&, const std::vector<int64_t>& shape, py::object dtype) {
             return translated([&] {
               Shape extents;
               for (const int64_t n : shape) extents.push_back(Dim(n));
               return py::reinterpret_steal<py::object>(
                   wrap(Tensor::meta(extents, dtype_of(dtype))));
             });
           })
      .def("operations",
           [](Recording& r) { return translated([&] { return recorded_operations(r); }); })
      .def("owns",
           [](Recording& r, const py::object& t) {
             return r.capture().values().owns(tensor_of(t.ptr()));
           })
      .def("knows",  // also tensors of what it was copied from
           [](Recording& r, const py::object& t) {
             return r.capture().values().knows(tensor_of(t.ptr()));
           });
}

// Changes of single operations, named by their addresses, and of values.
void bind_changes(py::class_<Recording>& type) {
  type.def("give_state",
           [](Recording& r, const py::object& target, const py::object& value,
              const std::string& operation) {
             translated([&] {
               r.capture().writes().assign_state(tensor_of(target.ptr()), tensor_of(value.ptr()),
                                                 operation);
             });
           })
      .def("remove",
           [](Recording& r, uintptr_t op) {
             translated([&] { r.remove(reinterpret_cast<const void*>(op)); });
           })
      .def("move",
           [](Recording& r, uintptr_t op, uintptr_t before) {
             translated([&] {
               r.move(reinterpret_cast<const void*>(op), reinterpret_cast<const void*>(before));
             });
           })
      .def("set_attribute",
           [](Recording& r, uintptr_t op, const std::string& name, const py::object& value) {
             translated([&] {
               const auto* which = reinterpret_cast<const void*>(op);
               const pir::Attribute* known = r.operation_at(which)->find_attribute(name);
               r.set_attribute(which, name, attribute_like(known, value));
             });
           })
      .def("set_operand",
           [](Recording& r, uintptr_t op, size_t i, const py::object& t) {
             translated([&] {
               pir::Operation* reader = r.operation_at(reinterpret_cast<const void*>(op));
               PADDLE_CHECK_KIND(ErrorKind::kIndex, i < reader->num_operands(),
                                 "OpOperand.set_source: ", reader->name(), " has ",
                                 reader->num_operands(), " operands; there is no ", i, ".");
               reader->set_operand(i, r.capture().values().value_of(tensor_of(t.ptr())));
             });
           })
      .def("remove_unused",
           [](Recording& r) { return translated([&] { return r.remove_unused(); }); })
      .def("name_output",
           [](Recording& r, const py::object& value, const std::string& name, uintptr_t before) {
             translated([&] {
               r.name_output(tensor_of(value.ptr()), name, reinterpret_cast<void*>(before));
             });
           })
      .def("rename_state", &Recording::rename_state)
      .def("operation_ids",
           [](const Recording& r) {
             std::vector<uintptr_t> ids;
             for (const auto& op : r.recorded().program->block().operations()) {
               ids.push_back(reinterpret_cast<uintptr_t>(op.get()));
             }
             return ids;
           })
      .def("record_before",
           [](Recording& r, uintptr_t op) {
             translated([&] { r.record_before(reinterpret_cast<const void*>(op)); });
           })
      .def("decompose",
           [](Recording& r, uintptr_t op) {
             return translated([&] { return r.decompose(reinterpret_cast<const void*>(op)); });
           })
      .def("replace_uses",
           [](Recording& r, const py::object& from, const py::object& to) {
             translated([&] { r.replace_uses(tensor_of(from.ptr()), tensor_of(to.ptr())); });
           })
      .def("note_gradient",
           [](Recording& r, const py::sequence& targets, const py::sequence& inputs,
              const py::sequence& seeds, const py::sequence& results) {
             translated([&] {
               r.note_gradient(tensors(targets), tensors(inputs), optional_tensors(seeds),
                               optional_tensors(results));
             });
           });
}

// Copies, executables and pictures.
void bind_results(py::class_<Recording>& type) {
  type.def(
          "copy",
          [](Recording& r, bool for_test, bool with_writes, const py::object& targets) {
            return translated([&] {
              const TensorList wanted =
                  targets.is_none() ? TensorList() : tensors(py::cast<py::sequence>(targets));
              pir::RecordingCopy made =
                  r.copy(for_test, with_writes, targets.is_none() ? nullptr : &wanted);
              py::dict ids;
              for (const auto& [old, mine] : made.operations) {
                ids[py::int_(reinterpret_cast<uintptr_t>(old))] =
                    py::int_(reinterpret_cast<uintptr_t>(mine));
              }
              return py::make_tuple(py::cast(std::move(made.recording)), ids);
            });
          },
          py::arg("for_test") = false, py::arg("with_writes") = true,
          py::arg("targets") = py::none())
      .def("compile",
           [](Recording& r, const std::vector<std::string>& feeds, const py::sequence& fetches,
              bool for_test, bool with_writes, bool for_export, const py::sequence& bound,
              bool as_fed) {
             return translated([&] {
               pir::BoundTensors others;
               for (const py::handle& pair : bound) {
                 const auto both = tensors(py::reinterpret_borrow<py::sequence>(pair));
                 others.emplace(both.at(0).impl(), both.at(1));
               }
               auto captured = r.compile(feeds, tensors(fetches),
                                         {for_test, with_writes, !for_export, as_fed}, others);
               captured->for_export = for_export;
               return std::make_shared<Executable>(std::move(captured));
             });
           })
      .def(
          "visualize",
          [](const Recording& r, const std::string& path, const Times* times) {
            translated([&] { draw(*r.recorded().program, path, times); });
          },
          py::arg("path"), py::arg("times") = nullptr)
      .def("__str__", [](const Recording& r) { return pir::print(*r.recorded().program); });
}

}  // namespace

void bind_recording(py::module_& m) {
  py::class_<Suspended>(m, "Suspended")
      .def(py::init<>())
      .def("__enter__", [](Suspended& s) { s.enter(); })
      .def("__exit__", [](Suspended& s, const py::args&) { s.leave(); });
  py::class_<Recording> type(m, "Recording");
  bind_control_flow(type);
  bind_contents(type);
  bind_changes(type);
  bind_results(type);
}

}  // namespace paddle::bindings
