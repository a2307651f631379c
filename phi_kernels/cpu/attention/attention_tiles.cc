// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "phi_kernels/cpu/attention/attention_tiles.h"

#include <algorithm>
#include <cmath>

#include "phi_kernels/cpu/gemm/half_tiles.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kMostKeys = 256;  // of one call

int64_t steps_of(int64_t n) { return (n + kHalfStep - 1) / kHalfStep; }

const uint16_t* bits(const bfloat16* x) { return reinterpret_cast<const uint16_t*>(x); }

}  // namespace

bool AttentionTiles::available() {
#if defined(__x86_64__)
  static const bool can = has_tiles() && __builtin_cpu_supports("avx512bf16");
  return can;
#else
  return false;
#endif
}

AttentionTiles::AttentionTiles(int64_t height, int64_t keys, int64_t depth, float factor)
    : keys_(keys),
      depth_(depth),
      steps_(steps_of(depth)),
      key_steps_(steps_of(keys)),
      factor_(factor),
      row_(static_cast<size_t>(depth)) {
  // A power of two does not round.
  int exponent;
  factor_of_queries_ = std::frexp(factor, &exponent) == 0.5f ? factor : 1.0f;
  const int64_t rows = steps_of(height) * kHalfStep, q = rows * steps_ * kHalfStep,
                p = rows * kMostKeys, packed = key_steps_ * steps_ * kHalfBlock;
  room_ = Storage::allocate(static_cast<size_t>(q + p + 2 * packed) * sizeof(uint16_t), Place());
  q_ = static_cast<uint16_t*>(room_->data());
  p_ = q_ + q;
  k_ = p_ + p;
  v_ = k_ + packed;
  std::fill(q_, k_, uint16_t{0});
}

void AttentionTiles::take_keys(const bfloat16* k, const bfloat16* v, int64_t row) {
  if (k == keys_from_ && v == values_from_) return;
  keys_from_ = k;
  values_from_ = v;
  key_row_ = row;
  packed_ = 0;
}

void AttentionTiles::take_queries(const bfloat16* q, int64_t row, int64_t n) {
  const int64_t ld = steps_ * kHalfStep;
  n_ = n;
  for (int64_t i = 0; i < n; ++i) {
    loop_tables.convert[static_cast<int>(DType::kBFloat16)][static_cast<int>(DType::kFloat32)](
        depth_, row_.data(), q + i * row, 1);
    rows<float>().scale(row_.data(), factor_of_queries_, row_.data(), depth_);
    kHalfTiles_amx.narrow(row_.data(), 1, depth_, q_ + i * ld, ld);
  }
}

// Keys and values [packed_, end); the last step, where it was not whole, is packed again.
void AttentionTiles::pack_until(int64_t end) {
  if (end <= packed_) return;
  const int64_t step = packed_ / kHalfStep, begin = step * kHalfStep, block = steps_ * kHalfBlock;
  kHalfTiles_amx.pack({bits(keys_from_) + begin * key_row_, key_row_, true, end - begin, depth_},
                      k_ + step * block, block);
  kHalfTiles_amx.pack({bits(values_from_) + begin * key_row_, key_row_, false, depth_, end - begin},
                      v_ + step * kHalfBlock, key_steps_ * kHalfBlock);
  packed_ = end;
}

void AttentionTiles::scores(int64_t k0, int64_t m, float* s) {
  pack_until(k0 + m);
  const int64_t block = steps_ * kHalfBlock;
  kHalfTiles_amx.multiply(
      {q_, steps_ * kHalfStep, k_ + k0 / kHalfStep * block, block, steps_, n_, m, s, m, false});
  if (factor_of_queries_ != factor_) rows<float>().scale(s, factor_, s, n_ * m);
}

void AttentionTiles::add_values(const float* p, int64_t k0, int64_t m, float* acc) {
  // Zeros do not hide infinities: a last step that is not whole holds no values behind it.
  const int64_t end = k0 + m;
  if (end % kHalfStep != 0 && packed_ > end) packed_ = end / kHalfStep * kHalfStep;
  pack_until(end);
  kHalfTiles_amx.narrow(p, n_, m, p_, kMostKeys);
  kHalfTiles_amx.multiply({p_, kMostKeys, v_ + k0 / kHalfStep * kHalfBlock, key_steps_ * kHalfBlock,
                           steps_of(m), n_, depth_, acc, depth_, true});
}

}  // namespace paddle::cpu
