// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir.SavedProgram`: programs of files; tensors as records; what a model file holds.
#include "paddle_core/dispatch/deferred.h"
#include "pir/serialize/inspect.h"
#include "pir/serialize/serialize.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {
namespace {

using pir::SavedProgram;

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

}  // namespace

void bind_saved_program(py::module_& m) {
  m.def("model_summary", &model_summary);
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
              return pir::load_program(program, params,
                                       {optimize, {}, frozen, false, bfloat16, false, {}});
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
      // Offsets of the sequences of each input and, in the result, of each output.
      .def("run_sequences",
           [](const SavedProgram& p, const py::sequence& inputs,
              const std::vector<pir::SequenceOffsets>& sequences) {
             return translated([&] {
               const RunsNow now("a loaded program runs");
               std::vector<pir::SequenceOffsets> made;
               py::object results = wrapped(p.run(tensors(inputs), sequences, &made));
               return py::make_tuple(std::move(results), std::move(made));
             });
           })
      .def_property_readonly("has_sequences",
                             [](const SavedProgram& p) { return !p.input_offsets.empty(); })
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

}  // namespace paddle::bindings
