// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The block formats of GGUF files, byte by byte. All are little-endian; d and m are float16.
#include "phi_kernels/cpu/quantize/decode_blocks.h"

#include <algorithm>
#include <cstring>

#include "paddle_core/type/float16.h"

namespace paddle::cpu {
namespace {

float half_at(const uint8_t* p) {
  float16 h;
  std::memcpy(&h.bits, p, 2);
  return static_cast<float>(h);
}

void set_scale(DecodedGroup& g, float scale, float minimum = 0) {
  std::fill_n(g.scale, 2, scale);
  std::fill_n(g.minimum, 2, minimum);
}

// Byte j holds weight j in its low half and weight j + 16 in its high half.
void halves(const uint8_t* from, uint8_t* q) {
  for (int j = 0; j < 16; ++j) {
    q[j] = from[j] & 15;
    q[j + 16] = from[j] >> 4;
  }
}

void fifth_bits(const uint8_t* from, uint8_t* q) {
  uint32_t bits = 0;
  std::memcpy(&bits, from, 4);
  for (int j = 0; j < 32; ++j) q[j] |= static_cast<uint8_t>((bits >> j & 1) << 4);
}

// d, q int8 x 32
void decode_q8_0(const uint8_t* b, DecodedGroup* g) {
  set_scale(*g, half_at(b));
  for (int j = 0; j < 32; ++j) g->q[j] = static_cast<uint8_t>(b[2 + j] ^ 0x80);
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
    for (int j = 0; j < 32; ++j) {
      const int four = q[i / 2 * 32 + j] >> (i % 2 * 4) & 15;
      g[i].q[j] = static_cast<uint8_t>(kFive ? four | (high[j] >> i & 1) << 4 : four);
    }
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
    for (int j = 0; j < 32; ++j) {
      const int four = q[j] >> (k / 2 * 4) & 15;
      g[i].q[j] = static_cast<uint8_t>(four | (high[j] >> (2 * k) & 3) << 4);
    }
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
    for (int j = 0; j < 32; ++j) g[i].q[j] = q[j] >> (i % 4 * 2) & 3;
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
    for (int j = 0; j < 32; ++j) {
      g[i].q[j] = static_cast<uint8_t>((q[j] >> (i % 4 * 2) & 3) | (b[j] >> i & 1) << 2);
    }
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

void decode_block(BlockFormat format, const uint8_t* block, DecodedGroup* groups) {
  switch (format) {
    case BlockFormat::kQ8_0:
      return decode_q8_0(block, groups);
    case BlockFormat::kQ4_0:
      return decode_32<false, false>(block, groups);
    case BlockFormat::kQ4_1:
      return decode_32<true, false>(block, groups);
    case BlockFormat::kQ5_0:
      return decode_32<false, true>(block, groups);
    case BlockFormat::kQ5_1:
      return decode_32<true, true>(block, groups);
    case BlockFormat::kQ2_K:
      return decode_q2_k(block, groups);
    case BlockFormat::kQ3_K:
      return decode_q3_k(block, groups);
    case BlockFormat::kQ4_K:
      return decode_k45<false>(block, groups);
    case BlockFormat::kQ5_K:
      return decode_k45<true>(block, groups);
    case BlockFormat::kQ6_K:
      return decode_q6_k(block, groups);
    case BlockFormat::kIQ4_NL:
      return decode_iq4_nl(block, groups);
  }
}

}  // namespace paddle::cpu
