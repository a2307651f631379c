// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of floats as wide as the instruction set has them, for bodies that are included once per
// instruction set; in an anonymous namespace, as in rows_impl.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif
constexpr int64_t kLanes = kVectorBytes / 4;

using Vec __attribute__((vector_size(kVectorBytes))) = float;

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
[[maybe_unused]] inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof(v)); }

// The lanes from `begin` up to `end` of a vector in memory; the others are not touched, and read as
// zeros.
struct Part {
#if defined(__AVX512F__)
  __mmask16 mask;
  Part() = default;
  Part(int64_t begin, int64_t end) : mask(static_cast<__mmask16>((1U << end) - (1U << begin))) {}
  Vec load(const float* p) const { return Vec(_mm512_maskz_loadu_ps(mask, p)); }
  void store(float* p, Vec v) const { _mm512_mask_storeu_ps(p, mask, __m512(v)); }
#else
  __m256i mask;
  Part() = default;
  Part(int64_t begin, int64_t end) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    mask =
        _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(begin)), lanes),
                            _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(end)), lanes));
  }
  Vec load(const float* p) const { return Vec(_mm256_maskload_ps(p, mask)); }
  void store(float* p, Vec v) const { _mm256_maskstore_ps(p, mask, __m256(v)); }
#endif
};

}  // namespace
}  // namespace paddle::cpu
