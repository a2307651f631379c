// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with keys and values in blocks, for an instruction set; included once by each. Up to
// four rows of queries share what is loaded of a key or a value.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <type_traits>
#include <utility>

// The compiler's own header initialises what is undefined on purpose with itself (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "phi_kernels/cpu/attention/paged_codes_impl.h"
#include "phi_kernels/cpu/attention/paged_tile.h"
#include "phi_kernels/cpu/isa/float_vectors_impl.h"
#include "phi_kernels/functors/math.h"

namespace paddle::cpu {
namespace {

// How numbers of the cache become floats, a vector at a time; `from` is where they lie.
template <DType kType>
struct Numbers;

template <>
struct Numbers<DType::kFloat32> {
  static constexpr int64_t kBytes = 4;
  static Vec load(const char* p) {
    Vec v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }
};
#if defined(__AVX512F__)
using Halves = __m256i;
inline Halves halves_at(const char* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline Vec from_bfloat16(Halves h) {
  return Vec(_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16)));
}
inline Vec from_float16(Halves h) { return Vec(_mm512_cvtph_ps(h)); }
inline Vec from_int8(const char* p) {
  return Vec(_mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))));
}
#else
using Halves = __m128i;
inline Halves halves_at(const char* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline Vec from_bfloat16(Halves h) {
  return Vec(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16)));
}
inline Vec from_float16(Halves h) { return Vec(_mm256_cvtph_ps(h)); }
inline Vec from_int8(const char* p) {
  return Vec(_mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))));
}
#endif
template <>
struct Numbers<DType::kBFloat16> {
  static constexpr int64_t kBytes = 2;
  static Vec load(const char* p) { return from_bfloat16(halves_at(p)); }
};
template <>
struct Numbers<DType::kFloat16> {
  static constexpr int64_t kBytes = 2;
  static Vec load(const char* p) { return from_float16(halves_at(p)); }
};
template <>
struct Numbers<DType::kInt8> {
  static constexpr int64_t kBytes = 1;
  static Vec load(const char* p) { return from_int8(p); }
};

// The first n < kLanes numbers, zeros behind them.
template <DType kType>
inline Vec load_some(const char* p, int64_t n) {
  alignas(kVectorBytes) char room[kVectorBytes] = {};
  __builtin_memcpy(room, p, static_cast<size_t>(n * Numbers<kType>::kBytes));
  return Numbers<kType>::load(room);
}

// f(kernel for the type)
template <typename F>
inline void with_type(DType type, F&& f) {
  switch (type) {
    case DType::kFloat32:
      return f(Numbers<DType::kFloat32>(),
               [](const char* p, int64_t n) { return load_some<DType::kFloat32>(p, n); });
    case DType::kBFloat16:
      return f(Numbers<DType::kBFloat16>(),
               [](const char* p, int64_t n) { return load_some<DType::kBFloat16>(p, n); });
    case DType::kFloat16:
      return f(Numbers<DType::kFloat16>(),
               [](const char* p, int64_t n) { return load_some<DType::kFloat16>(p, n); });
    default:
      return f(Numbers<DType::kInt8>(),
               [](const char* p, int64_t n) { return load_some<DType::kInt8>(p, n); });
  }
}

#define PADDLE_TILE_INLINE inline __attribute__((always_inline))

// f(0), ..., f(n - 1) with constants, without a loop: arrays that are indexed so stay in registers.
template <int... kIndex, typename F>
PADDLE_TILE_INLINE void each_of(std::integer_sequence<int, kIndex...>, F&& f) {
  (f(std::integral_constant<int, kIndex>()), ...);
}
template <int kCount, typename F>
PADDLE_TILE_INLINE void each(F&& f) {
  each_of(std::make_integer_sequence<int, kCount>(), f);
}

// Lane i is the sum of the lanes of vector i, added up in the same order for each.
#if defined(__AVX512F__)
PADDLE_TILE_INLINE Vec row_sums(const Vec (&a)[16]) {
  __m512 b[8], c[4], d[2];
  each<8>([&](auto i) __attribute__((always_inline)) {
    const __m512 x(a[2 * i]), y(a[2 * i + 1]);
    b[i] = _mm512_add_ps(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
  });
  each<4>([&](auto i) __attribute__((always_inline)) {
    const __m512d x = _mm512_castps_pd(b[2 * i]), y = _mm512_castps_pd(b[2 * i + 1]);
    c[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(x, y)),
                         _mm512_castpd_ps(_mm512_unpackhi_pd(x, y)));
  });
  const auto join = [](__m512 x, __m512 y) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(x, y, 0x88), _mm512_shuffle_f32x4(x, y, 0xDD));
  };
  each<2>([&](auto i) __attribute__((always_inline)) { d[i] = join(c[2 * i], c[2 * i + 1]); });
  return Vec(join(d[0], d[1]));
}
#else
PADDLE_TILE_INLINE Vec row_sums(const Vec (&a)[8]) {
  __m256 b[4], c[2];
  each<4>([&](auto i) __attribute__((always_inline)) {
    const __m256 x(a[2 * i]), y(a[2 * i + 1]);
    b[i] = _mm256_add_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
  });
  each<2>([&](auto i) __attribute__((always_inline)) {
    const __m256d x = _mm256_castps_pd(b[2 * i]), y = _mm256_castps_pd(b[2 * i + 1]);
    c[i] = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(x, y)),
                         _mm256_castpd_ps(_mm256_unpackhi_pd(x, y)));
  });
  return Vec(_mm256_add_ps(_mm256_permute2f128_ps(c[0], c[1], 0x20),
                           _mm256_permute2f128_ps(c[0], c[1], 0x31)));
}
#endif

// sum[r * kKeys + k] += q[r] . key k, numbers from d on, a vector of them.
template <int kRows, typename Load>
PADDLE_TILE_INLINE void multiply_vectors(const float* q, int64_t padded, Vec (&sum)[kLanes],
                                         Load load) {
  constexpr int kKeys = static_cast<int>(kLanes) / kRows;
  Vec query[kRows];
  each<kRows>([&](auto r) __attribute__((always_inline)) { query[r] = cpu::load(q + r * padded); });
  each<kKeys>([&](auto k) __attribute__((always_inline)) {
    const Vec key = load(k);
    each<kRows>([&](auto r)
                    __attribute__((always_inline)) { sum[r * kKeys + k] += query[r] * key; });
  });
}

// Scores of kRows rows with the kLanes / kRows keys from j on. kWhole: rows are whole vectors.
template <int kRows, bool kWhole, typename N, typename Some>
PADDLE_TILE_INLINE void multiply_few_keys(const PagedTile& t, int64_t row, int64_t j, Some some) {
  constexpr int kKeys = static_cast<int>(kLanes) / kRows;
  const int64_t padded = t.padded, depth = t.depth;
  const float* const q = t.q + row * padded;
  const char* keys[kKeys];
  each<kKeys>([&](auto k) __attribute__((always_inline)) { keys[k] = t.keys[j + k]; });
  Vec sum[kLanes];
  each<static_cast<int>(kLanes)>([&](auto i) __attribute__((always_inline)) { sum[i] = Vec{}; });
  int64_t d = 0;
  for (; d + kLanes <= depth; d += kLanes) {
    multiply_vectors<kRows>(
        q + d, padded, sum, [&](auto k) __attribute__((always_inline)) {
          return N::load(keys[k] + d * N::kBytes);
        });
  }
  if constexpr (!kWhole) {
    multiply_vectors<kRows>(
        q + d, padded, sum, [&](auto k) __attribute__((always_inline)) {
          return some(keys[k] + d * N::kBytes, depth - d);
        });
  }
  const Vec all = row_sums(sum);
  float* const to = t.scores + row * kPagedKeys + j;
  each<kRows>([&](auto r) __attribute__((always_inline)) {
    __builtin_memcpy(to + r * kPagedKeys, reinterpret_cast<const char*>(&all) + r * kKeys * 4,
                     kKeys * 4);
  });
}

// What rows [row, row + count) see together.
struct Range {
  int64_t begin = kPagedKeys, end = 0;
  Range(const PagedTile& t, int64_t row, int64_t count) {
    for (int64_t r = row; r < row + count; ++r) {
      if (t.end[r] <= t.begin[r]) continue;
      begin = t.begin[r] < begin ? t.begin[r] : begin;
      end = t.end[r] > end ? t.end[r] : end;
    }
  }
};

// f(row, constant count) for groups of 4, 2 and 1 rows.
template <typename F>
inline void each_group(int64_t rows, F&& f) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) f(r, std::integral_constant<int, 4>());
  for (; r + 2 <= rows; r += 2) f(r, std::integral_constant<int, 2>());
  if (r < rows) f(r, std::integral_constant<int, 1>());
}

// Brings rows near that are read next: blocks lie anywhere, where the processor does not guess it.
inline void fetch(const char* const* rows, int64_t begin, int64_t bytes) {
  if (begin >= kPagedKeys) return;
  for (int64_t j = begin; j < begin + kPassKeys; ++j) {
    for (int64_t at = 0; at < bytes; at += 64) _mm_prefetch(rows[j] + at, _MM_HINT_T0);
  }
}

// A tile of packed rows as one of float32 rows, those of a pass at a time; others as they are.
class Unpacked {
 public:
  explicit Unpacked(const PagedTile& packed) : tile(packed), packed_(is_packed(packed.type)) {
    if (!packed_) return;
    for (int64_t j = 0; j < kPagedKeys; ++j) {
      rows_[j] = reinterpret_cast<const char*>(packed.room + j % kPassKeys * packed.padded);
    }
    tile.type = DType::kFloat32;
    tile.depth = tile.padded;
    tile.keys = tile.values = rows_;
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  // Rows of the pass from j on which some query sees.
  template <typename Seen>
  void begin_pass(const char* const* from, int64_t j, const Seen& seen) const {
    if (!packed_) return;
    const int64_t first = j > seen.begin ? j : seen.begin;
    const int64_t last = j + kPassKeys < seen.end ? j + kPassKeys : seen.end;
    for (int64_t i = first; i < last; ++i) {
      unpack_row(from[i], tile.padded, tile.room + i % kPassKeys * tile.padded);
    }
  }

  PagedTile tile;

 private:
  bool packed_;
  const char* rows_[kPagedKeys];
};

void multiply_keys(const PagedTile& given) {
  const Unpacked unpacked(given);
  const PagedTile& t = unpacked.tile;
  with_type(t.type, [&](auto numbers, auto some) {
    using N = decltype(numbers);
    const Range all(t, 0, t.rows);
    for (int64_t j0 = all.begin / kPassKeys * kPassKeys; j0 < all.end; j0 += kPassKeys) {
      const bool last = j0 + kPassKeys >= all.end;
      fetch(last ? given.values : given.keys,
            last ? all.begin / kPassKeys * kPassKeys : j0 + kPassKeys, t.row_bytes);
      unpacked.begin_pass(given.keys, j0, all);
      each_group(t.rows, [&](int64_t row, auto count) {
        constexpr int64_t kKeys = kLanes / count;
        const Range seen(t, row, count);
        const int64_t end = seen.end < j0 + kPassKeys ? seen.end : j0 + kPassKeys;
        int64_t j = seen.begin / kKeys * kKeys;
        j = j > j0 ? j : j0;
        if (t.depth % kLanes == 0) {
          for (; j < end; j += kKeys) multiply_few_keys<count, true, N>(t, row, j, some);
        } else {
          for (; j < end; j += kKeys) multiply_few_keys<count, false, N>(t, row, j, some);
        }
      });
    }
  });
}

// sums of kRows rows and kVectors vectors of columns += keys [begin, end).
template <int kRows, int kVectors, typename Load>
inline void add_block(const PagedTile& t, int64_t row, int64_t d, int64_t begin, int64_t end,
                      Load load) {
  float* const to = t.sums + row * t.padded + d;
  const float* const p = t.scores + row * kPagedKeys;
  Vec sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sum[r][v] = cpu::load(to + r * t.padded + v * kLanes);
  }
  for (int64_t j = begin; j < end; ++j) {
    Vec value[kVectors];
    for (int v = 0; v < kVectors; ++v) value[v] = load(t.values[j], d + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const float share = p[r * kPagedKeys + j];
      for (int v = 0; v < kVectors; ++v) sum[r][v] += share * value[v];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) store(to + r * t.padded + v * kLanes, sum[r][v]);
  }
}

template <int kRows, typename N, typename Some>
inline void add_rows(const PagedTile& t, int64_t row, int64_t begin, int64_t end, Some some) {
#if defined(__AVX512F__)
  constexpr int kVectors = 4;
#else
  constexpr int kVectors = 2;
#endif
  const auto whole = [](const char* p, int64_t d) { return N::load(p + d * N::kBytes); };
  int64_t d = 0;
  for (; d + kVectors * kLanes <= t.depth; d += kVectors * kLanes) {
    add_block<kRows, kVectors>(t, row, d, begin, end, whole);
  }
  for (; d + kLanes <= t.depth; d += kLanes) add_block<kRows, 1>(t, row, d, begin, end, whole);
  if (d < t.depth) {
    const int64_t rest = t.depth - d;
    add_block<kRows, 1>(t, row, d, begin, end,
                        [=](const char* p, int64_t at) { return some(p + at * N::kBytes, rest); });
  }
}

void add_values(const PagedTile& given) {
  const Unpacked unpacked(given);
  const PagedTile& t = unpacked.tile;
  const auto most = [](int64_t a, int64_t b) { return a > b ? a : b; };
  const auto least = [](int64_t a, int64_t b) { return a < b ? a : b; };
  with_type(t.type, [&](auto numbers, auto some) {
    using N = decltype(numbers);
    const Range all(t, 0, t.rows);
    for (int64_t j0 = all.begin / kPassKeys * kPassKeys; j0 < all.end; j0 += kPassKeys) {
      const int64_t j1 = j0 + kPassKeys;
      fetch(given.values, j1, t.row_bytes);
      unpacked.begin_pass(given.values, j0, all);
      each_group(t.rows, [&](int64_t row, auto count) {
        // What all rows of the group see, and what single ones see before and behind it.
        int64_t begin = j0, end = j1;
        for (int64_t r = row; r < row + count; ++r) {
          begin = most(begin, t.begin[r]);
          end = least(end, t.end[r]);
        }
        if (end <= begin) begin = end = j1;
        const auto alone = [&](int64_t from, int64_t to) {
          for (int64_t r = row; r < row + count; ++r) {
            const int64_t b = most(from, t.begin[r]), e = least(to, t.end[r]);
            if (b < e) add_rows<1, N>(t, r, b, e, some);
          }
        };
        alone(j0, begin);
        if (begin < end) add_rows<count, N>(t, row, begin, end, some);
        alone(end, j1);
      });
    }
  });
}

void soft_cap(float* s, int64_t n, float cap) {
  const float inverse = 1.0f / cap;
  for (int64_t i = 0; i < n; ++i) s[i] = cap * math::tanh(s[i] * inverse);
}

void widen(DType type, const char* const* from, int64_t first, int64_t last, int64_t depth,
           int64_t padded, float* to) {
  with_type(type, [&](auto numbers, auto some) {
    using N = decltype(numbers);
    for (int64_t j = first; j < last; ++j) {
      int64_t d = 0;
      for (; d + kLanes <= depth; d += kLanes) {
        store(to + j * padded + d, N::load(from[j] + d * N::kBytes));
      }
      if (d < depth) store(to + j * padded + d, some(from[j] + d * N::kBytes, depth - d));
    }
  });
}

}  // namespace
}  // namespace paddle::cpu
