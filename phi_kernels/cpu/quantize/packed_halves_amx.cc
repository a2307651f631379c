// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// packed_halves.h, for processors with AVX-512.
#include "phi_kernels/cpu/quantize/packed_halves.h"

#include "phi_kernels/cpu/gemm/half_tiles.h"
#include "phi_kernels/cpu/quantize/packed_product_impl.h"

namespace paddle::cpu {
namespace {

// Rounded to nearest: two float32 next to each other as a pair of bfloat16.
inline __m512i pair_of(__m512 even, __m512 odd) {
  const __m512i half = _mm512_set1_epi32(0x8000);
  const __m512i low = _mm512_add_epi32(_mm512_castps_si512(even), half);
  const __m512i high = _mm512_add_epi32(_mm512_castps_si512(odd), half);
  return _mm512_ternarylogic_epi32(_mm512_srli_epi32(low, 16), high,
                                   _mm512_set1_epi32(static_cast<int>(0xFFFF0000)), 0xF8);
}

template <int kBits, int kScales, bool kMinimum>
void widen(const BlockLayout& l, const uint8_t* tile, int64_t columns, uint16_t* to) {
  constexpr int kPerScale = 8 / kScales;
  constexpr int kScaleBytes = 2 * kPackedRows * kScales * (kMinimum ? 2 : 1);
  constexpr int kNumberBytes = kPackedRows * kPackedColumns / 8 * kBits;
  const __m512i byte = _mm512_set1_epi32(255);
  for (int64_t b = 0; b < columns / kPackedColumns; ++b, to += kHalfBlock) {
    const PackedPlace place = packed_place(kScaleBytes, kNumberBytes, b);
    const uint8_t* const scales = tile + place.scales;
    Line quads[8];
    load_quads<kBits>(tile + place.numbers, quads);
    for (int s = 0; s < kScales; ++s) {
      const __m512 scale = halves_at(scales + 32 * s).v;
      // What is added to scale * q.
      const __m512 shift =
          kMinimum ? _mm512_sub_ps(_mm512_setzero_ps(), halves_at(scales + 32 * (kScales + s)).v)
                   : _mm512_mul_ps(scale, _mm512_set1_ps(static_cast<float>(-l.offset)));
      const auto weights = [&](__m512i q) {
        return _mm512_fmadd_ps(_mm512_cvtepi32_ps(q), scale, shift);
      };
      for (int k = s * kPerScale; k < (s + 1) * kPerScale; ++k) {
        const __m512i q = quads[k].v;
        const __m512 w0 = weights(_mm512_and_si512(q, byte));
        const __m512 w1 = weights(_mm512_and_si512(_mm512_srli_epi32(q, 8), byte));
        const __m512 w2 = weights(_mm512_and_si512(_mm512_srli_epi32(q, 16), byte));
        const __m512 w3 = weights(_mm512_srli_epi32(q, 24));
        _mm512_storeu_si512(to + 64 * k, pair_of(w0, w1));
        _mm512_storeu_si512(to + 64 * k + 32, pair_of(w2, w3));
      }
    }
  }
}

}  // namespace

void widen_tile_amx(BlockFormat format, const uint8_t* tile, int64_t columns, uint16_t* to) {
  const BlockLayout& l = layout_of(format);
  with_form(l, [&](auto bits, auto scales, auto minimum) {
    widen<bits, scales, minimum>(l, tile, columns, to);
  });
}

}  // namespace paddle::cpu
