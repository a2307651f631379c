// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// packed_byte_tiles.h compiled for AMX and AVX-512.
#include "phi_kernels/cpu/quantize/packed_byte_tiles.h"

#include "phi_kernels/cpu/quantize/packed_product_impl.h"

namespace paddle::cpu {
namespace {

// Tiles 0 and 1 hold sums of 16 rows, 2 the numbers of these rows, 3 and 7 those of weights; 4, 5
// and 6 are 0, 1 and 2 for 8 rows. Weights with two scales are multiplied in two halves.
template <int kScales>
void configure() {
  constexpr uint8_t kDepth = 32 / kScales;
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, kDepth, 64, 64, 64, kDepth, 64};
    uint8_t rows[16] = {16, 16, 16, kDepth / 4, 8, 8, 8, kDepth / 4};
  } static const config;
  _tile_loadconfig(&config);
}

void begin_format(BlockFormat format) {
  layout_of(format).scales == 2 ? configure<2>() : configure<1>();
}

void end() { _tile_release(); }

// sums = x w for 16 or 8 rows; odd steps use other registers, so that they do not wait.
template <int kCount, int kOdd>
inline void integer_sums(const int8_t* x, int64_t columns, const uint8_t* w, int32_t* sums) {
  if constexpr (kCount == 16 && kOdd == 0) {
    _tile_loadd(3, w, 64);
    _tile_loadd(2, x, columns);
    _tile_zero(0);
    _tile_dpbsud(0, 2, 3);
    _tile_stored(0, sums, 64);
  } else if constexpr (kCount == 16) {
    _tile_loadd(7, w, 64);
    _tile_loadd(2, x, columns);
    _tile_zero(1);
    _tile_dpbsud(1, 2, 7);
    _tile_stored(1, sums, 64);
  } else if constexpr (kOdd == 0) {
    _tile_loadd(3, w, 64);
    _tile_loadd(6, x, columns);
    _tile_zero(4);
    _tile_dpbsud(4, 6, 3);
    _tile_stored(4, sums, 64);
  } else {
    _tile_loadd(7, w, 64);
    _tile_loadd(6, x, columns);
    _tile_zero(5);
    _tile_dpbsud(5, 6, 7);
    _tile_stored(5, sums, 64);
  }
}

template <int kBits, int kScales, bool kMinimum, int kCount>
void multiply_group(const BlockLayout& l, const uint8_t* tile, const QuantizedRows& x,
                    const ByteTileRows& rows, int64_t group, int64_t first, int64_t count,
                    float* out, int64_t step) {
  constexpr int kScaleBytes = 2 * kPackedRows * kScales * (kMinimum ? 2 : 1);
  constexpr int kNumberBytes = kPackedRows * kPackedColumns / 8 * kBits;
  constexpr int kPerScale = 8 / kScales;
  const int64_t columns = x.columns, blocks = columns / kPackedColumns;
  const uint8_t *scales = tile, *numbers = tile + packed_scales_bytes(l, columns);
  const int8_t* const q = x.q + first * columns;
  const int64_t inside = first - group * kTileRows;
  const float* factor = rows.factor.data() + group * blocks * kTileRows + inside;
  const int32_t* shift = rows.shift.data() + group * blocks * kScales * kTileRows + inside;
  alignas(64) int32_t sums[2][kScales][kCount * 16];
  alignas(64) uint8_t wide[2][512];
  __m512 all[kCount];
  for (__m512& a : all) a = _mm512_setzero_ps();
  const auto integers = [&](int64_t b, auto odd) {
    const uint8_t* const from = numbers + b * kNumberBytes;
    read_ahead(tile + b * (kScaleBytes + kNumberBytes) + kAhead, kScaleBytes + kNumberBytes);
    const uint8_t* w = from;
    if constexpr (kBits != 8) {
      Line quads[8];
      load_quads<kBits>(from, quads);
      for (int k = 0; k < 8; ++k) _mm512_store_si512(wide[odd] + 64 * k, quads[k].v);
      w = wide[odd];
    }
    for (int s = 0; s < kScales; ++s) {
      integer_sums<kCount, odd>(q + b * kPackedColumns + s * 16, columns, w + s * kPerScale * 64,
                                sums[odd][s]);
    }
  };
  const auto add = [&](auto odd) {
    for (int s = 0; s < kScales; ++s) {
      const __m512 scale = halves_at(scales + 32 * s).v;
      __m512 minimum{};
      if constexpr (kMinimum) minimum = halves_at(scales + 32 * (kScales + s)).v;
#pragma GCC unroll 16
      for (int i = 0; i < kCount; ++i) {
        __m512i sum = _mm512_load_si512(sums[odd][s] + 16 * i);
        if constexpr (!kMinimum) sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(shift[i]));
        const __m512 own = _mm512_mul_ps(scale, _mm512_set1_ps(factor[i]));
        all[i] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), own, all[i]);
        if constexpr (kMinimum) {
          const __m512 part = _mm512_castsi512_ps(_mm512_set1_epi32(shift[i]));
          all[i] = _mm512_fnmadd_ps(minimum, part, all[i]);
        }
      }
      shift += kTileRows;
    }
    factor += kTileRows;
    scales += kScaleBytes;
  };
  const std::integral_constant<int, 0> even;
  const std::integral_constant<int, 1> odd;
  // The tiles work on the next block while the sums of this one are added.
  integers(0, even);
  int64_t b = 1;
  for (; b + 1 < blocks; b += 2) {
    integers(b, odd);
    add(even);
    integers(b + 1, even);
    add(odd);
  }
  if (b < blocks) {
    integers(b, odd);
    add(even);
    add(odd);
  } else {
    add(even);
  }
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    if (i < count) _mm512_storeu_ps(out + i * step, all[i]);
  }
}

void multiply_tile(BlockFormat format, const uint8_t* tile, const QuantizedRows& x,
                   const ByteTileRows& rows, int64_t count, float* out, int64_t step) {
  const BlockLayout& l = layout_of(format);
  with_form(l, [&](auto bits, auto scales, auto minimum) {
    for (int64_t i = 0; i < count; i += kTileRows) {
      const int64_t left = std::min(kTileRows, count - i), group = i / kTileRows;
      float* const to = out + i * step;
      if (left > 8) {
        multiply_group<bits, scales, minimum, 16>(l, tile, x, rows, group, i, left, to, step);
      } else {
        multiply_group<bits, scales, minimum, 8>(l, tile, x, rows, group, i, left, to, step);
      }
    }
  });
}

}  // namespace

const ByteTileKernels kByteTiles_amx{begin_format, multiply_tile, end};

}  // namespace paddle::cpu
