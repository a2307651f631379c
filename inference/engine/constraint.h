// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Answers of a form that a request asks for: JSON, a regular expression, a grammar. Whoever makes
// the requests knows the form; the engine asks it for the tokens that may follow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace paddle::engine {

// What is known of the form of a request's answers.
class Constraint {
 public:
  Constraint() = default;
  virtual ~Constraint() = default;
  Constraint(const Constraint&) = delete;
  Constraint& operator=(const Constraint&) = delete;
};

struct ConstrainedRow {
  const Constraint* constraint;
  int32_t answer;                   // index of the answer among those of the request
  std::span<const int32_t> tokens;  // of the answer, since it was asked for last
  int32_t* allowed;                 // of a step's words: bit i % 32 of word i / 32 is token i
  std::string error;                // why this answer cannot go on
};

// Fills `allowed` of all rows, or their `error`. Called by the engine's thread, once in a step that
// has answers of a form, and never otherwise.
using MaskMaker = std::function<void(std::span<ConstrainedRow> rows, int64_t words)>;

}  // namespace paddle::engine
