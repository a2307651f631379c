// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes (x1, y1, x2, y2) and scores: what the kernels share that choose among overlapping boxes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace paddle::cpu {

// Intersection over union; pixel: 1 where the last row and column belong to a box. Boxes without
// a common point have 0; two boxes without area have NaN, which is not below any threshold.
template <typename T>
T overlap(const T* a, const T* b, T pixel) {
  if (b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1]) return 0;
  const auto area = [pixel](const T* box) {
    if (box[2] < box[0] || box[3] < box[1]) return T(0);
    return (box[2] - box[0] + pixel) * (box[3] - box[1] + pixel);
  };
  const T both = (std::min(a[2], b[2]) - std::max(a[0], b[0]) + pixel) *
                 (std::min(a[3], b[3]) - std::max(a[1], b[1]) + pixel);
  return both / (area(a) + area(b) - both);
}

// Positions of `scores` from high to low, equal ones in order; NaN last.
template <typename T>
std::vector<int64_t> ranked(const T* scores, int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto key = [scores](int64_t i) {
    return std::isnan(scores[i]) ? -std::numeric_limits<T>::infinity() : scores[i];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return key(a) > key(b); });
  return order;
}

}  // namespace paddle::cpu
