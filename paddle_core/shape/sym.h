// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Symbolic extents. An expression is an integer polynomial over atoms; an atom is a symbol or a
// floordiv, mod, min or max of two expressions. It is kept in canonical form (sorted monomials,
// gathered coefficients), so that equality is identity. There is no solver.
//
// A SymbolScope is installed on a thread while shape rules run on symbols (capture, verifier). It
// creates symbols, may know an example value of each, and records what was decided:
//   guard   an answer taken from example values: must be re-checked when a program is reused
//   check   an answer taken from the rule's default: must be checked at run time
//
// Symbols live as long as their scope, or whatever else holds its SymbolOwner: a program keeps the
// owners of its symbols (pir/ir). Expressions go with the youngest symbol in them. Ids are not
// given again, so an extent that outlives its symbols is refused, never taken for another one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle_core/shape/shape.h"

namespace paddle {

struct SymbolFact {
  enum class Relation : uint8_t { kEq, kNe, kLe, kGt };
  Dim left, right;
  Relation relation;
  bool is_guard;         // else a run-time check
  bool of_rule = false;  // of a shape rule alone, which decides again when numbers come
};
PADDLE_API std::ostream& operator<<(std::ostream& out, const SymbolFact& fact);

// A number was asked for where an expression stands.
class PADDLE_API OpenExtentError : public Error {
 public:
  explicit OpenExtentError(Dim d);
};

// Keeps the symbols of a scope.
using SymbolOwner = std::shared_ptr<const void>;
// How many symbols and expressions there are in the process.
PADDLE_API size_t num_expressions();

// Symbol id -> value. An atom (below) whose symbols have none may have a value of its own.
using SymbolValues = std::unordered_map<uint32_t, int64_t>;

class PADDLE_API SymbolScope {
 public:
  // Installs itself on this thread; the destructor restores the previous one.
  SymbolScope();
  ~SymbolScope();
  SymbolScope(const SymbolScope&) = delete;
  SymbolScope& operator=(const SymbolScope&) = delete;
  static SymbolScope* current();
  // Leaves the thread and comes back to it; the scope keeps what it knows.
  void suspend();
  void resume();

  // A new symbol, printed as s0, s1, ... Extents are >= 0.
  Dim fresh(std::optional<int64_t> example = std::nullopt);
  // Pins a symbolic value to its example (a guard); RuntimeError without an example.
  int64_t pin(Dim d);
  bool decide(SymbolFact::Relation relation, Dim a, Dim b, bool fallback);
  // While an instance lives, what is decided is decided by the shape rule of a recorded operator.
  class Rule {
   public:
    explicit Rule(SymbolScope* scope) : scope_(scope), before_(scope && scope->in_rule_) {
      if (scope_) scope_->in_rule_ = true;
    }
    ~Rule() {
      if (scope_) scope_->in_rule_ = before_;
    }
    Rule(const Rule&) = delete;
    Rule& operator=(const Rule&) = delete;

   private:
    SymbolScope* scope_;
    bool before_;
  };
  const std::vector<SymbolFact>& facts() const { return facts_; }
  const SymbolValues& examples() const { return examples_; }
  const SymbolOwner& owner() const { return owner_; }

 private:
  SymbolScope* previous_;
  SymbolOwner owner_;
  uint64_t family_;
  std::vector<SymbolFact> facts_;
  SymbolValues examples_;
  bool in_rule_ = false;
  uint32_t next_number_ = 0;  // goes on from the enclosing scope's
};

// The value of an expression, or nullopt when a symbol has none.
PADDLE_API std::optional<int64_t> evaluate(Dim d, const SymbolValues& values);
PADDLE_API Dim substitute(Dim d, const std::unordered_map<uint32_t, Dim>& replacements);
PADDLE_API std::string to_string(Dim d);
// A plain symbol (not a compound expression).
PADDLE_API bool is_plain_symbol(Dim d);
// A symbol, or a minimum, maximum, quotient or rest: what the terms of expressions are made of.
PADDLE_API bool is_atom(Dim d);

// What an expression consists of, for those who compute it: a sum of terms, each a coefficient
// times factors. A factor is a plain symbol or an operation of two expressions.
struct DimFactor {
  enum class Kind : uint8_t { kSymbol, kFloorDiv, kMod, kMin, kMax };
  Kind kind;
  Dim self;         // the factor as an expression
  Dim left, right;  // of an operation
};
struct DimTerm {
  int64_t coefficient;
  std::vector<DimFactor> factors;
};
PADDLE_API std::vector<DimTerm> terms_of(Dim d);

}  // namespace paddle
