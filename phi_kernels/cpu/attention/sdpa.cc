// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attention kernels on the CPU after Dao et al., "FlashAttention" (2022): scores are made tile by
// tile with an online softmax, so memory grows with the sequence and not with its square. The
// gradient rebuilds each tile from the saved log-sum-exp. Under FLAGS_batch_invariant the forward
// pass is that of chain_attention.h.
#include <cmath>
#include <limits>
#include <optional>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/attention/attention_problem.h"
#include "phi_kernels/cpu/attention/attention_tiles.h"
#include "phi_kernels/cpu/attention/chain_attention.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/gemm/gemm_half.h"
#include "phi_kernels/cpu/gemm/panels.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/random/random.h"
#include "phi_kernels/cpu/rows/row_sums.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kQueryTile = 128;
constexpr int64_t kFewQueries = 4;  // that are not worth packing keys

void product(const GemmShape& s, const float* a, const float* b, float beta, float* c) {
  if (split_sgemm(s, a, b, beta != 0, c)) return;
  constexpr int64_t kManyRows = 16;  // worth packing the other side
  if (!s.trans_a && s.m >= kManyRows && s.n >= kManyRows && s.k > 0) {
    return multiply_packing(s.m, s.n, s.k, a, b, s.trans_b, beta != 0, c);
  }
  sgemm(s, 1, a, b, beta, c);
}
void product(const GemmShape& s, const double* a, const double* b, double beta, double* c) {
  gemm(s, a, b, c, beta != 0);
}

// Scores of a tile: q k^T * factor + mask, -inf where hidden. q is already scaled.
template <typename T, typename A>
void scores_of(const AttentionProblem<T>& p, const A* q, const A* k, int64_t b, int64_t head,
               int64_t q0, int64_t rows_, int64_t k0, int64_t columns, A* s) {
  product({false, true, rows_, columns, p.depth, p.depth, p.depth, columns}, q, k, A(0), s);
  p.hide(b, head, q0, rows_, k0, columns, s);
}

// One (batch, head, tile of queries).
template <typename T>
class Forward {
 public:
  using A = RowType<T>;
  Forward(const AttentionProblem<T>& p, const T* q, const T* k, const T* v, T* out, T* softmax,
          A* lse)
      : p_(p), q_(q), k_(k), v_(v), out_(out), softmax_(softmax), lse_(lse) {
    const auto size = [](int64_t n) { return static_cast<size_t>(n); };
    const int64_t d = p.depth, height = std::min(kQueryTile, p.queries),
                  width = std::min(kKeyTile, p.keys);
    qt_.resize(size(height * d));
    if constexpr (std::is_same_v<T, bfloat16>) {
      if (p.queries > kFewQueries && d > 0 && AttentionTiles::available()) {
        tiles_.emplace(height, p.keys, d, p.factor);
      }
    }
    if (p.queries > kFewQueries && !tiles_) {
      kt_.resize(size(width * d));
      vt_.resize(size(width * d));
    }
    s_.resize(size(height * width));
    acc_.resize(size(height * d));
    top_.resize(size(height));
    total_.resize(size(height));
    if (p.dropout != 0) factors_.resize(size(height * width));
    if (kNarrow && !tiles_) narrow_.resize(size(height * width));
    offsets_.resize(size(width));
  }

  void run(int64_t b, int64_t head, int64_t q0) {
    b_ = b, head_ = head, q0_ = q0, n_ = std::min(kQueryTile, p_.queries - q0);
    queries_ready_ = false;
    on_tiles_ = tiles_ && n_ > kFewQueries;
    if constexpr (std::is_same_v<T, bfloat16>) {
      if (on_tiles_) {
        tiles_->take_keys(rows_of(k_, 0), rows_of(v_, 0), p_.kv_heads * p_.depth);
        tiles_->take_queries(q_ + ((b * p_.queries + q0) * p_.heads + head) * p_.depth,
                             p_.heads * p_.depth, n_);
      }
    }
    std::fill(acc_.begin(), acc_.end(), A(0));
    std::fill(total_.begin(), total_.end(), A(0));
    std::fill(top_.begin(), top_.end(), -std::numeric_limits<A>::infinity());
    const int64_t last = p_.key_end(q0 + n_);
    for (int64_t k0 = 0; k0 < last; k0 += kKeyTile) {
      const int64_t m = std::min(kKeyTile, last - k0);
      make_scores(k0, m);
      make_exponentials(m);
      if (p_.dropout != 0) {
        p_.drop_factors(b, head, q0, n_, k0, m, factors_.data());
        multiply_by(factors_, n_ * m, s_.data());
      }
      add_values(k0, m);
    }
    finish();
    if (softmax_) write_softmax();
  }

 private:
  static constexpr bool kNarrow = !std::is_same_v<T, A>;
  const AttentionProblem<T>& p_;
  const T *q_, *k_, *v_;
  T *out_, *softmax_;
  A* lse_;
  const RowKernels<A>& rk_ = rows<A>();
  std::vector<A> qt_, kt_, vt_, s_, acc_, top_, total_, factors_;
  std::vector<T> narrow_;  // probabilities
  std::vector<int64_t> offsets_;
  int64_t b_ = 0, head_ = 0, q0_ = 0, n_ = 0;
  bool queries_ready_ = false, on_tiles_ = false;
  std::optional<AttentionTiles> tiles_;

  // The queries of the tile, scaled.
  const A* queries() {
    if (!queries_ready_) {
      p_.load(q_, b_, p_.queries, p_.heads, head_, q0_, n_, qt_.data());
      rk_.scale(qt_.data(), p_.factor, qt_.data(), n_ * p_.depth);
    }
    queries_ready_ = true;
    return qt_.data();
  }

  int64_t kv_head() const { return head_ / (p_.kv_heads ? p_.heads / p_.kv_heads : 1); }
  const T* rows_of(const T* x, int64_t k0) const {
    return x + ((b_ * p_.keys + k0) * p_.kv_heads + kv_head()) * p_.depth;
  }

  // Rows of keys or values; `offsets_` says where they begin.
  const T* scattered(const T* x, int64_t k0, int64_t m) {
    const int64_t step = p_.kv_heads * p_.depth;
    for (int64_t i = 0; i < m; ++i) offsets_[static_cast<size_t>(i)] = i * step;
    return rows_of(x, k0);
  }

  void make_scores(int64_t k0, int64_t m) {
    const int64_t d = p_.depth;
    if (n_ <= kFewQueries) {
      const T* const from = scattered(k_, k0, m);
      for (int64_t i = 0; i < n_; ++i) {
        dot_rows(queries() + i * d, from, offsets_.data(), m, d, s_.data() + i * m);
      }
      return p_.hide(b_, head_, q0_, n_, k0, m, s_.data());
    }
    if constexpr (std::is_same_v<T, bfloat16>) {
      if (on_tiles_) {
        tiles_->scores(k0, m, s_.data());
        return p_.hide(b_, head_, q0_, n_, k0, m, s_.data());
      }
    }
    if constexpr (kNarrow) {
      const T* const from = q_ + ((b_ * p_.queries + q0_) * p_.heads + head_) * d;
      if (native_gemm({false, true, n_, m, d, p_.heads * d, p_.kv_heads * d, m}, from,
                      rows_of(k_, k0), s_.data(), false)) {
        rk_.scale(s_.data(), p_.factor, s_.data(), n_ * m);
        return p_.hide(b_, head_, q0_, n_, k0, m, s_.data());
      }
    }
    p_.load(k_, b_, p_.keys, p_.kv_heads, kv_head(), k0, m, kt_.data());
    scores_of(p_, queries(), kt_.data(), b_, head_, q0_, n_, k0, m, s_.data());
  }

  void make_exponentials(int64_t m) {
    const int64_t d = p_.depth;
    for (int64_t i = 0; i < n_; ++i) {
      const auto at = static_cast<size_t>(i);
      A* row = s_.data() + i * m;
      const A old = top_[at], here = rk_.max(row, m);
      const A next = here > old || here != here ? here : old;
      const A shift = safe_shift(next), fade = std::exp(old - shift);
      total_[at] = total_[at] * fade + rk_.exp_shift(row, shift, row, m);
      top_[at] = next;
      if (fade != 1) rk_.scale(acc_.data() + i * d, fade, acc_.data() + i * d, d);
    }
  }

  void add_values(int64_t k0, int64_t m) {
    const int64_t d = p_.depth;
    if (n_ <= kFewQueries) {
      const T* const from = scattered(v_, k0, m);
      for (int64_t i = 0; i < n_; ++i) {
        sum_rows(from, offsets_.data(), s_.data() + i * m, m, d, true, acc_.data() + i * d);
      }
      return;
    }
    if constexpr (std::is_same_v<T, bfloat16>) {
      if (on_tiles_) return tiles_->add_values(s_.data(), k0, m, acc_.data());
    }
    if constexpr (kNarrow) {
      convert(s_.data(), narrow_.data(), n_ * m);
      if (native_gemm({false, false, n_, d, m, m, p_.kv_heads * d, d}, narrow_.data(),
                      rows_of(v_, k0), acc_.data(), true)) {
        return;
      }
    }
    p_.load(v_, b_, p_.keys, p_.kv_heads, kv_head(), k0, m, vt_.data());
    product({false, false, n_, d, m, m, d, d}, s_.data(), vt_.data(), A(1), acc_.data());
  }

  void finish() {
    const int64_t d = p_.depth;
    for (int64_t i = 0; i < n_; ++i) {
      const auto at = static_cast<size_t>(i);
      const A sum = total_[at];
      rk_.scale(acc_.data() + i * d, sum == 0 ? A(0) : 1 / sum, acc_.data() + i * d, d);
      lse_[(b_ * p_.heads + head_) * p_.queries + q0_ + i] = safe_shift(top_[at]) + std::log(sum);
    }
    p_.save(acc_.data(), b_, p_.queries, p_.heads, head_, q0_, n_, out_);
  }

  void write_softmax() {
    for (int64_t k0 = 0; k0 < p_.keys; k0 += kKeyTile) {
      const int64_t m = std::min(kKeyTile, p_.keys - k0);
      make_scores(k0, m);
      for (int64_t i = 0; i < n_; ++i) {
        const int64_t at = (b_ * p_.heads + head_) * p_.queries + q0_ + i;
        const auto line = static_cast<size_t>(i);
        A* row = s_.data() + i * m;
        rk_.exp_shift(row, safe_shift(top_[line]), row, m);
        rk_.scale(row, total_[line] == 0 ? A(0) : 1 / total_[line], row, m);
        convert(row, softmax_ + at * p_.keys + k0, m);
      }
    }
  }
};

// arguments: q, k, v, fixed_seed_offset, attn_mask, dropout, causal, return_softmax, is_test,
// rng_name; results: out, softmax, softmax_lse, seed_offset
template <typename T>
void forward_kernel(KernelContext& c) {
  using A = RowType<T>;
  AttentionProblem<T> p(c.in(0).shape, c.in(1).shape);
  p.causal = c.b(6);
  if (c.has(4)) p.set_mask(&c.in(4));
  p.dropout = c.b(8) ? 0 : c.f(5);
  p.random = p.dropout == 0 ? c.random() : PhiloxState(whole_state(c));
  if (c.has(3)) {
    const int64_t* given = c.in_data<int64_t>(3);
    p.random = {static_cast<uint64_t>(given[0]), static_cast<uint64_t>(given[1])};
  }
  c.out_data<int64_t>(3)[0] = static_cast<int64_t>(p.random.seed);
  c.out_data<int64_t>(3)[1] = static_cast<int64_t>(p.random.offset);
  const T *q = c.in_data<T>(0), *k = c.in_data<T>(1), *v = c.in_data<T>(2);
  T* out = c.out_data<T>(0);
  T* softmax = c.b(7) ? c.out_data<T>(1) : nullptr;
  A* lse = c.out_data<A>(2);
  if (batch_invariant()) return chain_attention(p, q, k, v, out, softmax, lse);
  const int64_t tiles = (p.queries + kQueryTile - 1) / kQueryTile;
  parallel_for(0, p.batch * p.heads * tiles, 1, [&](int64_t begin, int64_t end) {
    Forward<T> work(p, q, k, v, out, softmax, lse);
    for (int64_t task = begin; task < end; ++task) {
      work.run(task / (p.heads * tiles), task / tiles % p.heads, task % tiles * kQueryTile);
    }
  });
}

// One (batch, key head): all its tiles, so that no two threads add to the same gradient.
template <typename T>
struct Backward {
  using A = RowType<T>;
  const AttentionProblem<T>& p;
  const T *q, *k, *v, *out, *g;
  const A* lse;
  T *dq, *dk, *dv;

  // exp(s - lse) is off by what lse was rounded by, in proportion to |lse|: from here on rows are
  // divided by their own sums.
  static constexpr A kLargeScore = 32;

  // 1 / sum of exp(s - lse) for each of the queries; 1 where no lse of the tile is large.
  void shares(const A* qt, const A* kt, int64_t b, int64_t head, int64_t q0, int64_t n,
              const A* shift, A* s, A* share) const {
    std::fill_n(share, n, A(1));
    const auto large = [](A l) { return std::isfinite(l) && std::abs(l) > kLargeScore; };
    if (std::none_of(shift, shift + n, large)) return;
    std::fill_n(share, n, A(0));
    const int64_t last = p.key_end(q0 + n);
    for (int64_t k0 = 0; k0 < last; k0 += kKeyTile) {
      const int64_t m = std::min(kKeyTile, last - k0);
      scores_of(p, qt, kt + k0 * p.depth, b, head, q0, n, k0, m, s);
      for (int64_t i = 0; i < n; ++i) {
        share[i] += rows<A>().exp_shift(s + i * m, safe_shift(shift[i]), s + i * m, m);
      }
    }
    for (int64_t i = 0; i < n; ++i) share[i] = share[i] == 0 ? A(0) : 1 / share[i];
  }

  void run(int64_t b, int64_t kv_head) const {
    const RowKernels<A>& rk = rows<A>();
    const auto size = [](int64_t n) { return static_cast<size_t>(n); };
    const int64_t d = p.depth, group = p.heads / p.kv_heads;
    const int64_t height = std::min(kQueryTile, p.queries),
                  tile = height * std::min(kKeyTile, p.keys);
    std::vector<A> kt(size(p.keys * d)), vt(size(p.keys * d)), dkt(size(p.keys * d)),
        dvt(size(p.keys * d)), qt(size(height * d)), gt(size(height * d)), ot(size(height * d)),
        dqt(size(height * d)), delta(size(height)), share(size(height)), s(size(tile)),
        ds(size(tile)), kept(p.dropout == 0 ? 0 : size(tile));
    p.load(k, b, p.keys, p.kv_heads, kv_head, 0, p.keys, kt.data());
    p.load(v, b, p.keys, p.kv_heads, kv_head, 0, p.keys, vt.data());
    for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
      for (int64_t q0 = 0; q0 < p.queries; q0 += kQueryTile) {
        const int64_t n = std::min(kQueryTile, p.queries - q0);
        p.load(q, b, p.queries, p.heads, head, q0, n, qt.data());
        p.load(g, b, p.queries, p.heads, head, q0, n, gt.data());
        p.load(out, b, p.queries, p.heads, head, q0, n, ot.data());
        rk.scale(qt.data(), p.factor, qt.data(), n * d);
        for (int64_t i = 0; i < n; ++i) {
          delta[size(i)] = rk.dot(gt.data() + i * d, ot.data() + i * d, d);
        }
        std::fill(dqt.begin(), dqt.end(), A(0));
        const A* shift = lse + (b * p.heads + head) * p.queries + q0;
        shares(qt.data(), kt.data(), b, head, q0, n, shift, s.data(), share.data());
        const int64_t last = p.key_end(q0 + n);
        for (int64_t k0 = 0; k0 < last; k0 += kKeyTile) {
          const int64_t m = std::min(kKeyTile, last - k0);
          scores_of(p, qt.data(), kt.data() + k0 * d, b, head, q0, n, k0, m, s.data());
          for (int64_t i = 0; i < n; ++i) {
            A* row = s.data() + i * m;
            rk.exp_shift(row, safe_shift(shift[i]), row, m);
            if (share[size(i)] != 1) rk.scale(row, share[size(i)], row, m);
          }
          product({false, true, n, m, d, d, d, m}, gt.data(), vt.data() + k0 * d, A(0), ds.data());
          const A* dropped = s.data();
          if (p.dropout != 0) {
            p.drop_factors(b, head, q0, n, k0, m, kept.data());
            multiply_by(kept, n * m, ds.data());
            for (int64_t i = 0; i < n * m; ++i) kept[size(i)] *= s[size(i)];
            dropped = kept.data();
          }
          product({true, false, m, d, n, m, d, d}, dropped, gt.data(), A(1), dvt.data() + k0 * d);
          for (int64_t i = 0; i < n; ++i) {
            rk.softmax_grad(s.data() + i * m, ds.data() + i * m, delta[size(i)], ds.data() + i * m,
                            m);
          }
          product({true, false, m, d, n, m, d, d}, ds.data(), qt.data(), A(1), dkt.data() + k0 * d);
          product({false, false, n, d, m, m, d, d}, ds.data(), kt.data() + k0 * d, A(1),
                  dqt.data());
        }
        rk.scale(dqt.data(), p.factor, dqt.data(), n * d);
        p.save(dqt.data(), b, p.queries, p.heads, head, q0, n, dq);
      }
    }
    p.save(dkt.data(), b, p.keys, p.kv_heads, kv_head, 0, p.keys, dk);
    p.save(dvt.data(), b, p.keys, p.kv_heads, kv_head, 0, p.keys, dv);
  }
};

// arguments: q, k, v, out, softmax_lse, seed_offset, attn_mask, out_grad, dropout, causal
template <typename T>
void backward_kernel(KernelContext& c) {
  using A = RowType<T>;
  AttentionProblem<T> p(c.in(0).shape, c.in(1).shape);
  p.causal = c.b(9);
  p.dropout = c.f(8);
  const int64_t* seed = c.in_data<int64_t>(5);
  p.random = {static_cast<uint64_t>(seed[0]), static_cast<uint64_t>(seed[1])};
  if (c.has(6)) p.set_mask(&c.in(6));
  const Backward<T> work{p,
                         c.in_data<T>(0),
                         c.in_data<T>(1),
                         c.in_data<T>(2),
                         c.in_data<T>(3),
                         c.in_data<T>(7),
                         c.in_data<A>(4),
                         c.out_data<T>(0),
                         c.out_data<T>(1),
                         c.out_data<T>(2)};
  parallel_for(0, p.batch * p.kv_heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) work.run(i / p.kv_heads, i % p.kv_heads);
  });
}

// arguments: seed_offset, shape, p
void dropout_mask_kernel(KernelContext& c) {
  const int64_t* seed = c.in_data<int64_t>(0);
  const RandomState state{{static_cast<uint64_t>(seed[0]), static_cast<uint64_t>(seed[1])},
                          nullptr};
  const double keep = 1 - c.f(2);
  float* out = c.out_data<float>(0);
  const float kept = static_cast<float>(1 / keep);
  visit_words(c.out(0).numel, state, [=](int64_t first, const uint32_t* words, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      out[first + i] = static_cast<double>(words[i]) * 0x1p-32 < keep ? kept : 0.0f;
    }
  });
}

// arguments: like, count
void seed_offset_kernel(KernelContext& c) {
  const PhiloxState state = whole_state(c);
  c.out_data<int64_t>(0)[0] = static_cast<int64_t>(state.seed);
  c.out_data<int64_t>(0)[1] = static_cast<int64_t>(state.offset);
}

// arguments: x, value
template <typename T>
void causal_fill_kernel(KernelContext& c) {
  const Shape& shape = c.in(0).shape;
  const int64_t columns = shape[shape.size() - 1].value(), n = shape[shape.size() - 2].value();
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  const T value = static_cast<T>(static_cast<RowType<T>>(c.f(1)));
  const int64_t total = columns ? c.out(0).numel / columns : 0;
  parallel_for(0, total, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t seen = std::min(columns, i % n + 1);
                   std::copy(x + i * columns, x + i * columns + seen, out + i * columns);
                   std::fill(out + i * columns + seen, out + (i + 1) * columns, value);
                 }
               });
}

template <typename T>
void add_all(Registry& r) {
  const DType t = DTypeOf<T>::value;
  r.kernel("flash_attn", DeviceKind::kCpu, {t}, forward_kernel<T>);
  r.kernel("flash_attn_grad", DeviceKind::kCpu, {t}, backward_kernel<T>);
  r.kernel("causal_fill", DeviceKind::kCpu, {t}, causal_fill_kernel<T>);
}

}  // namespace

void register_sdpa_cpu(Registry& r) {
  add_all<float>(r);
  add_all<double>(r);
  add_all<float16>(r);
  add_all<bfloat16>(r);
  r.kernel("attn_dropout_mask", DeviceKind::kCpu, {DType::kFloat32}, dropout_mask_kernel);
  r.kernel("attn_seed_offset", DeviceKind::kCpu, {DType::kInt64}, seed_offset_kernel);
}

}  // namespace paddle::cpu
