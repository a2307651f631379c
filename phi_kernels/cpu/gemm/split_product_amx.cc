// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of split_product.cc and conv_tiles.cc, compiled for AMX and AVX-512.
#include <immintrin.h>

#include <algorithm>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/tile_registers.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kTileSize = kSplitTile * kSplitStep;  // bfloat16 numbers
constexpr int64_t kRowBytes = 64;

// The nearest number of bfloat16, in the upper half of each element.
__m512i upper(__m512 v) {
  const __m512i bits = _mm512_add_epi32(_mm512_castps_si512(v), _mm512_set1_epi32(0x8000));
  return _mm512_and_si512(bits, _mm512_set1_epi32(static_cast<int>(0xFFFF0000)));
}

// A tile of each part. kFlat: rows in memory are lines.
template <bool kFlat, bool kTranspose>
__m512i pack_tile(const float* from, int64_t ld, int64_t lines, int64_t depth, __m512i largest,
                  uint16_t* to) {
  alignas(64) static constexpr auto kUpperWords = [] {
    struct Words {
      uint16_t at[32];
    } words{};
    for (int i = 0; i < 32; ++i) words.at[i] = static_cast<uint16_t>(2 * i + 1);
    return words;
  }();
  const __m512i upper_words = _mm512_load_si512(&kUpperWords);
  const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
  const __mmask16 mask0 = first(kFlat ? depth : lines), mask1 = kFlat ? first(depth - 16) : mask0;
  [[maybe_unused]] __m512i parts[kSplitParts][kSplitTile];
  for (int64_t i = 0; i < kSplitTile; ++i) {
    __m512 v0 = _mm512_setzero_ps(), v1 = v0;
    if constexpr (kFlat) {  // the prefetched lines are those of the next steps
      if (i < lines) {
        __builtin_prefetch(from + i * ld + 2 * kSplitStep);
        __builtin_prefetch(from + i * ld + 2 * kSplitStep + 16);
        v0 = _mm512_maskz_loadu_ps(mask0, from + i * ld);
        v1 = _mm512_maskz_loadu_ps(mask1, from + i * ld + 16);
      }
    } else {
      __builtin_prefetch(from + (kSplitStep + 2 * i) * ld);
      __builtin_prefetch(from + (kSplitStep + 2 * i + 1) * ld);
      if (2 * i < depth) v0 = _mm512_maskz_loadu_ps(mask0, from + 2 * i * ld);
      if (2 * i + 1 < depth) v1 = _mm512_maskz_loadu_ps(mask1, from + (2 * i + 1) * ld);
    }
    largest = _mm512_max_epi32(largest, _mm512_and_si512(_mm512_castps_si512(v0), magnitude));
    largest = _mm512_max_epi32(largest, _mm512_and_si512(_mm512_castps_si512(v1), magnitude));
#pragma GCC unroll 3
    for (int64_t part = 0; part < kSplitParts; ++part) {
      const __m512i h0 = upper(v0), h1 = upper(v1);
      v0 = _mm512_sub_ps(v0, _mm512_castsi512_ps(h0));
      v1 = _mm512_sub_ps(v1, _mm512_castsi512_ps(h1));
      const __m512i pairs = kFlat ? _mm512_permutex2var_epi16(h0, upper_words, h1)
                                  : _mm512_or_si512(_mm512_srli_epi32(h0, 16), h1);
      if constexpr (kTranspose) {
        parts[part][i] = pairs;
      } else {
        _mm512_storeu_si512(to + part * kTileSize + i * kSplitStep, pairs);
      }
    }
  }
  for (int64_t part = 0; kTranspose && part < kSplitParts; ++part) {
    transpose(parts[part]);
    for (int64_t i = 0; i < kSplitTile; ++i) {
      _mm512_storeu_si512(to + part * kTileSize + i * kSplitStep, parts[part][i]);
    }
  }
  return largest;
}

using PackTile = decltype(&pack_tile<true, true>);

// Steps are the outer loop where rows in memory run across the lines: they are read in order.
uint32_t pack(const SplitSource& s, bool left, uint16_t* to) {
  const PackTile tile = s.lie_flat ? (left ? pack_tile<true, false> : pack_tile<true, true>)
                                   : (left ? pack_tile<false, true> : pack_tile<false, false>);
  __m512i largest = _mm512_setzero_si512();
  const int64_t steps = (s.depth + kSplitStep - 1) / kSplitStep;
  const int64_t halves = (s.lines + kSplitTile - 1) / kSplitTile;
  const auto pack_one = [&](int64_t step, int64_t half) {
    const int64_t line = half * kSplitTile, k = step * kSplitStep;
    uint16_t* const block = to + (half / 2 * steps + step) * kSplitBlock;
    largest = tile(s.from + (s.lie_flat ? line * s.ld + k : k * s.ld + line), s.ld,
                   std::min(kSplitTile, s.lines - line), std::min(kSplitStep, s.depth - k), largest,
                   block + half % 2 * kSplitParts * kTileSize);
  };
  if (s.lie_flat) {
    for (int64_t half = 0; half < halves; ++half) {
      for (int64_t step = 0; step < steps; ++step) pack_one(step, half);
    }
  } else {
    for (int64_t step = 0; step < steps; ++step) {
      for (int64_t half = 0; half < halves; ++half) pack_one(step, half);
    }
  }
  return static_cast<uint32_t>(_mm512_reduce_max_epi32(largest));
}

// Where the tiles of the left side lie: distances in elements of the parts, of the second half of
// the lines and of the steps, and of the rows of a tile in bytes.
struct Layout {
  int64_t part, half, step, row_bytes;
};
constexpr Layout kPackedLayout{kTileSize, kSplitParts* kTileSize, kSplitBlock, kRowBytes};

// Tiles 0 to 3 hold sums, 4 and 5 lines of the left side, 6 and 7 lines of the right side. Whether
// there are more than kSplitTile of them: kRows, kColumns.
template <bool kRows, bool kColumns>
void zero_tiles() {
  _tile_zero(0);
  if constexpr (kColumns) _tile_zero(1);
  if constexpr (kRows) _tile_zero(2);
  if constexpr (kRows && kColumns) _tile_zero(3);
}

template <bool kRows, bool kColumns>
void store_tiles(float* c, int64_t row_bytes) {
  float* const below = c + kSplitTile * row_bytes / static_cast<int64_t>(sizeof(float));
  _tile_stored(0, c, row_bytes);
  if constexpr (kColumns) _tile_stored(1, c + kSplitTile, row_bytes);
  if constexpr (kRows) _tile_stored(2, below, row_bytes);
  if constexpr (kRows && kColumns) _tile_stored(3, below + kSplitTile, row_bytes);
}

template <bool kRows, bool kColumns>
inline __attribute__((always_inline)) void add_products(const uint16_t* a, const Layout& layout,
                                                        const uint16_t* b, int64_t steps) {
#define PADDLE_LOAD_A(number)                                 \
  _tile_loadd(4, a + (number)*layout.part, layout.row_bytes); \
  if constexpr (kRows) _tile_loadd(5, a + layout.half + (number)*layout.part, layout.row_bytes)
#define PADDLE_LOAD_B(number)                        \
  _tile_loadd(6, b + (number)*kTileSize, kRowBytes); \
  if constexpr (kColumns) _tile_loadd(7, b + (kSplitParts + (number)) * kTileSize, kRowBytes)
#define PADDLE_MULTIPLY                            \
  _tile_dpbf16ps(0, 4, 6);                         \
  if constexpr (kColumns) _tile_dpbf16ps(1, 4, 7); \
  if constexpr (kRows) _tile_dpbf16ps(2, 5, 6);    \
  if constexpr (kRows && kColumns) _tile_dpbf16ps(3, 5, 7)
  for (int64_t i = 0; i < steps; ++i, a += layout.step, b += kSplitBlock) {
    PADDLE_LOAD_A(2);
    PADDLE_LOAD_B(0);
    PADDLE_MULTIPLY;
    PADDLE_LOAD_A(1);
    PADDLE_MULTIPLY;
    PADDLE_LOAD_B(1);
    PADDLE_MULTIPLY;
    PADDLE_LOAD_A(0);
    PADDLE_MULTIPLY;
    PADDLE_LOAD_B(2);
    PADDLE_MULTIPLY;
    PADDLE_LOAD_B(0);
    PADDLE_MULTIPLY;
  }
#undef PADDLE_LOAD_A
#undef PADDLE_LOAD_B
#undef PADDLE_MULTIPLY
}

template <bool kRows, bool kColumns>
void multiply_tiles(const uint16_t* a, const uint16_t* b, int64_t steps, float* c,
                    int64_t row_bytes) {
  zero_tiles<kRows, kColumns>();
  add_products<kRows, kColumns>(a, kPackedLayout, b, steps);
  store_tiles<kRows, kColumns>(c, row_bytes);
}

// Sums of several cuts of k are added to each other: shorter sums round less.
void multiply(const SplitKernels::Tile& t) {
  const bool tall = t.rows > kSplitTile, wide = t.columns > kSplitTile;
  const auto run = tall ? (wide ? multiply_tiles<true, true> : multiply_tiles<true, false>)
                        : (wide ? multiply_tiles<false, true> : multiply_tiles<false, false>);
  constexpr int64_t kFloat = sizeof(float);
  const bool whole = t.rows % kSplitTile == 0 && t.columns % kSplitTile == 0;
  if (whole && !t.accumulate) return run(t.a, t.b, t.steps, t.c, t.ldc * kFloat);
  alignas(64) float sums[kSplitLines * kSplitLines];
  run(t.a, t.b, t.steps, sums, kSplitLines * kFloat);
  for (int64_t r = 0; r < t.rows; ++r) {
    float* const to = t.c + r * t.ldc;
    const float* const from = sums + r * kSplitLines;
    for (int64_t j = 0; j < t.columns; j += kSplitTile) {
      const __mmask16 mask = first(t.columns - j);
      __m512 sum = _mm512_load_ps(from + j);
      if (t.accumulate) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, to + j));
      _mm512_mask_storeu_ps(to + j, mask, sum);
    }
  }
}

template <bool kRows, bool kColumns>
void multiply_runs(const SplitKernels::Windows& w) {
  constexpr int64_t kSums = kSplitLines * kSplitLines, kSumBytes = kSplitLines * sizeof(float);
  const Layout layout{w.a_plane, kSplitTile * w.a_row, kSplitStep, w.a_row * 2};
  alignas(64) float more[kSums];
  const uint16_t* b = w.b;
  bool first = true;
  zero_tiles<kRows, kColumns>();
  for (int64_t i = 0; i < w.run_count; ++i) {
    const SplitKernels::Run& run = w.runs[i];
    add_products<kRows, kColumns>(w.a + run.offset, layout, b, run.steps);
    b += run.steps * kSplitBlock;
    if (!run.ends_sum) continue;
    store_tiles<kRows, kColumns>(first ? w.sums : more, kSumBytes);
    for (int64_t j = 0; !first && j < kSums; j += kSplitTile) {
      _mm512_store_ps(w.sums + j,
                      _mm512_add_ps(_mm512_load_ps(w.sums + j), _mm512_load_ps(more + j)));
    }
    first = false;
    if (i + 1 < w.run_count) zero_tiles<kRows, kColumns>();
  }
}

void multiply_windows(const SplitKernels::Windows& w) {
  const bool tall = w.rows > kSplitTile, wide = w.columns > kSplitTile;
  (tall ? (wide ? multiply_runs<true, true> : multiply_runs<true, false>)
        : (wide ? multiply_runs<false, true> : multiply_runs<false, false>))(w);
}

uint32_t split(const float* from, int64_t count, uint16_t* to, int64_t plane) {
  const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
  __m512i largest = _mm512_setzero_si512();
  for (int64_t i = 0; i < count; i += 16) {
    const __mmask16 mask = first(count - i);
    __m512 v = _mm512_maskz_loadu_ps(mask, from + i);
    largest = _mm512_max_epi32(largest, _mm512_and_si512(_mm512_castps_si512(v), magnitude));
#pragma GCC unroll 3
    for (int64_t part = 0; part < kSplitParts; ++part) {
      const __m512i high = upper(v);
      v = _mm512_sub_ps(v, _mm512_castsi512_ps(high));
      _mm256_mask_storeu_epi16(to + part * plane + i, mask,
                               _mm512_cvtepi32_epi16(_mm512_srli_epi32(high, 16)));
    }
  }
  return static_cast<uint32_t>(_mm512_reduce_max_epi32(largest));
}

void put(const float* sums, int64_t rows, int64_t columns, const float* bias, float* to,
         int64_t ld) {
  const __mmask16 mask0 = first(columns), mask1 = first(columns - kSplitTile);
  const __m512 bias0 = bias ? _mm512_maskz_loadu_ps(mask0, bias) : _mm512_setzero_ps(),
               bias1 = bias ? _mm512_maskz_loadu_ps(mask1, bias + kSplitTile) : bias0;
  for (int64_t r = 0; r < rows; ++r, sums += kSplitLines, to += ld) {
    _mm512_mask_storeu_ps(to, mask0, _mm512_add_ps(_mm512_load_ps(sums), bias0));
    if (mask1) {
      _mm512_mask_storeu_ps(to + kSplitTile, mask1,
                            _mm512_add_ps(_mm512_load_ps(sums + kSplitTile), bias1));
    }
  }
}

}  // namespace

const SplitKernels kSplit_amx{pack, multiply, multiply_windows, split, put, begin, end};

}  // namespace paddle::cpu
