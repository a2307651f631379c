// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of adjust_logits.
#include <algorithm>
#include <cstring>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/sampling/sampling_kernels.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kEntryGrain = 4096;  // entries that are worth a thread
constexpr int64_t kMaskPart = 16384;   // tokens, a multiple of those of a word

struct Entry {
  const int32_t *rows, *ids, *counts;
  const float* biases;
};
struct Penalties {
  const float *presence, *frequency, *repetition;
};

void adjust(const Entry& e, const Penalties& p, int64_t i, float* logits, int64_t vocab) {
  const int32_t row = e.rows[i], count = e.counts[i];
  float& x = logits[row * vocab + e.ids[i]];
  float y = x;
  if (count >= 0) y = y > 0 ? y / p.repetition[row] : y * p.repetition[row];
  if (count > 0) y -= p.presence[row] + p.frequency[row] * static_cast<float>(count);
  x = y + e.biases[i];
}

// Whether the entries of a row stand one after the other, rows in order.
bool check_entries(const Entry& e, int64_t n, int64_t rows, int64_t vocab) {
  bool ordered = true;
  for (int64_t i = 0; i < n; ++i) {
    PADDLE_CHECK_INDEX(e.rows[i] >= 0 && e.rows[i] < rows, "adjust_logits: entry_rows holds ",
                       e.rows[i], " at position ", i, "; logits has ", rows,
                       " rows, so it must lie in [0, ", rows, ").");
    PADDLE_CHECK_INDEX(e.ids[i] >= 0 && e.ids[i] < vocab, "adjust_logits: entry_ids holds ",
                       e.ids[i], " at position ", i, "; logits has ", vocab,
                       " tokens, so it must lie in [0, ", vocab, ").");
    PADDLE_CHECK_VALUE(e.counts[i] >= -1, "adjust_logits: entry_counts holds ", e.counts[i],
                       " at position ", i,
                       "; it must be how often the token is in the answer, or -1 where it is "
                       "neither there nor in the prompt.");
    ordered = ordered && (i == 0 || e.rows[i] >= e.rows[i - 1]);
  }
  return ordered;
}

// arguments: logits, entry_rows, entry_ids, entry_counts, entry_biases, presence, frequency,
// repetition, allowed
void adjust_kernel(KernelContext& c) {
  const int64_t rows = c.in(0).shape[0].value(), vocab = c.in(0).shape[1].value();
  const int64_t n = c.in(1).numel;
  const Entry e{c.in_data<int32_t>(1), c.in_data<int32_t>(2), c.in_data<int32_t>(3),
                c.in_data<float>(4)};
  const Penalties p{c.in_data<float>(5), c.in_data<float>(6), c.in_data<float>(7)};
  for (int64_t r = 0; r < rows; ++r) {
    PADDLE_CHECK_VALUE(p.repetition[r] > 0, "adjust_logits: repetition holds ", p.repetition[r],
                       " for row ", r, "; it must be positive; 1 changes nothing.");
  }
  const bool ordered = check_entries(e, n, rows, vocab);
  auto* const logits = c.out_data<float>(0);
  if (logits != c.in(0).data() && c.in(0).numel) {
    const auto* const from = c.in_data<float>(0);
    parallel_for(0, rows * vocab, kMaskPart, [&](int64_t begin, int64_t end) {
      std::memcpy(logits + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(float));
    });
  }
  // A row's entries in their order: a token may have several.
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) adjust(e, p, i, logits, vocab);
  };
  if (ordered && n > kEntryGrain) {
    const int64_t each = std::max<int64_t>(1, kEntryGrain * rows / n);
    parallel_for(0, rows, each, [&](int64_t begin, int64_t end) {
      const auto first = [&](int64_t row) {
        return std::lower_bound(e.rows, e.rows + n, static_cast<int32_t>(row)) - e.rows;
      };
      run(first(begin), first(end));
    });
  } else {
    run(0, n);
  }
  if (!c.has(8)) return;
  const auto* const allowed = c.in_data<int32_t>(8);
  const int64_t words = c.in(8).shape[1].value(), parts = (vocab + kMaskPart - 1) / kMaskPart;
  const auto hide = sampling_kernels().hide;
  parallel_for(0, rows * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / parts, at = i % parts * kMaskPart;
      hide(allowed + row * words + at / 32, logits + row * vocab + at,
           std::min(kMaskPart, vocab - at));
    }
  });
}

}  // namespace

void register_adjust_logits_cpu(Registry& r) {
  r.kernel("adjust_logits", DeviceKind::kCpu, {DType::kFloat32}, adjust_kernel);
}

}  // namespace paddle::cpu
