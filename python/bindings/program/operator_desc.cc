// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir.operator_as_program`: an operator of PaddlePaddle 2, by its name, slots and
// attributes, as a program that runs.
#include "pir/serialize/serialize.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/program/program.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {
namespace {

// Numbers and texts; of a list the first element tells which.
pir::AttrDesc attribute_of(const std::string& name, const py::object& value) {
  using Kind = pir::AttrDesc::Kind;
  pir::AttrDesc out;
  out.is_list = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
  const py::list all = out.is_list ? py::list(value) : py::list();
  const auto read = [&](const py::handle& item) {
    if (py::isinstance<py::bool_>(item)) {
      out.is_bool = true;
      out.ints.push_back(item.cast<bool>());
    } else if (py::isinstance<py::int_>(item)) {
      out.ints.push_back(item.cast<int64_t>());
    } else if (py::isinstance<py::float_>(item)) {
      out.reals.push_back(item.cast<double>());
    } else if (py::isinstance<py::str>(item)) {
      out.texts.push_back(item.cast<std::string>());
    } else {
      throw_type(str("operator attribute ", name, " is a ",
                     std::string(py::str(py::type::of(item).attr("__name__"))),
                     "; it must be a bool, an int, a float, a str or a list of one of them."));
    }
  };
  if (!out.is_list) read(value);
  for (const py::handle& item : all) read(item);
  if (!out.reals.empty()) {
    if (!out.ints.empty()) {  // whole numbers among others
      out.ints.clear();
      out.reals.clear();
      for (const py::handle& item : all) out.reals.push_back(item.cast<double>());
    }
    out.kind = Kind::kReals;
  } else if (!out.texts.empty()) {
    out.kind = Kind::kTexts;
  }
  return out;
}

using Slots = std::vector<std::pair<std::string, std::vector<std::string>>>;

pir::SavedProgram made(const std::string& type, const Slots& inputs, const py::sequence& tensors,
                       const Slots& outputs, const py::dict& attributes) {
  pir::OpDesc op;
  op.type = type;
  for (const auto& [slot, names] : inputs) {
    // Offsets of sequences are no input: they go with the tensors that they are of.
    if (slot != "@LOD") op.inputs.emplace(slot, names);
  }
  for (const auto& [slot, names] : outputs) op.outputs.emplace(slot, names);
  for (const auto& [name, value] : attributes) {
    const auto key = name.cast<std::string>();
    op.attributes.emplace(key, attribute_of(key, py::reinterpret_borrow<py::object>(value)));
  }
  std::vector<pir::VarDesc> vars;
  size_t at = 0;
  for (const auto& [slot, names] : inputs) {
    for (const std::string& name : names) {
      PADDLE_CHECK_VALUE(at < tensors.size(), "operator ", type, ": there are ", tensors.size(),
                         " tensors for more names.");
      const Tensor& t = tensor_of(py::object(tensors[at++]).ptr());
      pir::VarDesc& var = vars.emplace_back();
      var.name = name;
      var.kind = pir::VarDesc::kDenseTensor;
      var.dtype = t.dtype();
      for (const Dim d : t.shape()) var.dims.push_back(d.is_symbolic() ? -1 : d.value());
    }
  }
  return pir::operator_as_program(op, vars);
}

}  // namespace

void bind_operator_desc(py::module_& m) {
  m.def(
      "operator_as_program",
      [](const std::string& type, const Slots& inputs, const py::sequence& tensors,
         const Slots& outputs, const py::dict& attributes) {
        return translated([&] { return made(type, inputs, tensors, outputs, attributes); });
      },
      py::arg("type"), py::arg("inputs"), py::arg("tensors"), py::arg("outputs"),
      py::arg("attributes"));
  m.def("translated_operators", &pir::translated_operators);
}

}  // namespace paddle::bindings
