// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of operators whose result size depends on values, and of one_hot.
#include <cstring>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/indices.h"
#include "phi_kernels/cpu/strided.h"

namespace paddle::cpu {
namespace {

template <typename T>
bool is_set(T v) {
  if constexpr (std::is_arithmetic_v<T> || requires { v.real(); }) {
    return v != T(0);
  } else {
    return static_cast<float>(v) != 0.0f;
  }
}

template <typename T>
void nonzero_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const T* p = x.numel ? k.in_data<T>(0) : nullptr;
  int64_t count = 0;
  for (int64_t i = 0; i < x.numel; ++i) count += is_set(p[i]);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const Tensor out = Tensor::empty(Shape{count, rank}, DType::kInt64);
  int64_t* row = out.numel() ? out.data<int64_t>() : nullptr;
  for (int64_t i = 0; i < x.numel && rank > 0; ++i) {
    if (!is_set(p[i])) continue;
    int64_t rest = i;
    for (int64_t d = rank; d-- > 0;) {
      const int64_t n = x.shape[static_cast<size_t>(d)].value();
      row[d] = rest % n;
      rest /= n;
    }
    row += rank;
  }
  k.set_out(0, out);
}

// x or mask repeated to the common shape, contiguous.
Tensor spread(const Tensor& t, const Shape& common) {
  if (t.shape() == common) return t;
  Strides strides(common.size(), 0);
  const size_t extra = common.size() - t.shape().size();
  for (size_t d = 0; d < t.shape().size(); ++d) {
    if (!(t.shape()[d] == Dim(1))) strides[d + extra] = t.strides()[d];
  }
  return Tensor::alias(t, common, strides, 0).contiguous_copy_if_needed();
}

void masked_select_kernel(KernelContext& k) {
  Shape common;
  broadcast_into(k.in(0).shape, k.in(1).shape, "masked_select", "x", "mask", common);
  const Tensor x = spread(k.in_tensor(0), common), mask = spread(k.in_tensor(1), common);
  const bool* m = mask.numel() ? mask.data<bool>() : nullptr;
  int64_t count = 0;
  for (int64_t i = 0; i < mask.numel(); ++i) count += m[i];
  const Tensor out = Tensor::empty(Shape{count}, x.dtype());
  const size_t bytes = size_of(x.dtype());
  char* to = count ? out.data<char>() : nullptr;
  for (int64_t i = 0; i < mask.numel(); ++i) {
    if (!m[i]) continue;
    std::memcpy(to, x.data<char>() + static_cast<size_t>(i) * bytes, bytes);
    to += bytes;
  }
  k.set_out(0, out);
}

template <typename T>
void one_hot_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  if (x.numel == 0) return;
  const int64_t classes = k.scalar(1).to_int();
  const T* ids = k.in_data<T>(0);
  for (int64_t i = 0; i < x.numel; ++i) {
    const auto id = static_cast<int64_t>(ids[i]);
    PADDLE_CHECK_INDEX(id >= 0 && id < classes, "one_hot: x holds ", id, " but num_classes is ",
                       classes, "; classes must be in [0, ", classes, ").");
  }
  float* out = k.out_data<float>(0);
  std::memset(out, 0, static_cast<size_t>(x.numel * classes) * sizeof(float));
  for (int64_t i = 0; i < x.numel; ++i) out[i * classes + static_cast<int64_t>(ids[i])] = 1.0f;
}

}  // namespace

void register_nonzero_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name)                                           \
  r.kernel("nonzero", DeviceKind::kCpu, {DType::name}, nonzero_kernel<T>); \
  r.kernel("masked_select", DeviceKind::kCpu, {DType::name}, masked_select_kernel);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
  r.kernel("one_hot", DeviceKind::kCpu, {DType::kUInt8}, one_hot_kernel<uint8_t>);
  r.kernel("one_hot", DeviceKind::kCpu, {DType::kInt8}, one_hot_kernel<int8_t>);
  r.kernel("one_hot", DeviceKind::kCpu, {DType::kInt16}, one_hot_kernel<int16_t>);
  r.kernel("one_hot", DeviceKind::kCpu, {DType::kInt32}, one_hot_kernel<int32_t>);
  r.kernel("one_hot", DeviceKind::kCpu, {DType::kInt64}, one_hot_kernel<int64_t>);
}

}  // namespace paddle::cpu
