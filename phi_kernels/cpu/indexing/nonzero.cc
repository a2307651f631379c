// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of operators whose result size depends on values, and of one_hot.
#include <algorithm>
#include <cstring>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/flags.h"
#include "phi_kernels/cpu/loops/indices.h"
#include "phi_kernels/cpu/loops/strided.h"

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

constexpr int64_t kBlock = 1024;  // flags made at a time

// Coordinates of the elements that are not zero: rows of the last axis, whose outer coordinates are
// counted on.
class Positions {
 public:
  Positions(const Shape& shape, int64_t total, int64_t* out)
      : rank_(static_cast<int64_t>(shape.size())), total_(total), out_(out) {
    for (const Dim d : shape) extents_.push_back(d.value());
    at_.resize(shape.size(), 0);
  }
  // The next n flags, in the order of memory.
  void add(const uint8_t* flags, int64_t n) {
    const size_t last = extents_.size() - 1;
    while (n > 0) {
      const int64_t count = std::min(n, extents_[last] - at_[last]);
      add_in_row(flags, count);
      flags += count;
      n -= count;
      at_[last] += count;
      for (size_t d = last; d > 0 && at_[d] == extents_[d]; --d) at_[d] = 0, ++at_[d - 1];
    }
  }

 private:
  void add_in_row(const uint8_t* flags, int64_t n) {
    const int64_t first = at_.back();
    if (rank_ == 1) {
      done_ = each_set(flags, n, done_, total_,
                       [&](int64_t place, int64_t i) { out_[place] = first + i; });
      return;
    }
    done_ = each_set(flags, n, done_, total_, [&](int64_t place, int64_t i) {
      int64_t* row = out_ + place * rank_;
      for (int64_t d = 0; d + 1 < rank_; ++d) row[d] = at_[static_cast<size_t>(d)];
      row[rank_ - 1] = first + i;
    });
  }
  int64_t rank_, total_, done_ = 0;
  int64_t* out_;
  SmallVector<int64_t, 8> extents_, at_;
};

// Writes whether n elements of T differ from zero.
using FlagsFn = void (*)(const void* p, int64_t n, uint8_t* flags);
template <typename T>
void flags_of(const void* p, int64_t n, uint8_t* flags) {
  const T* x = static_cast<const T*>(p);
  for (int64_t i = 0; i < n; ++i) flags[i] = is_set(x[i]);
}

void positions_where(KernelContext& k, FlagsFn flags_of) {
  const TensorImpl& x = k.in(0);
  const auto size = static_cast<int64_t>(size_of(x.dtype));
  const char* p = x.numel ? static_cast<const char*>(x.data()) : nullptr;
  const auto each_block = [&](auto body) {
    uint8_t made[kBlock];
    for (int64_t i = 0; i < x.numel; i += kBlock) {
      const int64_t n = std::min(kBlock, x.numel - i);
      if (flags_of) flags_of(p + i * size, n, made);
      body(flags_of ? made : reinterpret_cast<const uint8_t*>(p + i), n);
    }
  };
  int64_t count = 0;
  each_block([&](const uint8_t* flags, int64_t n) { count += count_set(flags, n); });
  const Tensor out =
      Tensor::empty(Shape{count, static_cast<int64_t>(x.shape.size())}, DType::kInt64);
  k.set_out(0, out);
  if (out.numel() == 0) return;
  Positions positions(x.shape, count, out.data<int64_t>());
  each_block([&](const uint8_t* flags, int64_t n) { positions.add(flags, n); });
}

template <typename T>
void nonzero_kernel(KernelContext& k) {
  positions_where(k, std::is_same_v<T, bool> ? nullptr : flags_of<T>);
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

template <typename U>
void pack(const uint8_t* flags, int64_t n, int64_t count, const void* from, void* to) {
  const U* x = static_cast<const U*>(from);
  U* o = static_cast<U*>(to);
  each_set(flags, n, 0, count, [=](int64_t place, int64_t i) { o[place] = x[i]; });
}

struct Bytes16 {
  uint64_t words[2];
};

void masked_select_kernel(KernelContext& k) {
  Shape common;
  broadcast_into(k.in(0).shape, k.in(1).shape, "masked_select", "x", "mask", common);
  const Tensor x = spread(k.in_tensor(0), common), mask = spread(k.in_tensor(1), common);
  const int64_t n = mask.numel();
  const auto* flags = n ? reinterpret_cast<const uint8_t*>(mask.data<bool>()) : nullptr;
  const int64_t count = count_set(flags, n);
  const Tensor out = Tensor::empty(Shape{count}, x.dtype());
  k.set_out(0, out);
  if (count == 0) return;
  const size_t bytes = size_of(x.dtype());
  const auto fn = bytes == 1   ? pack<uint8_t>
                  : bytes == 2 ? pack<uint16_t>
                  : bytes == 4 ? pack<uint32_t>
                  : bytes == 8 ? pack<uint64_t>
                               : pack<Bytes16>;
  fn(flags, n, count, x.raw_data(), out.raw_data());
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
