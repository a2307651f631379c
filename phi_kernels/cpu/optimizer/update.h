// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of parameter updates share: scalars held in tensors, and the walk over parameter
// and gradient in blocks of the computing type.
#pragma once

#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/rows/rows.h"

namespace paddle::cpu {

// The first element of a floating tensor; 0 when there is none.
inline double value_of(const TensorImpl& t) {
  if (t.numel == 0) return 0;
  switch (t.dtype) {
    case DType::kFloat64:
      return *static_cast<const double*>(t.data());
    case DType::kFloat32:
      return static_cast<double>(*static_cast<const float*>(t.data()));
    default:
      return Tensor(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(&t)))
          .item()
          .to_double();
  }
}
// Every element of a scalar's tensor: PaddlePaddle keeps some of them in the parameter's shape.
inline void put_value(const TensorImpl& t, double v) {
  if (t.dtype == DType::kFloat64) {
    std::fill_n(static_cast<double*>(t.data()), t.numel, v);
  } else if (t.dtype == DType::kFloat32) {
    std::fill_n(static_cast<float*>(t.data()), t.numel, static_cast<float>(v));
  } else {
    const Tensor target(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(&t)));
    target.copy_data_from(Tensor::full(t.shape, Scalar(v), t.dtype));
  }
}

// The gradient of a parameter of type T as rows of the type that its update computes in: it is
// given in T, or already in that type.
template <typename T>
class GradientRows {
 public:
  using A = RowType<T>;
  explicit GradientRows(const TensorImpl& t)
      : data_(t.data()), wide_(t.dtype == DTypeOf<A>::value) {}

  const A* row(int64_t begin, int64_t n, std::vector<A>& buffer) const {
    if (wide_) return static_cast<const A*>(data_) + begin;
    return load_row(static_cast<const T*>(data_) + begin, n, buffer);
  }

 private:
  const void* data_;
  bool wide_;
};

// update(gradient, parameter, first element, count) on rows of the computing type; `master` holds
// the parameter in that type when the parameter itself is narrower.
template <typename T, typename Update>
void each_block(int64_t numel, const TensorImpl& gradient, T* param, RowType<T>* master,
                Update&& update) {
  using A = RowType<T>;
  const GradientRows<T> grad(gradient);
  parallel_for(0, numel, 16384, [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 2048;
    std::vector<A> g_buffer, p_buffer;
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      const A* g = grad.row(i, n, g_buffer);
      A* p = begin_row(param + i, n, p_buffer);
      if (master) {
        p = master + i;
      } else if constexpr (!std::is_same_v<T, A>) {
        load_row(param + i, n, p_buffer);
      }
      update(g, p, i, n);
      if constexpr (std::is_same_v<T, A>) {
        if (master) std::copy(p, p + n, param + i);
      }
      store_row(p, param + i, n);
    }
  });
}

}  // namespace paddle::cpu
