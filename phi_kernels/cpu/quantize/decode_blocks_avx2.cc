// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The block formats of GGUF files, byte by byte. All are little-endian; d and m are float16.
// Compiled for AVX2, which every processor that runs kernels has.
#include "phi_kernels/cpu/quantize/decode_blocks.h"

#include <immintrin.h>

#include <cstring>

namespace paddle::cpu {
namespace {

float half_at(const uint8_t* p) {
  uint16_t bits = 0;
  std::memcpy(&bits, p, 2);
  return _cvtsh_ss(bits);
}

// 32 numbers of 8 bits.
using Bytes = uint8_t __attribute__((vector_size(32)));

Bytes load(const uint8_t* from) {
  Bytes v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

void store(uint8_t* to, Bytes v) { std::memcpy(to, &v, sizeof(v)); }

void set_scale(DecodedGroup& g, float scale, float minimum = 0) {
  g.scale[0] = g.scale[1] = scale;
  g.minimum[0] = g.minimum[1] = minimum;
}

// Byte j holds weight j in its low half and weight j + 16 in its high half.
void halves(const uint8_t* from, uint8_t* q) {
  const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m256i spread = _mm256_set_m128i(_mm_srli_epi16(both, 4), both);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q),
                      _mm256_and_si256(spread, _mm256_set1_epi8(15)));
}

// Bit j of 32 is the fifth of weight j.
void fifth_bits(const uint8_t* from, uint8_t* q) {
  int32_t bits = 0;
  std::memcpy(&bits, from, 4);
  // Each byte gets the byte of `bits` that has its bit, then looks whether the bit is set.
  const __m256i lane =
      _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
  const __m256i own = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(bits), lane), bit);
  const __m256i set = _mm256_and_si256(_mm256_cmpeq_epi8(own, bit), _mm256_set1_epi8(16));
  auto* const to = reinterpret_cast<__m256i*>(q);
  _mm256_storeu_si256(to, _mm256_or_si256(_mm256_loadu_si256(to), set));
}

// d, q int8 x 32
void decode_q8_0(const uint8_t* b, DecodedGroup* g) {
  set_scale(*g, half_at(b));
  store(g->q, load(b + 2) ^ 0x80);
}

// d, q 16 bytes; q is a position in this table
constexpr int8_t kNonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                   1,    13,   25,  38,  53,  69,  89,  113};
void decode_iq4_nl(const uint8_t* b, DecodedGroup* g) {
  set_scale(*g, half_at(b));
  halves(b + 2, g->q);
  for (uint8_t& q : g->q) q = static_cast<uint8_t>(kNonlinear[q] + 128);
}

// d, m (kMinimum), 32 fifth bits (kFive), q 16 bytes
template <bool kMinimum, bool kFive>
void decode_32(const uint8_t* b, DecodedGroup* g) {
  set_scale(*g, half_at(b), kMinimum ? -half_at(b + 2) : 0);
  b += kMinimum ? 4 : 2;
  halves(b + (kFive ? 4 : 0), g->q);
  if constexpr (kFive) fifth_bits(b, g->q);
}

// 8 scales and 8 minima of six bits in 12 bytes.
void six_bit_pairs(const uint8_t* from, uint8_t* scales, uint8_t* minima) {
  for (int i = 0; i < 4; ++i) {
    scales[i] = from[i] & 63;
    minima[i] = from[i + 4] & 63;
    scales[i + 4] = static_cast<uint8_t>((from[i + 8] & 15) | (from[i] >> 6 << 4));
    minima[i + 4] = static_cast<uint8_t>((from[i + 8] >> 4) | (from[i + 4] >> 6 << 4));
  }
}

// d, m, six-bit scales and minima 12 bytes, fifth bits 32 bytes (kFive), q 128 bytes: bytes
// 32 c ... 32 c + 31 hold group 2 c in their low halves and group 2 c + 1 in their high halves.
template <bool kFive>
void decode_k45(const uint8_t* b, DecodedGroup* g) {
  uint8_t scales[8], minima[8];
  six_bit_pairs(b + 4, scales, minima);
  const float d = half_at(b), m = half_at(b + 2);
  const uint8_t *high = b + 16, *q = b + (kFive ? 48 : 16);
  for (int i = 0; i < 8; ++i) {
    set_scale(g[i], d * scales[i], m * minima[i]);
    Bytes own = load(q + i / 2 * 32) >> (i % 2 * 4) & 15;
    if constexpr (kFive) own |= (load(high) >> i & 1) << 4;
    store(g[i].q, own);
  }
}

// q 128 bytes, high 64 bytes, int8 scales of groups of 16, d. Each half of 128 weights has 64 bytes
// of q, low halves first, and 32 bytes of high: bits 2 k, 2 k + 1 of byte j belong to weight
// 32 k + j.
void decode_q6_k(const uint8_t* b, DecodedGroup* g) {
  const float d = half_at(b + 208);
  for (int i = 0; i < 8; ++i) {
    const int half = i / 4, k = i % 4;
    const uint8_t *q = b + half * 64 + k % 2 * 32, *high = b + 128 + half * 32;
    store(g[i].q, (load(q) >> (k / 2 * 4) & 15) | (load(high) >> (2 * k) & 3) << 4);
    for (int s = 0; s < 2; ++s) {
      g[i].scale[s] = d * static_cast<int8_t>(b[192 + 2 * i + s]);
      g[i].minimum[s] = 0;
    }
  }
}

// Scale and minimum of groups of 16 in the halves of 16 bytes, q 64 bytes, d, m. Each half of 128
// weights has 32 bytes of q: bits 2 k, 2 k + 1 of byte j belong to weight 32 k + j.
void decode_q2_k(const uint8_t* b, DecodedGroup* g) {
  const float d = half_at(b + 80), m = half_at(b + 82);
  for (int i = 0; i < 8; ++i) {
    const uint8_t* q = b + 16 + i / 4 * 32;
    store(g[i].q, load(q) >> (i % 4 * 2) & 3);
    for (int s = 0; s < 2; ++s) {
      g[i].scale[s] = d * static_cast<float>(b[2 * i + s] & 15);
      g[i].minimum[s] = m * static_cast<float>(b[2 * i + s] >> 4);
    }
  }
}

// High bits 32 bytes (bit i of byte j belongs to weight 32 i + j), q 64 bytes as in Q2_K, 16
// six-bit scales in 12 bytes, less 32, d.
void decode_q3_k(const uint8_t* b, DecodedGroup* g) {
  const uint8_t* packed = b + 96;
  const float d = half_at(b + 108);
  for (int i = 0; i < 8; ++i) {
    const uint8_t* q = b + 32 + i / 4 * 32;
    store(g[i].q, (load(q) >> (i % 4 * 2) & 3) | (load(b) >> i & 1) << 2);
    for (int s = 0; s < 2; ++s) {
      const int n = 2 * i + s;
      const int low = n < 8 ? packed[n] & 15 : packed[n - 8] >> 4;
      const int scale = low | (packed[8 + n % 4] >> (n / 4 * 2) & 3) << 4;
      g[i].scale[s] = d * static_cast<float>(scale - 32);
      g[i].minimum[s] = 0;
    }
  }
}

}  // namespace

void decode_blocks(BlockFormat format, const uint8_t* from, int64_t distance, int64_t count,
                   DecodedGroup* groups) {
  const auto each = [=](int group_count, auto decode) {
    for (int64_t i = 0; i < count; ++i) decode(from + i * distance, groups + i * group_count);
  };
#define PADDLE_EACH(count, f) each(count, [](const uint8_t* b, DecodedGroup* g) { f(b, g); })
  switch (format) {
    case BlockFormat::kQ8_0:
      return PADDLE_EACH(1, decode_q8_0);
    case BlockFormat::kQ4_0:
      return PADDLE_EACH(1, (decode_32<false, false>));
    case BlockFormat::kQ4_1:
      return PADDLE_EACH(1, (decode_32<true, false>));
    case BlockFormat::kQ5_0:
      return PADDLE_EACH(1, (decode_32<false, true>));
    case BlockFormat::kQ5_1:
      return PADDLE_EACH(1, (decode_32<true, true>));
    case BlockFormat::kIQ4_NL:
      return PADDLE_EACH(1, decode_iq4_nl);
    case BlockFormat::kQ2_K:
      return PADDLE_EACH(8, decode_q2_k);
    case BlockFormat::kQ3_K:
      return PADDLE_EACH(8, decode_q3_k);
    case BlockFormat::kQ4_K:
      return PADDLE_EACH(8, decode_k45<false>);
    case BlockFormat::kQ5_K:
      return PADDLE_EACH(8, decode_k45<true>);
    case BlockFormat::kQ6_K:
      return PADDLE_EACH(8, decode_q6_k);
    case BlockFormat::kF8_E4M3:
      return;  // of no groups; float8_product.h reads it
  }
#undef PADDLE_EACH
}

}  // namespace paddle::cpu
