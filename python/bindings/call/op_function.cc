// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators as Python callables: `_core.ops.<op>` with the schema's arguments, one function per
// public spelling with the spelling's, and methods on Tensor that bind their first argument.
// A `Plan` maps the parameters of one callable to slots; it is built once and lives for ever.
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/recorder.h"
#include "paddle_core/extension/custom_op.h"
#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/call/call_plan.h"
#include "python/bindings/call/operator_functions.h"
#include "python/bindings/call/parse_args.h"
#include "python/bindings/values/op_call.h"
#include "python/bindings/values/symint.h"
#include "python/bindings/values/tensor_object.h"

#include <structmember.h>

namespace paddle::bindings {

namespace {

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  Plan* plan;
};

PyTypeObject* function_type;
PyTypeObject* method_type;

// -- calling ------------------------------------------------------------------------------------

[[noreturn, gnu::noinline]] void bad_call(const Plan& plan, const std::string& what) {
  throw_type(str(plan.name, ": ", what, "; the signature is ", plan.name, plan.signature(), "."));
}

// One call in progress. `extra` holds what parameters without a slot were given; it is set with
// the first of them.
struct Call {
  const Plan& plan;
  Slot* slots;
  ArgArena& arena;
  bool has_extra = false;
  PyObject* extra[kNumExtras];
  Call(const Plan& p, Slot* s, ArgArena& a) : plan(p), slots(s), arena(a) {}
};

[[noreturn, gnu::noinline]] void not_its_default(const Plan& plan, const Param& p,
                                                 PyObject* value) {
  const Ref text(PyObject_Repr(value));
  PyErr_Clear();
  const char* chars = text ? PyUnicode_AsUTF8(text.get()) : "?";
  throw Error(ErrorKind::kNotImplemented, str(plan.name, ": argument ", p.text, " is ", chars,
                                              "; only its default is supported."));
}

[[gnu::noinline]] void set_extra(Call& call, int role, PyObject* value) {
  if (!call.has_extra) std::memset(static_cast<void*>(call.extra), 0, sizeof(call.extra));
  call.has_extra = true;
  call.extra[extra_index(role)] = value;
}

[[gnu::noinline]] void fill_extra(Call& call, const Param& p, PyObject* value) {
  if (value == Py_None || p.arg == kIgnored) return;
  if (p.arg == kFixed) {
    const bool same =
        p.default_value && PyObject_RichCompareBool(p.default_value, value, Py_EQ) == 1;
    if (!same) not_its_default(call.plan, p, value);
    return;
  }
  set_extra(call, p.arg, value);
}

inline void fill(Call& call, size_t param, PyObject* value) {
  const Plan& plan = call.plan;
  const Param& p = plan.params[param];
  if (p.takes_tensor && is_tensor(value)) [[likely]] {
    call.slots[p.arg] = Slot::of(tensor_of(value));
    return;
  }
  if (p.arg < 0) [[unlikely]]
    return fill_extra(call, p, value);
  const bool has_value = call.slots[p.arg].kind != SlotKind::kNone && plan.path.empty();
  if (value == Py_None && p.required && !has_value &&
      !plan.op->schema().args[static_cast<size_t>(p.arg)].optional) {
    bad_call(plan, str("argument ", p.text, " may not be None"));
  }
  fill_slot(*plan.op, p.arg, value, call.slots[p.arg], call.arena, plan.name.c_str(),
            p.text.c_str());
}

// x.reshape(2, 3) as x.reshape([2, 3]): fills params 0 and 1; false when the call is no such one.
bool fill_packed(Call& call, PyObject* const* args, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    if (!PyLong_Check(args[i]) && !is_tensor(args[i]) && !is_symint(args[i])) return false;
  }
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(n - 1)));
  for (size_t i = 1; i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i - 1), Py_NewRef(args[i]));
  }
  fill(call, 0, args[0]);
  fill(call, 1, call.arena.keep_object(std::move(tuple)));
  return true;
}

// The part of a tensor that begins at 0 on every axis and has this shape; none when it is not
// longer.
Tensor beginning(const Slot& src, const Shape& like) {
  const Shape& given = src.tensor->shape;
  SmallVector<Dim, 6> axes, starts;
  bool longer = false;
  for (size_t d = 0; d < like.size(); ++d) {
    if (!decide_le(like[d], given[d], true)) return {};
    longer |= !decide_eq(like[d], given[d], true);
    axes.push_back(Dim(static_cast<int64_t>(d)));
    starts.push_back(Dim(0));
  }
  if (!longer) return {};
  return OpCall("slice")
      .at(0, src)
      .set("axes", Slot::of(axes.data(), axes.size()))
      .set("starts", Slot::of(starts.data(), starts.size()))
      .set("ends", Slot::of(like))
      .run();
}

// What stands for a parameter that is `filled` has the shape of the parameter before it: a number,
// as in x.scatter(dim, index, 2.5), is spread, and a longer tensor is cut.
[[gnu::noinline]] void fit_to_index(Call& call) {
  const std::vector<Param>& params = call.plan.params;
  for (size_t i = 1; i < params.size(); ++i) {
    if (params[i].wanted != Wanted::kFilled) continue;
    Slot& slot = call.slots[params[i].arg];
    const Shape like = call.slots[params[i - 1].arg].tensor->shape;
    Tensor fitting;
    if (call.arena.num_numbers()) {
      fitting = OpCall("expand").at(0, slot).at(1, Slot::of(like.data(), like.size())).run();
    } else if (slot.kind == SlotKind::kTensor && slot.tensor->shape.size() == like.size()) {
      fitting = beginning(slot, like);
    }
    if (fitting) slot = Slot::of(call.arena.keep(std::move(fitting)));
  }
}

// A whole exponent leaves an integer tensor its dtype: pow(x, 2.0) is pow(x, 2).
[[gnu::noinline]] Scalar whole_exponent(const TensorImpl& x, const Scalar& exponent) {
  if (!is_integer(x.dtype) || exponent.is_integral() || exponent.kind() == Scalar::Kind::kComplex) {
    return exponent;
  }
  const double value = exponent.to_double();
  const bool whole = std::abs(value) < 9e18 && value == std::trunc(value);
  return whole ? Scalar(static_cast<int64_t>(value)) : exponent;
}

[[noreturn, gnu::noinline]] void missing_argument(const Plan& plan, uint64_t given) {
  const int first = std::countr_zero(plan.required & ~given);
  bad_call(plan, str("missing the argument ", plan.params[static_cast<size_t>(first)].text));
}

void fill_keywords(Call& call, PyObject* const* values, PyObject* kwnames, uint64_t& given) {
  const Plan& plan = call.plan;
  const Py_ssize_t count = PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    const int i = find_param(plan, key);
    if (i == kNameKeyword) continue;
    if (i == kOutKeyword) {
      if (values[k] != Py_None) set_extra(call, kOut, values[k]);
      continue;
    }
    if (i < 0) bad_call(plan, str("got an unexpected argument ", PyUnicode_AsUTF8(key)));
    if ((given >> i) & 1u) {
      bad_call(plan, str("got several values for ", plan.params[static_cast<size_t>(i)].text));
    }
    given |= uint64_t{1} << i;
    fill(call, static_cast<size_t>(i), values[k]);
  }
}

void parse(Call& call, PyObject* const* args, size_t n, PyObject* kwnames) {
  const Plan& plan = call.plan;
  uint64_t given = 0;
  if (plan.packs_ints && n > 2 && fill_packed(call, args, n)) [[unlikely]] {
    given = 3;
  } else {
    if (n > plan.positional) [[unlikely]] {
      bad_call(plan, str("takes at most ", plan.positional, " positional arguments, got ", n));
    }
    for (size_t i = 0; i < n; ++i) fill(call, i, args[i]);
    given = (uint64_t{1} << n) - 1;
  }
  if (kwnames) fill_keywords(call, args + n, kwnames, given);
  if ((given & plan.required) != plan.required) [[unlikely]]
    missing_argument(plan, given);
  if (call.arena.num_numbers()) [[unlikely]] {
    resolve_numbers(*plan.op, call.slots, call.arena);
  }
  if (plan.spreads) [[unlikely]]
    fit_to_index(call);
  if (plan.static_refusals) [[unlikely]]
    check_static_dtypes(plan, call.slots);
}

Plan& plan_of(PyObject* self) { return *reinterpret_cast<OpFunction*>(self)->plan; }

PyObject* op_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  try {
    const Plan& own = plan_of(self);
    const auto num_args = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
    const Plan& plan = own.overloads.empty() ? own : select_overload(own, args, num_args, kwnames);
    const size_t n = plan.defaults.size();
    auto* slots = static_cast<Slot*>(__builtin_alloca((n + 1) * sizeof(Slot)));
    for (size_t i = 0; i < n; ++i) slots[i] = plan.defaults[i];
    ArgArena arena;
    Call call(plan, slots, arena);
    parse(call, args, num_args, kwnames);
    if (call.has_extra) [[unlikely]]
      return call_with_extras(plan, slots, arena, call.extra);
    if (plan.inplace) return wrap(call_inplace(*plan.op, slots));
    if (plan.gives_itself && static_cast<int64_t>(slots[0].tensor->dtype) == slots[1].i)
      return wrap(Tensor(IntrusivePtr<TensorImpl>::share(slots[0].tensor)));
    Outputs outs;
    if (plan.is_power && arena.num_numbers() == 1 && arena.number(0).arg == 1) {
      Tensor out;
      if (power_of_constant(Tensor(IntrusivePtr<TensorImpl>::share(slots[0].tensor)),
                            whole_exponent(*slots[0].tensor, arena.number(0).value), out)) {
        return wrap(std::move(out));
      }
    }
    run_op(*plan.op, slots, outs);
    if (plan.owns_result) [[unlikely]]
      autograd::leave_base(outs[0]);
    if (outs.size() == 1 && !plan.op->list_result) [[likely]]
      return wrap(std::move(outs[0]));
    return wrap_results(plan, outs);
  } catch (...) {
    set_python_error(plan_of(self).name);
    return nullptr;
  }
}

// -- building -----------------------------------------------------------------------------------

PyObject* make_function(PyTypeObject* type, Plan* plan) {
  auto* f = reinterpret_cast<OpFunction*>(type->tp_alloc(type, 0));
  if (!f) throw_python();
  f->vectorcall = op_call;
  f->plan = plan;
  return reinterpret_cast<PyObject*>(f);
}

// -- the function objects -----------------------------------------------------------------------

PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(plan_of(self).name.c_str());
}
PyObject* get_qualname(PyObject* self, void*) {
  const std::string& path = plan_of(self).path;
  const bool method = path.starts_with("Tensor.");
  return PyUnicode_FromString(method ? path.c_str() : plan_of(self).name.c_str());
}
PyObject* get_module(PyObject* self, void*) {
  const std::string& path = plan_of(self).path;
  const size_t dot = path.rfind('.');
  if (path.starts_with("Tensor.") || dot == std::string::npos)
    return PyUnicode_FromString("paddle");
  return PyUnicode_FromString(path.substr(0, dot).c_str());
}
PyObject* get_doc(PyObject* self, void*) {
  return guarded([&] { return PyUnicode_FromString(docstring(plan_of(self)).c_str()); });
}
PyObject* get_text_signature(PyObject* self, void*) {
  return guarded([&] { return PyUnicode_FromString(plan_of(self).signature().c_str()); });
}
PyObject* get_op(PyObject* self, void*) { return PyUnicode_FromString(plan_of(self).op->name()); }

PyObject* get_signature(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const Ref inspect = checked(PyImport_ImportModule("inspect"));
    const Ref parameter = checked(PyObject_GetAttrString(inspect.get(), "Parameter"));
    const Ref list = checked(PyList_New(0));
    const std::vector<Param>& params = plan_of(self).params;
    size_t shown = params.size();  // defaults from here on; Python has none before a required one
    while (shown > 0 && (!params[shown - 1].required || params[shown - 1].keyword_only)) --shown;
    for (size_t i = 0; i < params.size(); ++i) {
      const Param& p = params[i];
      const Ref kwargs = checked(PyDict_New());
      if (!p.required && i >= shown) {
        checked(PyDict_SetItemString(kwargs.get(), "default",
                                     p.default_value ? p.default_value : Py_None));
      }
      const Ref args = checked(Py_BuildValue("(Oi)", p.name, p.keyword_only ? 3 : 1));
      const Ref one = checked(PyObject_Call(parameter.get(), args.get(), kwargs.get()));
      checked(PyList_Append(list.get(), one.get()));
    }
    return PyObject_CallMethod(inspect.get(), "Signature", "O", list.get());
  });
}

// Tools tell functions by `inspect.isfunction` and read their parts, so that an operator function
// shows the class of functions, and the parts of a function of Python that has its signature.
PyObject* get_class(PyObject*, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(&PyFunction_Type));
}
PyObject* get_part(PyObject* self, void* part) {
  return guarded([&]() -> PyObject* {
    const Ref forms = checked(PyImport_ImportModule("paddle.framework.call_forms"));
    const Ref form = checked(PyObject_CallMethod(forms.get(), "form_of", "O", self));
    return PyObject_GetAttrString(form.get(), static_cast<const char*>(part));
  });
}
char code_part[] = "__code__", defaults_part[] = "__defaults__", globals_part[] = "__globals__",
     keywords_part[] = "__kwdefaults__", closure_part[] = "__closure__",
     annotations_part[] = "__annotations__";

PyObject* function_repr(PyObject* self) {
  return PyUnicode_FromFormat("<operator function %s>", plan_of(self).path.c_str());
}
PyObject* function_reduce(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Ref core = checked(PyImport_ImportModule("paddle._core"));
    const Ref getter = checked(PyObject_GetAttrString(core.get(), "function"));
    return Py_BuildValue("(O(s))", getter.get(), plan_of(self).path.c_str());
  });
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (!object) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef function_properties[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_qualname, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__text_signature__", get_text_signature, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {"__class__", get_class, nullptr, nullptr, nullptr},
    {code_part, get_part, nullptr, nullptr, code_part},
    {defaults_part, get_part, nullptr, nullptr, defaults_part},
    {keywords_part, get_part, nullptr, nullptr, keywords_part},
    {globals_part, get_part, nullptr, nullptr, globals_part},
    {closure_part, get_part, nullptr, nullptr, closure_part},
    {annotations_part, get_part, nullptr, nullptr, annotations_part},
    {"op", get_op, nullptr, "Name of the operator.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef function_methods[] = {{"__reduce__", function_reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

PyTypeObject* make_type(const char* name, bool binds) {
  std::vector<PyType_Slot> slots = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                    {Py_tp_repr, reinterpret_cast<void*>(function_repr)},
                                    {Py_tp_members, function_members},
                                    {Py_tp_getset, function_properties},
                                    {Py_tp_methods, function_methods}};
  unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
                   Py_TPFLAGS_DISALLOW_INSTANTIATION;
  if (binds) {
    slots.push_back({Py_tp_descr_get, reinterpret_cast<void*>(bind)});
    flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;
  }
  slots.push_back({0, nullptr});
  PyType_Spec spec = {name, sizeof(OpFunction), 0, flags, slots.data()};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

struct Spelled {
  const OpDef* op = nullptr;
  const PythonSpelling* spelling = nullptr;
  std::vector<std::pair<const OpDef*, const PythonSpelling*>> overloads;
};
std::unordered_map<std::string, Spelled>& spelled() {
  static auto* map = [] {
    auto* m = new std::unordered_map<std::string, Spelled>;
    for (const OpDef& op : Registry::global().all()) {
      for (const PythonSpelling& s : op.spellings()) {
        Spelled& entry = (*m)[s.path];
        if (s.overload) {
          entry.overloads.emplace_back(&op, &s);
        } else if (!entry.op) {
          entry.op = &op;
          entry.spelling = &s;
        }
      }
    }
    for (const auto& [path, entry] : *m) {
      PADDLE_CHECK_RUNTIME(entry.op, "overload of ", path, ": no operator is spelled so.");
    }
    return m;
  }();
  return *map;
}

Plan* plan_of(const Spelled& s) {
  Plan* plan = plan_of_spelling(*s.op, *s.spelling);
  for (const auto& [op, spelling] : s.overloads) {
    plan->overloads.push_back(plan_of_spelling(*op, *spelling));
  }
  return plan;
}

void install_methods() {
  for (const auto& [path, s] : spelled()) {
    if (!path.starts_with("Tensor.") || path.starts_with("Tensor.__")) continue;
    if (s.op->num_args == 0) continue;
    const std::string name = path.substr(7);
    const Ref own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_type), name.c_str()));
    if (own) continue;  // the type's own methods win
    PyErr_Clear();
    const Ref f(make_function(method_type, plan_of(s)));
    checked(
        PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), name.c_str(), f.get()));
  }
}

// `_core.ops` looks operators up as they are asked for and keeps them in its __dict__.
struct Ops {
  PyObject_HEAD PyObject* dict;
};

PyObject* ops_getattr(PyObject* module, PyObject* name) {
  if (PyObject* known = reinterpret_cast<Ops*>(module)->dict) {
    if (PyObject* f = PyDict_GetItemWithError(known, name)) return Py_NewRef(f);
    if (PyErr_Occurred()) return nullptr;
  }
  PyObject* found = PyObject_GenericGetAttr(module, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  const OpDef* op = text ? Registry::global().find(text) : nullptr;
  if (!op) return nullptr;
  PyErr_Clear();
  return guarded([&]() -> PyObject* {
    Ref f(make_function(function_type, plan_of_schema(*op)));
    checked(PyObject_GenericSetAttr(module, name, f.get()));
    return f.release();
  });
}

// The framework's own operators; those of extensions are found by name alone.
PyObject* ops_dir(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    Ref list = checked(PyList_New(0));
    for (const OpDef& op : Registry::global().all()) {
      if (extension::custom_op_of(op)) continue;
      const Ref name = checked(PyUnicode_FromString(op.name()));
      checked(PyList_Append(list.get(), name.get()));
    }
    return list.release();
  });
}

PyMethodDef ops_methods[] = {{"__dir__", ops_dir, METH_NOARGS, nullptr},
                             {nullptr, nullptr, 0, nullptr}};

bool add_ops(PyObject* module) {
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(Ops, dict), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_getattro, reinterpret_cast<void*>(ops_getattr)},
                         {Py_tp_members, members},
                         {Py_tp_methods, ops_methods},
                         {0, nullptr}};
  PyType_Spec spec = {"paddle._core.Ops", sizeof(Ops), 0, Py_TPFLAGS_DEFAULT, slots};
  const Ref type(PyType_FromSpec(&spec));
  if (!type) return false;
  const Ref ops(PyObject_CallNoArgs(type.get()));
  return ops && PyModule_AddObjectRef(module, "ops", ops.get()) == 0;
}

// -- module functions ---------------------------------------------------------------------------

PyObject* list_spellings(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    Ref list = checked(PyList_New(0));
    for (const OpDef& op : Registry::global().all()) {
      for (const PythonSpelling& s : op.spellings()) {
        if (s.overload) continue;
        const Ref row = checked(Py_BuildValue("(sssO)", s.path.c_str(), s.signature.c_str(),
                                              op.name(), s.inplace ? Py_True : Py_False));
        checked(PyList_Append(list.get(), row.get()));
      }
    }
    return list.release();
  });
}

PyObject* function_of(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const char* path = PyUnicode_AsUTF8(arg);
    if (!path) throw_python();
    static auto* built = new std::unordered_map<std::string, PyObject*>;
    const auto known = built->find(path);
    if (known != built->end()) return Py_NewRef(known->second);
    const std::string_view text(path);
    PyObject* f = nullptr;
    if (text.starts_with("paddle._C_ops.")) {
      f = make_function(function_type, plan_of_schema(op_named(path + 14)));
    } else {
      const auto it = spelled().find(path);
      if (it == spelled().end()) {
        throw Error(ErrorKind::kKey, str("function: no operator is spelled ", path, "."));
      }
      f = make_function(text.starts_with("Tensor.") ? method_type : function_type,
                        plan_of(it->second));
    }
    (*built)[path] = f;
    return Py_NewRef(f);
  });
}

// The results of a call that is not run, as tensors without history; those not given have no
// memory.
void given_results(const Plan& plan, const Slot* slots, PyObject* given, Outputs& outs) {
  infer_meta(*plan.op, slots, outs);
  const auto count = static_cast<size_t>(PyList_GET_SIZE(given));
  PADDLE_CHECK_VALUE(count == outs.size(), plan.name, ": there are ", outs.size(), " results and ",
                     count, " given.");
  for (size_t k = 0; k < count; ++k) {
    PyObject* value = PyList_GET_ITEM(given, static_cast<Py_ssize_t>(k));
    if (value == Py_None) continue;
    if (!is_tensor(value)) {
      throw_type(str(plan.name, ": result ", k, " is given as ", type_of(value),
                     "; it must be a Tensor."));
    }
    const Tensor& t = tensor_of(value);
    PADDLE_CHECK_VALUE(t.shape() == outs[k].shape(), plan.name, ": result ", k,
                       ", or the gradient that stands for it, has shape ", t.shape(),
                       "; the arguments give one of shape ", outs[k].shape(), ".");
    outs[k] = Tensor::alias(t, t.shape(), t.strides(), 0);
  }
}

// (operator, results or None, *arguments): the results with the history of a call that gave them.
PyObject* with_history(PyObject*, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    if (n < 2 || Py_TYPE(args[0]) != function_type || !PyList_Check(args[1])) {
      throw_type("with_history: pass an operator, a list of its results and its arguments.");
    }
    const Plan& plan = plan_of(args[0]);
    SmallVector<Slot, 8> slots(plan.defaults.data(), plan.defaults.data() + plan.defaults.size());
    ArgArena arena;
    Call call(plan, slots.data(), arena);
    parse(call, args + 2, static_cast<size_t>(n - 2), kwnames);
    Outputs outs;
    given_results(plan, slots.data(), args[1], outs);
    recorder()(*plan.op, slots.data(), outs);
    Ref list = checked(PyList_New(0));
    for (Tensor& t : outs) {
      const Ref item = t.defined() ? checked(wrap(std::move(t))) : Ref(Py_NewRef(Py_None));
      checked(PyList_Append(list.get(), item.get()));
    }
    return list.release();
  });
}

}  // namespace

PyMethodDef op_methods[] = {
    {"spellings", list_spellings, METH_NOARGS,
     "[(path, signature, op, inplace)] of all operators."},
    {"function", function_of, METH_O, "The callable of a public spelling."},
    {"with_history", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(with_history)),
     METH_FASTCALL | METH_KEYWORDS,
     "(operator, results, *arguments): the results, as of that call."},
    {"write_out", write_out_from_python, METH_VARARGS,
     "(out, value, fn): makes out hold value and returns it."},
    {nullptr, nullptr, 0, nullptr}};

bool add_operator_functions(PyObject* module) {
  function_type = make_type("paddle._core.OpFunction", false);
  method_type = make_type("paddle._core.OpMethod", true);
  if (!function_type || !method_type || !add_ops(module)) return false;
  return guarded([]() -> int {
           install_methods();
           return 0;
         }) == 0;
}

}  // namespace paddle::bindings
