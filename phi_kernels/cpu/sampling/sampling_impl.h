// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bodies of SamplingKernels, included once by each instruction set.
#pragma once

#include <immintrin.h>

#include <cstdint>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/sampling/sampling_kernels.h"

namespace paddle::cpu {
namespace {

// Entries whose weights are added up in float32 lanes before they join the sums.
constexpr int64_t kSummed = 1024;

#if defined(__AVX512F__)
constexpr int64_t kWide = 16;
using Floats = __m512;
using Ids = __m512i;
using Chosen = __mmask16;

inline Chosen some(int64_t n) { return static_cast<Chosen>(n >= kWide ? 0xFFFF : (1U << n) - 1); }
inline Floats floats_at(const float* p, Chosen m) { return _mm512_maskz_loadu_ps(m, p); }
inline Ids ids_at(const int32_t* p, Chosen m) { return _mm512_maskz_loadu_epi32(m, p); }
inline Ids ids_from(int64_t i) {
  const Ids lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(i)), lanes);
}
inline Floats all_of(float x) { return _mm512_set1_ps(x); }
inline Chosen less_equal(Floats a, Floats b, Chosen m) {
  return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_LE_OQ);
}
inline Chosen less(Floats a, Floats b, Chosen m) {
  return _mm512_mask_cmp_ps_mask(m, a, b, _CMP_LT_OQ);
}
inline Floats add_chosen(Floats sum, Chosen m, Floats x) {
  return _mm512_mask_add_ps(sum, m, sum, x);
}
inline void write_chosen(float* to, Chosen m, Floats x) {
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(m, x));
}
inline void write_chosen(int32_t* to, Chosen m, Ids x) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(m, x));
}
inline float sum_of(Floats x) {
  const __m256 halves = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
#else
constexpr int64_t kWide = 8;
using Floats = __m256;
using Ids = __m256i;
using Chosen = unsigned;

// For each set of lanes, their numbers one after the other, a byte each.
struct Packing {
  uint64_t lanes[256];
};
constexpr Packing make_packing() {
  Packing p{};
  for (unsigned m = 0; m < 256; ++m) {
    unsigned at = 0;
    for (uint64_t lane = 0; lane < 8; ++lane) {
      if (m >> lane & 1) p.lanes[m] |= lane << (8 * at++);
    }
  }
  return p;
}
constexpr Packing kPacking = make_packing();

inline __m256i lanes_of(Chosen m) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), lanes);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(m)), bits), bits);
}
inline Chosen some(int64_t n) { return n >= kWide ? 0xFF : (1U << n) - 1; }
inline Floats floats_at(const float* p, Chosen m) {
  return m == 0xFF ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, lanes_of(m));
}
inline Ids ids_at(const int32_t* p, Chosen m) {
  return m == 0xFF ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))
                   : _mm256_maskload_epi32(p, lanes_of(m));
}
inline Ids ids_from(int64_t i) {
  return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(i)),
                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Floats all_of(float x) { return _mm256_set1_ps(x); }
inline Chosen less_equal(Floats a, Floats b, Chosen m) {
  return m & static_cast<Chosen>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)));
}
inline Chosen less(Floats a, Floats b, Chosen m) {
  return m & static_cast<Chosen>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
}
inline Floats add_chosen(Floats sum, Chosen m, Floats x) {
  return _mm256_add_ps(sum, _mm256_and_ps(x, _mm256_castsi256_ps(lanes_of(m))));
}
inline __m256i packing_of(Chosen m) {
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(kPacking.lanes[m])));
}
inline void write_chosen(float* to, Chosen m, Floats x) {
  _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(x, packing_of(m)));
}
inline void write_chosen(int32_t* to, Chosen m, Ids x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_permutevar8x32_epi32(x, packing_of(m)));
}
inline float sum_of(Floats x) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
#endif

template <bool kWeights>
Narrowed narrow_some(const EntriesView& from, float low, float high, Entries& to) {
  const Floats lowest = all_of(low), highest = all_of(high);
  const int64_t n = from.count;
  Narrowed found;
  for (int64_t begin = 0; begin < n; begin += kSummed) {
    const int64_t end = begin + kSummed < n ? begin + kSummed : n;
    Floats kept_weight = all_of(0), above_weight = all_of(0);
    for (int64_t i = begin; i < end; i += kWide) {
      const Chosen present = some(end - i);
      const Floats key = floats_at(from.key + i, present);
      const Chosen above = less(highest, key, present);
      const Chosen kept = less_equal(lowest, key, present) & static_cast<Chosen>(~above);
      found.above += __builtin_popcount(above);
      if constexpr (kWeights) {
        const Floats weight = floats_at(from.weight + i, present);
        above_weight = add_chosen(above_weight, above, weight);
        kept_weight = add_chosen(kept_weight, kept, weight);
        if (kept) write_chosen(to.weight + found.kept, kept, weight);
      }
      if (!kept) continue;
      if (to.id) {
        write_chosen(to.id + found.kept, kept,
                     from.id ? ids_at(from.id + i, present) : ids_from(i));
      }
      write_chosen(to.key + found.kept, kept, key);
      found.kept += __builtin_popcount(kept);
    }
    found.kept_weight += static_cast<double>(sum_of(kept_weight));
    found.above_weight += static_cast<double>(sum_of(above_weight));
  }
  if (!kWeights) {
    found.kept_weight = static_cast<double>(found.kept);
    found.above_weight = static_cast<double>(found.above);
  }
  to.count = found.kept;
  return found;
}

Narrowed narrow(const EntriesView& from, float low, float high, Entries& to) {
  return from.weight ? narrow_some<true>(from, low, high, to)
                     : narrow_some<false>(from, low, high, to);
}

void hide(const int32_t* words, float* x, int64_t n) {
  const float hidden = -__builtin_inff();
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const auto word = static_cast<uint32_t>(words[i / 32]);
    if (word == 0xFFFFFFFF) continue;
    for (unsigned k = 0; k < 32; ++k) x[i + k] = word >> k & 1 ? x[i + k] : hidden;
  }
  for (; i < n; ++i) {
    if (!(static_cast<uint32_t>(words[i / 32]) >> (i % 32) & 1)) x[i] = hidden;
  }
}

}  // namespace
}  // namespace paddle::cpu
