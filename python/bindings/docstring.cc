// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Docstrings of operator functions: the document of the record, and what its schema says of
// arguments and results.
#include <cctype>

#include "python/bindings/call_plan.h"

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

std::string description(const Plan& plan, const Param& p) {
  if (p.arg < 0) return meaning_of(p.arg);
  const ArgSpec& spec = plan.op->schema().args[static_cast<size_t>(p.arg)];
  return spec.optional ? str(kind_of(spec.type), ", or None") : kind_of(spec.type);
}

std::string results(const Plan& plan) {
  const std::vector<ResultSpec>& list = plan.op->schema().results;
  if (plan.inplace) return "the first Tensor, which holds the result";
  if (plan.op->list_result) return "a list of Tensors";
  if (list.size() == 1) return "a Tensor";
  std::string out = "the Tensors (";
  for (const ResultSpec& r : list) out += str(&r == &list[0] ? "" : ", ", r.name);
  return out + ")";
}

std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".\n";
}

}  // namespace

std::string docstring(const Plan& plan) {
  std::string text = str(plan.name, plan.signature(), "\n\n", plan.op->doc(), "\n");
  if (!plan.params.empty()) text += "\nArgs:\n";
  for (const Param& p : plan.params) {
    text += str("    ", p.text, ": ", sentence(description(plan, p)));
  }
  text += str("\nReturns:\n    ", sentence(results(plan)));
  if (!plan.op->example().empty()) text += str("\nExample:\n    >>> ", plan.op->example(), "\n");
  return text;
}

}  // namespace paddle::bindings
