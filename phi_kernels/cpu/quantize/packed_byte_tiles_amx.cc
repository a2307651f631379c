// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// packed_byte_tiles.h compiled for AMX and AVX-512.
#include "phi_kernels/cpu/quantize/packed_byte_tiles.h"

#include "phi_kernels/cpu/quantize/packed_product_impl.h"

namespace paddle::cpu {
namespace {

// Tiles 0 and 1 hold sums, 2 and 3 numbers of rows, 4 and 5 those of weights. Weights with two
// scales are multiplied in two halves.
template <int kScales, int kRows>
void configure() {
  constexpr uint8_t kDepth = 32 / kScales, kQuads = kDepth / 4;
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, kDepth, kDepth, 64, 64};
    uint8_t rows[16] = {kRows, kRows, kRows, kRows, kQuads, kQuads};
  } static const config;
  _tile_loadconfig(&config);
}

void begin(BlockFormat format, int64_t count) {
  if (layout_of(format).scales == 2) {
    count > 8 ? configure<2, 16>() : configure<2, 8>();
  } else {
    count > 8 ? configure<1, 16>() : configure<1, 8>();
  }
}

void end() { _tile_release(); }

// A step is what has one scale: 32 or 16 columns. What a matrix tile has written is not at hand at
// once, nor what it reads, unless it lies in the nearest cache: kSteps are copied there, those
// before them multiplied, and the sums of those before these added.
constexpr int kSteps = 2;

// The intrinsics are macros that take the numbers of registers as text.
#define PADDLE_STEP(SUM, ROWS, WEIGHTS, k)                  \
  _tile_zero(SUM);                                          \
  _tile_loadd(WEIGHTS, w + (k)*kWeightBytes, 64);           \
  _tile_loadd(ROWS, from + (k)*kTileRows * kDepth, kDepth); \
  _tile_dpbsud(SUM, ROWS, WEIGHTS);                         \
  _tile_stored(SUM, to[k], 64)

// 16 rows of weights with 16 or 8 rows of x, `count` of which are there.
template <int kBits, int kScales, bool kMinimum, int kCount>
void multiply_group(const uint8_t* tile, int64_t columns, const ByteTileRows& rows, int64_t first,
                    int64_t count, float* out, int64_t step) {
  constexpr int kDepth = kPackedColumns / kScales, kWeightBytes = 512 / kScales;
  constexpr int kNumberBytes = kPackedRows * kPackedColumns / 8 * kBits;
  constexpr int kScaleBytes = 2 * kPackedRows * (kMinimum ? 2 : 1) * kScales;
  constexpr int kBlocks = kSteps / kScales;  // at once
  const int64_t blocks = columns / kPackedColumns;
  const int8_t* const q = rows.q.data() + first * columns;
  const float* const factors = rows.factor.data() + first * blocks;
  const int32_t* const shifts = rows.shift.data() + first * blocks * kScales;
  alignas(64) int32_t sums[2][kSteps][16 * kCount];
  alignas(64) uint8_t wide[2][kBlocks][512];
  __m512 all[kCount];
  for (__m512& a : all) a = _mm512_setzero_ps();
  const auto some = [&](int64_t b) { return std::clamp<int64_t>(blocks - b, 0, kBlocks); };
  const auto widen = [&](int64_t b, int64_t odd) {
    for (int64_t i = 0; i < some(b); ++i) {
      read_ahead(tile + (b + i) * (kScaleBytes + kNumberBytes) + kAhead,
                 kScaleBytes + kNumberBytes);
      Line quads[8];
      load_quads<kBits>(tile + packed_place(kScaleBytes, kNumberBytes, b + i).numbers, quads);
      for (int k = 0; k < 8; ++k) _mm512_store_si512(wide[odd][i] + 64 * k, quads[k].v);
    }
  };
  const auto integers = [&](int64_t b, int64_t odd) {
    const int64_t n = some(b) * kScales;
    if (n == 0) return;
    const int8_t* const from = q + b * kTileRows * kPackedColumns;
    const uint8_t* const w = wide[odd][0];
    auto& to = sums[odd];
    PADDLE_STEP(0, 2, 4, 0);
    if (n > 1) {
      PADDLE_STEP(1, 3, 5, 1);
    }
  };
  const auto add = [&](int64_t b, int s, const int32_t* own) {
    const uint8_t* const scales = tile + packed_place(kScaleBytes, kNumberBytes, b).scales + 32 * s;
    const __m512 scale = halves_at(scales).v;
    __m512 minimum{};
    if constexpr (kMinimum) minimum = halves_at(scales + 32 * kScales).v;
    const float* const factor = factors + b * kTileRows;
    const int32_t* const shift = shifts + (b * kScales + s) * kTileRows;
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
      __m512i sum = _mm512_load_si512(own + 16 * i);
      if constexpr (!kMinimum) sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(shift[i]));
      const __m512 product = _mm512_mul_ps(scale, _mm512_set1_ps(factor[i]));
      all[i] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), product, all[i]);
      if constexpr (kMinimum) {
        const __m512 part = _mm512_castsi512_ps(_mm512_set1_epi32(shift[i]));
        all[i] = _mm512_fnmadd_ps(minimum, part, all[i]);
      }
    }
  };
  widen(0, 0);
  widen(kBlocks, 1);
  integers(0, 0);
  for (int64_t b = 0, odd = 0; b < blocks; b += kBlocks, odd ^= 1) {
    widen(b + 2 * kBlocks, odd);
    integers(b + kBlocks, odd ^ 1);
    for (int64_t i = 0; i < some(b); ++i) {
      for (int s = 0; s < kScales; ++s) add(b + i, s, sums[odd][i * kScales + s]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    if (i < count) _mm512_storeu_ps(out + i * step, all[i]);
  }
}

void multiply_tile(BlockFormat format, const uint8_t* tile, int64_t columns,
                   const ByteTileRows& rows, int64_t count, float* out, int64_t step) {
  const BlockLayout& l = layout_of(format);
  with_form(l, [&](auto bits, auto scales, auto minimum) {
    for (int64_t i = 0; i < count; i += kTileRows) {
      const int64_t left = std::min(kTileRows, count - i);
      if (count > 8) {
        multiply_group<bits, scales, minimum, 16>(tile, columns, rows, i, left, out + i * step,
                                                  step);
      } else {
        multiply_group<bits, scales, minimum, 8>(tile, columns, rows, i, left, out, step);
      }
    }
  });
}

#undef PADDLE_STEP

}  // namespace

const ByteTileKernels kByteTiles_amx{begin, multiply_tile, end};

}  // namespace paddle::cpu
