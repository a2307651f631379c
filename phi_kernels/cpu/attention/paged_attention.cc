// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of paged_attention. Keys are seen in runs of kPagedKeys, cut at multiples of it. A run
// gives each row its largest score, the sum of its exponentials and of the values weighted with
// them, whoever computes it; the runs of a row are joined in order. So neither the number of
// threads nor the other rows change a result.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/attention/attention_problem.h"
#include "phi_kernels/cpu/attention/paged_cache.h"
#include "phi_kernels/cpu/attention/paged_halves.h"
#include "phi_kernels/cpu/attention/paged_tile.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {
namespace {

// Rows (tokens times heads of a group) that share the keys of a run, unless one token has more.
constexpr int64_t kTileRows = 64;
// From so many rows on, keys and values are made float32 once.
constexpr int64_t kManyRows = 9;
// Numbers of a head at most that are multiplied on matrix tiles.
constexpr int64_t kMostDepth = 512;
// Products of numbers that are worth a thread.
constexpr int64_t kGrain = 16384;
constexpr float kHidden = -std::numeric_limits<float>::infinity();

// Keys [first, last) that a row of a sequence sees.
struct Seen {
  int64_t first, last;
};

// The operands that tell where things lie, checked.
struct Sequences {
  Tensor tables, starts, lengths;
  int64_t count, most_blocks;

  const int32_t* table(int64_t s) const { return tables.data<int32_t>() + s * most_blocks; }
  int64_t start(int64_t s) const { return starts.data<int32_t>()[s]; }
  int64_t rows(int64_t s) const { return start(s + 1) - start(s); }
  int64_t length(int64_t s) const { return lengths.data<int32_t>()[s]; }
  Seen seen(int64_t s, int64_t row, int64_t window) const {
    const int64_t position = length(s) - rows(s) + row;
    return {window > 0 ? std::max<int64_t>(0, position + 1 - window) : 0, position + 1};
  }
};

// arguments: q, cache, tables, starts, lengths
Sequences sequences_of(const KernelContext& c, const PagedCache& cache, int64_t window) {
  Sequences s{c.in_tensor(2).contiguous_copy_if_needed(),
              c.in_tensor(3).contiguous_copy_if_needed(),
              c.in_tensor(4).contiguous_copy_if_needed(), 0, 0};
  s.count = s.lengths.numel();
  s.most_blocks = s.tables.shape()[1].value();
  const int64_t tokens = c.in(0).shape[0].value();
  PADDLE_CHECK_INDEX(s.start(0) == 0 && s.start(s.count) <= tokens,
                     "paged_attention: starts goes from ", s.start(0), " to ", s.start(s.count),
                     " and q has ", tokens, " rows; it must begin with 0 and end within them.");
  for (int64_t i = 0; i < s.count; ++i) {
    const int64_t rows = s.rows(i), length = s.length(i);
    PADDLE_CHECK_INDEX(rows >= 0, "paged_attention: starts goes from ", s.start(i), " to ",
                       s.start(i + 1), " at sequence ", i, "; it must not fall.");
    PADDLE_CHECK_INDEX(length >= rows && length <= s.most_blocks * cache.block_size,
                       "paged_attention: lengths holds ", length, " for sequence ", i,
                       ", which has ", rows, " rows and a table of ", s.most_blocks, " blocks of ",
                       cache.block_size, "; it must lie in [", rows, ", ",
                       s.most_blocks * cache.block_size, "].");
    if (rows == 0) continue;
    const int64_t first = s.seen(i, 0, window).first / cache.block_size;
    const int64_t last = (length - 1) / cache.block_size;
    const int32_t* const table = s.table(i);
    for (int64_t b = first; b <= last; ++b) {
      PADDLE_CHECK_INDEX(table[b] >= 0 && table[b] < cache.blocks, "paged_attention: tables holds ",
                         table[b], " for block ", b, " of sequence ", i, "; the cache has ",
                         cache.blocks, " blocks, so it must lie in [0, ", cache.blocks, ").");
    }
  }
  return s;
}

struct Options {
  float scale, soft_cap;
  int64_t window;
  const float* sinks;  // by head, or null
};

// What rows have of the keys that were seen so far.
struct State {
  std::vector<float> top, total, sums;

  State(int64_t rows, int64_t padded)
      : top(static_cast<size_t>(rows)),
        total(top.size()),
        sums(static_cast<size_t>(rows * padded)) {}
  void clear() {
    std::fill(top.begin(), top.end(), kHidden);
    std::fill(total.begin(), total.end(), 0.0f);
    std::fill(sums.begin(), sums.end(), 0.0f);
  }
};

// Rows of one sequence that see the same heads of keys: `tokens` tokens from `token` on.
struct Item {
  int64_t sequence, head, token, tokens;
  int64_t first_run, runs;
  int64_t keys;  // that some row sees
};

// Inputs and sizes of a call.
template <typename T>
struct Problem {
  const T* q;
  int64_t q_token, q_head;  // strides
  T* out;
  int64_t heads, group, depth, padded;
  PagedCache cache;
  const PagedCache* values;  // null: those of `cache`
  Sequences sequences;
  Options options;

  const PagedRows& key_rows() const { return cache.rows[0]; }
  const PagedRows& value_rows() const { return values ? values->rows[0] : cache.rows[1]; }
  int64_t rows(const Item& i) const { return i.tokens * group; }
};

// Numbers that begin with a line of the cache, as rows of tiles should.
template <typename A>
class Lines {
 public:
  void resize(int64_t n) {
    const auto bytes = static_cast<size_t>(n) * sizeof(A);
    room_.reset(static_cast<A*>(::operator new(bytes, kLine)));
  }
  A* data() const { return room_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(A* p) const { ::operator delete(p, kLine); }
  };
  std::unique_ptr<A, Free> room_;
};

template <typename T>
class Worker {
 public:
  Worker(const Problem<T>& p, int64_t most_rows)
      : p_(p), begin_(size(most_rows)), end_(size(most_rows)) {
    q_.resize(most_rows * p.padded);
    std::fill_n(q_.data(), most_rows * p.padded, 0.0f);
    scores_.resize(most_rows * kPagedKeys);
    const DType type = p.cache.type;
    // Whatever the rows are, so that these do not depend on each other.
    on_tiles_ = has_paged_halves() && p.depth <= kMostDepth && type == DType::kBFloat16;
    if (on_tiles_) {
      halves_.begin();
      query_halves_.resize(halves_.query_room(most_rows, p.depth));
      value_halves_.resize(halves_.value_room(p.depth));
    } else if (is_packed(type)) {
      room_.resize(kPassKeys * p.padded);
      std::fill_n(room_.data(), kPassKeys * p.padded, 0.0f);
    } else if (most_rows >= kManyRows && type != DType::kFloat32) {
      wide_.resize(2 * kPagedKeys * p.padded);
    }
  }
  ~Worker() {
    if (on_tiles_) halves_.end();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void take(const Item& item) {
    item_ = &item;
    for (int64_t r = 0; r < p_.rows(item); ++r) {
      const int64_t token = p_.sequences.start(item.sequence) + item.token + r / p_.group;
      const int64_t head = item.head * p_.group + r % p_.group;
      float* const to = q_.data() + r * p_.padded;
      convert(p_.q + token * p_.q_token + head * p_.q_head, to, p_.depth);
      rk_.scale(to, p_.options.scale, to, p_.depth);
      rotate(to);
    }
    if (on_tiles_) {
      halves_.pack_queries(q_.data(), p_.rows(item), p_.depth, p_.padded, query_halves_.data());
    }
  }

  // Of the item's run of keys, into a state that is clear.
  void run(int64_t index, State& s) {
    const int64_t rows = p_.rows(*item_), k0 = index * kPagedKeys;
    int64_t first = kPagedKeys, last = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const Seen seen =
          p_.sequences.seen(item_->sequence, item_->token + r / p_.group, p_.options.window);
      begin_[size(r)] = std::clamp<int64_t>(seen.first - k0, 0, kPagedKeys);
      end_[size(r)] = std::clamp<int64_t>(seen.last - k0, 0, kPagedKeys);
      if (end_[size(r)] <= begin_[size(r)]) continue;
      first = std::min(first, begin_[size(r)]);
      last = std::max(last, end_[size(r)]);
    }
    if (first >= last) return;
    find_rows(k0, first, last);
    PagedTile t{p_.cache.type,  rows,          p_.depth,    p_.padded,     p_.cache.row_bytes(),
                q_.data(),      keys_,         values_,     begin_.data(), end_.data(),
                scores_.data(), s.sums.data(), room_.data()};
    if (is_quantised(t.type)) read_scales(first, last);
    if (on_tiles_) return multiply_on_tiles(t, first, last, s);
    if (rows >= kManyRows && t.type != DType::kFloat32 && !is_packed(t.type)) {
      widen(first, last, t);
    }
    kernels_.multiply_keys(t);
    for (int64_t r = 0; r < rows; ++r) exponentials(r, s);
    kernels_.add_values(t);
  }

  // The runs so far and the next one.
  void join(State& s, State& next) const {
    for (int64_t r = 0; r < p_.rows(*item_); ++r) {
      const size_t at = size(r);
      if (next.top[at] == kHidden) continue;
      join_row(r, next.top[at], next.total[at], next.sums.data() + r * p_.padded, s);
    }
  }

  void finish(State& s) const {
    for (int64_t r = 0; r < p_.rows(*item_); ++r) {
      const int64_t head = item_->head * p_.group + r % p_.group;
      if (p_.options.sinks) join_row(r, p_.options.sinks[head], 1, nullptr, s);
      const float total = s.total[size(r)];
      float* const sums = s.sums.data() + r * p_.padded;
      rk_.scale(sums, total == 0 ? 0.0f : 1 / total, sums, p_.depth);
      rotate(sums);
      const int64_t token = p_.sequences.start(item_->sequence) + item_->token + r / p_.group;
      convert(sums, p_.out + (token * p_.heads + head) * p_.depth, p_.depth);
    }
  }

 private:
  static size_t size(int64_t n) { return static_cast<size_t>(n); }

  const Problem<T>& p_;
  const RowKernels<float>& rk_ = rows<float>();
  const PagedTileKernels& kernels_ = paged_tile_kernels();
  const PagedHalvesKernels& halves_ = kPagedHalves_amx;
  const Item* item_ = nullptr;
  bool on_tiles_ = false;  // products are made there, and their registers set up
  Lines<float> q_, scores_, wide_, room_;
  Lines<uint16_t> query_halves_, value_halves_;
  std::vector<int64_t> begin_, end_;
  const char *keys_[kPagedKeys], *values_[kPagedKeys];
  float key_scales_[kPagedKeys], value_scales_[kPagedKeys];

  // As the rows of a quantised cache are rotated, or back.
  void rotate(float* x) const {
    if (is_quantised(p_.cache.type)) kernels_.rotate(x, rotated_block(p_.depth), p_.depth);
  }

  static PagedTile row_of(const PagedTile& t, int64_t r) {
    PagedTile one = t;
    one.rows = 1;
    one.q += r * t.padded;
    one.begin += r;
    one.end += r;
    one.scores += r * kPagedKeys;
    one.sums += r * t.padded;
    return one;
  }

  void multiply_on_tiles(const PagedTile& t, int64_t first, int64_t last, State& s) {
    halves_.multiply_keys(t, query_halves_.data());
    for (int64_t r = 0; r < t.rows; ++r) {
      exponentials(r, s);
      if (s.top[size(r)] == s.top[size(r)]) continue;
      kernels_.multiply_keys(row_of(t, r));  // what infinities give
      exponentials(r, s);
    }
    halves_.sum_values(t, first, last, value_halves_.data());
    for (int64_t r = 0; r < t.rows; ++r) {
      float* const sums = t.sums + r * t.padded;
      float all = 0;
      for (int64_t d = 0; d < t.depth; ++d) all += sums[d] * 0.0f;
      if (all == 0) continue;
      std::fill_n(sums, t.depth, 0.0f);  // the row may not see what is not finite
      kernels_.add_values(row_of(t, r));
    }
  }

  // Addresses of keys [first, last) of a run; the others get those of the nearest.
  void find_rows(int64_t k0, int64_t first, int64_t last) {
    const int64_t block_size = p_.cache.block_size, head = item_->head;
    const int32_t* const table = p_.sequences.table(item_->sequence);
    const PagedRows &key = p_.key_rows(), &value = p_.value_rows();
    for (int64_t j = first; j < last;) {
      const int64_t block = (k0 + j) / block_size, offset = (k0 + j) % block_size;
      const int64_t count = std::min(block_size - offset, last - j);
      const char* const k = key.at(table[block], head, offset);
      const char* const v = value.at(table[block], head, offset);
      for (int64_t i = 0; i < count; ++i) {
        keys_[j + i] = k + i * key.row;
        values_[j + i] = v + i * value.row;
      }
      j += count;
    }
    const auto fill_edges = [&](const char** rows) {
      std::fill(rows, rows + first, rows[first]);
      std::fill(rows + last, rows + kPagedKeys, rows[last - 1]);
    };
    fill_edges(keys_);
    fill_edges(values_);
  }

  void read_scales(int64_t first, int64_t last) {
    float16 narrow[kPagedKeys];
    const int64_t place = scale_place(p_.cache.type, p_.depth);
    const auto read = [&](const char* const* rows, float* to) {
      for (int64_t j = first; j < last; ++j) {
        std::memcpy(narrow + j, rows[j] + place, kScaleBytes);
      }
      convert(narrow + first, to + first, last - first);
    };
    read(keys_, key_scales_);
    read(values_, value_scales_);
  }

  void widen(int64_t first, int64_t last, PagedTile& t) {
    float* const k = wide_.data();
    float* const v = k + kPagedKeys * p_.padded;
    kernels_.widen(t.type, keys_, first, last, p_.depth, p_.padded, k);
    kernels_.widen(t.type, values_, first, last, p_.depth, p_.padded, v);
    for (int64_t j = 0; j < kPagedKeys; ++j) {
      const int64_t at = std::clamp(j, first, last - 1) * p_.padded;
      keys_[j] = reinterpret_cast<const char*>(k + at);
      values_[j] = reinterpret_cast<const char*>(v + at);
    }
    t.type = DType::kFloat32;
  }

  // Products of row r become exponentials, with their largest and their sum in the state.
  void exponentials(int64_t r, State& s) {
    const int64_t begin = begin_[size(r)], n = end_[size(r)] - begin;
    if (n <= 0) return;
    float* const row = scores_.data() + r * kPagedKeys + begin;
    const bool quantised = is_quantised(p_.cache.type);
    for (int64_t j = 0; quantised && j < n; ++j) row[j] *= key_scales_[begin + j];
    if (p_.options.soft_cap > 0) kernels_.soft_cap(row, n, p_.options.soft_cap);
    const float top = rk_.max(row, n);
    s.top[size(r)] = top;
    s.total[size(r)] = rk_.exp_shift(row, safe_shift(top), row, n);
    for (int64_t j = 0; quantised && j < n; ++j) row[j] *= value_scales_[begin + j];
  }

  // Joins what some keys give to row r; a sink has no sums.
  void join_row(int64_t r, float top, float total, const float* sums, State& s) const {
    const size_t at = size(r);
    float* const own = s.sums.data() + r * p_.padded;
    const float most = top > s.top[at] || top != top ? top : s.top[at];
    if (most == kHidden) return;
    const float fade = std::exp(s.top[at] - most), share = std::exp(top - most);
    s.top[at] = most;
    s.total[at] = s.total[at] * fade + total * share;
    if (fade != 1) rk_.scale(own, fade, own, p_.depth);
    if (sums) rk_.axpy(share, sums, own, p_.depth);
  }
};

template <typename T>
std::vector<Item> items_of(const Problem<T>& p) {
  std::vector<Item> items;
  const int64_t height = std::max<int64_t>(1, kTileRows / std::max<int64_t>(1, p.group));
  for (int64_t s = 0; s < p.sequences.count; ++s) {
    const int64_t tokens = p.sequences.rows(s);
    for (int64_t token = 0; token < tokens; token += height) {
      const int64_t n = std::min(height, tokens - token);
      const int64_t first = p.sequences.seen(s, token, p.options.window).first;
      const int64_t last = p.sequences.seen(s, token + n - 1, p.options.window).last;
      const int64_t run = first / kPagedKeys, runs = (last - 1) / kPagedKeys + 1 - run;
      for (int64_t head = 0; head < p.cache.heads; ++head) {
        items.push_back({s, head, token, n, run, runs, last - first});
      }
    }
  }
  return items;
}

// Whole items are enough for all threads.
template <typename T>
void attend_items(const Problem<T>& p, const std::vector<Item>& items, int64_t most_rows,
                  int64_t grain) {
  parallel_for(0, static_cast<int64_t>(items.size()), grain, [&](int64_t begin, int64_t end) {
    Worker<T> worker(p, most_rows);
    State all(most_rows, p.padded), next(most_rows, p.padded);
    for (int64_t i = begin; i < end; ++i) {
      const Item& item = items[static_cast<size_t>(i)];
      worker.take(item);
      all.clear();
      for (int64_t run = 0; run < item.runs; ++run) {
        next.clear();
        worker.run(item.first_run + run, next);
        worker.join(all, next);
      }
      worker.finish(all);
    }
  });
}

// Each run by itself.
template <typename T>
void attend_runs(const Problem<T>& p, const std::vector<Item>& items, int64_t most_rows) {
  struct Run {
    size_t item;
    int64_t index;
  };
  std::vector<Run> runs;
  std::vector<size_t> first;  // run of each item
  for (size_t i = 0; i < items.size(); ++i) {
    first.push_back(runs.size());
    for (int64_t k = 0; k < items[i].runs; ++k) runs.push_back({i, items[i].first_run + k});
  }
  std::vector<State> states(runs.size(), State(most_rows, p.padded));
  parallel_for(0, static_cast<int64_t>(runs.size()), 1, [&](int64_t begin, int64_t end) {
    Worker<T> worker(p, most_rows);
    for (int64_t k = begin; k < end; ++k) {
      const Run& run = runs[static_cast<size_t>(k)];
      State& state = states[static_cast<size_t>(k)];
      worker.take(items[run.item]);
      state.clear();
      worker.run(run.index, state);
    }
  });
  Worker<T> worker(p, most_rows);
  State all(most_rows, p.padded);
  for (size_t i = 0; i < items.size(); ++i) {
    worker.take(items[i]);
    all.clear();
    for (int64_t k = 0; k < items[i].runs; ++k) {
      worker.join(all, states[first[i] + static_cast<size_t>(k)]);
    }
    worker.finish(all);
  }
}

Tensor with_dense_rows(const Tensor& t) {
  const size_t last = t.shape().size() - 1;
  return t.shape()[last] == Dim(1) || t->strides[last] == 1 ? t : t.contiguous_copy_if_needed();
}

// arguments: q, cache, tables, starts, lengths, sinks, scale, window, soft_cap, value_cache
template <typename T>
void attention_kernel(KernelContext& c) {
  const Tensor q = with_dense_rows(c.in_tensor(0)), cache = with_dense_rows(c.in_tensor(1));
  const Tensor value_cache = c.has(9) ? with_dense_rows(c.in_tensor(9)) : Tensor();
  std::vector<float> sinks;
  if (c.has(5)) {
    const Tensor given = c.in_tensor(5).contiguous_copy_if_needed();
    sinks.resize(static_cast<size_t>(given.numel()));
    loop_tables.convert[static_cast<int>(given.dtype())][static_cast<int>(DType::kFloat32)](
        given.numel(), sinks.data(), given->data(), 1);
  }
  const PagedCache keys(*cache.impl());
  const PagedCache values(value_cache.defined() ? *value_cache.impl() : *cache.impl());
  const Shape& shape = q.shape();
  const int64_t heads = shape[1].value(), depth = shape[2].value();
  const int64_t window = c.i(7);
  Problem<T> p{q.numel() ? q.data<T>() : nullptr,
               q->strides[0],
               q->strides[1],
               c.out_data<T>(0),
               heads,
               keys.heads ? heads / keys.heads : 0,
               depth,
               is_packed(keys.type) ? whole_units(depth)
                                    : (depth + kPagedLanes - 1) / kPagedLanes * kPagedLanes,
               keys,
               value_cache.defined() ? &values : nullptr,
               sequences_of(c, keys, window),
               {static_cast<float>(c.f(6)), static_cast<float>(c.f(8)), window,
                c.has(5) ? sinks.data() : nullptr}};
  const int64_t used = p.sequences.start(p.sequences.count);
  if (c.out(0).numel == 0) return;
  std::fill(p.out + used * heads * depth, p.out + c.out(0).numel, T(0.0f));
  const std::vector<Item> items = items_of(p);
  int64_t most_rows = 0, runs = 0, work = 0;
  for (const Item& i : items) {
    most_rows = std::max(most_rows, p.rows(i));
    runs += i.runs;
    work += i.keys * p.rows(i) * depth;
  }
  const auto count = static_cast<int64_t>(items.size());
  // Enough items for threads to share evenly, or nothing to share.
  constexpr int64_t kEven = 4;
  if (num_threads() == 1 || must_run_serially() || count >= kEven * num_threads() ||
      runs < 2 * count || work < 2 * kGrain) {
    attend_items(p, items, most_rows,
                 std::max<int64_t>(1, kGrain * count / std::max<int64_t>(1, work)));
  } else {
    attend_runs(p, items, most_rows);
  }
}

}  // namespace

void register_paged_attention_cpu(Registry& r) {
  r.kernel("paged_attention", DeviceKind::kCpu, {DType::kFloat32}, attention_kernel<float>, true);
  r.kernel("paged_attention", DeviceKind::kCpu, {DType::kFloat16}, attention_kernel<float16>, true);
  r.kernel("paged_attention", DeviceKind::kCpu, {DType::kBFloat16}, attention_kernel<bfloat16>,
           true);
}

}  // namespace paddle::cpu
