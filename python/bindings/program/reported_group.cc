// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a compiler says of its groups, as dicts.
#include "pir/compiler_door/reported_group.h"

#include <pybind11/stl.h>

#include "paddle_core/device/execution_context.h"
#include "pir/compiler_door/compiler_library.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {
namespace {

py::object number_or_none(int64_t number) {
  return number < 0 ? py::none() : py::object(py::int_(number));
}
py::object ms_or_none(double ms) { return ms > 0 ? py::object(py::float_(ms)) : py::none(); }

py::dict described(const pir::ReportedEdge& e) {
  py::dict out;
  out["from"] = e.from;
  out["to"] = e.to;
  out["fused"] = e.fused;
  out["reads"] = e.reads;
  out["other_group"] = number_or_none(e.other_group);
  out["why"] = e.why;
  return out;
}

py::dict described(const pir::ReportedValue& v) {
  py::dict out;
  out["value"] = v.value;
  out["how"] = v.how;
  out["cost"] = v.cost;
  out["load_cost"] = v.load_cost;
  out["why"] = v.why;
  return out;
}

py::dict described(const pir::ReportedPart& p);
py::dict described(const pir::ReportedTrial& t);
py::dict described(const pir::GroupCode& c);

template <typename T>
py::list described(const std::vector<T>& all) {
  py::list list;
  for (const T& one : all) list.append(described(one));
  return list;
}

py::dict described(const pir::ReportedPart& p) {
  py::dict out;
  out["count"] = p.count;
  out["sizes"] = p.sizes;
  out["variant"] = p.variant;
  out["why_variant"] = p.why_variant;
  out["state"] = p.state;
  out["problem"] = p.problem;
  out["made"] = p.made;
  out["compile_ms"] = ms_or_none(p.compile_ms);
  out["stages"] = p.stages;
  out["values"] = described(p.values);
  out["bytes_moved"] = p.bytes_moved;
  out["bytes_least"] = p.bytes_least;
  return out;
}

py::dict described(const pir::ReportedTrial& t) {
  py::dict out;
  out["name"] = t.name;
  out["ms"] = ms_or_none(t.ms);
  out["chosen"] = t.chosen;
  return out;
}

py::dict described(const pir::GroupReport& g) {
  py::dict out;
  out["number"] = g.number;
  out["name"] = g.name;
  out["operators"] = g.operators;
  out["edges"] = described(g.edges);
  out["parts"] = described(g.parts);
  out["updated_inputs"] = g.updated_inputs;
  out["calls"] = g.calls;
  out["ran_compiled"] = g.ran_compiled;
  out["why_uncompiled"] = g.why_uncompiled;
  out["call_ms"] = ms_or_none(g.call_ms);
  out["best_ms"] = ms_or_none(g.best_ms);
  out["trials"] = described(g.trials);
  out["trials_from_disk"] = g.trials_from_disk;
  return out;
}

py::dict described(const pir::GroupCode& c) {
  py::dict out;
  out["form"] = c.form;
  out["loops"] = c.loops;
  out["mlir"] = c.mlir;
  out["lowered"] = c.lowered;
  out["llvm"] = c.llvm;
  out["assembly"] = c.assembly;
  return out;
}

// What `make` gives, made without the GIL.
template <typename Make>
auto without_gil(const Make& make) {
  decltype(make()) made;
  translated([&] {
    const GilRelease released;
    made = make();
  });
  return made;
}

struct PythonGroupWatch {
  std::unique_ptr<pir::GroupWatch> watch;
};

}  // namespace

void bind_reported_groups(py::module_& m) {
  py::class_<pir::ReportedGroup, std::shared_ptr<pir::ReportedGroup>>(m, "ReportedGroup")
      .def(
          "report",
          [](pir::ReportedGroup& g, bool measure) {
            Generator unseen(0);  // runs for the sake of time draw from no state of the program
            const GeneratorScope scope(unseen);
            return described(without_gil([&] { return g.report(measure); }));
          },
          py::arg("measure"))
      .def("code", [](const pir::ReportedGroup& g) {
        return described(without_gil([&] { return g.code(); }));
      });
  py::class_<PythonGroupWatch>(m, "GroupWatch")
      .def(py::init<>())
      .def("__enter__", [](PythonGroupWatch& w) { w.watch = std::make_unique<pir::GroupWatch>(); })
      .def("__exit__", [](PythonGroupWatch& w, const py::args&) { w.watch.reset(); });
  m.def("copy_rate", [] { return without_gil([] { return pir::copy_rate(); }); });
}

}  // namespace paddle::bindings
