// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Purity and sharing of memory, from the traits of the records.
#include "pir/dialect/effects.h"

#include <algorithm>
#include <unordered_map>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {
namespace {

// Chains of views longer than this are taken to escape.
constexpr int kMaxViewDepth = 64;

bool mentions(const Type& type, Dim symbol) {
  const auto& elements = type.elements();
  return std::find(type.shape().begin(), type.shape().end(), symbol) != type.shape().end() ||
         std::any_of(elements.begin(), elements.end(),
                     [&](const Type& t) { return mentions(t, symbol); });
}

bool mentions(const std::vector<NamedAttribute>& attributes, Dim symbol) {
  return std::any_of(attributes.begin(), attributes.end(), [&](const NamedAttribute& a) {
    if (!a.second.is(Attribute::Kind::kIntArray)) return false;
    const Shape& dims = a.second.get<Shape>();
    return std::find(dims.begin(), dims.end(), symbol) != dims.end();
  });
}

// The extent comes from an operand's shape or from a constant that names it.
bool is_given(const Operation& op, Dim symbol) {
  return mentions(op.attributes(), symbol) ||
         std::any_of(op.operands().begin(), op.operands().end(), [&](const Value* v) {
           return v && (mentions(v->type(), symbol) ||
                        (v->producer() && mentions(v->producer()->attributes(), symbol)));
         });
}

bool defines_symbol(const Operation& op, const Type& type) {
  for (const Type& t : type.elements()) {
    if (defines_symbol(op, t)) return true;
  }
  for (const Dim d : type.shape()) {
    if (d.is_symbolic() && is_plain_symbol(d) && !is_given(op, d)) return true;
  }
  return false;
}

// Within an expression as well.
bool depends_on(const Shape& dims, Dim symbol) {
  const std::unordered_map<uint32_t, Dim> other = {{symbol.symbol_id(), Dim(0)}};
  return std::any_of(dims.begin(), dims.end(),
                     [&](Dim d) { return d.is_symbolic() && !(substitute(d, other) == d); });
}

bool depends_on(const Type& type, Dim symbol) {
  const auto& elements = type.elements();
  return (type.is_tensor() && depends_on(type.shape(), symbol)) ||
         std::any_of(elements.begin(), elements.end(),
                     [&](const Type& t) { return depends_on(t, symbol); });
}

bool depends_on(const Operation& op, Dim symbol) {
  if (!op.regions().empty()) return true;  // not looked into
  for (const NamedAttribute& a : op.attributes()) {
    if (a.second.is(Attribute::Kind::kIntArray) && depends_on(a.second.get<Shape>(), symbol)) {
      return true;
    }
  }
  for (size_t k = 0; k < op.num_results(); ++k) {
    if (depends_on(op.result(k)->type(), symbol)) return true;
  }
  return false;
}

bool region_is_pure(const Region& region) {
  for (const auto& block : region.blocks()) {
    for (const auto& op : block->operations()) {
      if (!op->has(kTerminator) && !is_pure(*op)) return false;
    }
  }
  return true;
}

// The operand is overwritten by the operator.
bool writes_operand(const Operation& op, size_t operand) {
  if (!op.def->is_native_inplace()) return false;
  size_t at = 0;
  const auto& args = op.def->schema().args;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!is_operand(args[i]) || at++ != operand) continue;
    const auto& targets = op.def->inplace_arg;
    return std::find(targets.begin(), targets.end(), static_cast<int8_t>(i)) != targets.end();
  }
  return false;
}

// An operation without a record of an operator that hands nothing out and writes nothing.
bool reads_only(const Operation& op) { return op.has(kPure) && op.regions().empty(); }

bool shares_operand(const Operation& op) {
  return op.has(kSharesOperand) || (op.def && op.def->is_view());
}

bool escapes_within(const Value* v, int depth) {
  if (depth == 0) return true;
  for (const Use& use : v->uses()) {
    const Operation& op = *use.op;
    if (shares_operand(op)) {
      for (size_t k = 0; k < op.num_results(); ++k) {
        if (escapes_within(op.result(k), depth - 1)) return true;
      }
    } else if (op.def ? writes_operand(op, use.index) : !reads_only(op)) {
      return true;
    }
  }
  return false;
}

bool written_within(const Value* v, int depth) {
  if (depth == 0) return true;
  for (const Use& use : v->uses()) {
    const Operation& op = *use.op;
    if (shares_operand(op)) {
      for (size_t k = 0; k < op.num_results(); ++k) {
        if (written_within(op.result(k), depth - 1)) return true;
      }
    } else if (op.def && writes_operand(op, use.index)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_constant(const Operation& op) { return op.has(kConstant); }

bool is_pure(const Operation& op) {
  if (!op.regions().empty()) {
    return op.has(kPure) && std::all_of(op.regions().begin(), op.regions().end(),
                                        [](const auto& r) { return region_is_pure(*r); });
  }
  if (op.has(kPure)) return true;
  if (!op.def || op.def->has(kRandom | kSideEffect) || op.def->is_native_inplace()) return false;
  for (size_t k = 0; k < op.num_results(); ++k) {
    if (defines_symbol(op, op.result(k)->type())) return false;
  }
  return true;
}

bool gives_extents(const Operation& op) {
  for (size_t k = 0; k < op.num_results(); ++k) {
    const Type& type = op.result(k)->type();
    if (!type.is_tensor()) return true;  // not looked into
    for (const Dim d : type.shape()) {
      if (!d.is_symbolic() || !is_plain_symbol(d) || is_given(op, d)) continue;
      for (const auto& other : op.block()->operations()) {
        if (other.get() != &op && depends_on(*other, d)) return true;
      }
    }
  }
  return false;
}

bool escapes(const Value* v) { return escapes_within(v, kMaxViewDepth); }

bool is_written(const Value* v) { return written_within(memory_base(v), kMaxViewDepth); }

const Value* memory_base(const Value* v) {
  for (int depth = 0; depth < kMaxViewDepth && v->producer(); ++depth) {
    const Operation& op = *v->producer();
    if (!shares_operand(op) || !op.num_operands() || !op.operand(0)) break;
    v = op.operand(0);
  }
  return v;
}

bool may_replace(const Value* from, const Value* to) {
  return same_known_type(from->type(), to->type()) && !escapes(from) && !is_written(to);
}

bool same_known_type(const Type& a, const Type& b) {
  if (!(a == b)) return false;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    if (!same_known_type(a.elements()[i], b.elements()[i])) return false;
  }
  return std::all_of(a.shape().begin(), a.shape().end(),
                     [](Dim d) { return d.is_symbolic() || d.value() >= 0; });
}

}  // namespace paddle::pir
