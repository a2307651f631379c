// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The body of FftKernels, included once per instruction set. Everything is in an anonymous
// namespace, as in rows_impl.h. Passes are those of Stockham, which need no reordering: see Van
// Loan, "Computational Frameworks for the Fast Fourier Transform" (1992), section 1.7.
#pragma once

#include <cstddef>
#include <utility>

#include "phi_kernels/cpu/fft/fft_columns.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kPair = 2 * kLanes;  // floats of a complex element of all lines

// An element of all lines.
struct Element {
  Vec re, im;
};
inline Element operator+(Element a, Element b) { return {a.re + b.re, a.im + b.im}; }
inline Element operator-(Element a, Element b) { return {a.re - b.re, a.im - b.im}; }
inline Element operator*(Element a, float f) { return {a.re * f, a.im * f}; }
inline Element times(Element a, float c, float s) {
  return {a.re * c - a.im * s, a.re * s + a.im * c};
}
inline Element down(Element a) { return {a.im, -a.re}; }  // by -i
inline Element conjugate(Element a) { return {a.re, -a.im}; }
inline Element get(const float* at, int64_t k) {
  return {load(at + k * kPair), load(at + k * kPair + kLanes)};
}
inline void put(float* at, int64_t k, Element e) {
  store(at + k * kPair, e.re);
  store(at + k * kPair + kLanes, e.im);
}

// -- short transforms -----------------------------------------------------------------------------

template <int kFactor>
void transform(Element* a);

template <>
inline void transform<2>(Element* a) {
  const Element b = a[0] - a[1];
  a[0] = a[0] + a[1];
  a[1] = b;
}
template <>
inline void transform<3>(Element* a) {
  constexpr float kSine = 0.866025403784438647f;
  const Element sum = a[1] + a[2], turned = down((a[1] - a[2]) * kSine), middle = a[0] - sum * 0.5f;
  a[0] = a[0] + sum;
  a[1] = middle + turned;
  a[2] = middle - turned;
}
template <>
inline void transform<4>(Element* a) {
  const Element p = a[0] + a[2], q = a[0] - a[2], r = a[1] + a[3], s = down(a[1] - a[3]);
  a[0] = p + r;
  a[1] = q + s;
  a[2] = p - r;
  a[3] = q - s;
}
template <>
inline void transform<5>(Element* a) {
  constexpr float kCos1 = 0.309016994374947424f, kCos2 = -0.809016994374947424f;
  constexpr float kSin1 = 0.951056516295153572f, kSin2 = 0.587785252292473129f;
  const Element p = a[1] + a[4], q = a[2] + a[3], r = a[1] - a[4], s = a[2] - a[3];
  const Element m1 = a[0] + p * kCos1 + q * kCos2, m2 = a[0] + p * kCos2 + q * kCos1;
  const Element t1 = down(r * kSin1 + s * kSin2), t2 = down(r * kSin2 - s * kSin1);
  a[0] = a[0] + p + q;
  a[1] = m1 + t1;
  a[2] = m2 + t2;
  a[3] = m2 - t2;
  a[4] = m1 - t1;
}
template <>
inline void transform<8>(Element* a) {
  constexpr float kHalf = 0.707106781186547524f;
  Element even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
  transform<4>(even);
  transform<4>(odd);
  odd[1] = (odd[1] + down(odd[1])) * kHalf;
  odd[2] = down(odd[2]);
  odd[3] = (down(odd[3]) - odd[3]) * kHalf;
  for (int k = 0; k < 4; ++k) {
    a[k] = even[k] + odd[k];
    a[k + 4] = even[k] - odd[k];
  }
}

// Lines of `rest` * kFactor elements, `behind` of them interleaved.
template <int kFactor>
const float* pass(int64_t rest, int64_t behind, const float* roots, const float* from, float* to) {
  for (int64_t p = 0; p < rest; ++p) {
    for (int64_t q = 0; q < behind; ++q) {
      Element a[kFactor];
#pragma GCC unroll 8
      for (int k = 0; k < kFactor; ++k) a[k] = get(from, q + behind * (p + rest * k));
      transform<kFactor>(a);
      put(to, q + behind * kFactor * p, a[0]);
#pragma GCC unroll 8
      for (int k = 1; k < kFactor; ++k) {
        const float* w = roots + 2 * (k - 1);
        put(to, q + behind * (kFactor * p + k), rest == 1 ? a[k] : times(a[k], w[0], w[1]));
      }
    }
    roots += 2 * (kFactor - 1);
  }
  return roots;
}

// Returns which of the two holds the result.
float* all_passes(const FftPlan& plan, float* from, float* to) {
  int64_t rest = plan.n, behind = 1;
  const float* roots = plan.roots;
  for (int64_t i = 0; i < plan.passes; ++i) {
    const int factor = plan.factors[i];
    rest /= factor;
    const auto one = factor == 8   ? pass<8>
                     : factor == 5 ? pass<5>
                     : factor == 4 ? pass<4>
                     : factor == 3 ? pass<3>
                                   : pass<2>;
    roots = one(rest, behind, roots, from, to);
    behind *= factor;
    float* const result = to;
    to = from;
    from = result;
  }
  return from;
}

// -- between memory and vectors -------------------------------------------------------------------

// Lanes that a step of the transposition takes from two rows: numbers from kLanes on are of the
// second one.
template <int kStep, bool kUpper, size_t... kLane>
inline Vec mixed(Vec a, Vec b, std::index_sequence<kLane...>) {
  constexpr auto lane = [](size_t i) {
    const bool second = (i & kStep) != 0;
    return static_cast<int>(kUpper ? (second ? kLanes + i : i + kStep)
                                   : (second ? kLanes + i - kStep : i));
  };
  return __builtin_shufflevector(a, b, lane(kLane)...);
}
template <int kStep>
inline void exchange(Vec* rows) {
  constexpr std::make_index_sequence<kLanes> kAll{};
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if (i & kStep) continue;
    const Vec a = rows[i], b = rows[i + kStep];
    rows[i] = mixed<kStep, false>(a, b, kAll);
    rows[i + kStep] = mixed<kStep, true>(a, b, kAll);
  }
}
[[gnu::always_inline]] inline void transpose(Vec* rows) {
  exchange<1>(rows);
  exchange<2>(rows);
  exchange<4>(rows);
  if constexpr (kLanes == 16) exchange<8>(rows);
}

template <size_t... kLane>
inline Vec every_second(Vec a, Vec b, size_t first, std::index_sequence<kLane...>) {
  return first == 0 ? __builtin_shufflevector(a, b, static_cast<int>(2 * kLane)...)
                    : __builtin_shufflevector(a, b, static_cast<int>(2 * kLane + 1)...);
}
template <size_t... kLane>
inline Vec zipped(Vec a, Vec b, size_t first, std::index_sequence<kLane...>) {
  return first == 0
             ? __builtin_shufflevector(a, b, static_cast<int>(kLane / 2 + kLane % 2 * kLanes)...)
             : __builtin_shufflevector(
                   a, b, static_cast<int>(kLanes / 2 + kLane / 2 + kLane % 2 * kLanes)...);
}

// `floats` consecutive numbers of each line.
void read_lines(const FftGroup& g, int64_t floats, float* to) {
  const auto line = [&](int64_t i) { return reinterpret_cast<const float*>(g.in[i]); };
  int64_t at = 0;
  for (; at + kLanes <= floats; at += kLanes) {
    Vec rows[kLanes];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i) rows[i] = load(line(i) + at);
    transpose(rows);
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i) store(to + (at + i) * kLanes, rows[i]);
  }
  if (at == floats) return;
  const Part part(0, floats - at);
  Vec rows[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) rows[i] = part.load(line(i) + at);
  transpose(rows);
  for (int64_t i = 0; i < floats - at; ++i) store(to + (at + i) * kLanes, rows[i]);
}
void write_lines(const FftGroup& g, int64_t floats, const float* from) {
  const auto line = [&](int64_t i) { return reinterpret_cast<float*>(g.out[i]); };
  for (int64_t at = 0; at < floats; at += kLanes) {
    const int64_t left = floats - at;
    Vec rows[kLanes];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i)
      rows[i] = i < left ? load(from + (at + i) * kLanes) : Vec{};
    transpose(rows);
    if (left >= kLanes && g.count == kLanes) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i) store(line(i) + at, rows[i]);
    } else {
      const Part part(0, left < kLanes ? left : kLanes);
      for (int64_t i = 0; i < kLanes && i < g.count; ++i) part.store(line(i) + at, rows[i]);
    }
  }
}

// kWidth vectors of numbers in memory that are those of two runs of lines, one element of each.
template <int kWidth>
struct Runs {
  Runs(int64_t run, int64_t count) {
    for (int w = 0; w < kWidth; ++w) {
      first[w] = lanes(w, 0, run);
      second[w] = lanes(w, run, count);
    }
  }
  static Part lanes(int w, int64_t begin, int64_t end) {
    const auto lane = [&](int64_t line) {
      const int64_t at = line * kWidth - w * kLanes;
      return at < 0 ? 0 : at < kLanes ? at : kLanes;
    };
    return {lane(begin), lane(end)};
  }
  Vec load(const float* a, const float* b, int w) const {
    using Bits __attribute__((vector_size(kVectorBytes))) = int32_t;
    return Vec(Bits(first[w].load(a + w * kLanes)) | Bits(second[w].load(b + w * kLanes)));
  }
  void store(float* a, float* b, int w, Vec v) const {
    first[w].store(a + w * kLanes, v);
    second[w].store(b + w * kLanes, v);
  }
  Part first[kWidth]{}, second[kWidth]{};
};

// n elements of each line, of kWidth numbers that lie one behind the other.
template <int kWidth>
void read(const FftGroup& g, int64_t n, float* to) {
  constexpr std::make_index_sequence<kLanes> kAll{};
  if (g.in_step == kWidth * 4) return read_lines(g, kWidth * n, to);
  const Runs<kWidth> runs(g.in_run, g.count);
  for (int64_t k = 0; k < n; ++k, to += kWidth * kLanes) {
    const auto at = [&](int64_t i) {
      return reinterpret_cast<const float*>(g.in[i] + k * g.in_step);
    };
    if (g.in_run > 0) {
      const float *a = at(0), *b = a;
      if (g.in_run < g.count) b = at(g.in_run) - g.in_run * kWidth;
      const Vec v = runs.load(a, b, 0);
      if constexpr (kWidth == 1) {
        store(to, v);
      } else {
        const Vec w = runs.load(a, b, 1);
        put(to, 0, {every_second(v, w, 0, kAll), every_second(v, w, 1, kAll)});
      }
    } else {
      for (int64_t i = 0; i < kLanes; ++i) {
        for (int j = 0; j < kWidth; ++j) to[j * kLanes + i] = at(i)[j];
      }
    }
  }
}
template <int kWidth>
void write(const FftGroup& g, int64_t n, const float* from) {
  constexpr std::make_index_sequence<kLanes> kAll{};
  if (g.out_step == kWidth * 4) return write_lines(g, kWidth * n, from);
  const Runs<kWidth> runs(g.out_run, g.count);
  for (int64_t k = 0; k < n; ++k, from += kWidth * kLanes) {
    const auto at = [&](int64_t i) { return reinterpret_cast<float*>(g.out[i] + k * g.out_step); };
    if (g.out_run > 0) {
      float *a = at(0), *b = a;
      if (g.out_run < g.count) b = at(g.out_run) - g.out_run * kWidth;
      if constexpr (kWidth == 1) {
        runs.store(a, b, 0, load(from));
      } else {
        const Element e = get(from, 0);
        runs.store(a, b, 0, zipped(e.re, e.im, 0, kAll));
        runs.store(a, b, 1, zipped(e.re, e.im, 1, kAll));
      }
    } else {
      for (int64_t i = 0; i < g.count; ++i) {
        for (int j = 0; j < kWidth; ++j) at(i)[j] = from[j * kLanes + i];
      }
    }
  }
}

void scale(float* at, int64_t n, float re, float im) {
  if (re == 1 && im == 1) return;
  for (int64_t k = 0; k < n; ++k) {
    const Element e = get(at, k);
    put(at, k, {e.re * re, e.im * im});
  }
}

// -- lines ----------------------------------------------------------------------------------------

// A transform backward is the conjugate of one forward of the conjugates.
void run_complex(const FftPlan& plan, const FftGroup& g, float* scratch, float* other) {
  read<2>(g, plan.n, scratch);
  if (!g.forward) scale(scratch, plan.n, 1, -1);
  float* result = all_passes(plan, scratch, other);
  scale(result, plan.n, g.factor, g.forward ? g.factor : -g.factor);
  write<2>(g, plan.n, result);
}

// Real lines of 2 n elements are transformed as n complex ones z: with E and O the transforms of
// the even and the odd elements, Z = E + i O, and X[k] = E[k] + exp(-i pi k / n) O[k].
void run_from_real(const FftPlan& plan, const FftGroup& g, float* scratch, float* other) {
  const int64_t n = plan.n;
  read<1>(g, 2 * n, scratch);
  float* z = all_passes(plan, scratch, other);
  float* x = z == scratch ? other : scratch;
  for (int64_t k = 0; k <= n; ++k) {
    const Element a = get(z, k == n ? 0 : k), b = conjugate(get(z, k == 0 ? 0 : n - k));
    const float* w = plan.halves + 2 * k;
    put(x, k, ((a + b) + times(down(a - b), w[0], w[1])) * (0.5f * g.factor));
  }
  if (!g.forward) scale(x, n + 1, 1, -1);
  write<2>(g, n + 1, x);
}

// The same backward. The imaginary parts of the first and the last frequency do not count.
void run_to_real(const FftPlan& plan, const FftGroup& g, float* scratch, float* other) {
  const int64_t n = plan.n;
  read<2>(g, n + 1, scratch);
  if (g.forward) scale(scratch, n + 1, 1, -1);
  store(scratch + kLanes, Vec{});
  store(scratch + n * kPair + kLanes, Vec{});
  for (int64_t k = 0; k < n; ++k) {
    const Element a = get(scratch, k), b = conjugate(get(scratch, n - k));
    const float* w = plan.halves + 2 * k;
    put(other, k, conjugate((a + b) - down(times(a - b, w[0], -w[1]))));
  }
  float* z = all_passes(plan, other, scratch);
  scale(z, n, g.factor, -g.factor);
  write<1>(g, 2 * n, z);
}

void run(const FftPlan& plan, const FftGroup& g, float* scratch, float* other) {
  const auto kind = g.kind == FftKind::kComplex    ? run_complex
                    : g.kind == FftKind::kFromReal ? run_from_real
                                                   : run_to_real;
  kind(plan, g, scratch, other);
}

constexpr FftKernels kKernels{kLanes, run};

}  // namespace
}  // namespace paddle::cpu
