// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the implementations of attention share: sizes, masks, dropout, and rows of one head.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/random/random.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {

constexpr int64_t kKeyTile = 256;

template <typename From, typename To>
void convert(const From* from, To* to, int64_t n) {
  if constexpr (std::is_same_v<From, To>) {
    std::copy(from, from + n, to);
  } else {
    loop_tables.convert[static_cast<int>(DTypeOf<From>::value)]
                       [static_cast<int>(DTypeOf<To>::value)](n, to, from, 1);
  }
}

// What forward and gradient share: sizes, mask and dropout.
template <typename T>
struct AttentionProblem {
  using A = RowType<T>;
  int64_t batch, queries, keys, heads, kv_heads, depth;
  bool causal = false;
  A factor;
  const TensorImpl* mask = nullptr;
  int64_t mask_strides[4] = {0, 0, 0, 0};
  double dropout = 0;
  PhiloxState random;

  AttentionProblem(const Shape& q, const Shape& k)
      : batch(q[0].value()),
        queries(q[1].value()),
        keys(k[1].value()),
        heads(q[2].value()),
        kv_heads(k[2].value()),
        depth(q[3].value()),
        factor(static_cast<A>(1 / std::sqrt(static_cast<double>(depth)))) {}

  void set_mask(const TensorImpl* m) {
    mask = m;
    int64_t stride = 1;
    const size_t rank = m->shape.size();
    for (size_t i = 0; i < rank; ++i) {
      const int64_t n = m->shape[rank - 1 - i].value();
      if (n != 1) mask_strides[3 - i] = stride;
      stride *= n;
    }
  }
  int64_t key_end(int64_t query_end) const { return causal ? std::min(keys, query_end) : keys; }

  // Rows [row, row + count) of one head as a packed matrix.
  void load(const T* x, int64_t b, int64_t length, int64_t head_count, int64_t head, int64_t row,
            int64_t count, A* to) const {
    for (int64_t i = 0; i < count; ++i) {
      convert(x + ((b * length + row + i) * head_count + head) * depth, to + i * depth, depth);
    }
  }
  void save(const A* from, int64_t b, int64_t length, int64_t head_count, int64_t head, int64_t row,
            int64_t count, T* x) const {
    for (int64_t i = 0; i < count; ++i) {
      convert(from + i * depth, x + ((b * length + row + i) * head_count + head) * depth, depth);
    }
  }

  // Products of a tile become scores by the mask.
  void hide(int64_t b, int64_t head, int64_t q0, int64_t rows_, int64_t k0, int64_t columns,
            A* s) const {
    const A hidden = -std::numeric_limits<A>::infinity();
    for (int64_t i = 0; i < rows_; ++i) {
      A* row = s + i * columns;
      if (mask) {
        const int64_t at = b * mask_strides[0] + head * mask_strides[1] +
                           (q0 + i) * mask_strides[2] + k0 * mask_strides[3];
        if (mask->dtype == DType::kBool) {
          const bool* m = static_cast<const bool*>(mask->data()) + at;
          if (!mask_strides[3]) {
            if (!*m) std::fill_n(row, columns, hidden);
          } else {
            for (int64_t j = 0; j < columns; ++j) row[j] = m[j] ? row[j] : hidden;
          }
        } else {
          const T* m = static_cast<const T*>(mask->data()) + at;
          A wide[kKeyTile];
          convert(m, wide, mask_strides[3] ? columns : 1);
          if (mask_strides[3]) {
            rows<A>().axpy(1, wide, row, columns);
          } else {
            rows<A>().shift(row, wide[0], row, columns);
          }
        }
      }
      if (causal) {
        for (int64_t j = std::max<int64_t>(0, q0 + i + 1 - k0); j < columns; ++j) row[j] = hidden;
      }
    }
  }

  // The dropout mask of a tile of probabilities: 0, or what keeps the mean.
  void drop_factors(int64_t b, int64_t head, int64_t q0, int64_t rows_, int64_t k0, int64_t columns,
                    A* factors) const {
    const double keep = 1 - dropout;
    if (keep <= 0) {
      std::fill_n(factors, rows_ * columns, A(0));
      return;
    }
    const A scale = static_cast<A>(1 / keep);
    const auto most = static_cast<uint32_t>(std::ceil(keep * 0x1p32) - 1);  // that is kept
    const RandomKernels& kernels = random_kernels();
    alignas(64) uint32_t words[kWords];
    for (int64_t i = 0; i < rows_; ++i) {
      const int64_t first = ((b * heads + head) * queries + q0 + i) * keys + k0;
      for (int64_t at = first; at < first + columns;) {
        const int64_t inside = at % kWords, count = std::min(kWords - inside, first + columns - at);
        kernels.words(random, static_cast<uint64_t>(at / kWords), words);
        A* to = factors + i * columns + at - first;
        for (int64_t j = 0; j < count; ++j) to[j] = words[inside + j] <= most ? scale : A(0);
        at += count;
      }
    }
  }
};

template <typename A>
void multiply_by(const std::vector<A>& factors, int64_t n, A* x) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factors[static_cast<size_t>(i)];
}

template <typename A>
A safe_shift(A value) {  // a row that hides everything has no maximum: its probabilities are 0
  return value == -std::numeric_limits<A>::infinity() ? A(0) : value;
}

}  // namespace paddle::cpu
