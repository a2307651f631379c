// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators as Python callables: `_core.ops.<op>` with the schema's arguments, one function per
// public spelling with the spelling's, and methods on Tensor that bind their first argument.
// A `Plan` maps the parameters of one callable to slots; it is built once and lives for ever.
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "python/bindings/parse_args.h"

#include <structmember.h>

namespace paddle::bindings {

namespace {

struct Param {
  PyObject* name;  // interned
  std::string text;
  int arg;  // slot; -1: accepted and ignored
  bool required;
  bool keyword_only;
  PyObject* default_value;  // shown in the signature; null when there is none
};

struct Plan {
  const OpDef* op;
  std::string name, path;
  std::vector<Param> params;
  size_t positional = 0;
  std::vector<Slot> defaults;
  bool inplace = false;
  bool packs_ints = false;  // x.reshape(2, 3): the integers are one argument
  ArgArena kept;            // what `defaults` point to
  std::string signature() const;
};

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  Plan* plan;
};

PyTypeObject* function_type;
PyTypeObject* method_type;

std::string default_text(const Param& p) {
  if (!p.default_value) return "None";
  const Ref text(PyObject_Repr(p.default_value));
  const char* chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  return chars ? chars : "...";
}

std::string Plan::signature() const {
  std::string out = "(";
  bool star = false;
  for (const Param& p : params) {
    if (out.size() > 1) out += ", ";
    if (p.keyword_only && !star) {
      out += "*, ";
      star = true;
    }
    out += p.text;
    if (!p.required) out += "=" + default_text(p);
  }
  return out + ")";
}

// -- calling ------------------------------------------------------------------------------------

[[noreturn, gnu::noinline]] void bad_call(const Plan& plan, const std::string& what) {
  throw_type(str(plan.name, ": ", what, "; the signature is ", plan.name, plan.signature(), "."));
}

int find_param(const Plan& plan, PyObject* key) {
  const size_t n = plan.params.size();
  for (size_t i = 0; i < n; ++i) {
    if (plan.params[i].name == key) return static_cast<int>(i);
  }
  Py_ssize_t length;
  const char* chars = PyUnicode_AsUTF8AndSize(key, &length);
  if (!chars) throw_python();
  const std::string_view text(chars, static_cast<size_t>(length));
  for (size_t i = 0; i < n; ++i) {
    if (plan.params[i].text == text) return static_cast<int>(i);
  }
  for (const ParamAlias& a : plan.op->aliases()) {
    if (a.alias != text) continue;
    const int arg = plan.op->schema().arg_index(a.name);
    for (size_t i = 0; i < n; ++i) {
      if (plan.params[i].arg == arg) return static_cast<int>(i);
    }
  }
  if (text == "name") return -1;
  bad_call(plan, str("got an unexpected argument ", text));
}

void fill(const Plan& plan, size_t param, PyObject* value, Slot* slots, ArgArena& arena) {
  const Param& p = plan.params[param];
  if (p.arg < 0) return;
  fill_slot(*plan.op, p.arg, value, slots[p.arg], arena, plan.name.c_str(), p.text.c_str());
}

// x.reshape(2, 3) as x.reshape([2, 3]): fills params 0 and 1; false when the call is no such one.
bool fill_packed(const Plan& plan, PyObject* const* args, size_t n, Slot* slots, ArgArena& arena) {
  for (size_t i = 1; i < n; ++i) {
    if (!PyLong_Check(args[i]) && !is_tensor(args[i])) return false;
  }
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(n - 1)));
  for (size_t i = 1; i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i - 1), Py_NewRef(args[i]));
  }
  fill(plan, 0, args[0], slots, arena);
  fill(plan, 1, arena.keep_object(std::move(tuple)), slots, arena);
  return true;
}

void check_given(const Plan& plan, uint64_t given) {
  for (size_t i = 0; i < plan.params.size(); ++i) {
    if (plan.params[i].required && !((given >> i) & 1u)) {
      bad_call(plan, str("missing the argument ", plan.params[i].text));
    }
  }
}

void parse(const Plan& plan, PyObject* const* args, size_t n, PyObject* kwnames, Slot* slots,
           ArgArena& arena) {
  uint64_t given = 0;
  if (plan.packs_ints && n > 2 && fill_packed(plan, args, n, slots, arena)) [[unlikely]] {
    given = 3;
  } else {
    if (n > plan.positional) [[unlikely]] {
      bad_call(plan, str("takes at most ", plan.positional, " positional arguments, got ", n));
    }
    for (size_t i = 0; i < n; ++i) fill(plan, i, args[i], slots, arena);
    given = (uint64_t{1} << n) - 1;
  }
  if (kwnames) {
    const Py_ssize_t count = PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t k = 0; k < count; ++k) {
      const int i = find_param(plan, PyTuple_GET_ITEM(kwnames, k));
      if (i < 0) continue;
      if ((given >> i) & 1u) {
        bad_call(plan, str("got several values for ", plan.params[static_cast<size_t>(i)].text));
      }
      given |= uint64_t{1} << i;
      fill(plan, static_cast<size_t>(i), args[n + static_cast<size_t>(k)], slots, arena);
    }
  }
  for (size_t i = 0; i < plan.params.size(); ++i) {
    if (plan.params[i].required && !((given >> i) & 1u)) [[unlikely]]
      check_given(plan, given);
  }
  if (arena.num_numbers()) [[unlikely]]
    resolve_numbers(*plan.op, slots, arena);
}

PyObject* wrap_results(const OpDef& op, Outputs& outs) {
  if (op.list_result) return wrap_list(TensorList(outs.begin(), outs.end()));
  if (outs.size() == 1) return wrap(std::move(outs[0]));
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(outs.size())));
  for (size_t i = 0; i < outs.size(); ++i) {
    PyObject* o = wrap(std::move(outs[i]));
    if (!o) throw_python();
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), o);
  }
  return tuple.release();
}

PyObject* op_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const Plan& plan = *reinterpret_cast<OpFunction*>(self)->plan;
  try {
    const size_t n = plan.defaults.size();
    auto* slots = static_cast<Slot*>(__builtin_alloca((n + 1) * sizeof(Slot)));
    std::memcpy(static_cast<void*>(slots), plan.defaults.data(), n * sizeof(Slot));
    ArgArena arena;
    parse(plan, args, static_cast<size_t>(PyVectorcall_NARGS(nargsf)), kwnames, slots, arena);
    if (plan.inplace) return wrap(call_inplace(*plan.op, slots));
    Outputs outs;
    run_op(*plan.op, slots, outs);
    if (outs.size() == 1 && !plan.op->list_result) [[likely]]
      return wrap(std::move(outs[0]));
    return wrap_results(*plan.op, outs);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// -- building -----------------------------------------------------------------------------------

std::string_view strip(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// "x, axis=[0, 1], name=None" at its top-level commas.
std::vector<std::string_view> split_params(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (quote && i < text.size()) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && (depth == 0 || i == text.size())) {
      const std::string_view part = strip(text.substr(begin, i - begin));
      if (!part.empty()) out.push_back(part);
      begin = i + 1;
    }
  }
  return out;
}

// The value of a literal; null when the text is no literal.
PyObject* literal(std::string_view text) {
  if (text == "None") return Py_NewRef(Py_None);
  if (text == "True") return Py_NewRef(Py_True);
  if (text == "False") return Py_NewRef(Py_False);
  const std::string copy(text);
  const Ref globals(PyDict_New());
  PyObject* value = PyRun_String(copy.c_str(), Py_eval_input, globals.get(), globals.get());
  if (!value) PyErr_Clear();
  return value;
}

int arg_of_param(const OpDef& op, std::string_view name) {
  const int direct = op.schema().arg_index(name);
  if (direct >= 0) return direct;
  for (const ParamAlias& a : op.aliases()) {
    if (a.alias == name) return op.schema().arg_index(a.name);
  }
  return -1;
}

PyObject* constant_object(const ArgSpec& spec) {
  const Constant& c = spec.default_value;
  switch (c.kind) {
    case SlotKind::kBool:
      return PyBool_FromLong(c.i != 0);
    case SlotKind::kInt:
      return PyLong_FromLongLong(c.i);
    case SlotKind::kFloat:
      return PyFloat_FromDouble(c.f);
    case SlotKind::kScalar:
      return scalar_to_python(c.scalar);
    case SlotKind::kString:
      return PyUnicode_FromString(c.text.c_str());
    case SlotKind::kInts:
      return shape_list(c.ints);
    default:
      return Py_NewRef(Py_None);
  }
}

void add_schema_params(Plan& plan) {
  const auto& args = plan.op->schema().args;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool required = !args[i].has_default && !args[i].optional;
    plan.params.push_back({PyUnicode_InternFromString(args[i].name.c_str()), args[i].name,
                           static_cast<int>(i), required, false,
                           required ? nullptr : constant_object(args[i])});
  }
}

void add_param(Plan& plan, std::string_view part, bool keyword_only) {
  const size_t equals = part.find('=');
  std::string name(strip(part.substr(0, equals)));
  const size_t colon = name.find(':');
  if (colon != std::string::npos)
    name = std::string(strip(std::string_view(name).substr(0, colon)));
  Param p{PyUnicode_InternFromString(name.c_str()), name,         arg_of_param(*plan.op, name),
          equals == std::string_view::npos,         keyword_only, nullptr};
  if (p.arg < 0 && name == "self") p.arg = 0;
  if (!p.required) {
    p.default_value = literal(strip(part.substr(equals + 1)));
    if (p.arg >= 0 && p.default_value && p.default_value != Py_None) {
      fill_slot(*plan.op, p.arg, p.default_value, plan.defaults[static_cast<size_t>(p.arg)],
                plan.kept, plan.name.c_str(), name.c_str());
    }
  }
  plan.params.push_back(std::move(p));
}

void finish(Plan& plan) {
  plan.positional = plan.params.size();
  for (size_t i = plan.params.size(); i-- > 0;) {
    if (plan.params[i].keyword_only) plan.positional = i;
  }
  PADDLE_CHECK_RUNTIME(plan.params.size() < 64, plan.name, ": more than 63 parameters.");
  const auto is_ints = [&](int arg) {
    if (arg < 0) return false;
    const ArgType t = plan.op->schema().args[static_cast<size_t>(arg)].type;
    return t == ArgType::kIntArray || t == ArgType::kInts || t == ArgType::kInt64s;
  };
  plan.packs_ints = plan.params.size() >= 2 && plan.params[0].arg == 0 &&
                    is_ints(plan.params[1].arg) &&
                    (plan.params.size() == 2 || plan.params[2].arg < 0);
}

Plan* new_plan(const OpDef& op, std::string name, std::string path) {
  auto* plan = new Plan;
  plan->op = &op;
  plan->name = std::move(name);
  plan->path = std::move(path);
  for (const ArgSpec& spec : op.schema().args) plan->defaults.push_back(default_slot(spec));
  return plan;
}

Plan* plan_of_schema(const OpDef& op) {
  Plan* plan = new_plan(op, op.name(), str("paddle._C_ops.", op.name()));
  add_schema_params(*plan);
  finish(*plan);
  return plan;
}

Plan* plan_of_spelling(const OpDef& op, const PythonSpelling& s) {
  const size_t dot = s.path.rfind('.');
  Plan* plan = new_plan(op, s.path.substr(dot + 1), s.path);
  plan->inplace = s.inplace;
  const bool method = s.path.starts_with("Tensor.");
  if (s.signature.empty()) {
    add_schema_params(*plan);
    add_param(*plan, "name=None", false);
  } else {
    bool keyword_only = false;
    for (std::string_view part : split_params(s.signature)) {
      if (part == "*") {
        keyword_only = true;
        continue;
      }
      if (method && plan->params.empty()) {
        const std::string first(strip(part.substr(0, part.find('='))));
        if (first != "self" && arg_of_param(op, first) != 0) {
          add_param(*plan, op.schema().args[0].name, false);
        }
      }
      add_param(*plan, part, keyword_only);
    }
  }
  finish(*plan);
  return plan;
}

PyObject* make_function(PyTypeObject* type, Plan* plan) {
  auto* f = reinterpret_cast<OpFunction*>(type->tp_alloc(type, 0));
  if (!f) throw_python();
  f->vectorcall = op_call;
  f->plan = plan;
  return reinterpret_cast<PyObject*>(f);
}

// -- the function objects -----------------------------------------------------------------------

Plan& plan_of(PyObject* self) { return *reinterpret_cast<OpFunction*>(self)->plan; }

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
  return guarded([&] {
    const Plan& p = plan_of(self);
    std::string text = p.name + p.signature() + "\n\n" + p.op->doc();
    if (!p.op->example().empty()) text += "\n\nExample:\n    >>> " + p.op->example() + "\n";
    return PyUnicode_FromString(text.c_str());
  });
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
    for (const Param& p : plan_of(self).params) {
      const Ref kwargs = checked(PyDict_New());
      if (!p.required) {
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
  const OpDef* op;
  const PythonSpelling* spelling;
};
std::unordered_map<std::string, Spelled>& spelled() {
  static auto* map = [] {
    auto* m = new std::unordered_map<std::string, Spelled>;
    for (const OpDef& op : Registry::global().all()) {
      for (const PythonSpelling& s : op.spellings()) m->emplace(s.path, Spelled{&op, &s});
    }
    return m;
  }();
  return *map;
}

void install_methods() {
  for (const auto& [path, s] : spelled()) {
    if (!path.starts_with("Tensor.") || path.starts_with("Tensor.__")) continue;
    if (s.op->num_args == 0) continue;
    const std::string name = path.substr(7);
    const Ref own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_type), name.c_str()));
    if (own) continue;  // the type's own methods win
    PyErr_Clear();
    const Ref f(make_function(method_type, plan_of_spelling(*s.op, *s.spelling)));
    checked(
        PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), name.c_str(), f.get()));
  }
}

// `_core.ops` looks operators up as they are asked for and keeps them in its __dict__.
PyObject* ops_getattr(PyObject* module, PyObject* name) {
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

PyObject* ops_dir(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    Ref list = checked(PyList_New(0));
    for (const OpDef& op : Registry::global().all()) {
      const Ref name = checked(PyUnicode_FromString(op.name()));
      checked(PyList_Append(list.get(), name.get()));
    }
    return list.release();
  });
}

PyMethodDef ops_methods[] = {{"__dir__", ops_dir, METH_NOARGS, nullptr},
                             {nullptr, nullptr, 0, nullptr}};

bool add_ops(PyObject* module) {
  struct Ops {
    PyObject_HEAD PyObject* dict;
  };
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
                        plan_of_spelling(*it->second.op, *it->second.spelling));
    }
    (*built)[path] = f;
    return Py_NewRef(f);
  });
}

}  // namespace

PyMethodDef op_methods[] = {{"spellings", list_spellings, METH_NOARGS,
                             "[(path, signature, op, inplace)] of all operators."},
                            {"function", function_of, METH_O, "The callable of a public spelling."},
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
