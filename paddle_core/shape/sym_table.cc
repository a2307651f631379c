// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Canonical forms: how expressions are built, simplified, bounded, rewritten and printed.
#include "paddle_core/shape/sym_table.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

namespace paddle {

using detail::checked_add;
using detail::checked_mul;

namespace {

void add_term(Poly& poly, const Monomial& m, int64_t coefficient) {
  if (coefficient == 0) return;
  const auto [it, inserted] = poly.try_emplace(m, coefficient);
  if (inserted) return;
  it->second = checked_add(it->second, coefficient);
  if (it->second == 0) poly.erase(it);
}

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial m;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(m));
  return m;
}

uint64_t rep(Dim d) {
  return d.is_symbolic() ? (uint64_t{1} << 63) | d.symbol_id() : static_cast<uint64_t>(d.value());
}

std::optional<int64_t> mul_opt(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t r;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &r)) return std::nullopt;
  return r;
}

std::optional<int64_t> add_opt(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t r;
  if (!a || !b || __builtin_add_overflow(*a, *b, &r)) return std::nullopt;
  return r;
}

}  // namespace

SymTable& SymTable::instance() {
  static SymTable* table = new SymTable;
  return *table;
}

uint32_t SymTable::add_entry(Entry entry) {
  PADDLE_CHECK_RUNTIME(
      next_id_ != std::numeric_limits<uint32_t>::max(),
      "shape: this process has made 2^32 symbolic extents, which is all there are; "
      "start another one.");
  const uint32_t id = next_id_++;
  families_[entry.family].push_back(id);
  entries_.emplace(id, std::move(entry));
  return id;
}

Dim SymTable::new_symbol(uint32_t number, uint64_t family) {
  return Dim::from_symbol_id(
      add_entry({AtomOp::kSymbol, Dim(int64_t{number}), Dim(0), {{{next_id_}, 1}}, family}));
}

void SymTable::release(uint64_t family) {
  const auto found = families_.find(family);
  if (found == families_.end()) return;
  for (const uint32_t id : found->second) {
    const auto at = entries_.find(id);
    const Entry& e = at->second;
    if (e.op == AtomOp::kNone) {
      polys_.erase(e.poly);
    } else if (e.op != AtomOp::kSymbol) {
      atoms_.erase(std::tuple(e.op, rep(e.left), rep(e.right)));
    }
    entries_.erase(at);
  }
  families_.erase(found);
}

bool SymTable::is_symbol(Dim d) const { return d.is_symbolic() && entry(d).op == AtomOp::kSymbol; }

const SymTable::Entry& SymTable::entry(Dim d) const {
  const auto found = entries_.find(d.symbol_id());
  PADDLE_CHECK_VALUE(found != entries_.end(), "shape: an extent is symbol ", d.symbol_id(),
                     d.symbol_id() < next_id_
                         ? ", whose program is gone; use extents of the program that is captured."
                         : ", which was not created here; use extents of at least 0.");
  return found->second;
}

Poly SymTable::poly_of(Dim d) const {
  if (d.is_symbolic()) return entry(d).poly;
  Poly poly;
  add_term(poly, {}, d.value());
  return poly;
}

std::tuple<AtomOp, Dim, Dim> SymTable::atom_of(uint32_t id) const {
  const Entry& e = entry(Dim::from_symbol_id(id));
  return {e.op, e.left, e.right};
}

Dim SymTable::intern(const Poly& poly) {
  if (poly.empty()) return 0;
  const auto& [monomial, coefficient] = *poly.begin();
  if (poly.size() == 1 && monomial.empty()) return coefficient;
  if (poly.size() == 1 && monomial.size() == 1 && coefficient == 1) {
    return Dim::from_symbol_id(monomial[0]);
  }
  const auto known = polys_.find(poly);
  if (known != polys_.end()) return Dim::from_symbol_id(known->second);
  uint64_t family = 0;
  for (const auto& [m, c] : poly) {
    for (const uint32_t id : m) family = std::max(family, family_of(Dim::from_symbol_id(id)));
  }
  const uint32_t id = add_entry({AtomOp::kNone, 0, 0, poly, family});
  polys_.emplace(poly, id);
  return Dim::from_symbol_id(id);
}

Dim SymTable::atom(AtomOp op, Dim a, Dim b) {
  const auto key = std::tuple(op, rep(a), rep(b));
  const auto known = atoms_.find(key);
  if (known != atoms_.end()) return Dim::from_symbol_id(known->second);
  const uint64_t family = std::max(family_of(a), family_of(b));
  const uint32_t id = add_entry({op, a, b, {{{next_id_}, 1}}, family});
  atoms_.emplace(key, id);
  return Dim::from_symbol_id(id);
}

Dim SymTable::add(Dim a, Dim b, int64_t sign) {
  Poly sum = poly_of(a);
  for (const auto& [m, c] : poly_of(b)) add_term(sum, m, checked_mul(c, sign));
  return intern(sum);
}

Dim SymTable::mul(Dim a, Dim b) {
  Poly result;
  const Poly right = poly_of(b);
  for (const auto& [ma, ca] : poly_of(a)) {
    for (const auto& [mb, cb] : right) add_term(result, product(ma, mb), checked_mul(ca, cb));
  }
  return intern(result);
}

Dim SymTable::binary(AtomOp op, Dim a, Dim b) {
  if (op == AtomOp::kFloorDiv) return floordiv(a, b);
  if (op == AtomOp::kMod) return mod(a, b);
  return extremum(op, a, b);
}

// a / b when b divides a exactly: long division by leading terms.
std::optional<Poly> SymTable::divide(Poly a, const Poly& b) const {
  if (b.empty()) return std::nullopt;
  const auto& [lead, lead_coefficient] = *b.begin();
  Poly quotient;
  while (!a.empty()) {
    const auto& [m, c] = *a.begin();
    if (lead_coefficient == -1 ? false : c % lead_coefficient != 0) return std::nullopt;
    if (!std::includes(m.begin(), m.end(), lead.begin(), lead.end())) return std::nullopt;
    Monomial q;
    std::set_difference(m.begin(), m.end(), lead.begin(), lead.end(), std::back_inserter(q));
    const int64_t factor = lead_coefficient == -1 ? checked_mul(c, -1) : c / lead_coefficient;
    add_term(quotient, q, factor);
    for (const auto& [mb, cb] : b) {
      add_term(a, product(mb, q), checked_mul(checked_mul(cb, factor), -1));
    }
  }
  return quotient;
}

Dim SymTable::floordiv(Dim a, Dim b) {
  if (!a.is_symbolic() && !b.is_symbolic()) return detail::int_floordiv(a.value(), b.value());
  const Poly poly = poly_of(a);
  if (auto exact = divide(poly, poly_of(b))) return intern(*exact);
  if (b.is_symbolic()) return atom(AtomOp::kFloorDiv, a, b);
  // Whole multiples of the divisor come out: (5*s + 7) // 3 = s + 2 + (2*s + 1) // 3.
  Poly whole, rest;
  for (const auto& [m, c] : poly) {
    add_term(whole, m, detail::int_floordiv(c, b.value()));
    add_term(rest, m, detail::int_mod(c, b.value()));
  }
  const Dim left = intern(rest);
  if (!left.is_symbolic()) return intern(whole);
  return add(intern(whole), atom(AtomOp::kFloorDiv, left, b), 1);
}

Dim SymTable::mod(Dim a, Dim b) {
  if (!a.is_symbolic() && !b.is_symbolic()) return detail::int_mod(a.value(), b.value());
  const Poly poly = poly_of(a);
  if (divide(poly, poly_of(b))) return 0;
  if (b.is_symbolic()) return atom(AtomOp::kMod, a, b);
  Poly rest;
  for (const auto& [m, c] : poly) add_term(rest, m, detail::int_mod(c, b.value()));
  const Dim left = intern(rest);
  return left.is_symbolic() ? atom(AtomOp::kMod, left, b) : left;
}

Dim SymTable::extremum(AtomOp op, Dim a, Dim b) {
  const Interval difference = bounds(add(a, b, -1));
  const bool is_min = op == AtomOp::kMin;
  if (difference.hi && *difference.hi <= 0) return is_min ? a : b;
  if (difference.lo && *difference.lo >= 0) return is_min ? b : a;
  if (rep(b) < rep(a)) std::swap(a, b);
  return atom(op, a, b);
}

Interval SymTable::atom_bounds(uint32_t id) const {
  const Entry& e = entry(Dim::from_symbol_id(id));
  if (e.op == AtomOp::kSymbol) return {0, std::nullopt};
  const Interval a = bounds(e.left), b = bounds(e.right);
  const bool divisor_positive = b.lo && *b.lo >= 0;  // zero is an error, not a value
  switch (e.op) {
    case AtomOp::kFloorDiv:
      if (!divisor_positive || !a.lo || *a.lo < 0) return {};
      return {b.hi && *b.hi > 0 ? *a.lo / *b.hi : 0,
              a.hi ? std::optional(*a.hi / std::max<int64_t>(*b.lo, 1)) : std::nullopt};
    case AtomOp::kMod:
      if (!divisor_positive) return {};
      return {0, b.hi ? std::optional(*b.hi - 1) : std::nullopt};
    case AtomOp::kMin: {
      Interval r;
      if (a.lo && b.lo) r.lo = std::min(*a.lo, *b.lo);
      if (a.hi || b.hi) r.hi = std::min(a.hi.value_or(INT64_MAX), b.hi.value_or(INT64_MAX));
      return r;
    }
    case AtomOp::kMax: {
      Interval r;
      if (a.lo || b.lo) r.lo = std::max(a.lo.value_or(INT64_MIN), b.lo.value_or(INT64_MIN));
      if (a.hi && b.hi) r.hi = std::max(*a.hi, *b.hi);
      return r;
    }
    default:
      return {};
  }
}

Interval SymTable::bounds(Dim d) const {
  if (!d.is_symbolic()) return {d.value(), d.value()};
  const Entry& e = entry(d);
  if (e.op != AtomOp::kNone) return atom_bounds(d.symbol_id());
  Interval sum{0, 0};
  for (const auto& [m, c] : e.poly) {
    Interval term{1, 1};
    for (const uint32_t id : m) {
      const Interval a = atom_bounds(id);
      // Products of bounds hold for factors that are not negative.
      const bool ok = a.lo && *a.lo >= 0 && term.lo && *term.lo >= 0;
      term = m.size() == 1 ? a
             : ok          ? Interval{mul_opt(term.lo, a.lo), mul_opt(term.hi, a.hi)}
                           : Interval{};
    }
    if (c < 0) std::swap(term.lo, term.hi);
    sum = {add_opt(sum.lo, mul_opt(term.lo, c)), add_opt(sum.hi, mul_opt(term.hi, c))};
  }
  return sum;
}

std::optional<Dim> SymTable::rewrite(Dim d,
                                     const std::function<std::optional<Dim>(uint32_t)>& leaf) {
  if (!d.is_symbolic()) return d;
  const Entry e = entry(d);  // a copy: the table grows below
  if (e.op == AtomOp::kSymbol) return leaf(d.symbol_id());
  if (e.op != AtomOp::kNone) {
    const auto a = rewrite(e.left, leaf), b = rewrite(e.right, leaf);
    if (!a || !b) return leaf(d.symbol_id());
    const bool divides = e.op == AtomOp::kFloorDiv || e.op == AtomOp::kMod;
    PADDLE_CHECK_VALUE(!divides || !(*b == Dim(0)), "shape: divisor of ", text(d),
                       " has value 0; it must not be zero.");
    return binary(e.op, *a, *b);
  }
  Dim sum = 0;
  for (const auto& [m, c] : e.poly) {
    Dim term = c;
    for (const uint32_t id : m) {
      const auto factor = rewrite(Dim::from_symbol_id(id), leaf);
      if (!factor) return std::nullopt;
      term = mul(term, *factor);
    }
    sum = add(sum, term, 1);
  }
  return sum;
}

std::string SymTable::text(Dim d) const {
  if (!d.is_symbolic()) return std::to_string(d.value());
  if (!entries_.contains(d.symbol_id())) return "s?";  // messages may name one that is gone
  const Entry& e = entry(d);
  static constexpr const char* kNames[] = {"", "", "floordiv", "mod", "min", "max"};
  if (e.op == AtomOp::kSymbol) return "s" + std::to_string(e.left.value());
  if (e.op != AtomOp::kNone) {
    return std::string(kNames[static_cast<int>(e.op)]) + "(" + text(e.left) + ", " + text(e.right) +
           ")";
  }
  std::string out;
  for (const auto& [m, c] : e.poly) {
    if (!out.empty())
      out += c < 0 ? " - " : " + ";
    else if (c < 0)
      out += "-";
    const std::string magnitude = std::to_string(c < 0 ? -c : c);
    if (m.empty() || magnitude != "1") out += magnitude;
    for (size_t i = 0; i < m.size(); ++i) {
      if (i != 0 || magnitude != "1") out += "*";
      out += text(Dim::from_symbol_id(m[i]));
    }
  }
  return out;
}

}  // namespace paddle
