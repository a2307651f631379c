// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on extents: integers here, overflow-checked; anything symbolic in the table of sym.cc.
#include "paddle_core/shape/dim.h"

#include <algorithm>
#include <ostream>

#include "paddle_core/shape/sym.h"
#include "paddle_core/shape/sym_table.h"

namespace paddle {
namespace {

[[noreturn, gnu::cold]] void throw_overflow(int64_t a, const char* op, int64_t b) {
  throw_error(ErrorKind::kOverflow,
              str("shape: ", a, ' ', op, ' ', b, " does not fit in 64 bits; use smaller extents."));
}

// The lowest 2^32 integers stand for expressions and are no extents.
int64_t in_range(int64_t result, int64_t a, const char* op, int64_t b) {
  if (Dim(result).is_symbolic()) [[unlikely]]
    throw_overflow(a, op, b);
  return result;
}

void check_divisor(Dim b) {
  PADDLE_CHECK_VALUE(!(b == Dim(0)), "shape: divisor has value 0; it must not be zero.");
}

template <typename Fn>
Dim symbolic(Fn&& fn) {
  SymTable& table = SymTable::instance();
  const std::lock_guard lock(table.mutex);
  return fn(table);
}

bool is_int(Dim a, Dim b) { return !a.is_symbolic() && !b.is_symbolic(); }

}  // namespace

namespace detail {

int64_t checked_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) [[unlikely]]
    throw_overflow(a, "+", b);
  return in_range(r, a, "+", b);
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) [[unlikely]]
    throw_overflow(a, "*", b);
  return in_range(r, a, "*", b);
}

int64_t int_floordiv(int64_t a, int64_t b) {
  if (b == -1) return checked_mul(a, -1);
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t int_mod(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace detail

OpenExtentError::OpenExtentError(Dim d)
    : Error(ErrorKind::kRuntime,
            str("shape: extent has value ", to_string(d),
                ", which is known only at run time; an integer is needed here; give a "
                "number, or the dimension a fixed size in the input specification.")) {}

void Dim::throw_symbolic() const { throw OpenExtentError(*this); }

Dim operator+(Dim a, Dim b) {
  if (is_int(a, b)) [[likely]]
    return detail::checked_add(a.value(), b.value());
  return symbolic([&](SymTable& t) { return t.add(a, b, 1); });
}

Dim operator-(Dim a, Dim b) {
  if (is_int(a, b)) [[likely]] {
    int64_t r;
    if (__builtin_sub_overflow(a.value(), b.value(), &r)) throw_overflow(a.value(), "-", b.value());
    return in_range(r, a.value(), "-", b.value());
  }
  return symbolic([&](SymTable& t) { return t.add(a, b, -1); });
}

Dim operator*(Dim a, Dim b) {
  if (is_int(a, b)) [[likely]]
    return detail::checked_mul(a.value(), b.value());
  return symbolic([&](SymTable& t) { return t.mul(a, b); });
}

Dim floordiv(Dim a, Dim b) {
  check_divisor(b);
  if (is_int(a, b)) [[likely]]
    return detail::int_floordiv(a.value(), b.value());
  return symbolic([&](SymTable& t) { return t.binary(AtomOp::kFloorDiv, a, b); });
}

Dim mod(Dim a, Dim b) {
  check_divisor(b);
  if (is_int(a, b)) [[likely]]
    return detail::int_mod(a.value(), b.value());
  return symbolic([&](SymTable& t) { return t.binary(AtomOp::kMod, a, b); });
}

Dim min(Dim a, Dim b) {
  if (is_int(a, b)) [[likely]]
    return std::min(a.value(), b.value());
  return symbolic([&](SymTable& t) { return t.binary(AtomOp::kMin, a, b); });
}

Dim max(Dim a, Dim b) {
  if (is_int(a, b)) [[likely]]
    return std::max(a.value(), b.value());
  return symbolic([&](SymTable& t) { return t.binary(AtomOp::kMax, a, b); });
}

std::ostream& operator<<(std::ostream& out, Dim d) {
  if (!d.is_symbolic()) return out << d.value();
  return out << to_string(d);
}

}  // namespace paddle
