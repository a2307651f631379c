// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The input of a reduction read in the order in which memory holds it, as three extents.
#include "phi_kernels/cpu/reduce/reduce_layout.h"

#include <algorithm>

#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {
namespace {

// The elements as memory holds them: dense, with the kept dimensions in the order of the result.
struct Dense {
  Tensor copy;  // holds them where the input's own memory has them otherwise
  const void* data = nullptr;
  SmallVector<int64_t, 8> sizes;
  SmallVector<bool, 8> reduced;

  Dense(const TensorImpl& x, std::span<const Dim> axis, bool all) {
    const size_t rank = x.shape.size();
    SmallVector<bool, 8> wanted(rank, all || axis.empty());
    for (const Dim a : axis) {
      if (rank)
        wanted[static_cast<size_t>(a.value() < 0 ? a.value() + int64_t(rank) : a.value())] = true;
    }
    SmallVector<size_t, 8> order;
    for (size_t d = 0; d < rank; ++d) order.push_back(d);
    if (!x.contiguous) {
      for (size_t i = 1; i < rank; ++i) {  // by descending strides
        for (size_t j = i; j > 0 && x.strides[order[j]] > x.strides[order[j - 1]]; --j) {
          std::swap(order[j], order[j - 1]);
        }
      }
      if (!fits(x, order, wanted)) {
        copy = sharing(x).contiguous_copy_if_needed();
        for (size_t d = 0; d < rank; ++d) order[d] = d;
      }
    }
    if (x.numel) data = copy.defined() ? copy.raw_data() : x.data();
    for (const size_t d : order) {
      if (x.shape[d] == Dim(1)) continue;
      sizes.push_back(x.shape[d].value());
      reduced.push_back(wanted[d]);
    }
  }

 private:
  static Tensor sharing(const TensorImpl& x) {
    return Tensor(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(&x)));
  }
  static bool fits(const TensorImpl& x, const SmallVector<size_t, 8>& order,
                   const SmallVector<bool, 8>& wanted) {
    int64_t step = 1;
    size_t kept = x.shape.size();
    for (size_t i = order.size(); i-- > 0;) {
      const size_t d = order[i];
      const int64_t size = x.shape[d].value();
      if (size == 1) continue;
      if (x.strides[d] != step) return false;
      step *= size;
      if (wanted[d]) continue;
      if (d > kept) return false;
      kept = d;
    }
    return true;
  }
};

bool lie_around(const Dense& x, ReduceLayout& l) {
  int64_t* const extents[] = {&l.before, &l.kept, &l.after};
  size_t part = 0;
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    if (x.reduced[d] != (part != 1)) ++part;
    if (part == 3) return false;
    *extents[part] *= x.sizes[d];
  }
  return part == 2 && l.before > 1 && l.kept > 1 && l.after >= 64;
}

// Reduced axes behind the kept ones.
void move_together(const Dense& x, DType dtype, ReduceLayout& l) {
  Shape shape, given;
  for (const int64_t size : x.sizes) given.push_back(size);
  Strides strides;
  const Strides own = contiguous_strides(given);
  for (const bool wanted : {false, true}) {
    for (size_t d = 0; d < given.size(); ++d) {
      if (x.reduced[d] != wanted) continue;
      shape.push_back(given[d]);
      strides.push_back(own[d]);
    }
  }
  l.outer *= l.inner;
  l.inner = 1;
  l.held = Tensor::empty(shape, dtype);
  const auto sizes = sizes_of(shape);
  copy_strided(l.held.raw_data(), dtype, l.held.strides().data(), x.data, dtype, strides.data(),
               sizes.data(), static_cast<int>(sizes.size()));
  l.data = l.held.raw_data();
}

}  // namespace

ReduceLayout reduce_layout(const TensorImpl& tensor, std::span<const Dim> axis, bool all,
                           bool any_order) {
  const Dense x(tensor, axis, all);
  ReduceLayout l{x.data, x.copy};
  if (any_order && tensor.numel && lie_around(x, l)) {
    l.around = true;
    l.n = l.before * l.after;
    return l;
  }
  int phase = 0;  // 0 outer, 1 reduced, 2 inner
  bool apart = false;
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    if (x.reduced[d]) {
      if (phase == 2) apart = true;
      phase = std::max(phase, 1);
      l.n *= x.sizes[d];
    } else {
      if (phase == 1) phase = 2;
      (phase == 2 ? l.inner : l.outer) *= x.sizes[d];
    }
  }
  if (apart && tensor.numel) move_together(x, tensor.dtype, l);
  return l;
}

}  // namespace paddle::cpu
