// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of blocks to tiles, and both to float32. Compiled for AVX2, which every processor that runs
// kernels has.
#include "phi_kernels/cpu/quantize/packed_tiles.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "phi_kernels/cpu/quantize/decode_blocks.h"

namespace paddle::cpu {
namespace {

constexpr int kRows = kPackedRows, kLine = 64, kMostGroups = 8;

float half_at(const uint8_t* from) {
  uint16_t bits = 0;
  std::memcpy(&bits, from, 2);
  return _cvtsh_ss(bits);
}

// 8 rows of 8 numbers of 32 bits become columns.
void transpose(__m256i (&r)[8]) {
  __m256i t[8], u[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    u[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
    u[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
    u[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
    u[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2x128_si256(u[i], u[i + 4], 0x20);
    r[i + 4] = _mm256_permute2x128_si256(u[i], u[i + 4], 0x31);
  }
}

// The numbers of 16 rows and 32 columns, as the lines of a tile.
template <int kBits>
void put_numbers(const DecodedGroup* rows, uint8_t* to) {
  for (int half = 0; half < 2; ++half, rows += 8 * kMostGroups, to += kLine / 2) {  // 8 rows each
    __m256i quads[8];
    for (int i = 0; i < 8; ++i) {
      quads[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[i * kMostGroups].q));
    }
    transpose(quads);
    const auto put = [to](int line, __m256i v) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + line * kLine), v);
    };
    if constexpr (kBits == 8) {
      for (int i = 0; i < 8; ++i) put(i, quads[i]);
      continue;
    }
    const __m256i low = _mm256_set1_epi8(15);
    const auto four = [&](int i) { return _mm256_and_si256(quads[i], low); };
    for (int i = 0; i < 4; ++i) {
      put(i, _mm256_or_si256(four(i), _mm256_slli_epi16(four(i + 4), 4)));
    }
    // The bits above the lowest four, which no number has beyond kBits.
    const auto above = [&](int i) { return _mm256_and_si256(_mm256_srli_epi16(quads[i], 4), low); };
    if constexpr (kBits == 5) {
      __m256i plane = _mm256_setzero_si256();
      for (int i = 0; i < 8; ++i) plane = _mm256_or_si256(plane, _mm256_slli_epi16(above(i), i));
      put(4, plane);
    }
    if constexpr (kBits == 6) {
      for (int line = 0; line < 2; ++line) {
        __m256i plane = _mm256_setzero_si256();
        for (int i = 0; i < 4; ++i) {
          plane = _mm256_or_si256(plane, _mm256_slli_epi16(above(4 * line + i), 2 * i));
        }
        put(4 + line, plane);
      }
    }
  }
}

void put_halves(const float (&values)[kRows], uint8_t* to) {
  for (int i = 0; i < kRows; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * i), halves);
  }
}

void put_scales(const DecodedGroup* rows, const BlockLayout& l, uint8_t* to) {
  float values[kRows];
  for (int s = 0; s < l.scales; ++s) {
    for (int r = 0; r < kRows; ++r) values[r] = rows[r * kMostGroups].scale[s];
    put_halves(values, to + s * kRows * 2);
    if (!l.has_minimum) continue;
    for (int r = 0; r < kRows; ++r) values[r] = rows[r * kMostGroups].minimum[s];
    put_halves(values, to + (l.scales + s) * kRows * 2);
  }
}

int number_at(const uint8_t* from, int bits, int64_t row, int k) {
  const int quad = k / 4;
  const int64_t at = row * 4 + k % 4;
  if (bits == 8) return from[quad * kLine + at];
  const int low = from[quad % 4 * kLine + at] >> (quad / 4 * 4) & 15;
  if (bits == 5) return low | (from[4 * kLine + at] >> quad & 1) << 4;
  if (bits == 6) return low | (from[(4 + quad / 4) * kLine + at] >> (quad % 4 * 2) & 3) << 4;
  return low;
}

}  // namespace

void pack_tile(BlockFormat format, const uint8_t* from, int64_t rows, int64_t columns,
               uint8_t* tile) {
  const BlockLayout& l = layout_of(format);
  const int64_t scale_bytes = packed_scale_bytes(l), number_bytes = packed_number_bytes(l);
  const int64_t row_bytes = block_row_bytes(l, columns);
  const int groups = l.weights / kPackedColumns;
  const auto put = l.bits == 8   ? put_numbers<8>
                   : l.bits == 6 ? put_numbers<6>
                   : l.bits == 5 ? put_numbers<5>
                                 : put_numbers<4>;
  // 256 columns at once, so that what is decoded has reached the cache when it is read.
  DecodedGroup decoded[kRows * kMostGroups] = {};
  const int64_t blocks = columns / l.weights;
  int64_t at = 0;  // blocks of 32 columns that are done
  for (int64_t b = 0; b < blocks; b += kMostGroups / groups) {
    const int64_t some = std::min<int64_t>(kMostGroups / groups, blocks - b);
    for (int64_t row = 0; row < rows; ++row) {
      decode_blocks(format, from + row * row_bytes + b * l.bytes, l.bytes, some,
                    decoded + row * kMostGroups);
    }
    for (int64_t i = 0; i < some * groups; ++i, ++at) {
      const PackedPlace place = packed_place(scale_bytes, number_bytes, at);
      put_scales(decoded + i, l, tile + place.scales);
      put(decoded + i, tile + place.numbers);
    }
  }
  if (scale_bytes % 64 != 0 && at % 2 != 0) {  // the place of a block that is not there
    std::memset(tile + packed_place(scale_bytes, number_bytes, at).scales, 0,
                static_cast<size_t>(scale_bytes));
  }
}

void unpack_row(BlockFormat format, const uint8_t* tile, int64_t row, int64_t columns, float* to) {
  const BlockLayout& l = layout_of(format);
  const int64_t scale_bytes = packed_scale_bytes(l), number_bytes = packed_number_bytes(l);
  DecodedGroup group{};
  for (int64_t b = 0; b < columns / kPackedColumns; ++b) {
    const PackedPlace place = packed_place(scale_bytes, number_bytes, b);
    const uint8_t* const scales = tile + place.scales + row * 2;
    for (int s = 0; s < 2; ++s) {
      const int own = std::min(s, l.scales - 1);
      group.scale[s] = half_at(scales + own * kRows * 2);
      if (l.has_minimum) group.minimum[s] = half_at(scales + (l.scales + own) * kRows * 2);
    }
    for (int k = 0; k < kPackedColumns; ++k) {
      group.q[k] = static_cast<uint8_t>(number_at(tile + place.numbers, l.bits, row, k));
    }
    for (int k = 0; k < kPackedColumns; ++k) *to++ = group.weight(k, l);
  }
}

void dequantize_row(BlockFormat format, const uint8_t* from, int64_t columns, float* to) {
  const BlockLayout& l = layout_of(format);
  DecodedGroup decoded[kMostGroups];
  for (int64_t b = 0; b < columns / l.weights; ++b, from += l.bytes) {
    decode_blocks(format, from, 0, 1, decoded);
    for (int i = 0; i < l.weights / 32; ++i) {
      for (int k = 0; k < 32; ++k) *to++ = decoded[i].weight(k, l);
    }
  }
}

}  // namespace paddle::cpu
