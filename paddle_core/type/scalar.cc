// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scalars are printed as Python prints them: True, 3, 0.5, (1+2j).
#include "paddle_core/type/scalar.h"

#include <charconv>
#include <cmath>
#include <ostream>
#include <string>

namespace paddle {
namespace {

std::string shortest(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Scalar& s) {
  switch (s.kind()) {
    case Scalar::Kind::kBool:
      return out << (s.to_bool() ? "True" : "False");
    case Scalar::Kind::kInt:
      return out << s.to_int();
    case Scalar::Kind::kFloat: {
      const std::string text = shortest(s.to_double());
      const bool bare = text.find_first_not_of("-0123456789") == std::string::npos;
      return out << text << (bare ? ".0" : "");
    }
    case Scalar::Kind::kComplex:
      break;
  }
  const auto c = s.to_complex();
  const bool minus = std::signbit(c.imag());
  return out << '(' << shortest(c.real()) << (minus ? "-" : "+") << shortest(std::fabs(c.imag()))
             << "j)";
}

}  // namespace paddle
