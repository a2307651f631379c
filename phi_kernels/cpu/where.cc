// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// where: a choice between two tensors, element by element, with broadcasting.
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrain = 65536;

Strides strides_in(const TensorImpl& t, const Shape& out) {
  Strides strides(out.size(), 0);
  const size_t extra = out.size() - t.shape.size();
  for (size_t d = 0; d < t.shape.size(); ++d) {
    if (!(t.shape[d] == Dim(1))) strides[d + extra] = t.strides[d];
  }
  return strides;
}

template <typename T>
void where_kernel(KernelContext& k) {
  const TensorImpl& out = k.out(0);
  if (out.numel == 0) return;
  const bool* c = k.in_data<bool>(0);
  const T *x = k.in_data<T>(1), *y = k.in_data<T>(2);
  T* o = k.out_data<T>(0);
  const auto whole = [&](int i) { return k.in(i).contiguous && k.in(i).shape == out.shape; };
  if (whole(0) && whole(1) && whole(2)) {
    parallel_for(0, out.numel, kGrain, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) o[i] = c[i] ? x[i] : y[i];
    });
    return;
  }
  const size_t rank = out.shape.size();
  const Strides sc = strides_in(k.in(0), out.shape), sx = strides_in(k.in(1), out.shape),
                sy = strides_in(k.in(2), out.shape);
  const int64_t n = rank ? out.shape.back().value() : 1;
  const int64_t ic = rank ? sc.back() : 0, ix = rank ? sx.back() : 0, iy = rank ? sy.back() : 0;
  parallel_for(0, out.numel / n, std::max<int64_t>(1, kGrain / n), [&](int64_t b, int64_t e) {
    for (int64_t row = b; row < e; ++row) {
      int64_t rest = row, ac = 0, ax = 0, ay = 0;
      for (size_t d = rank ? rank - 1 : 0; d-- > 0;) {
        const int64_t size = out.shape[d].value(), i = rest % size;
        rest /= size;
        ac += i * sc[d], ax += i * sx[d], ay += i * sy[d];
      }
      T* to = o + row * n;
      for (int64_t j = 0; j < n; ++j) to[j] = c[ac + j * ic] ? x[ax + j * ix] : y[ay + j * iy];
    }
  });
}

}  // namespace

void register_where_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name) \
  r.kernel("where", DeviceKind::kCpu, {DType::name}, where_kernel<T>, /*strided=*/true);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
}

}  // namespace paddle::cpu
