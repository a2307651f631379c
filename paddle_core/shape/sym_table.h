// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The interned symbolic expressions behind Dim's ids: polynomials in canonical form, their atoms,
// exact division, bounds, evaluation and printing. Private to shape/. One table per process; every
// member function expects the caller to hold `mutex`. Each entry belongs to a family, the symbols
// of one scope and what was built of them, and goes with it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "paddle_core/shape/dim.h"

namespace paddle {

// Sorted atom ids, repeated for powers; empty for the constant.
using Monomial = std::vector<uint32_t>;
// Highest degree first, then by atoms: a monomial order, so that leading terms divide.
struct MonomialOrder {
  bool operator()(const Monomial& a, const Monomial& b) const {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  }
};
using Poly = std::map<Monomial, int64_t, MonomialOrder>;  // no zero coefficients

enum class AtomOp : uint8_t { kNone, kSymbol, kFloorDiv, kMod, kMin, kMax };

struct Interval {
  std::optional<int64_t> lo, hi;
};

class SymTable {
 public:
  static SymTable& instance();
  std::mutex mutex;

  Dim new_symbol(uint32_t number, uint64_t family);
  void release(uint64_t family);
  size_t size() const { return entries_.size(); }
  bool is_symbol(Dim d) const;
  Dim add(Dim a, Dim b, int64_t sign);
  Dim mul(Dim a, Dim b);
  Dim binary(AtomOp op, Dim a, Dim b);
  Interval bounds(Dim d) const;
  // Replaces symbols, and atoms with a symbol that `leaf` does not give, by what it gives; nullopt
  // when it gives none.
  std::optional<Dim> rewrite(Dim d, const std::function<std::optional<Dim>(uint32_t)>& leaf);
  std::string text(Dim d) const;
  // The polynomial of d, and the operation of an atom with its two sides.
  Poly poly_of(Dim d) const;
  std::tuple<AtomOp, Dim, Dim> atom_of(uint32_t id) const;

 private:
  struct Entry {
    AtomOp op = AtomOp::kNone;  // kNone: a compound polynomial
    Dim left, right;            // of a compound atom; left is the number of a plain symbol
    Poly poly;
    uint64_t family = 0;
  };
  const Entry& entry(Dim d) const;  // ValueError for an id that is no symbol's
  uint64_t family_of(Dim d) const { return d.is_symbolic() ? entry(d).family : 0; }
  uint32_t add_entry(Entry entry);
  Dim intern(const Poly& poly);
  Dim atom(AtomOp op, Dim a, Dim b);
  Dim floordiv(Dim a, Dim b);
  Dim mod(Dim a, Dim b);
  Dim extremum(AtomOp op, Dim a, Dim b);
  std::optional<Poly> divide(Poly a, const Poly& b) const;
  Interval atom_bounds(uint32_t id) const;

  std::unordered_map<uint32_t, Entry> entries_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> families_;
  uint32_t next_id_ = 0;
  std::map<Poly, uint32_t> polys_;
  std::map<std::tuple<AtomOp, uint64_t, uint64_t>, uint32_t> atoms_;
};

namespace detail {
int64_t checked_add(int64_t a, int64_t b);
int64_t checked_mul(int64_t a, int64_t b);
int64_t int_floordiv(int64_t a, int64_t b);
int64_t int_mod(int64_t a, int64_t b);
}  // namespace detail

}  // namespace paddle
