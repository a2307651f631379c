// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// half_tiles.h compiled for AMX and AVX-512.
#include <immintrin.h>

#include <algorithm>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/gemm/half_tiles.h"
#include "phi_kernels/cpu/isa/tile_registers.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kLines = 16;  // rows of a tile, and columns of 32 bits that it has
constexpr int64_t kTileSize = kLines * kHalfStep;
constexpr int64_t kRowBytes = 64, kFloat = sizeof(float);

// Columns that are rows in memory: pairs of their numbers become the rows of the tile.
void pack_flat(const uint16_t* from, int64_t ld, int64_t columns, int64_t depth, uint16_t* to) {
  const auto mask = static_cast<__mmask32>(depth >= 32 ? ~0u : (1u << depth) - 1);
  __m512i r[kLines];
  for (int64_t i = 0; i < kLines; ++i) {
    r[i] = i < columns ? _mm512_maskz_loadu_epi16(mask, from + i * ld) : _mm512_setzero_si512();
  }
  transpose(r);
  for (int64_t i = 0; i < kLines; ++i) _mm512_storeu_si512(to + i * kHalfStep, r[i]);
}

// Two rows of the right side become one row of pairs.
void pack_across(const uint16_t* from, int64_t ld, int64_t columns, int64_t depth, uint16_t* to) {
  const __mmask16 mask = first(columns);
  const auto row = [&](int64_t i) {
    return _mm512_cvtepu16_epi32(i < depth ? _mm256_maskz_loadu_epi16(mask, from + i * ld)
                                           : _mm256_setzero_si256());
  };
  for (int64_t i = 0; i < kLines; ++i) {
    const __m512i pairs = _mm512_or_si512(row(2 * i), _mm512_slli_epi32(row(2 * i + 1), 16));
    _mm512_storeu_si512(to + i * kHalfStep, pairs);
  }
}

void pack(const HalfTileKernels::Source& s, uint16_t* to, int64_t block) {
  for (int64_t column = 0; column < s.columns; column += kHalfColumns) {
    uint16_t* at = to + column / kHalfColumns * block;
    for (int64_t k = 0; k < s.depth; k += kHalfStep) {
      for (int64_t half = column; half < column + kHalfColumns; half += kLines, at += kTileSize) {
        const int64_t columns = std::clamp<int64_t>(s.columns - half, 0, kLines);
        const int64_t depth = std::min(kHalfStep, s.depth - k);
        if (s.lie_flat) {
          pack_flat(s.from + half * s.ld + k, s.ld, columns, depth, at);
        } else {
          pack_across(s.from + k * s.ld + half, s.ld, columns, depth, at);
        }
      }
    }
  }
}

// Tiles 0 to 3 hold sums, 4 and 5 rows of the left side, 6 and 7 columns of the right side. kRows,
// kColumns: whether there are more than kLines of them.
template <bool kRows, bool kColumns>
void multiply_block(const uint16_t* a, int64_t lda, const uint16_t* b, int64_t steps, bool adds,
                    float* c, int64_t ldc) {
  const int64_t a_bytes = 2 * lda, c_bytes = ldc * kFloat;
  const uint16_t* const a_below = a + kLines * lda;
  float* const c_below = c + kLines * ldc;
  if (adds) {
    _tile_loadd(0, c, c_bytes);
    if constexpr (kColumns) _tile_loadd(1, c + kLines, c_bytes);
    if constexpr (kRows) _tile_loadd(2, c_below, c_bytes);
    if constexpr (kRows && kColumns) _tile_loadd(3, c_below + kLines, c_bytes);
  } else {
    _tile_zero(0);
    if constexpr (kColumns) _tile_zero(1);
    if constexpr (kRows) _tile_zero(2);
    if constexpr (kRows && kColumns) _tile_zero(3);
  }
  for (int64_t i = 0; i < steps; ++i, b += kHalfBlock) {
    _tile_loadd(6, b, kRowBytes);
    _tile_loadd(4, a + i * kHalfStep, a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kColumns) {
      _tile_loadd(7, b + kTileSize, kRowBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kRows) {
      _tile_loadd(5, a_below + i * kHalfStep, a_bytes);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kRows && kColumns) _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c, c_bytes);
  if constexpr (kColumns) _tile_stored(1, c + kLines, c_bytes);
  if constexpr (kRows) _tile_stored(2, c_below, c_bytes);
  if constexpr (kRows && kColumns) _tile_stored(3, c_below + kLines, c_bytes);
}

// Blocks that are not made of whole tiles are multiplied beside the result.
void multiply_some(const HalfTileKernels::Product& p, const uint16_t* a, const uint16_t* b,
                   int64_t rows, int64_t columns, float* c) {
  const bool tall = rows > kLines, wide = columns > kLines;
  const auto run = tall ? (wide ? multiply_block<true, true> : multiply_block<true, false>)
                        : (wide ? multiply_block<false, true> : multiply_block<false, false>);
  if (rows % kLines == 0 && columns % kLines == 0) {
    return run(a, p.lda, b, p.steps, p.accumulate, c, p.ldc);
  }
  alignas(64) float sums[kHalfColumns * kHalfColumns];
  run(a, p.lda, b, p.steps, false, sums, kHalfColumns);
  for (int64_t r = 0; r < rows; ++r) {
    float* const to = c + r * p.ldc;
    for (int64_t j = 0; j < columns; j += kLines) {
      const __mmask16 mask = first(columns - j);
      __m512 sum = _mm512_load_ps(sums + r * kHalfColumns + j);
      if (p.accumulate) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, to + j));
      _mm512_mask_storeu_ps(to + j, mask, sum);
    }
  }
}

void multiply(const HalfTileKernels::Product& p) {
  begin();
  for (int64_t j = 0; j < p.columns; j += kHalfColumns) {
    for (int64_t i = 0; i < p.rows; i += kHalfColumns) {
      multiply_some(p, p.a + i * p.lda, p.b + j / kHalfColumns * p.block,
                    std::min(kHalfColumns, p.rows - i), std::min(kHalfColumns, p.columns - j),
                    p.c + i * p.ldc + j);
    }
  }
  end();
}

__attribute__((target("avx512bf16"))) void narrow(const float* from, int64_t rows, int64_t columns,
                                                  uint16_t* to, int64_t ld) {
  for (int64_t r = 0; r < rows; ++r, from += columns, to += ld) {
    for (int64_t j = 0; j < columns; j += kHalfStep) {
      const __m512 low = _mm512_maskz_loadu_ps(first(columns - j), from + j);
      const __m512 high = _mm512_maskz_loadu_ps(first(columns - j - kLines), from + j + kLines);
      _mm512_storeu_si512(to + j, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)));
    }
  }
}

}  // namespace

const HalfTileKernels kHalfTiles_amx{pack, multiply, narrow};

}  // namespace paddle::cpu
