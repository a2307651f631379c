// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir.Segments`: the segments of one function and the recorder that finds them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "pir/compiler_door/reported_group.h"
#include "pir/segment/recorder.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {

using pir::Recorder;
using pir::SegmentCache;
using pir::SegmentReport;

namespace {

struct Reports {
  std::vector<SegmentReport> list;
};

void bind_report(py::module_& m) {
  py::class_<SegmentReport>(m, "SegmentReport")
      .def_readonly("why", &SegmentReport::why)
      .def_readonly("where", &SegmentReport::where)
      .def_readonly("how", &SegmentReport::how)
      .def_readonly("anew", &SegmentReport::anew)
      .def_readonly("calls", &SegmentReport::calls)
      .def_readonly("guards", &SegmentReport::guards)
      .def_readonly("decisions", &SegmentReport::decisions)
      .def_readonly("groups", &SegmentReport::groups)
      .def_readonly("inputs", &SegmentReport::inputs)
      .def_readonly("results", &SegmentReport::results)
      .def_readonly("writes", &SegmentReport::writes)
      .def_readonly("program_operations", &SegmentReport::program_operations);
  py::class_<Reports>(m, "SegmentReports").def(py::init<>()).def("take", [](Reports& reports) {
    py::list list;
    for (SegmentReport& r : reports.list) list.append(std::move(r));
    reports.list.clear();
    return list;
  });
}

}  // namespace

void bind_segments(py::module_& m) {
  bind_report(m);
  py::class_<SegmentCache, std::shared_ptr<SegmentCache>>(m, "Segments")
      .def(py::init<>())
      .def(
          "begin",
          [](SegmentCache& cache, Reports* reports) {
            return translated([&] {
              return Recorder::of_thread().begin(cache, reports ? &reports->list : nullptr);
            });
          },
          py::arg("reports") = nullptr)
      .def("end",
           [](SegmentCache&) {
             translated([&] {
               const GilRelease released;
               Recorder::of_thread().end();
             });
           })
      .def("pays", &SegmentCache::pays)
      .def_readwrite("compiled", &SegmentCache::compiled)
      .def_property_readonly("is_full", &SegmentCache::is_full)
      .def("__len__", &SegmentCache::size)
      .def_property_readonly("programs", &SegmentCache::programs);
}

}  // namespace paddle::bindings
