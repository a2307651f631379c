// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Selection: an interval of keys in which the cut lies is narrowed by pivots from a sample until
// few entries are left, which are sorted.
#include "phi_kernels/cpu/sampling/select.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace paddle::cpu {
namespace {

constexpr int64_t kSorted = 256;  // entries at most that are sorted
constexpr int kSamples = 255;
// Distance of the pivots from where the sample has the cut, some deviations of that place.
constexpr int kMargin = 12;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Entry {
  float key, weight;
};
bool before(const Entry& a, const Entry& b) { return a.key > b.key; }
Entry entry(const EntriesView& e, int64_t i) { return {e.key[i], e.weight ? e.weight[i] : 1.0f}; }

struct Pivots {
  float low, high;
};

// `share`: of the weight of the entries, that of those before the cut.
Pivots pivots_of(const EntriesView& e, double share, bool one) {
  std::array<Entry, kSamples> sample;
  for (int i = 0; i < kSamples; ++i) {
    sample[static_cast<size_t>(i)] = entry(e, (2 * i + 1) * e.count / (2 * kSamples));
  }
  std::sort(sample.begin(), sample.end(), before);
  double all = 0, sum = 0;
  for (const Entry& s : sample) all += static_cast<double>(s.weight);
  int at = 0;
  for (; at < kSamples - 1; ++at) {
    sum += static_cast<double>(sample[static_cast<size_t>(at)].weight);
    if (sum >= share * all) break;
  }
  const auto key = [&](int i) { return sample[static_cast<size_t>(i)].key; };
  if (one) return {key(at), key(at)};
  return {at + kMargin < kSamples ? key(at + kMargin) : -kInfinity,
          at - kMargin >= 0 ? key(at - kMargin) : kInfinity};
}

}  // namespace

Cut select_first(const EntriesView& from, double weight, double need, Entries a, Entries b) {
  const SamplingKernels& kernels = sampling_kernels();
  EntriesView now = from;
  now.id = nullptr;
  a.id = b.id = nullptr;
  if (!from.weight) a.weight = b.weight = nullptr;
  double above = 0;         // weight of entries before those of `now`
  int64_t above_count = 0;  // their number
  bool one = false;         // whether one pivot is taken: two of them did not narrow enough
  Entries* spare[2] = {&a, &b};
  while (now.count > kSorted) {
    const Pivots p = pivots_of(now, (need - above) / weight, one);
    Entries next = *spare[0];
    Narrowed found = kernels.narrow(now, p.low, p.high, next);
    if (above + found.above_weight >= need) {
      found = kernels.narrow(now, std::nextafter(p.high, kInfinity), kInfinity, next);
    } else if (above + found.above_weight + found.kept_weight < need) {
      const int64_t passed = found.above + found.kept;
      if (passed == now.count) return {p.low, above_count + passed};
      above += found.above_weight + found.kept_weight;
      above_count += passed;
      found = kernels.narrow(now, -kInfinity, std::nextafter(p.low, -kInfinity), next);
    } else {
      above += found.above_weight;
      above_count += found.above;
      if (p.low == p.high) {
        const double each = found.kept_weight / static_cast<double>(found.kept);
        const double ties = std::ceil((need - above) / each);
        return {p.low,
                above_count + std::clamp<int64_t>(static_cast<int64_t>(ties), 1, found.kept)};
      }
    }
    one = next.count > now.count / 2;
    now = next;
    weight = found.kept_weight;
    std::swap(spare[0], spare[1]);
  }
  std::array<Entry, kSorted> last;
  for (int64_t i = 0; i < now.count; ++i) last[static_cast<size_t>(i)] = entry(now, i);
  const auto end = last.begin() + now.count;
  std::sort(last.begin(), end, before);
  for (auto it = last.begin(); it != end; ++it) {
    above += static_cast<double>(it->weight);
    ++above_count;
    if (above >= need || it + 1 == end) return {it->key, above_count};
  }
  return {-kInfinity, above_count};
}

void keep_first(const EntriesView& from, Cut cut, Entries& to) {
  sampling_kernels().narrow(from, cut.threshold, kInfinity, to);
  int64_t extra = to.count - cut.count;
  // The last ones of those that are equal go.
  for (int64_t i = to.count - 1; extra > 0; --i) {
    if (to.key[i] != cut.threshold) continue;
    --extra;
    to.key[i] = std::numeric_limits<float>::quiet_NaN();
  }
  if (to.count <= cut.count) return;
  EntriesView kept(to);
  if (!from.weight) kept.weight = nullptr;
  sampling_kernels().narrow(kept, cut.threshold, kInfinity, to);
}

}  // namespace paddle::cpu
