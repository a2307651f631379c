// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// code_product.h for an instruction set; included once by each.
#pragma once

#include <immintrin.h>

#include <cstdint>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/isa/float_vectors_impl.h"
#include "phi_kernels/cpu/quantize/code_product.h"

namespace paddle::cpu {
namespace {

constexpr int kVectors = kCodeChunk / kLanes;  // of a chunk
constexpr int64_t kCodesAhead = 4096;          // bytes asked for before they are read

#if defined(__AVX512F__)
using Words = __m512i;
inline Words bytes_at(const uint8_t* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Vec numbers(Words w, int offset) {
  return Vec(_mm512_cvtepi32_ps(_mm512_sub_epi32(w, _mm512_set1_epi32(offset))));
}
// Of the lowest four bits of each word.
inline Vec small_numbers(Words w) {
  const __m512 table = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
  return Vec(_mm512_permutexvar_ps(w, table));
}
inline Words upper_halves(Words w) { return _mm512_srli_epi32(w, 4); }
inline Vec multiply_add(Vec a, Vec b, Vec c) {
  return Vec(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
}
inline Vec all(float x) { return Vec(_mm512_set1_ps(x)); }
#else
using Words = __m256i;
inline Words bytes_at(const uint8_t* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
inline Vec numbers(Words w, int offset) {
  return Vec(_mm256_cvtepi32_ps(_mm256_sub_epi32(w, _mm256_set1_epi32(offset))));
}
inline Vec small_numbers(Words w) { return numbers(_mm256_and_si256(w, _mm256_set1_epi32(15)), 8); }
inline Words upper_halves(Words w) { return _mm256_srli_epi32(w, 4); }
inline Vec multiply_add(Vec a, Vec b, Vec c) {
  return Vec(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
}
inline Vec all(float x) { return Vec(_mm256_set1_ps(x)); }
#endif

inline float sum_of(Vec v) {
  float sum = 0;
  for (int64_t i = 0; i < kLanes; ++i) sum += v[i];
  return sum;
}

// The codes of a chunk. With four bits the lower halves of kLanes bytes are one vector and their
// upper halves the next.
template <int kBits>
inline void load_chunk(const uint8_t* p, Vec (&chunk)[kVectors]) {
  if constexpr (kBits == 8) {
    for (int v = 0; v < kVectors; ++v) chunk[v] = numbers(bytes_at(p + v * kLanes), 128);
  } else {
    for (int v = 0; v < kVectors; v += 2) {
      const Words both = bytes_at(p + v / 2 * kLanes);
      chunk[v] = small_numbers(both);
      chunk[v + 1] = small_numbers(upper_halves(both));
    }
  }
}

void code_order(int bits, int (&order)[kCodeChunk]) {
  const int lanes = code_columns(bits);  // groups of eight inputs that alternate
  for (int i = 0; i < kCodeChunk; ++i) {
    const int lane = static_cast<int>(kLanes);
    const int at = bits == 8 ? i : 2 * (i / (2 * lane) * lane + i % lane) + i / lane % 2;
    const int inside = at % (8 * lanes);
    order[i] = at - inside + inside % lanes * 8 + inside / lanes;
  }
}

template <int kBits, int kRows>
void multiply_rows(const CodeMatrix& m, const float* x, int64_t column, float* to) {
  constexpr int kColumns = code_columns(kBits), kBytes = kCodeChunk / 8 * kBits;
  const uint8_t* codes = m.codes + column * m.inputs / 8 * kBits;
  const bool is_grouped = m.group != m.inputs;
  Vec sums[kColumns][kRows] = {};
  for (int64_t k = 0; k < m.inputs; k += kCodeChunk) {
    const float* const scales = m.scales + k / m.group * m.outputs + column;
    for (int j = 0; j < kColumns; ++j, codes += kBytes) {
      _mm_prefetch(reinterpret_cast<const char*>(codes + kCodesAhead), _MM_HINT_T0);
      Vec chunk[kVectors];
      load_chunk<kBits>(codes, chunk);
      if (is_grouped) {
        for (Vec& v : chunk) v *= all(scales[j]);
      }
      for (int r = 0; r < kRows; ++r) {
        const float* const row = x + r * m.inputs + k;
        for (int v = 0; v < kVectors; ++v) {
          sums[j][r] = multiply_add(chunk[v], load(row + v * kLanes), sums[j][r]);
        }
      }
    }
  }
  for (int j = 0; j < kColumns; ++j) {
    const float scale = is_grouped ? 1.0f : m.scales[column + j];
    for (int r = 0; r < kRows; ++r) to[r * m.outputs + column + j] = sum_of(sums[j][r]) * scale;
  }
}

template <int kBits>
void multiply_bits(const CodeMatrix& m, const float* x, int64_t count, int64_t begin, int64_t end,
                   float* to) {
  for (int64_t column = begin; column < end; column += code_columns(kBits)) {
    int64_t r = 0;
    for (; r + 4 <= count; r += 4) {
      multiply_rows<kBits, 4>(m, x + r * m.inputs, column, to + r * m.outputs);
    }
    for (; r < count; ++r) {
      multiply_rows<kBits, 1>(m, x + r * m.inputs, column, to + r * m.outputs);
    }
  }
}

template <int kBits>
void values_bits(const CodeMatrix& m, int64_t begin, int64_t end, float* to) {
  constexpr int kColumns = code_columns(kBits), kBytes = kCodeChunk / 8 * kBits;
  for (int64_t column = begin; column < end; column += kColumns) {
    const uint8_t* codes = m.codes + column * m.inputs / 8 * kBits;
    for (int64_t k = 0; k < m.inputs; k += kCodeChunk) {
      const float* const scales = m.scales + k / m.group * m.outputs + column;
      for (int j = 0; j < kColumns; ++j, codes += kBytes) {
        Vec chunk[kVectors];
        load_chunk<kBits>(codes, chunk);
        float* const at = to + (column - begin + j) * m.inputs + k;
        for (int v = 0; v < kVectors; ++v) store(at + v * kLanes, chunk[v] * all(scales[j]));
      }
    }
  }
}

void code_multiply(const CodeMatrix& m, const float* x, int64_t count, int64_t begin, int64_t end,
                   float* to) {
  (m.bits == 8 ? multiply_bits<8> : multiply_bits<4>)(m, x, count, begin, end, to);
}

void code_values(const CodeMatrix& m, int64_t begin, int64_t end, float* to) {
  (m.bits == 8 ? values_bits<8> : values_bits<4>)(m, begin, end, to);
}

}  // namespace
}  // namespace paddle::cpu
