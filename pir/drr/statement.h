// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rules as data: the statements of their texts, resolved against the records.
#pragma once

#include "pir/drr/rule.h"

namespace paddle::pir::drr {

struct Argument {
  enum class Kind : uint8_t { kOmitted, kAbsent, kValue, kVariable, kComputed, kLiteral };
  Kind kind = Kind::kOmitted;
  std::string name;   // of the value, variable or function
  Attribute literal;  // bool, i64, f64, string, Shape or dtype
};

struct Statement {
  const OpDef* def = nullptr;  // null: `out = x`
  std::string alias;           // then the x
  std::vector<std::string> results;
  std::vector<Argument> args;  // one per argument of the schema
};

struct Compiled {
  std::vector<Statement> source, result;
  // Value name -> (statement of the source, result index); values of no statement are inputs.
  std::map<std::string, std::pair<size_t, size_t>> produced;
};

// Parses and checks; ValueError that names the rule.
Compiled resolve(const Rule& rule);

}  // namespace paddle::pir::drr
