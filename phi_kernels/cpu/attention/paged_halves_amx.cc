// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// paged_halves.h compiled for AMX and AVX-512.
#include <immintrin.h>

#include <algorithm>
#include <type_traits>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/attention/paged_halves.h"
#include "phi_kernels/cpu/isa/tile_registers.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kHalvesStep = 32;  // numbers of a row that a tile holds
constexpr int64_t kGroup = 4;        // rows of a tile
constexpr int64_t kQueryParts = 3;   // of each; the tile has room for a fourth, which is zero
constexpr int64_t kKeys = 16;        // of a tile
constexpr int64_t kTileSize = 512;   // bfloat16 numbers
constexpr int64_t kTileBytes = 64;   // of a row

int64_t steps_of(int64_t n) { return (n + kHalvesStep - 1) / kHalvesStep; }
int64_t groups_of(int64_t rows) { return (rows + kGroup - 1) / kGroup; }

int64_t query_room(int64_t rows, int64_t depth) {
  return groups_of(rows) * steps_of(depth) * kTileSize;
}
int64_t value_room(int64_t depth) {
  return kPagedKeys / kHalvesStep * steps_of(depth) * 2 * kTileSize;  // two steps of two at least
}

__mmask32 first_of_32(int64_t n) {
  return static_cast<__mmask32>(n >= 32 ? ~0u : n <= 0 ? 0u : (1u << n) - 1);
}

// The upper halves of 32 numbers, in order.
inline __m512i upper(__m512 low, __m512 high) {
  const auto half = [](__m512 x) {
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(x), 16));
  };
  return _mm512_inserti64x4(_mm512_castsi256_si512(half(low)), half(high), 1);
}

// The same in another order, which takes less: four of low, four of high, and so on.
inline __m512i upper_by_fours(__m512 low, __m512 high) {
  const auto half = [](__m512 x) { return _mm512_srli_epi32(_mm512_castps_si512(x), 16); };
  return _mm512_packus_epi32(half(low), half(high));
}
// The first of the two keys that are pair i of a row made so.
inline int64_t pair_of_keys(int64_t i) { return i / 4 * 4 + i % 2 * 2 + i % 4 / 2 * 16; }

inline __m512 truncated(__m512 x) {
  return _mm512_castsi512_ps(
      _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(static_cast<int>(0xFFFF0000))));
}

// 32 numbers as the sum of three bfloat16 each, of 8 bits of them and of one sign.
struct Apart {
  __m512i part[kQueryParts];
  template <typename Join>
  Apart(__m512 low, __m512 high, Join join) {
    for (__m512i& p : part) {
      p = join(low, high);
      low = _mm512_sub_ps(low, truncated(low));
      high = _mm512_sub_ps(high, truncated(high));
    }
  }
};

// Tiles of each step whose column 4 part + row has the numbers of a row, in pairs.
void pack_queries(const float* q, int64_t rows, int64_t depth, int64_t padded, uint16_t* to) {
  for (int64_t g = 0; g < rows; g += kGroup) {
    for (int64_t d = 0; d < depth; d += kHalvesStep, to += kTileSize) {
      __m512i r[16];
      for (__m512i& row : r) row = _mm512_setzero_si512();
      for (int64_t i = 0; i < kGroup && g + i < rows; ++i) {
        const float* const from = q + (g + i) * padded + d;
        const Apart apart(_mm512_maskz_loadu_ps(cpu::first(depth - d), from),
                          _mm512_maskz_loadu_ps(cpu::first(depth - d - 16), from + 16), upper);
        for (int64_t p = 0; p < kQueryParts; ++p) r[p * kGroup + i] = apart.part[p];
      }
      transpose(r);
      for (int64_t i = 0; i < 16; ++i) _mm512_storeu_si512(to + i * kHalvesStep, r[i]);
    }
  }
}

// The lanes of 128 bits of x and y, two by two: sums of those of x, then of y.
inline __m512 joined(__m512 x, __m512 y) {
  return _mm512_add_ps(_mm512_shuffle_f32x4(x, y, 0x88), _mm512_shuffle_f32x4(x, y, 0xDD));
}

// Products [16 keys][part][row] become scores of four rows with these keys.
void add_parts(const float* products, int64_t rows, float* scores) {
  __m512 z[4], t[4], u[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const float* const p = products + i * 4 * kKeys;
    z[i] = joined(joined(_mm512_load_ps(p), _mm512_load_ps(p + 16)),
                  joined(_mm512_load_ps(p + 32), _mm512_load_ps(p + 48)));
  }
  // Lane k of z[i] has the four rows of key 4 i + k.
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    t[2 * i] = _mm512_unpacklo_ps(z[2 * i], z[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(z[2 * i], z[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const __m512d x = _mm512_castps_pd(t[i]), y = _mm512_castps_pd(t[i + 2]);
    u[2 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(x, y));
    u[2 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(x, y));
  }
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    if (r < rows) _mm512_storeu_ps(scores + r * kPagedKeys, _mm512_permutexvar_ps(order, u[r]));
  }
}

// Where 16 keys lie as the rows of a tile.
struct Rows {
  const char* from;
  int64_t stride;
};

// Whole steps of 16 keys that are `stride` apart, or copies of them in `room`.
Rows rows_at(const char* const* keys, int64_t depth, uint16_t* room) {
  const int64_t stride = keys[1] - keys[0];
  bool even = depth % kHalvesStep == 0;
  for (int64_t i = 2; i < kKeys; ++i) even = even && keys[i] - keys[i - 1] == stride;
  if (even && stride > 0) return {keys[0], stride};
  const int64_t length = steps_of(depth) * kHalvesStep;
  for (int64_t i = 0; i < kKeys; ++i) {
    const auto* const from = reinterpret_cast<const uint16_t*>(keys[i]);
    for (int64_t d = 0; d < depth; d += kHalvesStep) {
      _mm512_storeu_si512(room + i * length + d,
                          _mm512_maskz_loadu_epi16(first_of_32(depth - d), from + d));
    }
  }
  return {reinterpret_cast<const char*>(room), length * 2};
}

// The keys that some of the rows [row, row + kGroup) see.
struct Union {
  int64_t begin = kPagedKeys, end = 0;
  Union(const PagedTile& t, int64_t row) {
    for (int64_t r = row; r < std::min(row + kGroup, t.rows); ++r) {
      if (t.end[r] <= t.begin[r]) continue;
      begin = std::min(begin, t.begin[r]);
      end = std::max(end, t.end[r]);
    }
  }
};

// Tiles of keys whose products are under way at a time.
constexpr int64_t kAtATime = 4;

// Products of `count` tiles of keys with a group of rows. Tiles 0 to 3 hold products, 4 and 5 keys,
// 6 queries.
void multiply_tiles(const Rows* rows, int64_t count, const uint16_t* queries, int64_t steps,
                    float* products) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t s = 0; s < steps; ++s) {
    const int64_t at = s * kTileBytes;
    _tile_loadd(6, queries + s * kTileSize, kTileBytes);
    _tile_loadd(4, rows[0].from + at, rows[0].stride);
    _tile_dpbf16ps(0, 4, 6);
    if (count < 2) continue;
    _tile_loadd(5, rows[1].from + at, rows[1].stride);
    _tile_dpbf16ps(1, 5, 6);
    if (count < 3) continue;
    _tile_loadd(4, rows[2].from + at, rows[2].stride);
    _tile_dpbf16ps(2, 4, 6);
    if (count < 4) continue;
    _tile_loadd(5, rows[3].from + at, rows[3].stride);
    _tile_dpbf16ps(3, 5, 6);
  }
  constexpr int64_t kProducts = kKeys * 16;
  _tile_stored(0, products, kTileBytes);
  if (count > 1) _tile_stored(1, products + kProducts, kTileBytes);
  if (count > 2) _tile_stored(2, products + 2 * kProducts, kTileBytes);
  if (count > 3) _tile_stored(3, products + 3 * kProducts, kTileBytes);
}

// Brings a row near that is read soon.
inline void fetch(const char* row, int64_t depth) {
  for (int64_t at = 0; at < 2 * depth; at += 64) _mm_prefetch(row + at, _MM_HINT_T0);
}

// Products that become scores while the next ones are made.
struct Made {
  const float* products = nullptr;
  int64_t count = 0, rows = 0;
  float* scores = nullptr;

  void finish() const {
    for (int64_t i = 0; i < count; ++i) {
      add_parts(products + i * kKeys * 16, rows, scores + i * kKeys);
    }
  }
};

void multiply_keys(const PagedTile& t, const uint16_t* queries) {
  const int64_t steps = steps_of(t.depth), copy = kKeys * steps * kHalvesStep;
  alignas(64) float products[2][kAtATime * kKeys * 16];
  uint16_t* const room = static_cast<uint16_t*>(
      __builtin_alloca_with_align(static_cast<size_t>(kAtATime * copy * 2), 512));
  Made made;
  int next = 0;
  constexpr int64_t kAllKeys = kAtATime * kKeys;
  for (int64_t j = 0; j < kPagedKeys; j += kAllKeys) {
    Rows rows[kAtATime];
    bool found = false;
    for (int64_t g = 0; g < t.rows; g += kGroup) {
      const Union seen(t, g);
      if (seen.end <= j || seen.begin >= j + kAllKeys) continue;
      if (!found) {
        for (int64_t i = 0; i < kAtATime; ++i) {
          rows[i] = rows_at(t.keys + j + i * kKeys, t.depth, room + i * copy);
        }
        for (int64_t i = j + kAllKeys; i < std::min(j + 2 * kAllKeys, kPagedKeys); ++i) {
          fetch(t.keys[i], t.depth);
        }
        found = true;
      }
      const int64_t begin = std::max<int64_t>(0, seen.begin - j) / kKeys;
      const int64_t end = (std::min(kAllKeys, seen.end - j) + kKeys - 1) / kKeys;
      multiply_tiles(rows + begin, end - begin, queries + g / kGroup * steps * kTileSize, steps,
                     products[next]);
      made.finish();
      made = {products[next], end - begin, t.rows - g,
              t.scores + g * kPagedKeys + j + begin * kKeys};
      next = 1 - next;
    }
  }
  made.finish();
}

// Pairs of values of 32 keys from j on (pair_of_keys), for each 32 of the columns [d, d_end) two
// tiles: a column of the first has number 8 i + k, k < 4, of the second number 8 i + 4 + k. Keys
// outside [first, last) are zeros.
template <bool kAll>
void pack_values(const PagedTile& t, int64_t j, int64_t first, int64_t last, int64_t d,
                 int64_t d_end, uint16_t* to) {
  for (; d < d_end; d += kHalvesStep, to += 2 * kTileSize) {
    const __mmask32 mask = first_of_32(t.depth - d);
    const auto row = [&](int64_t k) {
      if (!kAll && (k < first || k >= last)) return _mm512_setzero_si512();
      return _mm512_maskz_loadu_epi16(mask, reinterpret_cast<const uint16_t*>(t.values[k]) + d);
    };
#pragma GCC unroll 4
    for (int64_t i = 0; i < 16; ++i) {
      const int64_t k = j + pair_of_keys(i);
      const __m512i a = row(k), b = row(k + 1);
      _mm512_store_si512(to + i * kHalvesStep, _mm512_unpacklo_epi16(a, b));
      _mm512_store_si512(to + kTileSize + i * kHalvesStep, _mm512_unpackhi_epi16(a, b));
    }
  }
}

// Step k of the values.
void pack_step(const PagedTile& t, int64_t k, int64_t first, int64_t last, int64_t d, int64_t d_end,
               uint16_t* to) {
  const int64_t j = k * kHalvesStep;
  const bool all = first <= j && j + kHalvesStep <= last;
  (all ? pack_values<true> : pack_values<false>)(t, j, first, last, d, d_end, to);
}

// Rows 4 part + row of a tile: probabilities of 32 keys from j on (upper_by_fours), zeros where
// keys are hidden.
void pack_shares(const PagedTile& t, int64_t g, int64_t j, uint16_t* to) {
  for (int64_t r = 0; r < kGroup && g + r < t.rows; ++r) {
    const int64_t begin = t.begin[g + r] - j, end = t.end[g + r] - j;
    const auto mask = [&](int64_t at) {
      return static_cast<__mmask16>(cpu::first(end - at) & ~cpu::first(begin - at));
    };
    const float* const from = t.scores + (g + r) * kPagedKeys + j;
    const Apart apart(_mm512_maskz_loadu_ps(mask(0), from),
                      _mm512_maskz_loadu_ps(mask(16), from + 16), upper_by_fours);
    for (int64_t p = 0; p < kQueryParts; ++p) {
      _mm512_store_si512(to + (p * kGroup + r) * kHalvesStep, apart.part[p]);
    }
  }
}

// The sums of the parts of tiles of two kinds of columns, in order.
void store_sums(const PagedTile& t, int64_t g, int64_t d, const float* even, const float* odd) {
  const __m512i low = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  for (int64_t r = 0; r < kGroup && g + r < t.rows; ++r) {
    const auto total = [&](const float* x) {
      const float* const at = x + r * 16;
      return _mm512_add_ps(_mm512_add_ps(_mm512_load_ps(at), _mm512_load_ps(at + kGroup * 16)),
                           _mm512_load_ps(at + 2 * kGroup * 16));
    };
    const __m512 x = total(even), y = total(odd);
    float* const to = t.sums + (g + r) * t.padded + d;
    _mm512_mask_storeu_ps(to, cpu::first(t.depth - d), _mm512_permutex2var_ps(x, low, y));
    _mm512_mask_storeu_ps(to + 16, cpu::first(t.depth - d - 16),
                          _mm512_permutex2var_ps(x, high, y));
  }
}

// Sums of group g for two or one steps of columns from d on; pack(k) gives the values of step k.
// Tiles 0 to 3 hold sums, 4 probabilities, 6 and 7 values.
template <bool kTwo, typename Pack>
void sum_columns(const PagedTile& t, int64_t g, int64_t d, const Union& seen,
                 const uint16_t* shares, Pack pack) {
  const int64_t end = (seen.end + kHalvesStep - 1) / kHalvesStep;
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (kTwo) {
    _tile_zero(2);
    _tile_zero(3);
  }
  int64_t k = seen.begin / kHalvesStep;
  const uint16_t* next = pack(k);
  for (; k < end; ++k) {
    // The tiles of the next step are written before those of this one are read: stores have to
    // reach the cache first.
    const uint16_t* const v = next;
    if (k + 1 < end) next = pack(k + 1);
    _tile_loadd(4, shares + k * kTileSize, kTileBytes);
    _tile_loadd(6, v, kTileBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, v + kTileSize, kTileBytes);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTwo) {
      _tile_loadd(6, v + 2 * kTileSize, kTileBytes);
      _tile_dpbf16ps(2, 4, 6);
      _tile_loadd(7, v + 3 * kTileSize, kTileBytes);
      _tile_dpbf16ps(3, 4, 7);
    }
  }
  alignas(64) float sums[4][kTileSize / 2];
  _tile_stored(0, sums[0], kTileBytes);
  _tile_stored(1, sums[1], kTileBytes);
  store_sums(t, g, d, sums[0], sums[1]);
  if constexpr (kTwo) {
    _tile_stored(2, sums[2], kTileBytes);
    _tile_stored(3, sums[3], kTileBytes);
    store_sums(t, g, d + kHalvesStep, sums[2], sums[3]);
  }
}

// f(d, whether two steps of columns follow)
template <typename F>
void each_columns(int64_t depth, F&& f) {
  int64_t d = 0;
  for (; d + kHalvesStep < depth; d += 2 * kHalvesStep) f(d, std::true_type());
  if (d < depth) f(d, std::false_type());
}

void sum_values(const PagedTile& t, int64_t first, int64_t last, uint16_t* room) {
  const int64_t step = steps_of(t.depth) * 2 * kTileSize;
  // A single group packs each step when it comes; others find all of them packed.
  const bool once = t.rows <= kGroup;
  for (int64_t k = first / kHalvesStep; !once && k * kHalvesStep < last; ++k) {
    pack_step(t, k, first, last, 0, t.depth, room + k * step);
  }
  alignas(64) uint16_t shares[kPagedKeys / kHalvesStep * kTileSize];
  std::fill_n(shares, t.rows % kGroup == 0 ? 0 : kPagedKeys / kHalvesStep * kTileSize, uint16_t{0});
  for (int64_t g = 0; g < t.rows; g += kGroup) {
    const Union seen(t, g);
    if (seen.end <= seen.begin) continue;
    for (int64_t j = seen.begin / kHalvesStep * kHalvesStep; j < seen.end; j += kHalvesStep) {
      pack_shares(t, g, j, shares + j / kHalvesStep * kTileSize);
    }
    each_columns(t.depth, [&](int64_t d, auto two) {
      if (!once) {
        return sum_columns<two>(t, g, d, seen, shares, [&](int64_t k) {
          return room + k * step + d / kHalvesStep * 2 * kTileSize;
        });
      }
      const int64_t d_end = std::min(t.depth, d + (two ? 2 : 1) * kHalvesStep);
      sum_columns<two>(t, g, d, seen, shares, [&](int64_t k) {
        uint16_t* const to = room + k % 2 * 4 * kTileSize;
        pack_step(t, k, first, last, d, d_end, to);
        return to;
      });
    });
  }
}

}  // namespace

const PagedHalvesKernels kPagedHalves_amx{begin,        end,           query_room, value_room,
                                          pack_queries, multiply_keys, sum_values};

}  // namespace paddle::cpu
