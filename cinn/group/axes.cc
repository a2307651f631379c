// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Joining and splitting axes.
#include "cinn/group/axes.h"

#include <algorithm>

namespace paddle::cinn {

int AxisTable::fresh(Dim extent) {
  extents_.push_back(extent);
  parents_.push_back(static_cast<int>(parents_.size()));
  parts_.emplace_back();
  return parents_.back();
}

Layout AxisTable::fresh_layout(const std::vector<Dim>& shape) {
  Layout layout;
  for (const Dim d : shape) {
    layout.emplace_back();
    if (d != Dim(1)) layout.back().push_back(fresh(d));
  }
  return layout;
}

int AxisTable::root(int axis) const {
  while (parents_[static_cast<size_t>(axis)] != axis) axis = parents_[static_cast<size_t>(axis)];
  return axis;
}

Axes AxisTable::resolve(const Axes& axes) const {
  Axes all;
  for (const int axis : axes) {
    const int r = root(axis);
    const Axes& parts = parts_[static_cast<size_t>(r)];
    if (parts.empty()) {
      all.push_back(r);
      continue;
    }
    const Axes inner = resolve(parts);
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

Axes AxisTable::resolve(const Layout& layout) const {
  Axes all;
  for (const Axes& dim : layout) {
    const Axes axes = resolve(dim);
    all.insert(all.end(), axes.begin(), axes.end());
  }
  return all;
}

bool AxisTable::may_join(int a, int b) const {
  return std::none_of(layouts_.begin(), layouts_.end(), [&](const Layout* layout) {
    const Axes all = resolve(*layout);
    return std::find(all.begin(), all.end(), a) != all.end() &&
           std::find(all.begin(), all.end(), b) != all.end();
  });
}

bool AxisTable::may_split(int axis, const Axes& parts) const {
  return std::all_of(parts.begin(), parts.end(),
                     [&](int part) { return part != axis && may_join(axis, part); });
}

bool AxisTable::unify(const Axes& a0, const Axes& b0) {
  const Axes a = resolve(a0), b = resolve(b0);
  const auto join = [&](int x, int y) {
    if (x == y) return true;
    if (!may_join(x, y)) return false;
    parents_[static_cast<size_t>(std::max(x, y))] = std::min(x, y);
    return true;
  };
  // Extents that a shape rule took for equal may be spelled in two ways.
  if (a.size() == 1 && b.size() == 1) return join(a[0], b[0]);
  // The axes [first, end) that multiply to `extent`.
  const auto product_end = [&](const Axes& axes, size_t first, Dim wanted) {
    Dim product = extent(axes[first]);
    for (size_t end = first + 1; end < axes.size(); ++end) {
      product = product * extent(axes[end]);
      if (product == wanted) return end + 1;
    }
    return size_t{0};
  };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const Dim x = extent(a[i]), y = extent(b[j]);
    if (a[i] == b[j] || x == y) {
      if (!join(a[i++], b[j++])) return false;
      continue;
    }
    const auto split = [&](const Axes& whole, size_t& at, const Axes& parts, size_t& first) {
      const size_t end = product_end(parts, first, extent(whole[at]));
      if (end == 0) return false;
      const Axes made(parts.begin() + static_cast<std::ptrdiff_t>(first),
                      parts.begin() + static_cast<std::ptrdiff_t>(end));
      if (!may_split(whole[at], made)) return false;
      parts_[static_cast<size_t>(whole[at])] = made;
      ++at;
      first = end;
      return true;
    };
    if (!split(a, i, b, j) && !split(b, j, a, i)) return false;
  }
  return i == a.size() && j == b.size();
}

}  // namespace paddle::cinn
