// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Complex tensors from and to pairs of real ones.
#include <cstring>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

// The pairs have the memory of the complex numbers.
void copy_bytes(KernelContext& c) {
  const auto* from = static_cast<const char*>(c.in(0).data());
  auto* to = static_cast<char*>(c.out(0).data());
  const auto bytes = c.out(0).numel * static_cast<int64_t>(size_of(c.out(0).dtype));
  parallel_for(0, bytes, int64_t{1} << 18, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

template <typename R>
void complex_kernel(KernelContext& c) {
  const TensorImpl& out = c.out(0);
  if (out.numel == 0) return;
  const auto spread = [&](int i) {
    const Tensor t = c.in_tensor(i);
    if (t.numel() == out.numel) return t;
    const size_t skip = out.shape.size() - t.shape().size();
    Strides strides(out.shape.size(), 0);
    for (size_t d = skip; d < out.shape.size(); ++d) {
      if (t.shape()[d - skip].value() != 1) strides[d] = t.strides()[d - skip];
    }
    return Tensor::alias(t, out.shape, strides, 0).contiguous_copy_if_needed();
  };
  const Tensor re = spread(0), im = spread(1);
  const R *a = re.data<R>(), *b = im.data<R>();
  R* to = static_cast<R*>(out.data());
  parallel_for(0, out.numel, 32768, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[2 * i] = a[i];
      to[2 * i + 1] = b[i];
    }
  });
}

}  // namespace

void register_complex_cpu(Registry& r) {
  r.kernel("complex", DeviceKind::kCpu, {DType::kComplex64}, complex_kernel<float>);
  r.kernel("complex", DeviceKind::kCpu, {DType::kComplex128}, complex_kernel<double>);
  r.kernel("as_complex", DeviceKind::kCpu, {DType::kComplex64, DType::kComplex128}, copy_bytes);
  r.kernel("as_real", DeviceKind::kCpu, {DType::kFloat32, DType::kFloat64}, copy_bytes);
}

}  // namespace paddle::cpu
