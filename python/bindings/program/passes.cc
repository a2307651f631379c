// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `_core.pir.Program`: programs as text that can be verified, rewritten and run; passes by name;
// rewrite rules written in Python.
#include <pybind11/complex.h>

#include "paddle_core/shape/sym.h"
#include "pir/draw/draw.h"
#include "pir/interpreter/interpreter.h"
#include "pir/transform/transform.h"
#include "python/bindings/base/pybind.h"
#include "python/bindings/program/program.h"

namespace paddle::bindings {
namespace {

// A program with its pd_op.data operations as inputs and the operands of builtin.results and
// pd_op.fetch as outputs.
struct TextProgram {
  std::shared_ptr<pir::Program> program;

  static TextProgram parse(const std::string& text) { return {pir::parse(text)}; }

  py::list apply(const std::vector<std::string>& names) {
    pir::register_passes();
    py::list out;
    const SymbolScope scope;
    program->keep_symbols(scope.owner());
    for (const auto& r : pir::PassManager(names).run(*program)) {
      out.append(py::make_tuple(r.name, r.changes, static_cast<double>(r.nanoseconds) * 1e-9));
    }
    return out;
  }

  TensorList run(const TensorList& given) const {
    std::vector<const pir::Operation*> ops;
    std::vector<pir::Value*> inputs, outputs;
    for (const auto& op : program->block().operations()) {
      ops.push_back(op.get());
      if (op->is("pd_op.data")) inputs.push_back(op->result());
      if (!op->is(pir::kResults) && !op->is("pd_op.fetch")) continue;
      outputs.insert(outputs.end(), op->operands().begin(), op->operands().end());
    }
    PADDLE_CHECK_VALUE(given.size() == inputs.size(), "program: ", given.size(),
                       " inputs were given; it takes ", inputs.size(), '.');
    return pir::Interpreter(ops, inputs, outputs).run(given);
  }
};

pir::Attribute constant_from(const py::handle& o) {
  if (py::isinstance<py::bool_>(o)) return o.cast<bool>();
  if (py::isinstance<py::int_>(o)) return o.cast<int64_t>();
  if (py::isinstance<py::float_>(o)) return o.cast<double>();
  if (py::isinstance<py::str>(o)) {
    const auto text = o.cast<std::string>();
    const DType t = dtype_from_name(text);
    if (t != DType::kUndefined) return t;
    return text;
  }
  Shape dims;
  for (const int64_t d : o.cast<std::vector<int64_t>>()) dims.push_back(Dim(d));
  return dims;
}

py::list python_shape(const Shape& shape) {
  py::list out;
  for (const Dim d : shape) out.append(d.is_symbolic() ? int64_t{-1} : d.value());
  return out;
}

void add_rule_pass(const std::string& name, const std::string& source, const std::string& result,
                   const py::object& where, const py::dict& computes) {
  pir::register_passes();
  pir::Rule rule(name);
  rule.source(source).result(result);
  // Functions of Python live as long as the process: passes are never removed.
  if (!where.is_none()) {
    auto* fn = new py::object(where);
    rule.where([fn](const pir::Match& m) {
      const py::gil_scoped_acquire gil;
      return (*fn)(py::cast(m)).cast<bool>();
    });
  }
  for (const auto& [key, value] : computes) {
    auto* fn = new py::object(py::reinterpret_borrow<py::object>(value));
    rule.compute(key.cast<std::string>(), [fn](const pir::Match& m) {
      const py::gil_scoped_acquire gil;
      return constant_from((*fn)(py::cast(m)));
    });
  }
  auto patterns = std::make_shared<pir::PatternSet>();
  patterns->add(pir::compile(rule));
  pir::PassRegistry::global().add({name,
                                   [patterns](pir::Program& p) {
                                     return pir::apply_patterns(p.block(), *patterns, pir::is_pure);
                                   },
                                   "Rule: " + source + " => " + result});
}

void bind_text_program(py::module_& m) {
  py::class_<TextProgram>(m, "Program")
      .def_static("parse",
                  [](const std::string& text) {
                    return translated([&] { return TextProgram::parse(text); });
                  })
      .def("verify", [](const TextProgram& p) { translated([&] { pir::verify(*p.program); }); })
      .def("apply",
           [](TextProgram& p, const std::vector<std::string>& names) {
             return translated([&] { return p.apply(names); });
           })
      .def("run",
           [](const TextProgram& p, const py::sequence& inputs) {
             return translated([&] { return wrapped(p.run(tensors(inputs))); });
           })
      .def("visualize",
           [](const TextProgram& p, const std::string& path) {
             translated([&] { pir::draw(*p.program, path); });
           })
      .def("__str__", [](const TextProgram& p) { return pir::print(*p.program); });
}

}  // namespace

void bind_passes(py::module_& m) {
  pir::define_pass_flags();
  bind_text_program(m);
  py::class_<pir::Match>(m, "Match")
      .def("shape",
           [](const pir::Match& x, const std::string& name) {
             return translated([&] { return python_shape(x.shape(name)); });
           })
      .def("rank", [](const pir::Match& x,
                      const std::string& name) { return translated([&] { return x.rank(name); }); })
      .def("dtype",
           [](const pir::Match& x, const std::string& name) {
             return translated([&] { return std::string(name_of(x.dtype(name))); });
           })
      .def("constant",
           [](const pir::Match& x, const std::string& name) {
             return translated([&] { return python_value(x.constant(name)); });
           })
      .def("same_type", [](const pir::Match& x, const std::string& a, const std::string& b) {
        return translated([&] { return x.same_type(a, b); });
      });
  m.def("passes", [] {
    pir::register_passes();
    py::dict out;
    for (const std::string& name : pir::PassRegistry::global().names()) {
      out[py::str(name)] = pir::PassRegistry::global().at(name).doc;
    }
    return out;
  });
  m.def("pipeline", [](const std::string& name) {
    return translated([&] {
      using pir::Pipeline;
      const std::pair<const char*, Pipeline> known[] = {
          {"captured", Pipeline::kCaptured},
          {"loaded", Pipeline::kLoaded},
          {"deployed", Pipeline::kDeployed},
          {"deployed_bfloat16", Pipeline::kDeployedBfloat16}};
      for (const auto& [own, which] : known) {
        if (name == own) return pir::pipeline(which);
      }
      throw_error(ErrorKind::kValue,
                  str("pipeline ", name,
                      " is unknown; known are captured, loaded, deployed, deployed_bfloat16."));
    });
  });
  m.def("add_rule_pass",
        [](const std::string& name, const std::string& source, const std::string& result,
           const py::object& where, const py::dict& computes) {
          translated([&] { add_rule_pass(name, source, result, where, computes); });
        });
}

}  // namespace paddle::bindings
