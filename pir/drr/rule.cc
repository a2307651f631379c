// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matching of rules and building of their results.
#include "pir/drr/rule.h"

#include <algorithm>

#include "pir/dialect/effects.h"
#include "pir/drr/statement.h"

namespace paddle::pir {
namespace {

using drr::Argument;
using drr::Compiled;
using drr::Statement;

std::string operation_of(const Statement& s) { return operation_name(*s.def); }

// A constant argument in a form that compares: integers, doubles, dims, text.
bool same_constant(const Attribute& a, const Attribute& literal) {
  using Kind = Attribute::Kind;
  const bool dims = a.is(Kind::kIntArray) || a.is(Kind::kArray);
  if (literal.is(Kind::kIntArray)) return dims && a.to_dims() == literal.get<Shape>();
  if (dims) return false;
  if (literal.is(Kind::kString) || literal.is(Kind::kDType)) return a == literal;
  if (a.is(Kind::kNone) || a.is(Kind::kString) || a.is(Kind::kDType) || a.is(Kind::kPlace)) {
    return false;
  }
  return a.to_scalar().to_complex() == literal.to_scalar().to_complex();
}

Attribute attribute_of_constant(const Constant& c) {
  switch (c.kind) {
    case SlotKind::kInts:
      return c.ints;
    case SlotKind::kScalar:
      return c.scalar;
    case SlotKind::kFloat:
      return c.f;
    case SlotKind::kBool:
      return c.i != 0;
    default:
      return c.i;
  }
}

class RulePattern final : public RewritePattern {
 public:
  RulePattern(const Rule& rule, Compiled compiled)
      : RewritePattern(rule.name, operation_of(compiled.source.back()), rule.rank),
        rule_(rule),
        c_(std::move(compiled)) {}

  bool match_and_rewrite(Operation* op, PatternRewriter& rewriter) const override {
    Match m;
    m.operations.resize(c_.source.size());
    if (!match(c_.source.size() - 1, op, m) || !is_closed(m)) return false;
    if (rule_.constraint && !rule_.constraint(m)) return false;
    return rewrite(op, m, rewriter);
  }

 private:
  // -- the source ----------------------------------------------------------------------------
  bool match(size_t i, Operation* op, Match& m) const {
    const Statement& s = c_.source[i];
    if (m.operations[i]) return m.operations[i] == op;
    if (op->def != s.def || (i + 1 < c_.source.size() && op->block() != root(m)->block())) {
      return false;
    }
    m.operations[i] = op;
    for (size_t k = 0; k < op->num_results(); ++k) {
      if (k < s.results.size()) {
        m.values[s.results[k]] = op->result(k);
      } else if (op->result(k)->used()) {
        return false;
      }
    }
    const Match before = m;
    if (match_arguments(i, op, m, false)) return true;
    if (!s.def->has(kCommutative)) return false;
    m = before;
    return match_arguments(i, op, m, true);
  }

  Operation* root(const Match& m) const { return m.operations.back(); }

  bool match_arguments(size_t i, Operation* op, Match& m, bool swapped) const {
    const Statement& s = c_.source[i];
    const auto& specs = s.def->schema().args;
    size_t operand = 0;
    for (size_t k = 0; k < specs.size(); ++k) {
      if (!is_operand(specs[k])) {
        if (!match_attribute(s.args[k], op->find_attribute(specs[k].name), m)) return false;
        continue;
      }
      size_t at = operand++;
      if (swapped && at < 2) at = 1 - at;
      if (at >= op->num_operands()) return false;
      if (!match_operand(s.args[k], specs[k], op->operand(at), m)) return false;
    }
    return true;
  }

  static bool match_attribute(const Argument& a, const Attribute* given, Match& m) {
    if (a.kind == Argument::Kind::kOmitted) return true;
    if (!given) return false;
    if (a.kind == Argument::Kind::kLiteral) return same_constant(*given, a.literal);
    const auto [at, fresh] = m.constants.emplace(a.name, *given);
    return fresh || at->second == *given;
  }

  bool match_operand(const Argument& a, const ArgSpec& spec, Value* v, Match& m) const {
    switch (a.kind) {
      case Argument::Kind::kOmitted:
        return true;
      case Argument::Kind::kAbsent:
        return v == nullptr;
      case Argument::Kind::kValue:
        return v && match_value(a.name, v, m);
      default:
        break;
    }
    Constant constant;
    if (!v || !constant_operand(v, spec, constant)) return false;
    const Attribute given = attribute_of_constant(constant);
    return match_attribute(a, &given, m);
  }

  bool match_value(const std::string& name, Value* v, Match& m) const {
    const auto bound = m.values.find(name);
    const auto produced = c_.produced.find(name);
    if (produced == c_.produced.end()) {
      if (bound == m.values.end()) m.values.emplace(name, v);
      return bound == m.values.end() || bound->second == v;
    }
    const auto [statement, result] = produced->second;
    return v->producer() && v->index() == result && match(statement, v->producer(), m);
  }

  // Nothing outside uses a value inside, and what the result reads is not overwritten in between.
  bool is_closed(const Match& m) const {
    for (size_t i = 0; i + 1 < m.operations.size(); ++i) {
      if (is_constant(*m.operations[i])) continue;
      for (size_t k = 0; k < m.operations[i]->num_results(); ++k) {
        for (const Use& use : m.operations[i]->result(k)->uses()) {
          if (std::find(m.operations.begin(), m.operations.end(), use.op) == m.operations.end()) {
            return false;
          }
        }
      }
    }
    return std::none_of(m.values.begin(), m.values.end(),
                        [](const auto& v) { return is_written(v.second); });
  }

  // -- the result ----------------------------------------------------------------------------
  bool rewrite(Operation* op, const Match& m, PatternRewriter& rewriter) const {
    std::map<std::string, Value*, std::less<>> made;
    std::vector<Operation*> created;
    try {
      for (const Statement& s : c_.result) {
        if (!s.def) {
          made[s.results[0]] = find(s.alias, made, m);
          continue;
        }
        created.push_back(build(s, op, made, m, rewriter));
        for (size_t k = 0; k < s.results.size(); ++k) {
          made[s.results[k]] = created.back()->result(k);
        }
      }
    } catch (const Error&) {
      return undo(created, rewriter);
    }
    std::vector<Value*> values;
    for (size_t k = 0; k < op->num_results(); ++k) {
      const auto& names = c_.source.back().results;
      Value* old = op->result(k);
      Value* replacement = k < names.size() ? made.at(names[k]) : nullptr;
      if (replacement && !is_allowed(old, replacement, created)) return undo(created, rewriter);
      values.push_back(replacement);
    }
    rewriter.replace(op, values);
    return true;
  }

  static bool undo(const std::vector<Operation*>& created, PatternRewriter& rewriter) {
    for (auto at = created.rbegin(); at != created.rend(); ++at) rewriter.erase(*at);
    return false;
  }

  static bool is_allowed(const Value* old, const Value* replacement,
                         const std::vector<Operation*>& created) {
    const bool is_new =
        std::find(created.begin(), created.end(), replacement->producer()) != created.end();
    if (!is_new) return may_replace(old, replacement);
    if (!(old->type() == replacement->type())) return false;
    // A new view of other memory than the old value showed.
    const Value* base = memory_base(replacement);
    return base == replacement || base == memory_base(old) || !escapes(old);
  }

  static Value* find(const std::string& name,
                     const std::map<std::string, Value*, std::less<>>& made, const Match& m) {
    const auto found = made.find(name);
    return found != made.end() ? found->second : m.value(name);
  }

  Attribute constant(const Argument& a, const Match& m) const {
    if (a.kind == Argument::Kind::kLiteral) return a.literal;
    if (a.kind == Argument::Kind::kVariable) return m.constant(a.name);
    return rule_.computes.at(a.name)(m);
  }

  Operation* build(const Statement& s, Operation* anchor,
                   const std::map<std::string, Value*, std::less<>>& made, const Match& m,
                   PatternRewriter& rewriter) const {
    std::vector<Value*> operands;
    std::vector<NamedAttribute> attributes;
    const auto& specs = s.def->schema().args;
    for (size_t i = 0; i < specs.size(); ++i) {
      const Argument& a = s.args[i];
      const ArgSpec& spec = specs[i];
      if (a.kind == Argument::Kind::kValue) {
        operands.push_back(find(a.name, made, m));
        continue;
      }
      if (spec.is_tensor()) {
        operands.push_back(nullptr);
        continue;
      }
      const Constant value = a.kind == Argument::Kind::kOmitted ? spec.default_value
                                                                : constant_of(spec, constant(a, m));
      if (is_operand(spec)) {
        Builder b(*anchor->block());
        b.set_before(anchor);
        operands.push_back(make_operand(b, spec, value.slot(), {}));
      } else {
        attributes.emplace_back(
            spec.name, spec.type == ArgType::kPlace
                           ? Attribute(spec.follows_tensors() ? undefined_place() : Place())
                           : attribute_of(spec, value.slot()));
      }
    }
    Operation shape(operation_of(s), operands, {}, attributes);
    shape.def = s.def;
    Operation* op =
        rewriter.create(operation_of(s), operands, infer_types(shape), std::move(attributes));
    op->def = s.def;
    return op;
  }

  Rule rule_;
  Compiled c_;
};

}  // namespace

Value* Match::value(const std::string& name) const {
  const auto found = values.find(name);
  PADDLE_CHECK_VALUE(found != values.end(), "rule: the source binds no value ", name, '.');
  return found->second;
}

const Attribute& Match::constant(const std::string& name) const {
  const auto found = constants.find(name);
  PADDLE_CHECK_VALUE(found != constants.end(), "rule: the source binds no constant $", name, '.');
  return found->second;
}

bool Match::same_type(const std::string& a, const std::string& b) const {
  return same_known_type(type(a), type(b));
}

std::unique_ptr<RewritePattern> compile(const Rule& rule) {
  return std::make_unique<RulePattern>(rule, drr::resolve(rule));
}

PatternSet RuleSet::compiled() const {
  PatternSet set;
  for (const Rule& rule : rules_) set.add(compile(rule));
  return set;
}

}  // namespace paddle::pir
