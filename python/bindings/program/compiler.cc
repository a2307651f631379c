// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The compiler in `_core.pir`: whether programs made in a scope are compiled, what was compiled.
#include <pybind11/stl.h>

#include <memory>

#include "pir/compiler_door/compiler_library.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {
namespace {

// `with CompilerScope(wanted):`; None: as FLAGS_use_cinn says.
struct PythonCompilerScope {
  std::optional<bool> wanted;
  std::unique_ptr<pir::CompilerScope> scope;
};

py::dict statistics() {
  const pir::CompilerStatistics s = pir::compiler_statistics();
  py::dict out;
  out["compiled"] = s.compiled;
  out["from_disk"] = s.from_disk;
  out["shared"] = s.shared;
  out["failed"] = s.failed;
  out["launches"] = s.launches;
  out["milliseconds"] = s.milliseconds;
  return out;
}

}  // namespace

void bind_compiler(py::module_& m) {
  pir::define_compiler_flags();
  py::class_<PythonCompilerScope>(m, "CompilerScope")
      .def(py::init([](std::optional<bool> wanted) {
             return PythonCompilerScope{wanted, nullptr};
           }),
           py::arg("wanted"))
      .def("__enter__",
           [](PythonCompilerScope& s) {
             if (s.wanted) s.scope = std::make_unique<pir::CompilerScope>(*s.wanted);
           })
      .def("__exit__", [](PythonCompilerScope& s, const py::args&) { s.scope.reset(); });
  m.def("compiler_statistics", statistics);
  m.def("finish_compiling", [] {
    translated([] {
      const GilRelease released;
      pir::finish_compiling();
    });
  });
}

}  // namespace paddle::bindings
