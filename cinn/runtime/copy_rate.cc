// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Timing a copy.
#include "cinn/runtime/copy_rate.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "paddle_core/device/parallel.h"
#include "paddle_core/profile/trace.h"

namespace paddle::cinn {

double copy_rate() {
  static const double rate = [] {
    constexpr int64_t kBytes = int64_t{128} << 20, kGrain = 1 << 20;
    constexpr int kTimes = 5;
    const std::unique_ptr<char[]> from(new char[kBytes]), to(new char[kBytes]);
    std::memset(from.get(), 1, kBytes);
    std::memset(to.get(), 1, kBytes);
    int64_t best = INT64_MAX;
    for (int i = 0; i < kTimes; ++i) {
      const int64_t begin = profile::now_ns();
      parallel_for(0, kBytes, kGrain, [&](int64_t first, int64_t last) {
        std::memcpy(to.get() + first, from.get() + first, static_cast<size_t>(last - first));
      });
      best = std::min(best, profile::now_ns() - begin);
    }
    return 2.0 * kBytes * 1e9 / static_cast<double>(std::max<int64_t>(best, 1));
  }();
  return rate;
}

}  // namespace paddle::cinn
