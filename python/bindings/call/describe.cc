// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator records as Python data: what stubs, generated documents and tests read.
#include "paddle_core/dispatch/execute/cost.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/op/spmd.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/call/operator_functions.h"
#include "python/bindings/values/op_call.h"

namespace paddle::bindings {

namespace {

void put(PyObject* dict, const char* key, PyObject* owned) {
  const Ref value = checked(owned);
  checked(PyDict_SetItemString(dict, key, value.get()));
}

// [(name, type, accepts None)] of the arguments, in order.
PyObject* arguments_of(const OpDef& op) {
  Ref list = checked(PyList_New(0));
  for (const ArgSpec& arg : op.schema().args) {
    const std::string type(type_name(arg.type));
    const Ref row = checked(
        Py_BuildValue("(ssO)", arg.name.c_str(), type.c_str(), arg.optional ? Py_True : Py_False));
    checked(PyList_Append(list.get(), row.get()));
  }
  return list.release();
}

// [(name, "Tensor" or "Tensor[]", may be None)] of the results.
PyObject* results_of(const OpDef& op) {
  Ref list = checked(PyList_New(0));
  for (const ResultSpec& result : op.schema().results) {
    const Ref row =
        checked(Py_BuildValue("(ssO)", result.name.c_str(), result.is_list ? "Tensor[]" : "Tensor",
                              result.optional ? Py_True : Py_False));
    checked(PyList_Append(list.get(), row.get()));
  }
  return list.release();
}

// Names of the arguments and results whose values the gradient rule reads; None without a rule.
PyObject* saved_names(const OpDef& op) {
  if (!op.vjp_fn) return Py_NewRef(Py_None);
  Ref list = checked(PyList_New(0));
  const auto add = [&](const std::string& name) {
    const Ref text = checked(PyUnicode_FromString(name.c_str()));
    checked(PyList_Append(list.get(), text.get()));
  };
  for (size_t i = 0; i < op.num_args; ++i) {
    if ((op.saved_inputs >> i) & 1u) add(op.schema().args[i].name);
  }
  for (size_t k = 0; k < op.num_results; ++k) {
    if ((op.saved_outputs >> k) & 1u) add(op.schema().results[k].name);
  }
  return list.release();
}

// What program files hold of the operator; None where they hold what it is composed of.
PyObject* saved_form_of(const OpDef& op) {
  if (op.has(kUnsaved)) return Py_NewRef(Py_None);
  Ref reads = checked(PyList_New(0));
  for (const SavedUpgrade& u : op.upgrades()) {
    const Ref row =
        checked(Py_BuildValue("(siO)", u.name.c_str(), u.version, u.fn ? Py_True : Py_False));
    checked(PyList_Append(reads.get(), row.get()));
  }
  Ref dict = checked(PyDict_New());
  put(dict.get(), "name", PyUnicode_FromString(op.saved_name().c_str()));
  put(dict.get(), "since_version", PyLong_FromLong(op.saved_version));
  put(dict.get(), "rule", PyBool_FromLong(op.saved_form_fn != nullptr));
  put(dict.get(), "reads", reads.release());
  return dict.release();
}

PyObject* aliases_of(const OpDef& op) {
  Ref dict = checked(PyDict_New());
  for (const ParamAlias& alias : op.aliases()) {
    if (alias.name.empty()) continue;
    put(dict.get(), alias.alias.c_str(), PyUnicode_FromString(alias.name.c_str()));
  }
  return dict.release();
}

// The dtypes that have a kernel on the host; empty when the decomposition is the implementation.
PyObject* kernel_dtypes(const OpDef& op) {
  Ref list = checked(PyList_New(0));
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (!op.kernels.at(Place(), dtype).fn) continue;
    const Ref name = checked(PyUnicode_FromString(std::string(name_of(dtype)).c_str()));
    checked(PyList_Append(list.get(), name.get()));
  }
  return list.release();
}

const char* amp_name(AmpClass amp) {
  switch (amp) {
    case AmpClass::kNeutral:
      return "neutral";
    case AmpClass::kLow:
      return "low";
    case AmpClass::kHigh:
      return "high";
    case AmpClass::kWidest:
      return "widest";
    case AmpClass::kParts:
      return "parts";
  }
  return "";
}

const char* kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::kPrimitive:
      return "primitive";
    case OpKind::kComposed:
      return "composed";
    case OpKind::kOpaque:
      return "opaque";
  }
  return "";
}

// What its decomposition was seen to call.
PyObject* calls_of(const OpDef& op) {
  Ref list = checked(PyList_New(0));
  for (const OpDef* called : seen_calls(op)) {
    const Ref name = checked(PyUnicode_FromString(called->name()));
    checked(PyList_Append(list.get(), name.get()));
  }
  return list.release();
}

PyObject* describe_op(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const char* name = PyUnicode_AsUTF8(arg);
    if (!name) throw_python();
    const OpDef& op = op_named(name);
    Ref record = checked(Py_BuildValue("{s:s,s:s,s:s,s:s,s:s}", "name", op.name(), "schema",
                                       op.schema().text.c_str(), "doc", op.doc().c_str(), "example",
                                       op.example().c_str(), "amp", amp_name(op.amp)));
    put(record.get(), "differentiable", PyBool_FromLong(op.differentiable));
    put(record.get(), "composed", PyBool_FromLong(op.decompose_fn != nullptr));
    put(record.get(), "kind", PyUnicode_FromString(kind_name(op.kind())));
    put(record.get(), "reason", PyUnicode_FromString(op.kind_reason().c_str()));
    put(record.get(), "calls", calls_of(op));
    put(record.get(), "rank", PyLong_FromLong(op.rank()));
    put(record.get(), "says_rank", PyBool_FromLong(op.says_rank()));
    put(record.get(), "view", PyBool_FromLong(op.is_view()));
    put(record.get(), "random", PyBool_FromLong(op.has(kRandom)));
    put(record.get(), "broadcast", PyBool_FromLong(op.has(kBroadcast)));
    put(record.get(), "sharding",
        PyUnicode_FromString(std::string(name_of(sharding_source(op))).c_str()));
    put(record.get(), "arguments", arguments_of(op));
    put(record.get(), "results", results_of(op));
    put(record.get(), "saves", saved_names(op));
    put(record.get(), "saved_form", saved_form_of(op));
    put(record.get(), "aliases", aliases_of(op));
    put(record.get(), "kernel_dtypes", kernel_dtypes(op));
    return record.release();
  });
}

PyObject* force(PyObject*, PyObject* on) {
  return guarded([&]() -> PyObject* {
    const int wanted = PyObject_IsTrue(on);
    if (wanted < 0) throw_python();
    force_decompositions(wanted != 0);
    Py_RETURN_NONE;
  });
}

PyObject* costs_of_calls(PyObject*, PyObject* function) {
  return guarded([&]() -> PyObject* {
    Ref list = checked(PyList_New(0));
    {
      const MetaCalls calls([&](const OpDef& op, const Slot* args, const Outputs&) {
        const OpCost cost = cost_of(op, args);
        const Ref row = checked(
            Py_BuildValue("(sddd)", op.name(), cost.flops, cost.bytes_read, cost.bytes_written));
        checked(PyList_Append(list.get(), row.get()));
      });
      const Ref ignored = checked(PyObject_CallNoArgs(function));
    }
    return list.release();
  });
}

}  // namespace

PyMethodDef describe_methods[] = {
    {"force_decompositions", force, METH_O,
     "Whether operators run as their decompositions, on all threads (FLAGS_force_decompose)."},
    {"costs_of_calls", costs_of_calls, METH_O,
     "[(operator, flops, bytes read, bytes written)] of the calls of a function, which get results "
     "of shape and dtype without values."},
    {"describe_op", describe_op, METH_O, "The record of an operator as a dict."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace paddle::bindings
