// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "paddle_core/device/element_map.h"

namespace paddle {

ElementMap::ElementMap(std::span<const Axis> axes) {
  bool together = true;
  for (size_t k = axes.size(); k-- > 0;) {
    const Axis& a = axes[k];
    const bool inside =
        a.whole >= 0 && a.count >= 0 && a.begin >= 0 && a.step >= 1 &&
        (a.count == 0 ? a.begin <= a.whole
                      : a.begin < a.whole && (a.whole - 1 - a.begin) / a.step >= a.count - 1);
    PADDLE_CHECK_VALUE(inside, "ElementMap: axis ", k, " takes ", a.count, " indices from ",
                       a.begin, " on with step ", a.step, " of an extent of ", a.whole,
                       "; they must lie inside, and the step must be positive.");
    whole_numel_ *= a.whole;
    numel_ *= a.count;
    if (together && (a.step == 1 || a.count <= 1)) run_ *= a.count;
    together = together && a.count == a.whole;
  }
  if (run_ < 1) run_ = 1;
  for (const Axis& a : axes) axes_.push_back(a);
}

int64_t ElementMap::operator()(int64_t i) const {
  int64_t at = 0, stride = 1;
  for (size_t k = axes_.size(); k-- > 0;) {
    const Axis& a = axes_[k];
    at += (a.begin + a.step * (i % a.count)) * stride;
    i /= a.count;
    stride *= a.whole;
  }
  return at;
}

}  // namespace paddle
