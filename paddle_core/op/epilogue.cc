// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Epilogues as text.
#include "paddle_core/op/epilogue.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "paddle_core/base/error.h"

namespace paddle {
namespace {

using Kind = EpilogueStep::Kind;

struct Name {
  Kind kind;
  std::string_view text;
  int numbers;
};

constexpr std::array<Name, 13> kNames{{{Kind::kRelu, "relu", 0},
                                       {Kind::kLeakyRelu, "leaky_relu", 1},
                                       {Kind::kSigmoid, "sigmoid", 0},
                                       {Kind::kHardSigmoid, "hardsigmoid", 2},
                                       {Kind::kHardSwish, "hardswish", 0},
                                       {Kind::kSwish, "swish", 1},
                                       {Kind::kTanh, "tanh", 0},
                                       {Kind::kGelu, "gelu", 0},
                                       {Kind::kGeluTanh, "gelu_tanh", 0},
                                       {Kind::kClip, "clip", 2},
                                       {Kind::kLinear, "linear", 2},
                                       {Kind::kAdd, "add", 0},
                                       {Kind::kMultiply, "multiply", 0}}};

void append_number(std::string& out, double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

// The numbers between the parentheses; false when there are others than `count`.
bool read_numbers(std::string_view text, int count, EpilogueStep& step) {
  for (double* number : {&step.a, &step.b}) {
    if (count-- <= 0) return text.empty();
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, *number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(at - text.data()));
    if (count > 0) {
      if (!text.starts_with(',')) return false;
      text.remove_prefix(1);
    }
  }
  return text.empty();
}

EpilogueStep parse_step(std::string_view text, const char* op) {
  const size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.text == name; });
  EpilogueStep step;
  bool good = found != kNames.end();
  if (good) {
    step.kind = found->kind;
    std::string_view numbers;
    if (open != std::string_view::npos) {
      good = text.ends_with(')') && found->numbers > 0;
      numbers = text.substr(open + 1, text.size() - open - 2);
    }
    good = good && read_numbers(numbers, found->numbers, step);
  }
  PADDLE_CHECK_VALUE(good, op, ": epilogue holds the step '", text,
                     "'; a step is a function's name with its numbers, as in 'relu', 'clip(0,6)'.");
  return step;
}

}  // namespace

Epilogue parse_epilogue(std::string_view text, const char* op) {
  Epilogue steps;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    steps.push_back(parse_step(text.substr(0, end), op));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto taking = std::count_if(steps.begin(), steps.end(),
                                    [](const EpilogueStep& s) { return s.takes_residual(); });
  PADDLE_CHECK_VALUE(taking <= 1, op, ": epilogue combines with residual ", taking,
                     " times; once at most.");
  return steps;
}

std::string to_text(const Epilogue& epilogue) {
  std::string out;
  for (const EpilogueStep& step : epilogue) {
    const Name& name = *std::find_if(kNames.begin(), kNames.end(),
                                     [&](const Name& n) { return n.kind == step.kind; });
    if (!out.empty()) out += ' ';
    out += name.text;
    if (name.numbers == 0) continue;
    out += '(';
    append_number(out, step.a);
    if (name.numbers == 2) append_number(out += ',', step.b);
    out += ')';
  }
  return out;
}

bool takes_residual(const Epilogue& epilogue) {
  return std::any_of(epilogue.begin(), epilogue.end(),
                     [](const EpilogueStep& s) { return s.takes_residual(); });
}

}  // namespace paddle
