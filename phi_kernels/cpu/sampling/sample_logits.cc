// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of sample_logits. A first pass reads the rows once, cut into parts of kPart logits: of
// each part it takes the largest and the sums of exponentials relative to it. Then one thread cuts
// and draws from a row. Sums have an order of their own, so the number of threads changes nothing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/context.h"
#include "paddle_core/device/generator.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/rows.h"
#include "phi_kernels/cpu/sampling/select.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kPart = 2048;
constexpr int64_t kPartGrain = 16;  // parts that are worth a thread
constexpr int64_t kWalked = 1024;   // weights of a list that are added up at once
// Temperatures below it would make the logits' own rounding decide.
constexpr float kGreedy = 1e-5f;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// What is asked of a row; 0 tokens, 1 and 0 of the shares cut nothing.
struct Rule {
  bool greedy;
  float temperature, inverse;
  int64_t top_k;
  float top_p, min_p;

  bool cuts() const { return !greedy && (top_k > 0 || top_p < 1 || min_p > 0); }
  // Whether the exponentials of all logits are added up: their share decides.
  bool weighs_all() const { return !greedy && top_k == 0; }
};

// Of a part of a row: the largest logit, and sums relative to it of exp(logit) and
// exp(logit / temperature).
struct Part {
  float top = -kInfinity, sum = 0, weight = 0;
};

// arguments: logits, temperature, top_k, top_p, min_p, seeds, positions, num_best, want_log_probs
template <typename T>
class Sampler {
 public:
  explicit Sampler(KernelContext& c)
      : logits_(c.in_data<T>(0)),
        rows_(c.in(0).shape[0].value()),
        vocab_(c.in(0).shape[1].value()),
        parts_((vocab_ + kPart - 1) / kPart),
        seeds_(c.in_data<int64_t>(5)),
        positions_(c.in_data<int64_t>(6)),
        num_best_(c.i(7)),
        wants_sums_(c.b(8) || num_best_ > 0),
        tokens_(c.out_data<int32_t>(0)),
        log_probs_(c.b(8) ? c.out_data<float>(1) : nullptr),
        best_(c.out_data<int32_t>(2)),
        best_log_probs_(c.out_data<float>(3)),
        found_(static_cast<size_t>(rows_ * parts_)) {
    for (int64_t r = 0; r < rows_; ++r) rules_.push_back(rule_of(c, r));
  }

  void run() {
    parallel_for(0, rows_ * parts_, kPartGrain, [&](int64_t begin, int64_t end) {
      alignas(64) float wide[kPart];
      alignas(64) float work[kPart];
      for (int64_t i = begin; i < end; ++i) {
        found_[static_cast<size_t>(i)] = sums_of(i / parts_, i % parts_, wide, work);
      }
    });
    const bool needs_room = num_best_ > 0 || std::any_of(rules_.begin(), rules_.end(),
                                                         [](auto& r) { return r.cuts(); });
    parallel_for(0, rows_, 1, [&](int64_t begin, int64_t end) {
      const int64_t length = needs_room ? vocab_ + kEntrySlack : 0;
      const Scratch memory(host_context(),
                           static_cast<size_t>(length) * kArrays * sizeof(float) + 1);
      Room room(static_cast<float*>(memory.data()), length);
      for (int64_t r = begin; r < end; ++r) sample(r, room);
    });
  }

 private:
  // Arrays of a whole row: lists of entries, and the logits in float32.
  static constexpr int64_t kArrays = 10;
  struct Room {
    Entries list, other, third;
    float* wide;
    int64_t wide_row = -1;  // whose logits `wide` holds

    Room(float* p, int64_t n) {
      const auto next = [&] {
        float* const now = p;
        p += n;
        return now;
      };
      for (Entries* e : {&list, &other, &third}) {
        e->key = next();
        e->weight = next();
        e->id = reinterpret_cast<int32_t*>(next());
      }
      wide = next();
    }
  };

  static size_t size(int64_t n) { return static_cast<size_t>(n); }

  const T* logits_;
  int64_t rows_, vocab_, parts_;
  const int64_t *seeds_, *positions_;
  int64_t num_best_;
  bool wants_sums_;
  int32_t* tokens_;
  float* log_probs_;  // null where not wanted
  int32_t* best_;
  float* best_log_probs_;
  std::vector<Rule> rules_;
  std::vector<Part> found_;
  const RowKernels<float>& rk_ = rows<float>();
  const SamplingKernels& kernels_ = sampling_kernels();

  Rule rule_of(const KernelContext& c, int64_t r) const {
    const float temperature = c.in_data<float>(1)[r];
    const int32_t top_k = c.in_data<int32_t>(2)[r];
    const float top_p = c.in_data<float>(3)[r], min_p = c.in_data<float>(4)[r];
    const auto require = [&](bool holds, const char* name, auto value, const char* rule) {
      PADDLE_CHECK_VALUE(holds, "sample_logits: ", name, " holds ", value, " for row ", r,
                         "; it must ", rule, ".");
    };
    require(temperature >= 0 && std::isfinite(temperature), "temperature", temperature,
            "be finite and not negative; 0 takes the largest logit");
    require(top_k >= 0, "top_k", top_k, "not be negative; 0 keeps all tokens");
    require(top_p > 0 && top_p <= 1, "top_p", top_p, "lie in (0, 1]; 1 keeps all tokens");
    require(min_p >= 0 && min_p <= 1, "min_p", min_p, "lie in [0, 1]; 0 keeps all tokens");
    return {temperature < kGreedy,      temperature, 1 / temperature,
            top_k < vocab_ ? top_k : 0, top_p,       min_p};
  }

  const T* part_at(int64_t r, int64_t part) const { return logits_ + r * vocab_ + part * kPart; }
  int64_t length_of(int64_t part) const { return std::min(kPart, vocab_ - part * kPart); }
  float logit(int64_t r, int64_t id) const { return static_cast<float>(logits_[r * vocab_ + id]); }

  static const float* widen(const T* x, int64_t n, float* wide) {
    if constexpr (std::is_same_v<T, float>) {
      return x;
    } else {
      loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(DType::kFloat32)](
          n, wide, x, 1);
      return wide;
    }
  }
  const float* wide_row(int64_t r, Room& room) const {
    if (room.wide_row == r) return room.wide;
    const float* const row = widen(logits_ + r * vocab_, vocab_, room.wide);
    if (!std::is_same_v<T, float>) room.wide_row = r;
    return row;
  }

  // out = exp((x - top) * inverse), out may be x; their sum.
  float weigh(const float* x, int64_t n, float top, float inverse, float* out) const {
    if (inverse == 1) return rk_.exp_shift(x, top, out, n);
    rk_.affine(x, top, inverse, nullptr, nullptr, out, n);
    return rk_.exp_shift(out, 0, out, n);
  }

  Part sums_of(int64_t r, int64_t part, float* wide, float* work) const {
    const int64_t n = length_of(part);
    const float* const x = widen(part_at(r, part), n, wide);
    const Rule& rule = rules_[size(r)];
    Part p;
    p.top = rk_.max(x, n);
    if (!std::isfinite(p.top)) return p;
    if (wants_sums_) p.sum = rk_.exp_shift(x, p.top, nullptr, n);
    if (!rule.weighs_all()) return p;
    p.weight = wants_sums_ && rule.inverse == 1 ? p.sum : weigh(x, n, p.top, rule.inverse, work);
    return p;
  }

  void sample(int64_t r, Room& room) const {
    const Part* const parts = found_.data() + r * parts_;
    const Rule& rule = rules_[size(r)];
    float top = -kInfinity;
    for (int64_t p = 0; p < parts_; ++p) {
      if (!(parts[p].top <= top)) top = parts[p].top;
      if (top != top) break;
    }
    if (!std::isfinite(top)) return fail(r);
    double sum = 0;
    for (int64_t p = 0; wants_sums_ && p < parts_; ++p) {
      sum += static_cast<double>(parts[p].sum) *
             std::exp(static_cast<double>(parts[p].top) - static_cast<double>(top));
    }
    const double shift = static_cast<double>(top) + std::log(sum);
    const int64_t token = rule.greedy   ? place_of(r, top)
                          : rule.cuts() ? draw_cut(r, top, room)
                                        : draw_all(r, top);
    tokens_[r] = static_cast<int32_t>(token);
    if (log_probs_) {
      log_probs_[r] = static_cast<float>(static_cast<double>(logit(r, token)) - shift);
    }
    if (num_best_ > 0) write_best(r, shift, room);
  }

  // A row without a distribution.
  void fail(int64_t r) const {
    tokens_[r] = -1;
    if (log_probs_) log_probs_[r] = kNan;
    std::fill_n(best_ + r * num_best_, num_best_, -1);
    std::fill_n(best_log_probs_ + r * num_best_, num_best_, kNan);
  }

  // The first token with the largest logit.
  int64_t place_of(int64_t r, float top) const {
    int64_t part = 0;
    while (found_[size(r * parts_ + part)].top != top) ++part;
    const T* const x = part_at(r, part);
    int64_t i = 0;
    while (static_cast<float>(x[i]) != top) ++i;
    return part * kPart + i;
  }

  // [0, 1), of the row's seed and position alone
  double uniform(int64_t r) const {
    const auto bits =
        philox({static_cast<uint64_t>(seeds_[r]), 0}, static_cast<uint64_t>(positions_[r]));
    const uint64_t word = uint64_t{bits[1]} << 32 | bits[0];
    return static_cast<double>(word >> 11) * 0x1.0p-53;
  }

  // The first i with weight[0] + ... + weight[i] > from; the last one that weighs something where
  // rounding leaves none.
  static int64_t walk(const float* weight, int64_t n, double from) {
    double sum = 0;
    int64_t last = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (weight[i] > 0) last = i;
      sum += static_cast<double>(weight[i]);
      if (sum > from) return i;
    }
    return last;
  }
  // The same for weights that are added up in parts; rest: what is left of `from` in that part.
  static int64_t walk_parts(const std::vector<double>& weight, double from, double& rest) {
    double sum = 0;
    size_t last = 0;
    for (size_t i = 0; i < weight.size(); ++i) {
      if (weight[i] <= 0) continue;
      last = i;
      rest = from - sum;
      sum += weight[i];
      if (sum > from) break;
    }
    return static_cast<int64_t>(last);
  }

  // Of the whole row: a part, then a token in it.
  int64_t draw_all(int64_t r, float top) const {
    const Part* const parts = found_.data() + r * parts_;
    const double inverse = static_cast<double>(rules_[size(r)].inverse);
    std::vector<double> weights;
    double all = 0;
    for (int64_t p = 0; p < parts_; ++p) {
      weights.push_back(scaled(parts[p], top, inverse));
      all += weights.back();
    }
    double rest = 0;
    const int64_t part = walk_parts(weights, uniform(r) * all, rest);
    const float part_top = parts[part].top;
    alignas(64) float wide[kPart];
    alignas(64) float weight[kPart];
    const int64_t n = length_of(part);
    weigh(widen(part_at(r, part), n, wide), n, part_top, rules_[size(r)].inverse, weight);
    rest *= static_cast<double>(parts[part].weight) / weights[size(part)];
    return part * kPart + walk(weight, n, rest);
  }
  static double scaled(const Part& p, float top, double inverse) {
    if (p.weight == 0) return 0;
    return static_cast<double>(p.weight) *
           std::exp((static_cast<double>(p.top) - static_cast<double>(top)) * inverse);
  }

  // The k-th largest of the parts' largest logits: k logits at least are not less.
  float bound_of(int64_t r, int64_t k) const {
    if (k > parts_) return -kInfinity;
    std::vector<float> tops;
    for (int64_t p = 0; p < parts_; ++p) tops.push_back(found_[size(r * parts_ + p)].top);
    std::nth_element(tops.begin(), tops.begin() + (k - 1), tops.end(), std::greater<>());
    return tops[size(k - 1)];
  }

  // Fills room.list with the k largest logits of a row, of equal ones those of the lower tokens, in
  // the order of tokens.
  void keep_largest(int64_t r, int64_t k, Room& room) const {
    Entries& likely = room.other;
    kernels_.narrow(EntriesView(wide_row(r, room), vocab_), bound_of(r, k), kInfinity, likely);
    const EntriesView from(unweighted(likely));
    const Cut cut = select_first(from, static_cast<double>(likely.count), static_cast<double>(k),
                                 room.third, room.list);
    keep_first(from, cut, room.list);
  }
  static Entries unweighted(Entries e) {
    e.weight = nullptr;
    return e;
  }

  int64_t draw_cut(int64_t r, float top, Room& room) const {
    const Rule& rule = rules_[size(r)];
    Entries& list = room.list;
    double all = 0;
    if (rule.top_k > 0) {
      keep_largest(r, rule.top_k, room);
    } else {
      const Part* const parts = found_.data() + r * parts_;
      for (int64_t p = 0; p < parts_; ++p) {
        all += scaled(parts[p], top, static_cast<double>(rule.inverse));
      }
      kernels_.narrow(EntriesView(wide_row(r, room), vocab_), least_of(rule, top, all), kInfinity,
                      list);
    }
    weigh(list.key, list.count, top, rule.inverse, list.weight);
    if (rule.top_k > 0) all = sum_of(list);
    if (rule.top_p < 1) {
      const Cut cut = select_first(list, sum_of(list), static_cast<double>(rule.top_p) * all,
                                   room.other, room.third);
      keep_first(list, cut, list);
    }
    if (rule.min_p > 0) keep_likely(rule.min_p, list);
    return draw_of(list, uniform(r));
  }

  // A logit below which no token is kept. The tokens whose weight is less than a part
  // (1 - top_p) / vocab of all weigh less than 1 - top_p together; likewise with min_p.
  float least_of(const Rule& rule, float top, double all) const {
    double weight = 0;
    if (rule.top_p < 1) {
      weight = (1 - static_cast<double>(rule.top_p)) * all / static_cast<double>(vocab_);
    } else if (rule.min_p > 0) {
      weight = static_cast<double>(rule.min_p);
    }
    // Room for the rounding of weights and sums.
    constexpr double kRoom = 0.01;
    return static_cast<float>(static_cast<double>(top) +
                              static_cast<double>(rule.temperature) * (std::log(weight) - kRoom));
  }

  double sum_of(const Entries& e) const {
    double sum = 0;
    for (int64_t i = 0; i < e.count; i += kWalked) {
      sum += static_cast<double>(rk_.sum(e.weight + i, std::min(kWalked, e.count - i)));
    }
    return sum;
  }

  // Entries that weigh at least `least`; the largest logit weighs 1.
  void keep_likely(float least, Entries& list) const {
    Entries turned = list;
    std::swap(turned.key, turned.weight);
    kernels_.narrow(turned, least, kInfinity, turned);
    list.count = turned.count;
  }

  int64_t draw_of(const Entries& list, double share) const {
    std::vector<double> weights;
    for (int64_t i = 0; i < list.count; i += kWalked) {
      weights.push_back(
          static_cast<double>(rk_.sum(list.weight + i, std::min(kWalked, list.count - i))));
    }
    double all = 0, rest = 0;
    for (const double w : weights) all += w;
    const int64_t begin = walk_parts(weights, share * all, rest) * kWalked;
    const int64_t n = std::min(kWalked, list.count - begin);
    return list.id[begin + walk(list.weight + begin, n, rest)];
  }

  void write_best(int64_t r, double shift, Room& room) const {
    Entries& list = room.list;
    keep_largest(r, num_best_, room);
    std::vector<int32_t> order(size(num_best_));
    for (int64_t i = 0; i < num_best_; ++i) order[size(i)] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return list.key[a] > list.key[b]; });
    for (int64_t i = 0; i < num_best_; ++i) {
      best_[r * num_best_ + i] = list.id[order[size(i)]];
      best_log_probs_[r * num_best_ + i] =
          static_cast<float>(static_cast<double>(list.key[order[size(i)]]) - shift);
    }
  }
};

template <typename T>
void sample_kernel(KernelContext& c) {
  Sampler<T>(c).run();
}

}  // namespace

void register_sample_logits_cpu(Registry& r) {
  r.kernel("sample_logits", DeviceKind::kCpu, {DType::kFloat32}, sample_kernel<float>);
  r.kernel("sample_logits", DeviceKind::kCpu, {DType::kFloat16}, sample_kernel<float16>);
  r.kernel("sample_logits", DeviceKind::kCpu, {DType::kBFloat16}, sample_kernel<bfloat16>);
}

}  // namespace paddle::cpu
