// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// float8_product.h for an instruction set; included once by each.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/isa/float_vectors_impl.h"
#include "phi_kernels/cpu/quantize/float8_product.h"

namespace paddle::cpu {
namespace {

// An 8-bit float moved to the upper bits of a float16 is that float16 times 2^-8, as the exponents
// begin at other numbers; those too small for a full mantissa, too.
constexpr float kFloat8Unit = 256.0f;

#if defined(__AVX512F__)
inline Vec halves_of(const uint8_t* p) {
  const __m256i b = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  const __m256i low = _mm256_and_si256(b, _mm256_set1_epi16(0x7F));
  const __m256i sign = _mm256_slli_epi16(_mm256_and_si256(b, _mm256_set1_epi16(0x80)), 8);
  const __m256i nan =
      _mm256_and_si256(_mm256_cmpeq_epi16(low, _mm256_set1_epi16(0x7F)), _mm256_set1_epi16(0x7E00));
  const __m256i bits = _mm256_or_si256(_mm256_or_si256(_mm256_slli_epi16(low, 7), sign), nan);
  return Vec(_mm512_cvtph_ps(bits));
}
inline Vec multiply_add(Vec a, Vec b, Vec c) {
  return Vec(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
}
inline Vec all(float x) { return Vec(_mm512_set1_ps(x)); }
#else
inline Vec halves_of(const uint8_t* p) {
  const __m128i b = _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  const __m128i low = _mm_and_si128(b, _mm_set1_epi16(0x7F));
  const __m128i sign = _mm_slli_epi16(_mm_and_si128(b, _mm_set1_epi16(0x80)), 8);
  const __m128i nan =
      _mm_and_si128(_mm_cmpeq_epi16(low, _mm_set1_epi16(0x7F)), _mm_set1_epi16(0x7E00));
  const __m128i bits = _mm_or_si128(_mm_or_si128(_mm_slli_epi16(low, 7), sign), nan);
  return Vec(_mm256_cvtph_ps(bits));
}
inline Vec multiply_add(Vec a, Vec b, Vec c) {
  return Vec(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
}
inline Vec all(float x) { return Vec(_mm256_set1_ps(x)); }
#endif

inline float scale_at(const uint8_t* block) {
  float scale = 0;
  std::memcpy(&scale, block + kFloat8Block, 4);
  return scale;
}

inline float sum_of(Vec v) {
  float sum = 0;
  for (int64_t i = 0; i < kLanes; ++i) sum += v[i];
  return sum;
}

constexpr int64_t kFloat8Ahead = 4096;  // bytes asked for before they are read

template <int kRows>
void multiply_rows(const uint8_t* row, const float* x, int64_t columns, float* to, int64_t step) {
  Vec sums[kRows] = {};
  for (int64_t b = 0; b < columns; b += kFloat8Block, row += kFloat8Bytes) {
    for (int i = 0; i < kFloat8Bytes; i += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(row + kFloat8Ahead) + i, _MM_HINT_T0);
    }
    Vec even[kRows] = {}, odd[kRows] = {};
    for (int64_t k = 0; k < kFloat8Block; k += 2 * kLanes) {
      const Vec first = halves_of(row + k), second = halves_of(row + k + kLanes);
      for (int r = 0; r < kRows; ++r) {
        const float* const own = x + r * columns + b + k;
        even[r] = multiply_add(first, load(own), even[r]);
        odd[r] = multiply_add(second, load(own + kLanes), odd[r]);
      }
    }
    const Vec scale = all(scale_at(row) * kFloat8Unit);
    for (int r = 0; r < kRows; ++r) sums[r] = multiply_add(even[r] + odd[r], scale, sums[r]);
  }
  for (int r = 0; r < kRows; ++r) to[r * step] = sum_of(sums[r]);
}

void float8_multiply(const uint8_t* row, const float* x, int64_t columns, int64_t count, float* to,
                     int64_t step) {
  int64_t r = 0;
  for (; r + 4 <= count; r += 4) {
    multiply_rows<4>(row, x + r * columns, columns, to + r * step, step);
  }
  for (; r < count; ++r) multiply_rows<1>(row, x + r * columns, columns, to + r * step, step);
}

void float8_values(const uint8_t* row, int64_t columns, float* to) {
  for (int64_t b = 0; b < columns; b += kFloat8Block, row += kFloat8Bytes) {
    const Vec scale = all(scale_at(row)), unit = all(kFloat8Unit);
    for (int64_t k = 0; k < kFloat8Block; k += kLanes) {
      store(to + b + k, halves_of(row + k) * unit * scale);
    }
  }
}

}  // namespace
}  // namespace paddle::cpu
