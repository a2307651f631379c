// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The compiler in `_core.pir`: whether programs made in a scope are compiled, what was compiled.
#include <pybind11/stl.h>

#include <memory>

#include "pir/compiler_door/compiler_library.h"
#include "pir/interpreter/executable.h"
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

py::dict described(const pir::SourceEntry& e) {
  py::list arguments;
  for (const pir::SourceArgument& a : e.arguments) {
    arguments.append(py::make_tuple(a.kind, a.number));
  }
  py::dict out;
  out["name"] = e.name;
  out["threads"] = e.threads;
  out["blocks"] = e.blocks;
  out["shared_bytes"] = e.shared_bytes;
  out["arguments"] = arguments;
  return out;
}

py::dict described(const pir::GroupSource& g) {
  py::list buffers, entries;
  for (const pir::SourceBuffer& b : g.buffers) {
    py::dict buffer;
    buffer["space"] = b.space;
    buffer["dtype"] = str(b.dtype);
    buffer["elements"] = b.elements;
    buffer["argument"] = b.argument;
    buffers.append(buffer);
  }
  for (const pir::SourceEntry& e : g.entries) entries.append(described(e));
  py::dict out;
  out["name"] = g.name;
  out["text"] = g.text;
  out["loops"] = g.loops;
  out["sizes"] = g.sizes;
  out["buffers"] = buffers;
  out["entries"] = entries;
  out["inputs"] = g.inputs;
  out["results"] = g.results;
  out["replaces"] = g.replaces;
  out["multiple"] = g.multiple;
  return out;
}

// Groups of a captured program as text for another compiler, with what launching them takes.
py::list group_sources(const pir::Executable& executable, const std::string& target) {
  std::vector<pir::GroupSource> sources;
  translated([&] {
    const GilRelease released;
    sources = pir::group_sources(executable.captured().program->block(), target);
  });
  py::list out;
  for (const pir::GroupSource& g : sources) out.append(described(g));
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
  m.def("group_sources", group_sources, py::arg("executable"), py::arg("target"));
  m.def("finish_compiling", [] {
    translated([] {
      const GilRelease released;
      pir::finish_compiling();
    });
  });
}

}  // namespace paddle::bindings
