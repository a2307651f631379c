// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parser of one-line operator signatures.

#include "paddle_core/op/schema.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace paddle {
namespace {

constexpr std::array<std::pair<std::string_view, ArgType>, 15> kTypes{{
    {"Tensor", ArgType::kTensor},
    {"Tensor[]", ArgType::kTensorList},
    {"bool", ArgType::kBool},
    {"int", ArgType::kInt},
    {"int64", ArgType::kInt64},
    {"float", ArgType::kFloat},
    {"double", ArgType::kDouble},
    {"str", ArgType::kString},
    {"DType", ArgType::kDType},
    {"Place", ArgType::kPlace},
    {"Scalar", ArgType::kScalar},
    {"IntArray", ArgType::kIntArray},
    {"int[]", ArgType::kInts},
    {"int64[]", ArgType::kInt64s},
    {"float[]", ArgType::kFloats},
}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Schema parse() {
    Schema schema;
    schema.text = std::string(text_);
    schema.name = word();
    expect('(');
    if (!accept(')')) {
      do schema.args.push_back(argument());
      while (accept(','));
      expect(')');
    }
    expect('-');
    expect('>');
    expect('(');
    if (!accept(')')) {
      do schema.results.push_back(result());
      while (accept(','));
      expect(')');
    }
    skip();
    if (at_ != text_.size()) fail("the end");
    return schema;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw_error(ErrorKind::kValue,
                str("schema \"", text_, "\": expected ", expected, " at position ", at_, "."));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
  }
  std::string word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    if (begin == at_) fail("a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  ArgSpec argument() {
    ArgSpec arg;
    std::string type = word();
    if (accept('[')) {
      expect(']');
      type += "[]";
    }
    bool known = false;
    for (const auto& [name, value] : kTypes) {
      if (name == type) arg.type = value, known = true;
    }
    if (!known) fail("an argument type");
    if (accept('?')) arg.optional = true;
    if (accept('@')) {
      const std::string saved_as = word();
      if (saved_as != "operand") arg.operand_dtype = dtype_from_name(saved_as);
      if (arg.operand_dtype == DType::kUndefined) fail("operand or a dtype");
      arg.saved_as_operand = true;
    }
    arg.name = word();
    if (accept('=')) {
      arg.has_default = true;
      arg.default_value = constant(arg.type);
    }
    return arg;
  }

  ResultSpec result() {
    ResultSpec r;
    if (word() != "Tensor") fail("Tensor");
    if (accept('[')) {
      expect(']');
      r.is_list = true;
    }
    if (accept('?')) r.optional = true;
    r.name = word();
    return r;
  }

  std::string_view token() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != '}') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  double number(std::string_view t) {
    char* end = nullptr;
    const std::string copy(t);
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || *end != '\0') fail("a number");
    return value;
  }
  int64_t integer(std::string_view t) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    if (error != std::errc() || end != t.data() + t.size()) fail("an integer");
    return value;
  }

  Constant constant(ArgType type) {
    Constant c;
    switch (type) {
      case ArgType::kTensor:
      case ArgType::kTensorList:
        if (token() != "None") fail("None");
        break;
      case ArgType::kBool: {
        const std::string_view t = token();
        if (t != "true" && t != "false") fail("true or false");
        c.kind = SlotKind::kBool;
        c.i = t == "true";
        break;
      }
      case ArgType::kInt:
      case ArgType::kInt64:
        c.kind = SlotKind::kInt;
        c.i = integer(token());
        break;
      case ArgType::kFloat:
      case ArgType::kDouble:
        c.kind = SlotKind::kFloat;
        c.f = number(token());
        break;
      case ArgType::kString: {
        expect('"');
        const size_t end = text_.find('"', at_);
        if (end == std::string_view::npos) fail("a closing quote");
        c.kind = SlotKind::kString;
        c.text = std::string(text_.substr(at_, end - at_));
        at_ = end + 1;
        break;
      }
      case ArgType::kDType: {
        const std::string_view t = token();
        c.kind = SlotKind::kDType;
        c.i = static_cast<int64_t>(t == "Undefined" ? DType::kUndefined : dtype_from_name(t));
        if (t != "Undefined" && c.i == 0) fail("a dtype");
        break;
      }
      case ArgType::kPlace: {
        const std::string_view t = token();
        if (t != "cpu" && t != "Undefined") fail("cpu or Undefined");
        c.kind = SlotKind::kPlace;
        c.i = t == "Undefined";
        break;
      }
      case ArgType::kScalar: {
        const std::string_view t = token();
        c.kind = SlotKind::kScalar;
        if (t.find_first_of(".einf") == std::string_view::npos) {
          c.scalar = Scalar(integer(t));
        } else {
          c.scalar = Scalar(number(t));
        }
        break;
      }
      case ArgType::kIntArray:
      case ArgType::kInts:
      case ArgType::kInt64s:
        c.kind = SlotKind::kInts;
        expect('{');
        while (!accept('}')) {
          c.ints.push_back(Dim(integer(token())));
          accept(',');
        }
        break;
      case ArgType::kFloats:
        c.kind = SlotKind::kFloats;
        expect('{');
        while (!accept('}')) {
          c.floats.push_back(number(token()));
          accept(',');
        }
        break;
    }
    return c;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Slot Constant::slot() const {
  switch (kind) {
    case SlotKind::kBool:
      return Slot::of_bool(i != 0);
    case SlotKind::kInt:
      return Slot::of_int(i);
    case SlotKind::kFloat:
      return Slot::of_float(f);
    case SlotKind::kScalar:
      return Slot::of(scalar);
    case SlotKind::kInts:
      return Slot::of(ints);
    case SlotKind::kFloats:
      return Slot::of_floats(floats.data(), floats.size());
    case SlotKind::kString:
      return Slot::of(std::string_view(text));
    case SlotKind::kDType:
      return Slot::of(static_cast<DType>(i));
    case SlotKind::kPlace:
      return Slot::of(i != 0 ? undefined_place() : default_place());
    default:
      return Slot();
  }
}

Schema Schema::parse(std::string_view text) { return Parser(text).parse(); }

int Schema::arg_index(std::string_view name) const {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int Schema::result_index(std::string_view name) const {
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string_view type_name(ArgType type) {
  for (const auto& [name, value] : kTypes) {
    if (value == type) return name;
  }
  return "?";
}

}  // namespace paddle
