// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bodies of RandomKernels, included once per instruction set; see elementwise_impl.h for the
// rules of such files.
#pragma once

#include <immintrin.h>

#include "phi_kernels/cpu/random/random_blocks.h"
#include "phi_kernels/functors/log.h"
#include "phi_kernels/functors/trigonometry.h"

namespace paddle::cpu {
namespace {

// A vector of 64-bit lanes, each with a number of 32 bits in its lower half; what is above does not
// matter until the end.
#ifdef __AVX512F__
using Lanes = __m512i;
inline Lanes lanes_of(uint64_t v) { return _mm512_set1_epi64(static_cast<int64_t>(v)); }
inline Lanes count_from(uint64_t v) {
  return _mm512_add_epi64(lanes_of(v), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
}
inline Lanes product(Lanes a, Lanes b) { return _mm512_maskz_mul_epu32(0xFF, a, b); }
inline Lanes upper(Lanes a) { return _mm512_maskz_srli_epi64(0xFF, a, 32); }
inline Lanes differ(Lanes a, Lanes b) { return _mm512_xor_si512(a, b); }
// (low half of a, low half of b) of every lane
inline Lanes join(Lanes a, Lanes b) {
  return _mm512_mask_blend_epi32(0xAAAA, a, _mm512_maskz_slli_epi64(0xFF, b, 32));
}
inline void store_alternating(uint32_t* out, Lanes a, Lanes b) {
  const Lanes first = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
  const Lanes last = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
  _mm512_storeu_si512(out, _mm512_permutex2var_epi64(a, first, b));
  _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi64(a, last, b));
}
#else
using Lanes = __m256i;
inline Lanes lanes_of(uint64_t v) { return _mm256_set1_epi64x(static_cast<int64_t>(v)); }
inline Lanes count_from(uint64_t v) {
  return _mm256_add_epi64(lanes_of(v), _mm256_set_epi64x(3, 2, 1, 0));
}
inline Lanes product(Lanes a, Lanes b) { return _mm256_mul_epu32(a, b); }
inline Lanes upper(Lanes a) { return _mm256_srli_epi64(a, 32); }
inline Lanes differ(Lanes a, Lanes b) { return _mm256_xor_si256(a, b); }
inline Lanes join(Lanes a, Lanes b) {
  return _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xAA);
}
inline void store_alternating(uint32_t* out, Lanes a, Lanes b) {
  const Lanes low = _mm256_unpacklo_epi64(a, b), high = _mm256_unpackhi_epi64(a, b);
  __m256i* to = reinterpret_cast<__m256i*>(out);
  _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
  _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
}
#endif
constexpr int kWidth = sizeof(Lanes) / 8;  // counters in a vector

// Philox 4x32-10 (Salmon et al. 2011) on sixteen counters.
void philox_words(PhiloxState state, uint64_t block, uint32_t* out) {
  constexpr int kCounters = 16;
  const Lanes m0 = lanes_of(0xD2511F53u), m1 = lanes_of(0xCD9E8D57u);
  for (int i = 0; i < kCounters; i += kWidth) {
    const Lanes at = count_from(state.offset + block * kCounters + static_cast<uint64_t>(i));
    Lanes c0 = at, c1 = upper(at), c2 = lanes_of(0), c3 = lanes_of(0);
    uint32_t k0 = static_cast<uint32_t>(state.seed), k1 = static_cast<uint32_t>(state.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const Lanes p0 = product(m0, c0), p1 = product(m1, c2);
      c0 = differ(differ(upper(p1), c1), lanes_of(k0));
      c2 = differ(differ(upper(p0), c3), lanes_of(k1));
      c1 = p1;
      c3 = p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    store_alternating(out + 4 * i, join(c0, c1), join(c2, c3));
  }
}

// [0, 1), 24 bits
PADDLE_MATH float unit_of(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 8)) * 0x1.0p-24f;
}
// (0, 1]: 31 bits, as many of them as a float keeps, for a long tail of the logarithm
PADDLE_MATH float tail_unit_of(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1)) * 0x1.0p-31f + 0x1.0p-32f;
}

void uniform_block(const uint32_t* words, float low, float width, float* out) {
  for (int i = 0; i < kWords; ++i) out[i] = low + width * unit_of(words[i]);
}

void normal_block(const uint32_t* words, float mean, float deviation, float* out) {
  constexpr int kHalf = kWords / 2;
  for (int i = 0; i < kHalf; ++i) {
    const float radius = deviation * std::sqrt(-2.0f * math::log(tail_unit_of(words[i])));
    const float angle = 6.28318531f * unit_of(words[i + kHalf]);
    out[i] = mean + radius * math::cos(angle);
    out[i + kHalf] = mean + radius * math::sin(angle);
  }
}

void exponential_block(const uint32_t* words, float scale, float* out) {
  for (int i = 0; i < kWords; ++i) out[i] = -scale * math::log(tail_unit_of(words[i]));
}

void normal_between_block(const uint32_t* words, float low, float width, float mean,
                          float deviation, float* out) {
  for (int i = 0; i < kWords; ++i) {
    const float below = low + width * unit_of(words[i]);
    out[i] = mean + deviation * (1.41421356f * math::erfinv(2.0f * below - 1.0f));
  }
}

// [0, 1), the upper 53 of 64 bits: as two numbers whose bits are written behind an exponent.
PADDLE_MATH double wide_unit_of(const uint32_t* words, int i) {
  const uint64_t bits = (uint64_t{words[2 * i + 1]} << 21) | (words[2 * i] >> 11);
  const uint64_t low = (bits & 0xFFFFFFFF) | 0x4330000000000000, high = bits >> 32;
  return ((std::bit_cast<double>(low) - 0x1p52) +
          (std::bit_cast<double>(high | 0x4530000000000000) - 0x1p84)) *
         0x1p-53;
}
constexpr int kWide = kWords / 2;

void uniform_wide_block(const uint32_t* words, double low, double width, double* out) {
  for (int i = 0; i < kWide; ++i) out[i] = low + width * wide_unit_of(words, i);
}

void normal_wide_block(const uint32_t* words, double mean, double deviation, double* out) {
  constexpr int kHalf = kWide / 2;
  for (int i = 0; i < kHalf; ++i) {
    const double tail = 1.0 - wide_unit_of(words, i);
    const double radius = deviation * std::sqrt(-2.0 * math::log(tail));
    const double angle = 6.2831853071795865 * wide_unit_of(words, i + kHalf);
    out[i] = mean + radius * math::cos(angle);
    out[i + kHalf] = mean + radius * math::sin(angle);
  }
}

void exponential_wide_block(const uint32_t* words, double scale, double* out) {
  for (int i = 0; i < kWide; ++i) out[i] = -scale * math::log(1.0 - wide_unit_of(words, i));
}

void dropout_block(const uint32_t* words, uint32_t limit, float factor, const float* x, float* out,
                   uint8_t* mask) {
#pragma GCC ivdep
  for (int i = 0; i < kWords; ++i) {
    const float kept = x[i] * factor;
    out[i] = words[i] >= limit ? kept : 0.0f;
  }
  for (int i = 0; i < kWords; ++i) mask[i] = words[i] >= limit ? 1 : 0;
}

constexpr RandomKernels kRandomKernels = {
    philox_words,      uniform_block,          normal_block,
    exponential_block, normal_between_block,   uniform_wide_block,
    normal_wide_block, exponential_wide_block, dropout_block};

}  // namespace
}  // namespace paddle::cpu
