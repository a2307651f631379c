// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with packed weights, for an instruction set; included once by each. A "line" is 64
// bytes, a quad of 16 rows, or 16 sums.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/quantize/packed_product.h"

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
struct Line {
  __m512i v;
};
struct Sums {
  __m512 v;
};
inline Line load_line(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
inline Line fill(int32_t x) { return {_mm512_set1_epi32(x)}; }
inline Line low_bits(Line a) { return {_mm512_and_si512(a.v, _mm512_set1_epi8(15))}; }
inline Line high_bits(Line a) { return low_bits({_mm512_srli_epi16(a.v, 4)}); }
// low | ((plane shifted left by `left`, right where it is negative) & mask)
template <int kLeft, int kMask>
inline Line with_bits(Line low, Line plane) {
  __m512i moved = plane.v;
  if constexpr (kLeft > 0) moved = _mm512_slli_epi16(moved, kLeft);
  if constexpr (kLeft < 0) moved = _mm512_srli_epi16(moved, -kLeft);
  return {_mm512_ternarylogic_epi32(low.v, moved, _mm512_set1_epi8(kMask), 0xF8)};
}
// sum + products of unsigned a and signed b, four at a time
template <bool kWide>
inline Line add_products(Line sum, Line a, Line b) {
#if defined(__AVX512VNNI__)
  return {_mm512_dpbusd_epi32(sum.v, a.v, b.v)};
#else
  const __m512i ones = _mm512_set1_epi16(1);
  if constexpr (kWide) {  // 8 bits would not fit a sum of two in 16
    const __m512i high = _mm512_maddubs_epi16(high_bits(a).v, b.v);
    const __m512i low = _mm512_maddubs_epi16(low_bits(a).v, b.v);
    const __m512i upper = _mm512_slli_epi32(_mm512_madd_epi16(high, ones), 4);
    sum.v = _mm512_add_epi32(sum.v, upper);
    return {_mm512_add_epi32(sum.v, _mm512_madd_epi16(low, ones))};
  }
  return {_mm512_add_epi32(sum.v, _mm512_madd_epi16(_mm512_maddubs_epi16(a.v, b.v), ones))};
#endif
}
inline Sums zeros() { return {_mm512_setzero_ps()}; }
inline Sums halves_at(const uint8_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline Sums scaled(Sums a, float b) { return {_mm512_mul_ps(a.v, _mm512_set1_ps(b))}; }
inline Sums add_scaled(Sums sum, Line a, Sums b) {
  return {_mm512_fmadd_ps(_mm512_cvtepi32_ps(a.v), b.v, sum.v)};
}
inline Sums subtract_scaled(Sums sum, Sums a, float b) {
  return {_mm512_fnmadd_ps(a.v, _mm512_set1_ps(b), sum.v)};
}
inline void store_sums(float* p, Sums a) { _mm512_storeu_ps(p, a.v); }
#else
struct Line {
  __m256i v[2];
};
struct Sums {
  __m256 v[2];
};
template <typename F>
inline Line each(F&& f) {
  return {{f(0), f(1)}};
}
inline Line load_line(const uint8_t* p) {
  return each([&](int i) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p) + i); });
}
inline Line fill(int32_t x) {
  return each([&](int) { return _mm256_set1_epi32(x); });
}
inline Line low_bits(Line a) {
  return each([&](int i) { return _mm256_and_si256(a.v[i], _mm256_set1_epi8(15)); });
}
inline Line high_bits(Line a) {
  return low_bits(each([&](int i) { return _mm256_srli_epi16(a.v[i], 4); }));
}
template <int kLeft, int kMask>
inline Line with_bits(Line low, Line plane) {
  return each([&](int i) {
    __m256i moved = plane.v[i];
    if constexpr (kLeft > 0) moved = _mm256_slli_epi16(moved, kLeft);
    if constexpr (kLeft < 0) moved = _mm256_srli_epi16(moved, -kLeft);
    return _mm256_or_si256(low.v[i], _mm256_and_si256(moved, _mm256_set1_epi8(kMask)));
  });
}
template <bool kWide>
inline Line add_products(Line sum, Line a, Line b) {
  const __m256i ones = _mm256_set1_epi16(1);
  const Line high = high_bits(a), low = low_bits(a);
  return each([&](int i) {
    if constexpr (kWide) {
      const __m256i upper = _mm256_madd_epi16(_mm256_maddubs_epi16(high.v[i], b.v[i]), ones);
      const __m256i lower = _mm256_madd_epi16(_mm256_maddubs_epi16(low.v[i], b.v[i]), ones);
      return _mm256_add_epi32(_mm256_add_epi32(sum.v[i], _mm256_slli_epi32(upper, 4)), lower);
    }
    return _mm256_add_epi32(sum.v[i],
                            _mm256_madd_epi16(_mm256_maddubs_epi16(a.v[i], b.v[i]), ones));
  });
}
inline Sums zeros() { return {{_mm256_setzero_ps(), _mm256_setzero_ps()}}; }
inline Sums halves_at(const uint8_t* p) {
  const auto* from = reinterpret_cast<const __m128i*>(p);
  return {{_mm256_cvtph_ps(_mm_loadu_si128(from)), _mm256_cvtph_ps(_mm_loadu_si128(from + 1))}};
}
inline Sums scaled(Sums a, float b) {
  const __m256 factor = _mm256_set1_ps(b);
  return {{_mm256_mul_ps(a.v[0], factor), _mm256_mul_ps(a.v[1], factor)}};
}
inline Sums add_scaled(Sums sum, Line a, Sums b) {
  return {{_mm256_fmadd_ps(_mm256_cvtepi32_ps(a.v[0]), b.v[0], sum.v[0]),
           _mm256_fmadd_ps(_mm256_cvtepi32_ps(a.v[1]), b.v[1], sum.v[1])}};
}
inline Sums subtract_scaled(Sums sum, Sums a, float b) {
  const __m256 factor = _mm256_set1_ps(b);
  return {{_mm256_fnmadd_ps(a.v[0], factor, sum.v[0]), _mm256_fnmadd_ps(a.v[1], factor, sum.v[1])}};
}
inline void store_sums(float* p, Sums a) {
  _mm256_storeu_ps(p, a.v[0]);
  _mm256_storeu_ps(p + 8, a.v[1]);
}
#endif

// The 8 quads of a block of 32 columns.
template <int kBits>
inline void load_quads(const uint8_t* p, Line (&quads)[8]) {
  if constexpr (kBits == 8) {
    for (int i = 0; i < 8; ++i) quads[i] = load_line(p + 64 * i);
    return;
  }
  for (int i = 0; i < 4; ++i) {
    const Line both = load_line(p + 64 * i);
    quads[i] = low_bits(both);
    quads[i + 4] = high_bits(both);
  }
  if constexpr (kBits == 5) {
    const Line plane = load_line(p + 256);
    quads[0] = with_bits<4, 16>(quads[0], plane);
    quads[1] = with_bits<3, 16>(quads[1], plane);
    quads[2] = with_bits<2, 16>(quads[2], plane);
    quads[3] = with_bits<1, 16>(quads[3], plane);
    quads[4] = with_bits<0, 16>(quads[4], plane);
    quads[5] = with_bits<-1, 16>(quads[5], plane);
    quads[6] = with_bits<-2, 16>(quads[6], plane);
    quads[7] = with_bits<-3, 16>(quads[7], plane);
  }
  if constexpr (kBits == 6) {
    for (int half = 0; half < 2; ++half) {
      const Line plane = load_line(p + 256 + 64 * half);
      Line* const q = quads + 4 * half;
      q[0] = with_bits<4, 48>(q[0], plane);
      q[1] = with_bits<2, 48>(q[1], plane);
      q[2] = with_bits<0, 48>(q[2], plane);
      q[3] = with_bits<-2, 48>(q[3], plane);
    }
  }
}

inline int32_t four_at(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return four;
}

// A weight is larger than the caches, and the processor's own reading ahead keeps memory busy for
// half of the time only: it stops at the end of a page. So far ahead is asked for.
constexpr int64_t kAhead = 2048;

inline void read_ahead(const uint8_t* from, int bytes) {
  for (int i = 0; i < bytes; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(from) + i, _MM_HINT_T0);
  }
}

template <int kBits, int kScales, bool kMinimum, int kCount>
void multiply_rows(const BlockLayout& l, const uint8_t* tile, const QuantizedRows& x, int64_t first,
                   float* out, int64_t step) {
  constexpr int kScaleBytes = 2 * kPackedRows * kScales * (kMinimum ? 2 : 1);
  constexpr int kNumberBytes = kPackedRows * kPackedColumns / 8 * kBits;
  constexpr int kPerScale = 8 / kScales;  // quads
  const int64_t columns = x.columns, blocks = columns / kPackedColumns;
  const int8_t* const q = x.q + first * columns;
  const float* const x_scale = x.scale + first * blocks;
  const int32_t* const x_sum = x.sum + first * 2 * blocks;
  Sums sums[kCount];
  for (Sums& s : sums) s = zeros();
  for (int64_t b = 0; b < blocks; ++b) {
    const PackedPlace place = packed_place(kScaleBytes, kNumberBytes, b);
    const uint8_t* const scales = tile + place.scales;
    read_ahead(tile + b * (kScaleBytes + kNumberBytes) + kAhead, kScaleBytes + kNumberBytes);
    Line quads[8];
    load_quads<kBits>(tile + place.numbers, quads);
    for (int s = 0; s < kScales; ++s) {
      const Sums scale = halves_at(scales + 32 * s);
      Sums minimum{};
      if constexpr (kMinimum) minimum = halves_at(scales + 32 * (kScales + s));
      for (int i = 0; i < kCount; ++i) {
        const int8_t* const row = q + i * columns + b * kPackedColumns + s * 16;
        const int32_t* const own = x_sum + 2 * (i * blocks + b);
        const int32_t sum = kScales == 2 ? own[s] : own[0] + own[1];
        // Two sums, so that a product does not wait for the one before it.
        Line even = fill(kMinimum ? 0 : -l.offset * sum), odd = fill(0);
        for (int k = 0; k < kPerScale; k += 2) {
          even =
              add_products<kBits == 8>(even, quads[s * kPerScale + k], fill(four_at(row + 4 * k)));
          odd = add_products<kBits == 8>(odd, quads[s * kPerScale + k + 1],
                                         fill(four_at(row + 4 * k + 4)));
        }
#if defined(__AVX512F__)
        const Line all{_mm512_add_epi32(even.v, odd.v)};
#else
        const Line all = each([&](int h) { return _mm256_add_epi32(even.v[h], odd.v[h]); });
#endif
        const float factor = x_scale[i * blocks + b];
        sums[i] = add_scaled(sums[i], all, scaled(scale, factor));
        if constexpr (kMinimum) {
          sums[i] = subtract_scaled(sums[i], minimum, factor * static_cast<float>(sum));
        }
      }
    }
  }
  for (int i = 0; i < kCount; ++i) store_sums(out + i * step, sums[i]);
}

template <int kBits, int kScales, bool kMinimum>
void multiply_form(const BlockLayout& l, const uint8_t* tile, const QuantizedRows& x, int64_t count,
                   float* out, int64_t step) {
  int64_t i = 0;
  const auto run = [&](auto rows) {
    for (; i + rows <= count; i += rows) {
      multiply_rows<kBits, kScales, kMinimum, rows>(l, tile, x, i, out + i * step, step);
    }
  };
  run(std::integral_constant<int, 8>());
  run(std::integral_constant<int, 4>());
  run(std::integral_constant<int, 2>());
  run(std::integral_constant<int, 1>());
}

// f(bits, scales, minimum) with the constants of a layout.
template <typename F>
void with_form(const BlockLayout& l, F&& f) {
  const auto scales = [&](auto bits, auto minimum) {
    l.scales == 2 ? f(bits, std::integral_constant<int, 2>(), minimum)
                  : f(bits, std::integral_constant<int, 1>(), minimum);
  };
  const std::false_type no;
  const std::true_type yes;
  if (l.bits == 8) return f(std::integral_constant<int, 8>(), std::integral_constant<int, 1>(), no);
  if (l.bits == 6) return f(std::integral_constant<int, 6>(), std::integral_constant<int, 2>(), no);
  if (l.bits == 5) {
    const std::integral_constant<int, 5> five;
    const std::integral_constant<int, 1> one;
    return l.has_minimum ? f(five, one, yes) : f(five, one, no);
  }
  l.has_minimum ? scales(std::integral_constant<int, 4>(), yes)
                : scales(std::integral_constant<int, 4>(), no);
}

[[maybe_unused]] void multiply(BlockFormat format, const uint8_t* tile, const QuantizedRows& x,
                               int64_t count, float* out, int64_t step) {
  const BlockLayout& l = layout_of(format);
  with_form(l, [&](auto bits, auto scales, auto minimum) {
    multiply_form<bits, scales, minimum>(l, tile, x, count, out, step);
  });
}

[[maybe_unused]] void quantize(const float* x, int64_t columns, int8_t* q, float* scale,
                               int32_t* sum) {
  for (int64_t b = 0; b < columns / kPackedColumns; ++b) {
    const float* from = x + b * kPackedColumns;
    float most = 0, all = 0;
    for (int k = 0; k < kPackedColumns; ++k) {
      most = std::max(most, std::fabs(from[k]));
      all += from[k] * 0.0f;
    }
    // all is NaN when an element is not finite, and then so is every product of the row.
    scale[b] = most / 127.0f + all;
    const float factor = most > 0 && all == 0 ? 127.0f / most : 0.0f;
    int8_t* const to = q + b * kPackedColumns;
    for (int half = 0; half < 2; ++half) {
      int32_t total = 0;
      for (int k = half * 16; k < half * 16 + 16; ++k) {
        const auto number = static_cast<int32_t>(std::nearbyint(from[k] * factor));
        to[k] = static_cast<int8_t>(std::clamp(number, -127, 127));
        total += to[k];
      }
      sum[2 * b + half] = total;
    }
  }
}

}  // namespace
}  // namespace paddle::cpu
