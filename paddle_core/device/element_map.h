// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A tensor as a part of a larger one: which element of the whole each of its elements is. Random
// kernels draw by it, so that a cut of a tensor holds the numbers that the whole would hold there,
// on whatever device and in however many parts it is drawn.
#pragma once

#include <cstdint>
#include <span>

#include "paddle_core/base/error.h"
#include "paddle_core/base/small_vector.h"

namespace paddle {

class PADDLE_API ElementMap {
 public:
  // Index i of an axis of the part, i < count, is index begin + step * i of the whole axis.
  struct Axis {
    int64_t whole, begin, step, count;
  };

  // ValueError when an axis reaches outside of the whole.
  explicit ElementMap(std::span<const Axis> axes);

  std::span<const Axis> axes() const { return {axes_.data(), axes_.size()}; }
  int64_t numel() const { return numel_; }              // of the part
  int64_t whole_numel() const { return whole_numel_; }  // of the whole
  // The element of the whole, in row-major order, that element i of the part is.
  int64_t operator()(int64_t i) const;

  // run(i, at, count) for elements [begin, end) of the part: `count` elements from i on are those
  // from `at` on of the whole, one behind the other.
  template <typename Run>
  void each_run(int64_t begin, int64_t end, Run&& run) const {
    for (int64_t i = begin; i < end;) {
      const int64_t count = run_ - i % run_ < end - i ? run_ - i % run_ : end - i;
      run(i, (*this)(i), count);
      i += count;
    }
  }

 private:
  SmallVector<Axis, 5> axes_;
  int64_t numel_ = 1, whole_numel_ = 1;
  int64_t run_ = 1;  // elements of the part, from a multiple of this on, that lie together
};

}  // namespace paddle
