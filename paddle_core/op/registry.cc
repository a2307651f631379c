// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The setters of an operator's record, and the registry with its consistency checks.

#include "paddle_core/op/registry.h"

#include <mutex>
#include <shared_mutex>

namespace paddle {
namespace {

// Users' operators may be registered while other threads look operators up.
std::shared_mutex registry_mutex;

}  // namespace

OpDef& OpDef::schema(std::string_view text) {
  const std::string registered = schema_.name;
  schema_ = Schema::parse(text);
  PADDLE_CHECK_VALUE(registered.empty() || registered == schema_.name, "operator ", registered,
                     ": its schema is named ", schema_.name, "; use one name.");
  PADDLE_CHECK_VALUE(schema_.args.size() <= 64 && schema_.results.size() <= 16, "operator ",
                     schema_.name, ": more than 64 arguments or 16 results.");
  num_args = static_cast<uint8_t>(schema_.args.size());
  num_results = static_cast<uint8_t>(schema_.results.size());
  list_result = num_results == 1 && schema_.results[0].is_list;
  num_tensor_args = 0;
  tensors_first = true;
  for (size_t i = 0; i < schema_.args.size(); ++i) {
    if (!schema_.args[i].is_tensor()) continue;
    if (num_tensor_args != i) tensors_first = false;
    ++num_tensor_args;
  }
  return *this;
}

OpDef& OpDef::doc(std::string text, std::string example) {
  doc_ = std::move(text);
  example_ = std::move(example);
  return *this;
}

namespace {

PythonSpelling parse_spelling(std::string text) {
  PythonSpelling s;
  if (const size_t arrow = text.find("->"); arrow != std::string::npos) {
    s.result = text.substr(arrow + 2);
    text.resize(arrow);
  }
  const size_t open = text.find('(');
  if (open != std::string::npos) {
    s.signature = text.substr(open + 1, text.rfind(')') - open - 1);
    text.resize(open);
  }
  s.path = std::move(text);
  return s;
}

}  // namespace

OpDef& OpDef::python(std::string spelling) {
  spellings_.push_back(parse_spelling(std::move(spelling)));
  return *this;
}

OpDef& OpDef::inplace_python(std::string spelling) {
  spellings_.push_back(parse_spelling(std::move(spelling)));
  spellings_.back().inplace = true;
  return *this;
}

OpDef& OpDef::overload(std::string spelling) {
  PythonSpelling s = parse_spelling(std::move(spelling));
  s.overload = true;
  s.inplace = s.path.ends_with('_');
  spellings_.push_back(std::move(s));
  return *this;
}

OpDef& OpDef::alias(std::string alias, std::string name) {
  aliases_.push_back({std::move(alias), std::move(name)});
  return *this;
}

OpDef& OpDef::primitive(std::string reason) {
  primitive_reason_ = std::move(reason);
  return trait(kPrimitive);
}

OpDef& OpDef::saves(std::initializer_list<const char*> names) {
  saved_inputs = saved_outputs = 0;
  for (const char* name : names) {
    const int arg = schema_.arg_index(name), result = schema_.result_index(name);
    PADDLE_CHECK_VALUE(arg >= 0 || result >= 0, "operator ", schema_.name, ": saves(", name,
                       ") is neither an argument nor a result.");
    if (arg >= 0) {
      saved_inputs |= 1u << arg;
    } else {
      saved_outputs |= 1u << result;
    }
  }
  return *this;
}

OpDef& OpDef::reads_shape_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const int arg = schema_.arg_index(name);
    PADDLE_CHECK_VALUE(arg >= 0, "operator ", schema_.name, ": no argument ", name, ".");
    shape_only |= 1u << arg;
  }
  return *this;
}

OpDef& OpDef::follows_layout(std::initializer_list<const char*> args,
                             std::initializer_list<const char*> results) {
  PADDLE_CHECK_VALUE(schema_.arg_index("data_format") >= 0 || schema_.arg_index("axis") >= 0,
                     "operator ", schema_.name,
                     ": follows_layout needs the argument data_format or axis.");
  for (const char* name : args) layout_args |= 1u << schema_.arg_index(name);
  for (const char* name : results) layout_results |= 1u << schema_.result_index(name);
  return *this;
}

OpDef& OpDef::no_grad_result(const char* name) {
  const int result = schema_.result_index(name);
  PADDLE_CHECK_VALUE(result >= 0, "operator ", schema_.name, ": no result ", name, ".");
  nondiff_results |= 1u << result;
  return *this;
}

OpDef& OpDef::inplace(
    std::initializer_list<std::pair<const char*, const char*>> argument_to_result) {
  inplace_arg = SmallVector<int8_t, 4>(num_results, int8_t{-1});
  for (const auto& [argument, result] : argument_to_result) {
    const int arg = schema_.arg_index(argument), res = schema_.result_index(result);
    PADDLE_CHECK_VALUE(arg >= 0 && res >= 0, "operator ", schema_.name, ": inplace(", argument,
                       ", ", result, ") names no argument and result.");
    inplace_arg[static_cast<size_t>(res)] = static_cast<int8_t>(arg);
  }
  return *this;
}

OpDef& OpDef::kernel_dtype_of(const char* argument) {
  kernel_dtype_arg = static_cast<int8_t>(schema_.arg_index(argument));
  PADDLE_CHECK_VALUE(kernel_dtype_arg >= 0, "operator ", schema_.name, ": no argument ", argument,
                     ".");
  return *this;
}

OpDef& OpDef::late(const char* argument, LateValue meaning) {
  late_arg = static_cast<int8_t>(schema_.arg_index(argument));
  late_value = meaning;
  PADDLE_CHECK_VALUE(late_arg >= 0, "operator ", schema_.name, ": no argument ", argument, ".");
  return *this;
}

Registry& Registry::global() {
  static Registry* registry = new Registry;  // outlives every static tensor
  return *registry;
}

OpDef& Registry::op(std::string name) {
  const std::unique_lock lock(registry_mutex);
  PADDLE_CHECK_RUNTIME(by_name_.find(name) == by_name_.end(), "operator ", name,
                       " is already registered; operators are defined once.");
  OpDef& def = ops_.emplace_back();
  def.id = static_cast<uint32_t>(ops_.size() - 1);
  by_name_.emplace(std::move(name), &def);
  return def;
}

OpDef* Registry::find(std::string_view name) {
  const std::shared_lock lock(registry_mutex);
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? nullptr : it->second;
}

OpDef& Registry::at(std::string_view name) {
  OpDef* def = find(name);
  PADDLE_CHECK_RUNTIME(def != nullptr, "no operator is named ", name, ".");
  return *def;
}

void Registry::kernel(std::string_view op, DeviceKind device, std::initializer_list<DType> dtypes,
                      KernelFn fn, bool strided) {
  OpDef& def = at(op);
  for (const DType dtype : dtypes) def.kernels.set(device, dtype, Kernel{fn, strided});
}

void Registry::seal() {
  for (const auto& [name, def] : by_name_) {
    PADDLE_CHECK_RUNTIME(name == def->schema().name, "operator ", name, " has no schema.");
    PADDLE_CHECK_RUNTIME(def->infer_fn != nullptr, "operator ", name, " has no shape rule.");
    PADDLE_CHECK_RUNTIME(def->kernels.any() || def->decompose_fn || def->view_fn, "operator ", name,
                         " has neither a kernel, a decomposition nor a view.");
    PADDLE_CHECK_RUNTIME(!def->has(kPrimitive) || !def->primitive_reason().empty(), "operator ",
                         name, " is primitive without a reason.");
    for (const ParamAlias& a : def->aliases()) {
      PADDLE_CHECK_RUNTIME(a.name.empty() || def->schema().arg_index(a.name) >= 0, "operator ",
                           name, ": alias ", a.alias, " names no argument ", a.name, ".");
    }
  }
}

}  // namespace paddle
