// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of take_along_axis and put_along_axis with all its reductions. Writes to one place run in
// the order of the indices, so results do not depend on the thread count.
#include <algorithm>
#include <functional>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/indices.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/cpu/sort/order.h"

namespace paddle::cpu {
namespace {

// Where the elements of arr stand that the indices name: arr is [outer, n, inner] along the axis,
// indices [index outer, count, index inner] with no other extent longer than arr's.
class Places {
 public:
  Places(const KernelContext& k, int64_t axis)
      : op_(k.op().name()), arr_(k.in(0)), indices_(k.in(1)) {
    written_ = k.out(0).storage == indices_.storage;
    const auto rank = static_cast<int64_t>(arr_.shape.size());
    axis_ = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (rank == 0) return;
    n_ = arr_.shape[axis_].value();
    count_ = indices_.shape[axis_].value();
    for (size_t d = 0; d < arr_.shape.size(); ++d) {
      if (d == axis_) continue;
      (d < axis_ ? outer_ : inner_) *= indices_.shape[d].value();
      aligned_ = aligned_ && indices_.shape[d] == arr_.shape[d];
    }
    strides_ = contiguous_strides(arr_.shape);
  }

  int64_t outer() const { return outer_; }
  int64_t per_outer() const { return count_ * inner_; }

  // visit(position in indices, element offsets in arr, where these count from, how many), run by
  // run, for the indices of outer rows [begin, end).
  using Visit = std::function<void(int64_t, const int64_t*, int64_t, int64_t)>;
  void walk(int64_t begin, int64_t end, const Visit& visit) const {
    if (indices_.dtype == DType::kInt32) {
      walk_as<int32_t>(begin, end, visit);
    } else {
      walk_as<int64_t>(begin, end, visit);
    }
  }

 private:
  static constexpr int64_t kRun = 512;
  static constexpr int64_t kLent = 64;  // a row of that many indices is not copied

  int64_t checked(int64_t v) const {
    PADDLE_CHECK_INDEX(v >= -n_ && v < n_, op_, ": indices holds ", v, " but axis ", axis_,
                       " of arr has extent ", n_, "; indices must be in [", -n_, ", ", n_, ").");
    return v < 0 ? v + n_ : v;
  }
  // The offset of an index's own place in arr, but for the axis.
  int64_t base_of(int64_t position) const {
    int64_t offset = 0;
    for (size_t d = arr_.shape.size(); d-- > 0;) {
      const int64_t extent = indices_.shape[d].value();
      if (d != axis_) offset += position % extent * strides_[d];
      position /= extent;
    }
    return offset;
  }
  template <typename Index>
  void walk_as(int64_t begin, int64_t end, const Visit& visit) const {
    const Index* index = static_cast<const Index*>(indices_.data());
    const int64_t step = strides_.empty() ? 1 : strides_[axis_], length = count_ * inner_;
    const bool lent =
        aligned_ && inner_ == 1 && length >= kLent && !written_ && sizeof(Index) == sizeof(int64_t);
    int64_t offset[kRun];
    for (int64_t at = begin * length, m = 0; at < end * length; at += m) {
      const int64_t row = at / length;
      m = std::min(kRun, (lent ? row + 1 : end) * length - at);
      const bool plain = aligned_ && all_inside(index + at, m);
      if (plain && lent) {
        visit(at, reinterpret_cast<const int64_t*>(index + at), row * n_, m);
        continue;
      }
      if (plain) {
        spread(index + at, m, row, at % length, offset);
      } else {
        for (int64_t p = at; p < at + m; ++p) {
          const int64_t own =
              aligned_ ? p / length * n_ * inner_ + p % length % inner_ : base_of(p);
          offset[p - at] = own + checked(index[p]) * step;
        }
      }
      visit(at, offset, 0, m);
    }
  }
  // Offsets of m indices, the first of them number r of an outer row.
  template <typename Index>
  void spread(const Index* index, int64_t m, int64_t row, int64_t r, int64_t* offset) const {
    const int64_t length = count_ * inner_, plane = n_ * inner_;
    int64_t first = row * plane;
    if (length == 1) {
      for (int64_t j = 0; j < m; ++j, first += plane) offset[j] = first + index[j];
      return;
    }
    for (int64_t j = 0, i = r % inner_; j < m;) {
      const int64_t count = std::min(m - j, inner_ == 1 ? length - r : inner_ - i);
      if (inner_ == 1) {
        for (int64_t t = 0; t < count; ++t) offset[j + t] = first + index[j + t];
      } else {
        for (int64_t t = 0; t < count; ++t) offset[j + t] = first + i + t + index[j + t] * inner_;
      }
      j += count, r += count, i = 0;
      if (r == length) r = 0, first += plane;
    }
  }
  // Whether all of m indices are in [0, n): neither they nor what they leave of n is below 0.
  template <typename Index>
  bool all_inside(const Index* index, int64_t m) const {
    const auto most = static_cast<uint64_t>(n_ - 1);
    uint64_t signs = 0;
    for (int64_t i = 0; i < m; ++i) {
      const auto v = static_cast<uint64_t>(static_cast<int64_t>(index[i]));
      signs |= v | (most - v);
    }
    return static_cast<int64_t>(signs) >= 0;
  }

  const char* op_;
  const TensorImpl &arr_, &indices_;
  size_t axis_ = 0;
  int64_t n_ = 1, count_ = 1, outer_ = 1, inner_ = 1;
  bool aligned_ = true;
  bool written_;  // indices change while they are walked
  Strides strides_;
};

template <typename T>
void take_kernel(KernelContext& k) {
  if (k.in(1).numel == 0) return;
  const Places places(k, k.i(2));
  const T* from = k.in(0).numel ? k.in_data<T>(0) : nullptr;
  T* to = k.out_data<T>(0);
  parallel_for(
      0, places.outer(), std::max<int64_t>(1, 16384 / std::max<int64_t>(places.per_outer(), 1)),
      [&](int64_t begin, int64_t end) {
        places.walk(begin, end, [=](int64_t first, const int64_t* at, int64_t base, int64_t n) {
          const T* const row = from + base;
          for (int64_t i = 0; i < n; ++i) to[first + i] = row[at[i]];
        });
      });
}

enum class Reduce { kAssign, kAdd, kMultiply, kMean, kMin, kMax };

Reduce reduce_of(std::string_view name) {
  if (name == "add" || name == "sum") return Reduce::kAdd;
  if (name == "mul" || name == "multiply" || name == "prod") return Reduce::kMultiply;
  if (name == "mean") return Reduce::kMean;
  if (name == "amin") return Reduce::kMin;
  return name == "amax" ? Reduce::kMax : Reduce::kAssign;
}

template <typename T>
constexpr bool kOrdered =
    std::is_arithmetic_v<T> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <typename T>
void combine(Reduce how, T& to, T v) {
  if constexpr (std::is_same_v<T, bool>) {
    to = how == Reduce::kAssign                            ? v
         : how == Reduce::kMultiply || how == Reduce::kMin ? to && v
                                                           : to || v;
    return;
  } else {
    if (how == Reduce::kAssign) to = v;
    if (how == Reduce::kAdd || how == Reduce::kMean) to = T(to + v);
    if (how == Reduce::kMultiply) to = T(to * v);
    if constexpr (kOrdered<T>) {
      using Key = OrderKey<T>;
      const Key a = static_cast<Key>(to), b = static_cast<Key>(v);
      if (how == Reduce::kMin && (b != b || b < a)) to = v;
      if (how == Reduce::kMax && (b != b || a < b)) to = v;
    }
  }
}

template <typename T>
void divide_by(T& to, int64_t n) {
  if constexpr (std::is_integral_v<T>) {
    to = static_cast<T>(to / static_cast<T>(n));
  } else {
    to = T(to / T(static_cast<float>(n)));
  }
}

// arguments: arr, indices, values, axis, reduce, include_self
template <typename T>
void put_kernel(KernelContext& k) {
  const TensorImpl& arr = k.in(0);
  if (arr.numel) {
    copy_bytes(k.out(0).data(), arr.data(), arr.numel * static_cast<int64_t>(sizeof(T)));
  }
  if (k.in(1).numel == 0) return;
  const Reduce how = reduce_of(k.text(4));
  PADDLE_CHECK_TYPE(kOrdered<T> || (how != Reduce::kMin && how != Reduce::kMax), k.op().name(),
                    ": arr has dtype ", arr.dtype, " and reduce is '", k.text(4),
                    "'; that dtype has no order; use 'add' or 'mul'.");
  const Places places(k, k.i(3));
  const T* values = k.in_data<T>(2);
  T* to = k.out_data<T>(0);
  if (k.out(0).data() == arr.data()) {  // a bad index is found before arr itself changes
    places.walk(0, places.outer(), [](int64_t, const int64_t*, int64_t, int64_t) {});
  }
  const bool self = k.b(5) || how == Reduce::kAssign;
  // How many values each place received; the first replaces the old one without include_self.
  std::vector<int32_t> received(self && how != Reduce::kMean ? 0 : static_cast<size_t>(arr.numel),
                                0);
  places.walk(0, places.outer(), [&](int64_t first, const int64_t* at, int64_t base, int64_t n) {
    const T* const v = values + first;
    T* const row = to + base;
    if (!received.empty()) {
      int32_t* const times = received.data() + base;
      for (int64_t i = 0; i < n; ++i) {
        const bool replaced = times[at[i]]++ == 0 && !self;
        combine(replaced ? Reduce::kAssign : how, row[at[i]], v[i]);
      }
    } else if (how == Reduce::kAssign) {
      for (int64_t i = 0; i < n; ++i) row[at[i]] = v[i];
    } else if (how == Reduce::kAdd) {
      for (int64_t i = 0; i < n; ++i) combine(Reduce::kAdd, row[at[i]], v[i]);
    } else if (how == Reduce::kMultiply) {
      for (int64_t i = 0; i < n; ++i) combine(Reduce::kMultiply, row[at[i]], v[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) combine(how, row[at[i]], v[i]);
    }
  });
  if (how != Reduce::kMean) return;
  for (int64_t i = 0; i < arr.numel; ++i) {
    const int64_t n = received[static_cast<size_t>(i)];
    if (n > 0) divide_by(to[i], n + (self ? 1 : 0));
  }
}

}  // namespace

void register_along_axis_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name)                                                \
  r.kernel("take_along_axis", DeviceKind::kCpu, {DType::name}, take_kernel<T>); \
  r.kernel("put_along_axis", DeviceKind::kCpu, {DType::name}, put_kernel<T>);   \
  r.kernel("put_along_axis_reduce", DeviceKind::kCpu, {DType::name}, put_kernel<T>);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
}

}  // namespace paddle::cpu
