// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans from spellings such as "paddle.sum(x, axis=None, name=None, *, out=None)", the parameter
// that a keyword means, and the choice between overloads.
#include "python/bindings/call/call_plan.h"

#include <structmember.h>

#include <unordered_map>
#include <utility>

#include "python/bindings/base/errors.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/call/parse_args.h"
#include "python/bindings/values/dtype.h"
#include "python/bindings/values/interop.h"
#include "python/bindings/values/size.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

namespace {

std::string default_text(const Param& p) {
  if (!p.default_value) return "None";
  const Ref text(PyObject_Repr(p.default_value));
  const char* chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  return chars ? chars : "...";
}

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

// Keywords that users of other frameworks write for the same parameter.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"input", "x"},          {"other", "y"}, {"dim", "axis"},
    {"keepdims", "keepdim"}, {"x", "input"}, {"axis", "dim"}};

int arg_of_param(const OpDef& op, std::string_view name) {
  const int direct = op.schema().arg_index(name);
  if (direct >= 0) return direct;
  for (const ParamAlias& a : op.aliases()) {
    if (a.alias == name) return op.schema().arg_index(a.name);
  }
  for (const auto& [synonym, other] : kSynonyms) {
    const int arg = synonym == name ? op.schema().arg_index(other) : -1;
    if (arg >= 0) return arg;
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

int role_of(std::string_view name) {
  static const std::unordered_map<std::string_view, int> roles = {
      {"name", kIgnored},   {"out", kOut},
      {"dtype", kCastTo},   {"alpha", kAlpha},
      {"dim0", kAxis0},     {"axis0", kAxis0},
      {"dim1", kAxis1},     {"axis1", kAxis1},
      {"act", kActivation}, {"requires_grad", kRequiresGrad},
      {"device", kDevice},  {"rounding_mode", kRounding}};
  const auto it = roles.find(name);
  return it == roles.end() ? kFixed : it->second;
}

Wanted wanted_of(std::string_view type) {
  if (type == "bool") return Wanted::kBool;
  if (type == "int") return Wanted::kInt;
  if (type == "Tensor") return Wanted::kTensor;
  if (type == "dtype") return Wanted::kDType;
  if (type == "filled") return Wanted::kFilled;
  return Wanted::kAny;
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

// One parameter: "axis", "axis=None", "dim: int", "dim: int = 0".
void add_param(Plan& plan, std::string_view part, bool keyword_only) {
  const size_t equals = part.find('=');
  std::string_view head = strip(part.substr(0, equals));
  Wanted wanted = Wanted::kAny;
  if (const size_t colon = head.find(':'); colon != std::string_view::npos) {
    wanted = wanted_of(strip(head.substr(colon + 1)));
    head = strip(head.substr(0, colon));
  }
  std::string name(head);
  int arg = arg_of_param(*plan.op, name);
  if (arg < 0 && plan.params.empty() && plan.op->num_args > 0) arg = 0;  // self, input
  if (arg < 0) arg = role_of(name);
  Param p{PyUnicode_InternFromString(name.c_str()),
          name,
          arg,
          equals == std::string_view::npos,
          keyword_only,
          nullptr,
          wanted};
  if (!p.required) {
    p.default_value = literal(strip(part.substr(equals + 1)));
    if (p.arg >= 0 && p.default_value && p.default_value != Py_None) {
      fill_slot(*plan.op, p.arg, p.default_value, plan.defaults[static_cast<size_t>(p.arg)],
                plan.kept, plan.name.c_str(), name.c_str());
    }
  }
  plan.params.push_back(std::move(p));
}

void add_spelled_params(Plan& plan, const PythonSpelling& s) {
  if (s.signature.empty()) {
    add_schema_params(plan);
    add_param(plan, "name=None", false);
    if (!s.inplace && plan.op->num_tensor_args > 0) add_param(plan, "out=None", true);
    return;
  }
  const bool method = s.path.starts_with("Tensor.");
  bool keyword_only = false;
  for (std::string_view part : split_params(s.signature)) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    if (method && plan.params.empty()) {
      const std::string first(strip(part.substr(0, part.find('='))));
      if (first != "self" && arg_of_param(*plan.op, first) != 0) {
        add_param(plan, plan.op->schema().args[0].name, false);
      }
    }
    add_param(plan, part, keyword_only);
  }
}

void finish(Plan& plan) {
  PADDLE_CHECK_RUNTIME(plan.params.size() < 64, plan.name, ": more than 63 parameters.");
  plan.positional = plan.params.size();
  for (size_t i = plan.params.size(); i-- > 0;) {
    if (plan.params[i].keyword_only) plan.positional = i;
  }
  for (size_t i = 0; i < plan.params.size(); ++i) {
    Param& p = plan.params[i];
    plan.required |= uint64_t{p.required} << i;
    plan.spreads |= p.wanted == Wanted::kFilled;
    p.takes_tensor =
        p.arg >= 0 && plan.op->schema().args[static_cast<size_t>(p.arg)].type == ArgType::kTensor;
  }
  const auto is_ints = [&](int arg) {
    if (arg < 0) return false;
    const ArgType t = plan.op->schema().args[static_cast<size_t>(arg)].type;
    return t == ArgType::kIntArray || t == ArgType::kInts || t == ArgType::kInt64s;
  };
  plan.gives_itself = plan.path == "Tensor.astype";
  plan.is_power = plan.path == "paddle.pow" || plan.path == "Tensor.pow";
  plan.owns_result = !plan.path.empty() && plan.op->has(kLeavesBase);
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

// The tuple type of "TopKRetType(values, indices)".
PyTypeObject* named_tuple(const std::string& text) {
  const size_t open = text.find('(');
  const std::string name = str("paddle.", strip(std::string_view(text).substr(0, open)));
  std::vector<PyStructSequence_Field> fields;
  for (std::string_view field :
       split_params(std::string_view(text).substr(open + 1, text.rfind(')') - open - 1))) {
    // The type keeps the characters.
    fields.push_back({(new std::string(field))->c_str(), nullptr});
  }
  fields.push_back({nullptr, nullptr});
  PyStructSequence_Desc desc = {(new std::string(name))->c_str(), "Results by name.", fields.data(),
                                static_cast<int>(fields.size()) - 1};
  return reinterpret_cast<PyTypeObject*>(
      checked(reinterpret_cast<PyObject*>(PyStructSequence_NewType(&desc))).release());
}

int param_named(const Plan& plan, std::string_view text) {
  for (size_t i = 0; i < plan.params.size(); ++i) {
    if (plan.params[i].text == text) return static_cast<int>(i);
  }
  return kUnknownKeyword;
}

bool is_what(PyObject* value, Wanted wanted) {
  DType dtype;
  switch (wanted) {
    case Wanted::kBool:
      return PyBool_Check(value);
    case Wanted::kInt:
      return PyLong_Check(value) && !PyBool_Check(value);
    case Wanted::kTensor:
      return is_tensor(value);
    case Wanted::kDType:
      return !is_tensor(value) && !PyLong_Check(value) && !PyList_Check(value) &&
             !PyTuple_Check(value) && to_dtype(value, dtype);
    default:
      return true;
  }
}

bool fits(const Plan& plan, PyObject* const* args, size_t n, PyObject* kwnames) {
  if (n > plan.positional) return false;
  uint64_t given = (uint64_t{1} << n) - 1;
  for (size_t i = 0; i < n; ++i) {
    if (!is_what(args[i], plan.params[i].wanted)) return false;
  }
  const Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < count; ++k) {
    const int i = find_param(plan, PyTuple_GET_ITEM(kwnames, k), true);
    if (i == kNameKeyword) continue;
    if (i < 0 || ((given >> i) & 1u)) return false;
    if (!is_what(args[n + static_cast<size_t>(k)], plan.params[static_cast<size_t>(i)].wanted))
      return false;
    given |= uint64_t{1} << i;
  }
  return (given & plan.required) == plan.required;
}

}  // namespace

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

int find_param(const Plan& plan, PyObject* keyword, bool own_names_only) {
  for (size_t i = 0; i < plan.params.size(); ++i) {
    if (plan.params[i].name == keyword) return static_cast<int>(i);
  }
  Py_ssize_t length;
  const char* chars = PyUnicode_AsUTF8AndSize(keyword, &length);
  if (!chars) throw_python();
  const std::string_view text(chars, static_cast<size_t>(length));
  if (const int own = param_named(plan, text); own >= 0) return own;
  if (text == "name") return kNameKeyword;
  if (own_names_only) return text == "x" || text == "input" ? 0 : kUnknownKeyword;
  for (const ParamAlias& a : plan.op->aliases()) {
    if (a.alias != text) continue;
    if (a.name.empty()) return kUnknownKeyword;  // a synonym that this operator refuses
    const int arg = plan.op->schema().arg_index(a.name);
    for (size_t i = 0; i < plan.params.size(); ++i) {
      if (plan.params[i].arg == arg) return static_cast<int>(i);
    }
  }
  for (const auto& [synonym, name] : kSynonyms) {
    if (synonym != text) continue;
    if (const int i = param_named(plan, name); i >= 0) return i;
  }
  return text == "out" && !plan.inplace ? kOutKeyword : kUnknownKeyword;
}

const Plan& select_overload(const Plan& plan, PyObject* const* args, size_t n, PyObject* kwnames) {
  for (const Plan* overload : plan.overloads) {
    if (fits(*overload, args, n, kwnames)) return *overload;
  }
  return plan;
}

Plan* plan_of_schema(const OpDef& op) {
  Plan* plan = new_plan(op, op.name(), str("paddle._C_ops.", op.name()));
  add_schema_params(*plan);
  finish(*plan);
  return plan;
}

Plan* plan_of_spelling(const OpDef& op, const PythonSpelling& s) {
  Plan* plan = new_plan(op, s.path.substr(s.path.rfind('.') + 1), s.path);
  plan->inplace = s.inplace;
  plan->static_refusals = static_refusals(s.path);
  if (!s.result.empty()) plan->result_type = named_tuple(s.result);
  add_spelled_params(*plan, s);
  finish(*plan);
  return plan;
}

}  // namespace paddle::bindings
