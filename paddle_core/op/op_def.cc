// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The setters of an operator's record.
#include "paddle_core/op/op_def.h"

namespace paddle {
namespace {

// The bit of what is `name` in the schema and stands at `index`. ValueError where there is none, or
// none of the 32 that a mask holds.
uint32_t bit_of(const Schema& schema, int index, const char* name) {
  PADDLE_CHECK_VALUE(index >= 0, "operator ", schema.name, ": nothing is named ", name,
                     "; use the names of the schema.");
  PADDLE_CHECK_VALUE(index < 32, "operator ", schema.name, ": ", name, " is at position ", index,
                     "; only the first 32 can be named here; put it in front.");
  return 1u << index;
}

template <typename Given>
void require_schema(const Schema& schema, const char* setter, const Given& given) {
  PADDLE_CHECK_VALUE(!schema.name.empty(), setter, '(', given,
                     ") stands before the schema of its operator; put it behind.");
}

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

OpDef& OpDef::schema(std::string_view text) {
  const std::string registered = schema_.name;
  schema_ = Schema::parse(text);
  PADDLE_CHECK_VALUE(registered.empty() || registered == schema_.name, "operator ", registered,
                     ": its schema is named ", schema_.name, "; use one name.");
  // Sets of arguments are kept as masks of 32 bits.
  PADDLE_CHECK_VALUE(schema_.args.size() <= 32 && schema_.results.size() <= 16, "operator ",
                     schema_.name, ": ", schema_.args.size(), " arguments and ",
                     schema_.results.size(),
                     " results; at most 32 and 16 are possible. Pass several tensors as one "
                     "Tensor[] argument.");
  num_args = static_cast<uint8_t>(schema_.args.size());
  num_results = static_cast<uint8_t>(schema_.results.size());
  list_result = num_results == 1 && schema_.results[0].is_list;
  num_tensor_args = 0;
  tensors_first = true;
  place_arg = -1;
  for (size_t i = 0; i < schema_.args.size(); ++i) {
    if (schema_.args[i].type == ArgType::kPlace) place_arg = static_cast<int8_t>(i);
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
  kind_reason_ = std::move(reason);
  return trait(kPrimitive);
}

OpDef& OpDef::opaque(std::string reason) {
  kind_reason_ = std::move(reason);
  return trait(kOpaque);
}

OpDef& OpDef::saves(std::initializer_list<const char*> names) {
  saved_inputs = saved_outputs = 0;
  for (const char* name : names) {
    const int arg = schema_.arg_index(name), result = schema_.result_index(name);
    PADDLE_CHECK_VALUE(arg >= 0 || result >= 0, "operator ", schema_.name, ": saves(", name,
                       ") is neither an argument nor a result.");
    if (arg >= 0) {
      saved_inputs |= bit_of(schema_, arg, name);
    } else {
      saved_outputs |= bit_of(schema_, result, name);
    }
  }
  return *this;
}

OpDef& OpDef::reads_shape_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    shape_only |= bit_of(schema_, schema_.arg_index(name), name);
  }
  return *this;
}

OpDef& OpDef::follows_layout(std::initializer_list<const char*> args,
                             std::initializer_list<const char*> results, const char* format) {
  const int at = schema_.arg_index(format);
  PADDLE_CHECK_VALUE(at >= 0, "operator ", schema_.name, ": follows_layout names the argument ",
                     format, ", which the schema does not have.");
  const bool is_text = schema_.args[static_cast<size_t>(at)].type == ArgType::kString;
  (is_text ? format_arg : axis_arg) = static_cast<int8_t>(at);
  for (const char* name : args) layout_args |= bit_of(schema_, schema_.arg_index(name), name);
  for (const char* name : results)
    layout_results |= bit_of(schema_, schema_.result_index(name), name);
  return *this;
}

OpDef& OpDef::reduction(const char* axes, const char* keepdim) {
  const auto position = [&](const char* name) -> int8_t {
    if (!name) return -1;
    const int at = schema_.arg_index(name);
    PADDLE_CHECK_VALUE(at >= 0, "operator ", schema_.name, ": reduction names the argument ", name,
                       ", which the schema does not have.");
    return static_cast<int8_t>(at);
  };
  reduced_axes_arg = position(axes);
  keepdim_arg = position(keepdim);
  return trait(kReduction);
}

OpDef& OpDef::no_grad_result(const char* name) {
  nondiff_results |= bit_of(schema_, schema_.result_index(name), name);
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

OpDef& OpDef::runtime(const char* argument, RuntimeValue meaning) {
  runtime_arg = static_cast<int8_t>(schema_.arg_index(argument));
  runtime_value = meaning;
  PADDLE_CHECK_VALUE(runtime_arg >= 0, "operator ", schema_.name, ": no argument ", argument, ".");
  return *this;
}

OpDef& OpDef::saved_as(std::string name) {
  require_schema(schema_, "saved_as", name);
  saved_name_ = std::move(name);
  return *this;
}

OpDef& OpDef::saved_form(SavedFormFn fn) {
  require_schema(schema_, "saved_form", "");
  PADDLE_CHECK_VALUE(fn, "operator ", schema_.name, ": saved_form is given no rule.");
  PADDLE_CHECK_VALUE(!saved_form_fn, "operator ", schema_.name,
                     ": saved_form is given twice; a call is written in one way.");
  saved_form_fn = fn;
  return *this;
}

OpDef& OpDef::since_version(int version) {
  require_schema(schema_, "since_version", version);
  PADDLE_CHECK_VALUE(version > 1 && version <= kSavedVersion, "operator ", schema_.name,
                     ": since_version is ", version, "; files have the versions 1 to ",
                     kSavedVersion, ", and a form has been there since 1 unless it changed.");
  saved_version = static_cast<int8_t>(version);
  return *this;
}

OpDef& OpDef::upgrade(std::string name, SavedFormFn fn, int version) {
  require_schema(schema_, "upgrade", name);
  PADDLE_CHECK_VALUE(!name.empty() && version >= 1 && version <= kSavedVersion, "operator ",
                     schema_.name, ": upgrade(", name, ") is of version ", version,
                     "; it needs a name, and files have the versions 1 to ", kSavedVersion, '.');
  for (const SavedUpgrade& known : upgrades_) {
    PADDLE_CHECK_VALUE(known.name != name || known.version != version, "operator ", schema_.name,
                       ": two upgrades of ", name, " are of version ", version,
                       "; files hold one form in each version.");
  }
  upgrades_.push_back({std::move(name), version, fn});
  return *this;
}

}  // namespace paddle
