// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Axes that values share. Every dimension of a value is a list of axes, the outermost first, whose
// extents multiply to its own (no axis: extent 1). Operations make axes of different values the
// same: an elementwise operation those of its operands, a transposition reordered ones; a reshape
// splits an axis where several dimensions become one. What is left are the loops of a kernel.
#pragma once

#include <vector>

#include "paddle_core/shape/dim.h"

namespace paddle::cinn {

using Axes = std::vector<int>;
// The axes of each dimension of a value.
using Layout = std::vector<Axes>;

class AxisTable {
 public:
  int fresh(Dim extent);
  // A layout of new axes for a shape.
  Layout fresh_layout(const std::vector<Dim>& shape);
  // The layout is of a value: no two axes of it may become one.
  void keep_apart(const Layout* layout) { layouts_.push_back(layout); }
  // Makes the axes of two dimensions (or runs of them) of equal extent the same. False when their
  // factors do not fit, or when a value would have an axis twice; the axes stay apart then.
  bool unify(const Axes& a, const Axes& b);
  // The axes that stand for these now.
  Axes resolve(const Axes& axes) const;
  Axes resolve(const Layout& layout) const;
  Dim extent(int axis) const { return extents_[static_cast<size_t>(axis)]; }

 private:
  int root(int axis) const;
  bool may_join(int a, int b) const;
  bool may_split(int axis, const Axes& parts) const;
  std::vector<Dim> extents_;
  std::vector<int> parents_;
  std::vector<Axes> parts_;  // of a root: what it was split into
  std::vector<const Layout*> layouts_;
};

}  // namespace paddle::cinn
