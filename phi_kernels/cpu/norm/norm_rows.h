// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// rms_norm and layer_norm share their kernels: a row is normalised by its mean (0 for rms_norm) and
// the inverse root of its mean square, then scaled and shifted per column.
#pragma once

#include "phi_kernels/cpu/rows/lanes.h"

namespace paddle::cpu {

// Rows of `columns` elements; begin is the first normalised axis.
inline Lanes norm_rows(const Shape& shape, int64_t begin) {
  Lanes l;
  const int64_t rank = static_cast<int64_t>(shape.size());
  if (begin < 0) begin += rank;
  for (int64_t i = 0; i < rank; ++i) {
    (i < begin ? l.outer : l.length) *= shape[static_cast<size_t>(i)].value();
  }
  return l;
}

template <typename T>
const RowType<T>* optional_row(const T* w, int64_t n, std::vector<RowType<T>>& buffer) {
  return w ? load_row(w, n, buffer) : nullptr;
}

// Sums of rows in fixed blocks, added up in order: the same result for every number of threads.
inline constexpr int64_t kSumBlocks = 16;

// dx = factor * (h - mean(h) - xhat * mean(h * xhat)), h = g * w; without the middle term when not
// centred. dw = sum g * xhat, db = sum g. Null pointers stand for what is not wanted.
template <typename T>
void norm_backward(const Lanes& l, bool centred, const T* x, const T* w, const T* g,
                   const RowType<T>* means, const RowType<T>* factors, T* dx, T* dw, T* db) {
  using A = RowType<T>;
  const RowKernels<A>& k = rows<A>();
  const int64_t n = l.length;
  std::vector<A> w_buffer;
  const A* weight = optional_row(w, n, w_buffer);
  const int64_t blocks = std::min<int64_t>(kSumBlocks, std::max<int64_t>(1, l.outer));
  const bool sums = dw || db;
  std::vector<A> dw_sums(dw ? static_cast<size_t>(blocks * n) : 0),
      db_sums(db ? static_cast<size_t>(blocks * n) : 0);
  const int64_t per_block = (l.outer + blocks - 1) / blocks;
  parallel_for(0, blocks, l.outer * n < 16384 ? blocks : 1, [&](int64_t first, int64_t last) {
    std::vector<A> x_buffer, g_buffer, out_buffer;
    for (int64_t block = first; block < last; ++block) {
      const int64_t end = std::min(l.outer, (block + 1) * per_block);
      for (int64_t i = block * per_block; i < end; ++i) {
        const A* xr = load_row(x + i * n, n, x_buffer);
        const A* gr = load_row(g + i * n, n, g_buffer);
        const A mean = means ? means[i] : A(0), r = factors[i];
        if (dx) {
          const A h = centred ? (weight ? k.dot(gr, weight, n) : k.sum(gr, n)) / n : A(0);
          const A hx = (weight ? k.dot3(gr, weight, xr, n) : k.dot(gr, xr, n)) / n;
          const A beta = -r * r * r * (hx - mean * h);
          A* to = begin_row(dx + i * n, n, out_buffer);
          k.norm_grad(xr, gr, weight, r, beta, -r * h - beta * mean, to, n);
          store_row(to, dx + i * n, n);
        }
        if (sums) {
          k.norm_weight_grad(xr, gr, mean, r, dw ? dw_sums.data() + block * n : nullptr,
                             db ? db_sums.data() + block * n : nullptr, n);
        }
      }
    }
  });
  const auto finish = [&](std::vector<A>& parts, T* out) {
    if (!out) return;
    for (int64_t block = 1; block < blocks; ++block) {
      k.axpy(1, parts.data() + block * n, parts.data(), n);
    }
    for (int64_t j = 0; j < n; ++j) out[j] = T(parts[static_cast<size_t>(j)]);
  };
  finish(dw_sums, dw);
  finish(db_sums, db);
}

}  // namespace paddle::cpu
