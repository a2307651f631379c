// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Symbol scopes, decisions on symbolic extents, and the public view of the table of expressions.
#include "paddle_core/shape/sym.h"

#include <atomic>
#include <ostream>

#include "paddle_core/shape/sym_table.h"

namespace paddle {
namespace {

using Relation = SymbolFact::Relation;

thread_local SymbolScope* t_scope = nullptr;

bool is_equality(Relation r) { return r == Relation::kEq || r == Relation::kNe; }
bool is_positive(Relation r) { return r == Relation::kEq || r == Relation::kLe; }

Relation negated(Relation r) {
  switch (r) {
    case Relation::kEq:
      return Relation::kNe;
    case Relation::kNe:
      return Relation::kEq;
    case Relation::kLe:
      return Relation::kGt;
    default:
      return Relation::kLe;
  }
}

std::optional<bool> prove(Relation relation, Dim a, Dim b) {
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  const auto [lo, hi] = table.bounds(table.add(a, b, -1));
  std::optional<bool> holds;  // the positive form
  if (is_equality(relation)) {
    if (lo && hi && *lo == 0 && *hi == 0) holds = true;
    if ((lo && *lo > 0) || (hi && *hi < 0)) holds = false;
  } else {
    if (hi && *hi <= 0) holds = true;
    if (lo && *lo > 0) holds = false;
  }
  if (!holds) return std::nullopt;
  return *holds == is_positive(relation);
}

// What an earlier fact says about the positive form of the relation.
std::optional<bool> known(const std::vector<SymbolFact>& facts, bool equality, Dim a, Dim b,
                          bool of_rule) {
  for (const SymbolFact& f : facts) {
    if (f.of_rule != of_rule) continue;
    const bool same = f.left == a && f.right == b, turned = f.left == b && f.right == a;
    if (!same && !turned) continue;
    if (is_equality(f.relation)) {
      if (equality) return f.relation == Relation::kEq;
      if (f.relation == Relation::kEq) return true;
    } else if (same && !equality) {
      return f.relation == Relation::kLe;
    } else if (f.relation == Relation::kGt) {
      return turned && !equality;  // right > left: left <= right, and they differ
    }
  }
  return std::nullopt;
}

// The symbols of one scope.
struct Family {
  const uint64_t number = next.fetch_add(1);
  ~Family() {
    SymTable& table = SymTable::instance();
    const std::lock_guard lock(table.mutex);
    table.release(number);
  }
  static inline std::atomic<uint64_t> next{1};
};

}  // namespace

SymbolScope::SymbolScope()
    : previous_(t_scope), next_number_(previous_ ? previous_->next_number_ : 0) {
  const auto family = std::make_shared<const Family>();
  family_ = family->number;
  owner_ = family;
  t_scope = this;
}

size_t num_expressions() {
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  return table.size();
}

SymbolScope::~SymbolScope() {
  if (t_scope == this) t_scope = previous_;
}

void SymbolScope::suspend() {
  if (t_scope == this) t_scope = previous_;
}

void SymbolScope::resume() {
  previous_ = t_scope;
  t_scope = this;
}

SymbolScope* SymbolScope::current() { return t_scope; }

Dim SymbolScope::fresh(std::optional<int64_t> example) {
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  const Dim d = table.new_symbol(next_number_++, family_);
  if (example) examples_[d.symbol_id()] = *example;
  return d;
}

int64_t SymbolScope::pin(Dim d) {
  if (!d.is_symbolic()) return d.value();
  const auto value = evaluate(d, examples_);
  PADDLE_CHECK_RUNTIME(value.has_value(), "shape: extent has value ", to_string(d),
                       ", which is known only at run time; an integer is needed here; give a "
                       "number, or the dimension a fixed size in the input specification.");
  decide(Relation::kEq, d, *value, true);
  return *value;
}

bool SymbolScope::decide(Relation relation, Dim a, Dim b, bool fallback) {
  if (const auto proven = prove(relation, a, b)) return *proven;
  if (const auto sign = known(facts_, is_equality(relation), a, b, false)) {
    return *sign == is_positive(relation);
  }
  const auto va = evaluate(a, examples_), vb = evaluate(b, examples_);
  const bool has_example = va && vb;
  bool answer = fallback;
  if (const auto sign = known(facts_, is_equality(relation), a, b, true)) {
    answer = *sign == is_positive(relation);
    if (in_rule_) return answer;
  } else if (has_example) {
    const bool holds = is_equality(relation) ? *va == *vb : *va <= *vb;
    answer = holds == is_positive(relation);
  }
  facts_.push_back({a, b, answer ? relation : negated(relation), has_example, in_rule_});
  return answer;
}

namespace detail {

static bool decide_slow(Relation relation, Dim a, Dim b, bool fallback) {
  if (SymbolScope* scope = SymbolScope::current()) return scope->decide(relation, a, b, fallback);
  return prove(relation, a, b).value_or(fallback);
}

bool decide_eq_slow(Dim a, Dim b, bool fallback) {
  return decide_slow(Relation::kEq, a, b, fallback);
}

bool decide_le_slow(Dim a, Dim b, bool fallback) {
  return decide_slow(Relation::kLe, a, b, fallback);
}

}  // namespace detail

std::ostream& operator<<(std::ostream& out, const SymbolFact& fact) {
  static constexpr const char* kSigns[] = {" == ", " != ", " <= ", " > "};
  return out << (fact.is_guard ? "guard " : "check ") << fact.left
             << kSigns[static_cast<int>(fact.relation)] << fact.right;
}

std::optional<int64_t> evaluate(Dim d, const SymbolValues& values) {
  if (!d.is_symbolic()) return d.value();
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  const auto result = table.rewrite(d, [&](uint32_t id) -> std::optional<Dim> {
    const auto it = values.find(id);
    if (it == values.end()) return std::nullopt;
    return Dim(it->second);
  });
  if (!result) return std::nullopt;
  return result->value();
}

Dim substitute(Dim d, const std::unordered_map<uint32_t, Dim>& replacements) {
  if (!d.is_symbolic()) return d;
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  return *table.rewrite(d, [&](uint32_t id) -> std::optional<Dim> {
    const auto it = replacements.find(id);
    return it == replacements.end() ? Dim::from_symbol_id(id) : it->second;
  });
}

std::string to_string(Dim d) {
  if (!d.is_symbolic()) return std::to_string(d.value());
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  return table.text(d);
}

bool is_plain_symbol(Dim d) {
  if (!d.is_symbolic()) return false;
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  return table.is_symbol(d);
}

bool is_atom(Dim d) {
  if (!d.is_symbolic()) return false;
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  return std::get<0>(table.atom_of(d.symbol_id())) != AtomOp::kNone;
}

std::vector<DimTerm> terms_of(Dim d) {
  using Kind = DimFactor::Kind;
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  std::vector<DimTerm> terms;
  for (const auto& [monomial, coefficient] : table.poly_of(d)) {
    DimTerm& term = terms.emplace_back(DimTerm{coefficient, {}});
    for (const uint32_t id : monomial) {
      const auto [op, left, right] = table.atom_of(id);
      const Kind kind = op == AtomOp::kFloorDiv ? Kind::kFloorDiv
                        : op == AtomOp::kMod    ? Kind::kMod
                        : op == AtomOp::kMin    ? Kind::kMin
                        : op == AtomOp::kMax    ? Kind::kMax
                                                : Kind::kSymbol;
      term.factors.push_back({kind, Dim::from_symbol_id(id), left, right});
    }
  }
  return terms;
}

}  // namespace paddle
