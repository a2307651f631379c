// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scores of a few queries with all their keys are kept; tiles of keys follow one another in memory.
#include "phi_kernels/cpu/attention/chain_attention.h"

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/gemm/chain_product.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kScores = 1 << 18;  // that the caches of a core hold
constexpr int64_t kFewestQueries = 4, kMostQueries = 128;

// Adds the rows of a tile to their totals, each in order; several chains are under way at a time.
template <typename A>
void add_in_order(const A* tile, int64_t rows, int64_t columns, A* totals) {
  constexpr int64_t kChains = 8;
  for (int64_t i = 0; i < rows; i += kChains) {
    const int64_t count = std::min(kChains, rows - i);
    A sums[kChains] = {};
    std::copy_n(totals + i, count, sums);
    const A* from = tile + i * columns;
    if (count == kChains) {
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t r = 0; r < kChains; ++r) sums[r] += from[r * columns + j];
      }
    } else {
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t j = 0; j < columns; ++j) sums[r] += from[r * columns + j];
      }
    }
    std::copy_n(sums, count, totals + i);
  }
}

template <typename T>
class ChainAttention {
 public:
  using A = RowType<T>;
  ChainAttention(const AttentionProblem<T>& p, const T* q, const T* k, const T* v, T* out,
                 T* softmax, A* lse, int64_t height)
      : p_(p), q_(q), k_(k), v_(v), out_(out), softmax_(softmax), lse_(lse) {
    const auto size = [](int64_t n) { return static_cast<size_t>(n); };
    queries_.resize(size(height * p.depth));
    scores_.resize(size(height * p.keys));
    sums_.resize(size(height * p.depth));
    top_.resize(size(height));
    totals_.resize(size(height));
    if (kWidens) wide_.resize(size(std::min(kKeyTile, p.keys) * p.depth));
    if (p.dropout != 0) factors_.resize(size(height * std::min(kKeyTile, p.keys)));
  }

  // `n` queries from q0 on.
  void run(int64_t b, int64_t head, int64_t q0, int64_t n) {
    b_ = b, head_ = head, q0_ = q0, n_ = n, last_ = p_.key_end(q0 + n);
    make_scores();
    for (A& top : top_) top = safe_shift(top);
    std::fill(totals_.begin(), totals_.end(), A(0));
    std::fill(sums_.begin(), sums_.end(), A(0));
    each_tile([&](int64_t k0, int64_t m, A* tile) {
      for (int64_t i = 0; i < n_; ++i) rk_.exp_shift(tile + i * m, top(i), tile + i * m, m);
      add_in_order(tile, n_, m, totals_.data());
      if (!softmax_) add_values(k0, m, tile);
    });
    if (softmax_) {
      write_softmax();
      each_tile([&](int64_t k0, int64_t m, A* tile) { add_values(k0, m, tile); });
    }
    finish();
  }

 private:
  static constexpr bool kWidens = !std::is_same_v<T, A>;
  const AttentionProblem<T>& p_;
  const T *q_, *k_, *v_;
  T *out_, *softmax_;
  A* lse_;
  const RowKernels<A>& rk_ = rows<A>();
  std::vector<A> queries_, scores_, sums_, top_, totals_, wide_, factors_;
  int64_t b_ = 0, head_ = 0, q0_ = 0, n_ = 0, last_ = 0;

  A& top(int64_t i) { return top_[static_cast<size_t>(i)]; }

  template <typename Body>
  void each_tile(Body&& body) {
    for (int64_t k0 = 0; k0 < last_; k0 += kKeyTile) {
      body(k0, std::min(kKeyTile, last_ - k0), scores_.data() + k0 * n_);
    }
  }

  // Rows of keys or values in the computing type, *step apart.
  const A* rows_of(const T* x, int64_t k0, int64_t m, int64_t* step) {
    const int64_t head = head_ / (p_.kv_heads ? p_.heads / p_.kv_heads : 1);
    if constexpr (kWidens) {
      p_.load(x, b_, p_.keys, p_.kv_heads, head, k0, m, wide_.data());
      *step = p_.depth;
      return wide_.data();
    } else {
      *step = p_.kv_heads * p_.depth;
      return x + ((b_ * p_.keys + k0) * p_.kv_heads + head) * p_.depth;
    }
  }

  // All scores of the queries, and the largest of each.
  void make_scores() {
    const int64_t d = p_.depth;
    p_.load(q_, b_, p_.queries, p_.heads, head_, q0_, n_, queries_.data());
    rk_.scale(queries_.data(), p_.factor, queries_.data(), n_ * d);
    std::fill(top_.begin(), top_.end(), -std::numeric_limits<A>::infinity());
    each_tile([&](int64_t k0, int64_t m, A* tile) {
      int64_t step = 0;
      const A* keys = rows_of(k_, k0, m, &step);
      chain_product<A>({false, true, n_, m, d, d, step, m}, queries_.data(), keys, tile, false);
      p_.hide(b_, head_, q0_, n_, k0, m, tile);
      for (int64_t i = 0; i < n_; ++i) {
        const A here = rk_.max(tile + i * m, m);
        if (here > top(i) || here != here) top(i) = here;
      }
    });
  }

  void add_values(int64_t k0, int64_t m, A* tile) {
    if (p_.dropout != 0) {
      p_.drop_factors(b_, head_, q0_, n_, k0, m, factors_.data());
      multiply_by(factors_, n_ * m, tile);
    }
    int64_t step = 0;
    const A* values = rows_of(v_, k0, m, &step);
    chain_product<A>({false, false, n_, p_.depth, m, m, step, p_.depth}, tile, values, sums_.data(),
                     true);
  }

  A share(int64_t i) const {
    const A total = totals_[static_cast<size_t>(i)];
    return total == 0 ? A(0) : 1 / total;
  }

  void write_softmax() {
    std::vector<A> row(static_cast<size_t>(std::min(kKeyTile, p_.keys)));
    const auto result = [&](int64_t i) {
      return softmax_ + ((b_ * p_.heads + head_) * p_.queries + q0_ + i) * p_.keys;
    };
    each_tile([&](int64_t k0, int64_t m, const A* tile) {
      for (int64_t i = 0; i < n_; ++i) {
        rk_.scale(tile + i * m, share(i), row.data(), m);
        convert(row.data(), result(i) + k0, m);
      }
    });
    for (int64_t i = 0; i < n_; ++i) std::fill(result(i) + last_, result(i) + p_.keys, T(0.0f));
  }

  void finish() {
    const int64_t d = p_.depth;
    for (int64_t i = 0; i < n_; ++i) {
      rk_.scale(sums_.data() + i * d, share(i), sums_.data() + i * d, d);
      lse_[(b_ * p_.heads + head_) * p_.queries + q0_ + i] =
          top(i) + std::log(totals_[static_cast<size_t>(i)]);
    }
    p_.save(sums_.data(), b_, p_.queries, p_.heads, head_, q0_, n_, out_);
  }
};

}  // namespace

template <typename T>
void chain_attention(const AttentionProblem<T>& p, const T* q, const T* k, const T* v, T* out,
                     T* softmax, RowType<T>* lse) {
  const int64_t room = kScores / std::max<int64_t>(1, p.keys);
  const int64_t height = std::min(p.queries, std::clamp(room, kFewestQueries, kMostQueries));
  if (height == 0) return;
  const int64_t tiles = (p.queries + height - 1) / height;
  parallel_for(0, p.batch * p.heads * tiles, 1, [&](int64_t begin, int64_t end) {
    ChainAttention<T> work(p, q, k, v, out, softmax, lse, height);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t q0 = task % tiles * height;
      work.run(task / (p.heads * tiles), task / tiles % p.heads, q0,
               std::min(height, p.queries - q0));
    }
  });
}

template void chain_attention(const AttentionProblem<float>&, const float*, const float*,
                              const float*, float*, float*, float*);
template void chain_attention(const AttentionProblem<double>&, const double*, const double*,
                              const double*, double*, double*, double*);
template void chain_attention(const AttentionProblem<float16>&, const float16*, const float16*,
                              const float16*, float16*, float16*, float*);
template void chain_attention(const AttentionProblem<bfloat16>&, const bfloat16*, const bfloat16*,
                              const bfloat16*, bfloat16*, bfloat16*, float*);

}  // namespace paddle::cpu
