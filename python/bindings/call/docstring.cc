// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Docstrings of operator functions: the document of the record, and what its schema says of
// arguments and results where the document does not.
//
// Behind its first line a document may have lines `axis: The axis.`, named by an argument,
// `Returns` or `Raises`. The last line of an example may end in `  # result`: what Python prints
// for it.
#include <cctype>

#include "python/bindings/call/call_plan.h"

namespace paddle::bindings {
namespace {

const char* kind_of(ArgType type) {
  switch (type) {
    case ArgType::kTensor:
      return "a Tensor";
    case ArgType::kTensorList:
      return "a list of Tensors";
    case ArgType::kBool:
      return "a bool";
    case ArgType::kInt:
    case ArgType::kInt64:
      return "an int";
    case ArgType::kFloat:
    case ArgType::kDouble:
      return "a float";
    case ArgType::kString:
      return "a str";
    case ArgType::kDType:
      return "a dtype or its name";
    case ArgType::kPlace:
      return "a place";
    case ArgType::kScalar:
      return "a number, or a Tensor of one element";
    case ArgType::kIntArray:
      return "a list of ints, or a Tensor of them";
    case ArgType::kInts:
    case ArgType::kInt64s:
      return "an int or a list of ints";
    case ArgType::kFloats:
      return "a list of floats";
  }
  return "";
}

const char* meaning_of(int role) {
  switch (role) {
    case kIgnored:
      return "unused";
    case kOut:
      return "a Tensor that takes the result";
    case kCastTo:
      return "the dtype to which the first Tensor is cast before the call";
    case kAlpha:
      return "a factor of the last Tensor";
    case kRounding:
      return "None, 'floor' or 'trunc': how the quotient is rounded";
    case kAxis0:
    case kAxis1:
      return "an axis that is swapped with the other one";
    case kActivation:
      return "name of an operator that is applied to the result";
    case kRequiresGrad:
      return "whether a gradient is computed for the result";
    case kDevice:
      return "the device of the result";
    default:
      return "only the default is supported";
  }
}

// Names that mean the same in all operators.
std::string usual_meaning(const ArgSpec& spec, bool may_be_none) {
  if (spec.name == "keepdim") return "whether the reduced axes stay, with extent 1";
  if (spec.name != "axis") return "";
  if (spec.type == ArgType::kInt || spec.type == ArgType::kInt64) {
    return "an axis; a negative one counts from the end";
  }
  const bool several = spec.type == ArgType::kIntArray || spec.type == ArgType::kInts ||
                       spec.type == ArgType::kInt64s;
  if (!several) return "";
  return may_be_none ? "an axis, a list of axes, or None for all" : "an axis or a list of axes";
}

std::string description(const Plan& plan, const Param& p) {
  if (p.arg < 0) return meaning_of(p.arg);
  const ArgSpec& spec = plan.op->schema().args[static_cast<size_t>(p.arg)];
  const std::string usual = usual_meaning(spec, p.default_value == Py_None);
  if (!usual.empty()) return usual;
  return spec.optional ? str(kind_of(spec.type), ", or None") : kind_of(spec.type);
}

std::string results(const Plan& plan) {
  const std::vector<ResultSpec>& list = plan.op->schema().results;
  if (plan.inplace) return "the first Tensor, which holds the result";
  if (plan.op->list_result) return "a list of Tensors";
  if (list.size() == 1 && plan.op->has(kBroadcast) && plan.op->has(kElementwise)) {
    return "a Tensor of the shape to which the arguments broadcast";
  }
  if (list.size() == 1 && plan.op->has(kElementwise)) return "a Tensor of the same shape";
  if (list.size() == 1) return "a Tensor";
  std::string out = "the Tensors (";
  for (const ResultSpec& r : list) out += str(&r == &list[0] ? "" : ", ", r.name);
  return out + ")";
}

std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".\n";
}

// What a document says under a name; empty when nothing.
std::string said(const std::string& doc, const std::string& name) {
  const std::string key = str('\n', name, ": ");
  const size_t at = doc.find(key);
  if (at == std::string::npos) return "";
  const size_t from = at + key.size();
  return doc.substr(from, std::min(doc.find('\n', from), doc.size()) - from) + "\n";
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? text : str('\n', title, ":\n    ", text);
}

std::string prompted(const std::string& example) {
  std::string text = ">>> ";
  for (const char c : example) text += c == '\n' ? std::string("\n    >>> ") : std::string(1, c);
  const size_t result = text.rfind("  # ");
  if (result != std::string::npos) text.replace(result, 4, "\n    ");
  return text + "\n";
}

}  // namespace

std::string docstring(const Plan& plan) {
  const std::string& doc = plan.op->doc();
  std::string text = str(plan.name, plan.signature(), "\n\n", doc.substr(0, doc.find('\n')), "\n");
  if (!plan.params.empty()) text += "\nArgs:\n";
  for (const Param& p : plan.params) {
    std::string meaning;
    if (p.arg >= 0) meaning = said(doc, plan.op->schema().args[static_cast<size_t>(p.arg)].name);
    text += str("    ", p.text, ": ", meaning.empty() ? sentence(description(plan, p)) : meaning);
  }
  const std::string returned = plan.inplace ? "" : said(doc, "Returns");
  text += section("Returns", returned.empty() ? sentence(results(plan)) : returned);
  text += section("Raises", said(doc, "Raises"));
  if (!plan.op->example().empty()) text += section("Example", prompted(plan.op->example()));
  return text;
}

}  // namespace paddle::bindings
