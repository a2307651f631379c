// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Dim`: one extent of a shape, an integer or a symbolic expression, in 8 bytes. Shape rules are
// written once over Dim; eager calls run them on integers. Arithmetic is overflow-checked
// (OverflowError). Expressions are interned, so equal canonical forms compare equal by id.
//
// A comparison that steers a shape rule goes through decide_*(): see sym.h for what it does with
// symbols. Comparing with == is structural and never guards.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "paddle_core/base/error.h"
#include "paddle_core/base/small_vector.h"

namespace paddle {

class PADDLE_API Dim {
 public:
  constexpr Dim() = default;
  constexpr Dim(int64_t value) : rep_(value) {}  // NOLINT(google-explicit-constructor)
  static constexpr Dim from_symbol_id(uint32_t id) { return Dim(kSymbolBase + id); }

  // A value of outside: the least 2^32 numbers, which stand for symbols, become the next one.
  static constexpr Dim clamped(int64_t value) { return value < kSymbolEnd ? kSymbolEnd : value; }

  constexpr bool is_symbolic() const { return rep_ < kSymbolEnd; }
  constexpr uint32_t symbol_id() const { return static_cast<uint32_t>(rep_ - kSymbolBase); }
  // The integer. RuntimeError that names the expression when it is symbolic.
  int64_t value() const {
    if (is_symbolic()) [[unlikely]]
      throw_symbolic();
    return rep_;
  }
  // Structural.
  friend constexpr bool operator==(Dim a, Dim b) { return a.rep_ == b.rep_; }

 private:
  static constexpr int64_t kSymbolBase = INT64_MIN;
  static constexpr int64_t kSymbolEnd = INT64_MIN + (int64_t{1} << 32);
  [[noreturn]] void throw_symbolic() const;
  int64_t rep_ = 0;
};

PADDLE_API Dim operator+(Dim a, Dim b);
PADDLE_API Dim operator-(Dim a, Dim b);
PADDLE_API Dim operator*(Dim a, Dim b);
PADDLE_API Dim floordiv(Dim a, Dim b);  // rounds towards minus infinity
PADDLE_API Dim mod(Dim a, Dim b);       // sign of the divisor
PADDLE_API Dim min(Dim a, Dim b);
PADDLE_API Dim max(Dim a, Dim b);
PADDLE_API std::ostream& operator<<(std::ostream& out, Dim d);

// Decisions of shape rules. On integers: the plain comparison. On symbols: the provable answer;
// else the installed SymbolScope decides (sym.h) with `fallback` as the documented default.
namespace detail {
PADDLE_API bool decide_eq_slow(Dim a, Dim b, bool fallback);
PADDLE_API bool decide_le_slow(Dim a, Dim b, bool fallback);
}  // namespace detail
inline bool decide_eq(Dim a, Dim b, bool fallback) {
  if (!a.is_symbolic() && !b.is_symbolic()) [[likely]]
    return a == b;
  return detail::decide_eq_slow(a, b, fallback);
}
inline bool decide_le(Dim a, Dim b, bool fallback) {
  if (!a.is_symbolic() && !b.is_symbolic()) [[likely]]
    return a.value() <= b.value();
  return detail::decide_le_slow(a, b, fallback);
}
inline bool decide_lt(Dim a, Dim b, bool fallback) { return !decide_le(b, a, !fallback); }

}  // namespace paddle
