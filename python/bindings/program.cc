// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir`: capture of Python functions, captured programs, saved programs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/observers.h"
#include "pir/capture/capture.h"
#include "pir/capture/recording.h"
#include "pir/draw/draw.h"
#include "pir/interpreter/executable.h"
#include "pir/interpreter/observe.h"
#include "pir/serialize/inspect.h"
#include "pir/serialize/serialize.h"
#include "python/bindings/bindings.h"
#include "python/bindings/deferred.h"
#include "python/bindings/program.h"
#include "python/bindings/symint.h"

namespace paddle::bindings {
namespace {

// The user's line, from Python's frames.
std::string location() {
  const py::gil_scoped_acquire gil;
  static const py::handle function =
      py::object(py::module_::import("paddle.framework.location").attr("user_location")).release();
  return py::cast<std::string>(function());
}

using pir::Capture;
using pir::Executable;
using pir::SavedProgram;

// Times of operations, filled by the runs of the thread inside of `with times:`.
class Times {
 public:
  void enter() { watch_ = std::make_unique<pir::OperationWatch>(times_); }
  void leave() { watch_.reset(); }
  const pir::OperationTimes& get() const { return times_; }
  // (name, calls, ns, bytes) of each operation.
  py::list rows() const {
    py::list out;
    for (const auto& [op, time] : times_) {
      out.append(py::make_tuple(op->name(), time.calls, time.ns, time.bytes));
    }
    return out;
  }

 private:
  pir::OperationTimes times_;
  std::unique_ptr<pir::OperationWatch> watch_;
};

void draw(const pir::Program& program, const std::string& path, const Times* times) {
  pir::draw(program, path, times ? times->get() : pir::OperationTimes());
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

// (shape, dtype) of each value; -1 stands for extents that are not known.
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

py::list entries(const std::vector<pir::ModelSummary::Entry>& list) {
  py::list out;
  for (const auto& e : list) {
    out.append(py::make_tuple(e.name, std::string(name_of(e.dtype)), size_of(e.dtype), e.shape));
  }
  return out;
}

// A dict: format, version, inputs, outputs, parameters, operators, missing.
py::dict model_summary(const std::string& path) {
  const pir::ModelSummary s = translated([&] { return pir::inspect_model(path); });
  py::dict out;
  out["format"] = s.format;
  out["version"] = s.version;
  out["inputs"] = entries(s.inputs);
  out["outputs"] = entries(s.outputs);
  out["parameters"] = entries(s.parameters);
  out["operators"] = s.operators;
  out["missing"] = s.missing;
  return out;
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

TensorList optional_tensors(const py::sequence& list) {
  TensorList out;
  for (const py::handle& t : list) out.push_back(t.is_none() ? Tensor() : tensor_of(t.ptr()));
  return out;
}

pir::Capture& capture_of(Capture& c) { return c; }
pir::Capture& capture_of(pir::Recording& r) { return r.capture(); }

// Branches, loops and gradients through them: of captures and of recordings.
template <typename T>
void bind_control_flow(py::class_<T>& type) {
  type.def("begin_if",
           [](T& c, const py::object& condition) {
             translated([&] { capture_of(c).begin_if(tensor_of(condition.ptr())); });
           })
      .def("enter_branch",
           [](T& c, size_t i) { translated([&] { capture_of(c).enter_branch(i); }); })
      .def("leave_branch",
           [](T& c, size_t i) { translated([&] { capture_of(c).leave_branch(i); }); })
      .def("end_if",
           [](T& c, const py::sequence& first, const py::sequence& second) {
             return translated(
                 [&] { return wrapped(capture_of(c).end_if(tensors(first), tensors(second))); });
           })
      .def("begin_while",
           [](T& c, const py::object& condition, const py::sequence& values) {
             translated(
                 [&] { capture_of(c).begin_while(tensor_of(condition.ptr()), tensors(values)); });
           })
      .def("begin_round",
           [](T& c) { return translated([&] { return wrapped(capture_of(c).begin_round()); }); })
      .def("end_round",
           [](T& c, const py::object& condition, const py::sequence& next) {
             return translated([&] {
               return capture_of(c).end_round(tensor_of(condition.ptr()), tensors(next));
             });
           })
      .def("end_only_round",
           [](T& c, const py::object& condition) {
             translated([&] { capture_of(c).end_only_round(tensor_of(condition.ptr())); });
           })
      .def("drop_while", [](T& c) { translated([&] { capture_of(c).drop_while(); }); })
      .def_property_readonly("open_scopes", [](T& c) { return capture_of(c).open_scopes(); })
      .def("drop_scopes",
           [](T& c, size_t depth) { translated([&] { capture_of(c).drop_scopes(depth); }); })
      .def("end_while",
           [](T& c) { return translated([&] { return wrapped(capture_of(c).end_while()); }); })
      .def_property_readonly("has_control_flow",
                             [](T& c) { return capture_of(c).has_control_flow(); })
      .def_property_readonly("has_open_extents",
                             [](T& c) { return capture_of(c).has_open_extents(); })
      .def_property_readonly("gradients_wait", [](T& c) { return capture_of(c).gradients_wait(); })
      .def("record_gradient", [](T& c, const py::sequence& targets, const py::sequence& inputs,
                                 const py::sequence& seeds) {
        return translated([&] {
          return wrapped(capture_of(c).record_gradient(tensors(targets), tensors(inputs),
                                                       optional_tensors(seeds)));
        });
      });
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
      .def_property_readonly("has_gradient", [](Capture& c) { return c.has_gradient(); })
      .def("begin", [](Capture& c) { translated([&] { c.begin(); }); })
      .def("end", [](Capture& c) { c.end(); })
      .def("add_input",
           [](Capture& c, const std::string& name, const std::vector<int64_t>& shape,
              py::object dtype, bool stop_gradient, const std::vector<int64_t>& examples) {
             return translated([&] {
               return py::reinterpret_steal<py::object>(
                   wrap(c.add_input(name, shape, dtype_of(dtype), stop_gradient, examples)));
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

// While one is alive, calls on this thread run although a program is being recorded.
class Suspended {
 public:
  void enter() {
    settle_all("calls that run at once");
    sink_ = capture_sink();
    set_capture_sink(nullptr);
  }
  void leave() { set_capture_sink(sink_); }

 private:
  CaptureSink* sink_ = nullptr;
};

void bind_recording(py::module_& m) {
  using pir::Recording;
  py::class_<Suspended>(m, "Suspended")
      .def(py::init<>())
      .def("__enter__", [](Suspended& s) { s.enter(); })
      .def("__exit__", [](Suspended& s, const py::args&) { s.leave(); });
  py::class_<Recording> type(m, "Recording");
  bind_control_flow(type);
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
      .def(
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
      .def("owns",
           [](Recording& r, const py::object& t) { return r.capture().owns(tensor_of(t.ptr())); })
      .def("knows",  // also tensors of what it was copied from
           [](Recording& r, const py::object& t) { return r.capture().knows(tensor_of(t.ptr())); })
      .def("give_state",
           [](Recording& r, const py::object& target, const py::object& value,
              const std::string& operation) {
             translated([&] {
               r.capture().give_state(tensor_of(target.ptr()), tensor_of(value.ptr()), operation);
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
               reader->set_operand(i, r.capture().value_of(tensor_of(t.ptr())));
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
           })
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

void bind_saved(py::module_& m) {
  m.def("tensors_to_records", [](const py::sequence& list) {
    return translated([&] { return py::bytes(pir::tensors_to_records(tensors(list))); });
  });
  m.def("tensors_from_records", [](const std::string& data, size_t count) {
    return translated([&] { return wrapped(pir::tensors_from_records(data, count)); });
  });
  py::class_<SavedProgram>(m, "SavedProgram")
      .def_static(
          "load",
          [](const std::string& program, const std::string& params, bool optimize, bool frozen,
             bool bfloat16) {
            return translated([&] {
              return pir::load_program(program, params, {optimize, {}, frozen, bfloat16, {}});
            });
          },
          py::arg("program"), py::arg("params"), py::arg("optimize") = true,
          py::arg("frozen") = false, py::arg("bfloat16") = false)
      .def("run",
           [](const SavedProgram& p, const py::sequence& inputs) {
             return translated([&] {
               std::optional<RunsNow> now;  // a capture takes its operators in
               if (!capture_sink() || deferred_sink()) now.emplace("a loaded program runs");
               return wrapped(p.run(tensors(inputs)));
             });
           })
      .def(
          "visualize",
          [](const SavedProgram& p, const std::string& path, const Times* times) {
            translated([&] { draw(*p.program, path, times); });
          },
          py::arg("path"), py::arg("times") = nullptr)
      .def_property_readonly("input_names", [](const SavedProgram& p) { return p.input_names; })
      .def_property_readonly("output_names", [](const SavedProgram& p) { return p.output_names; })
      .def_property_readonly("parameter_names",
                             [](const SavedProgram& p) { return p.parameter_names; })
      .def_property(
          "parameters", [](const SavedProgram& p) { return wrapped(p.parameters); },
          [](SavedProgram& p, const py::sequence& list) {
            translated([&] { p.set_parameters(tensors(list)); });
          })
      .def_property_readonly("trainable",
                             [](const SavedProgram& p) {
                               std::vector<bool> list;
                               for (const auto* v : p.parameter_values) {
                                 list.push_back(!v->stop_gradient);
                               }
                               return list;
                             })
      .def_property_readonly("input_types",
                             [](const SavedProgram& p) { return types_of(p.inputs); })
      .def_property_readonly("output_types",
                             [](const SavedProgram& p) { return types_of(p.outputs); })
      .def("operations",
           [](const SavedProgram& p) {
             return program_operations(*p.program, p.parameter_values, p.parameters);
           })
      .def("__str__", [](const SavedProgram& p) { return pir::print(*p.program); });
}

Dim arithmetic(const std::string& name, Dim a, Dim b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "min") return min(a, b);
  if (name == "max") return max(a, b);
  return name == "mod" ? mod(a, b) : floordiv(a, b);
}

bool compare(const std::string& name, Dim a, Dim b) {
  // Without examples, two unknown extents count as equal: in PaddlePaddle both are -1.
  const bool unknown = a.is_symbolic() && b.is_symbolic();
  if (name == "eq") return decide_eq(a, b, unknown);
  if (name == "ne") return !decide_eq(a, b, unknown);
  if (name == "le") return decide_le(a, b, true);
  if (name == "ge") return decide_le(b, a, true);
  return name == "lt" ? !decide_le(b, a, false) : !decide_le(a, b, false);
}

void bind_extents(py::module_& m) {
  m.def("set_symint_type", [](const py::object& type) { set_symint_type(type.ptr()); });
  m.def("dim_is_symbolic", [](int64_t d) { return Dim(d).is_symbolic(); });
  m.def("dim_text", [](int64_t d) { return str(Dim(d)); });
  m.def("dim_arithmetic", [](const std::string& name, int64_t a, int64_t b) {
    return translated([&] { return dim_bits(arithmetic(name, Dim(a), Dim(b))); });
  });
  m.def("dim_compare", [](const std::string& name, int64_t a, int64_t b) {
    return translated([&] { return compare(name, Dim(a), Dim(b)); });
  });
  m.def("dim_pin", [](int64_t d) {
    return translated([&] {
      SymbolScope* scope = SymbolScope::current();
      PADDLE_CHECK_RUNTIME(scope, "SymInt: the capture of this extent has ended.");
      return scope->pin(Dim(d));
    });
  });
  m.def("dim_is_known", [](int64_t d) {
    const SymbolScope* scope = SymbolScope::current();
    return scope && evaluate(Dim(d), scope->examples()).has_value();
  });
}

}  // namespace

void bind_program(PyObject* module) {
  py::module_ root = py::reinterpret_borrow<py::module_>(module);
  py::module_ m = root.def_submodule("pir", "Capture and saved programs.");
  bind_times(m);
  bind_capture(m);
  bind_executable(m);
  bind_recording(m);
  bind_saved(m);
  bind_extents(m);
  bind_passes(m);
  m.def("model_summary", &model_summary);
  set_location_source(location);
  bind_segments(m);
  bind_call_guard(m);
  bind_py_func(m);
  bind_legacy(m);
  m.def("is_symbolic", [](const py::object& t) {
    return capturing() && is_tensor(t.ptr()) && !tensor_of(t.ptr()).has_storage();
  });
  m.def("parse", [](const std::string& text) {
    return translated([&] { return pir::print(*pir::parse(text)); });
  });
}

}  // namespace paddle::bindings
