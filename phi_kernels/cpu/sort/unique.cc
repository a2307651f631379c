// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of unique, unique_consecutive, bincount and histogram.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/flags.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/sort/radix.h"

namespace paddle::cpu {
namespace {

// x as [outer, count, inner]: slice j along the axis is every [o, j, i]. Without an axis the slices
// are the elements.
struct Slices {
  int64_t outer = 1, count = 1, inner = 1;
  bool whole = true;
};
Slices slices_of(const TensorImpl& x, std::span<const Dim> axis) {
  Slices s;
  if (axis.empty() || x.shape.empty()) {
    s.count = x.numel;
    return s;
  }
  s.whole = false;
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t at = axis[0].value() < 0 ? axis[0].value() + rank : axis[0].value();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t n = x.shape[static_cast<size_t>(d)].value();
    (d < at ? s.outer : d == at ? s.count : s.inner) *= n;
  }
  return s;
}

// -1, 0, 1 as slice a stands before, equals, or stands behind slice b. NaN equals nothing.
template <typename T>
int compare_slices(const T* x, const Slices& s, int64_t a, int64_t b) {
  using Key = OrderKey<T>;
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      const Key u = static_cast<Key>(x[(o * s.count + a) * s.inner + i]);
      const Key v = static_cast<Key>(x[(o * s.count + b) * s.inner + i]);
      if (ordered_before(u, v)) return -1;
      if (ordered_before(v, u)) return 1;
    }
  }
  return 0;
}
template <typename T>
bool equal_slices(const T* x, const Slices& s, int64_t a, int64_t b) {
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      const auto u = static_cast<OrderKey<T>>(x[(o * s.count + a) * s.inner + i]);
      const auto v = static_cast<OrderKey<T>>(x[(o * s.count + b) * s.inner + i]);
      if (!(u == v)) return false;
    }
  }
  return true;
}

// Which results a call asks for beside the values; the others stay empty.
struct Wanted {
  bool first, group, counts;
};

// The slices that are kept, which of them each slice equals, and how many equal it.
struct Groups {
  std::vector<int64_t> first, counts;
  Tensor group;  // int64, one entry per slice

  int64_t* make_group(int64_t n) {
    group = Tensor::empty(Shape{n}, DType::kInt64);
    return n ? group.data<int64_t>() : nullptr;
  }

  // From where runs of equal slices begin to their lengths.
  void count_runs(int64_t n) {
    counts.resize(first.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      counts[i] = (i + 1 < first.size() ? first[i + 1] : n) - first[i];
    }
  }
};

Tensor index_tensor(const std::vector<int64_t>& values, DType dtype) {
  const Tensor out = Tensor::empty(Shape{static_cast<int64_t>(values.size())}, dtype);
  if (dtype == DType::kInt64 && !values.empty()) {
    std::memcpy(out.data<int64_t>(), values.data(), values.size() * sizeof(int64_t));
    return out;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::kInt32) {
      out.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    } else {
      out.data<int64_t>()[i] = values[i];
    }
  }
  return out;
}

template <typename T>
Tensor picked(const TensorImpl& x, const Slices& s, std::span<const Dim> axis,
              const std::vector<int64_t>& slices) {
  const auto n = static_cast<int64_t>(slices.size());
  Shape shape{n};
  if (!s.whole) {
    shape = x.shape;
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t at = axis[0].value() < 0 ? axis[0].value() + rank : axis[0].value();
    shape[static_cast<size_t>(at)] = n;
  }
  const Tensor out = Tensor::empty(shape, x.dtype);
  if (out.numel() == 0) return out;
  const T* from = static_cast<const T*>(x.data());
  T* to = out.data<T>();
  if (s.whole) {
    for (size_t j = 0; j < slices.size(); ++j) to[j] = from[slices[j]];
    return out;
  }
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t j = 0; j < n; ++j) {
      const T* row = from + (o * s.count + slices[static_cast<size_t>(j)]) * s.inner;
      std::copy(row, row + s.inner, to + (o * n + j) * s.inner);
    }
  }
  return out;
}

// Whether each of n elements, in the order given or as they stand, differs from the one before it;
// the first does.
template <typename T>
void flag_beginnings(const T* x, const int64_t* order, int64_t n, uint8_t* begins) {
  begins[0] = 1;
  for (int64_t i = 1; i < n; ++i) {
    const T now = order ? x[order[i]] : x[i], before = order ? x[order[i - 1]] : x[i - 1];
    begins[i] = !(static_cast<OrderKey<T>>(now) == static_cast<OrderKey<T>>(before));
  }
}

// Runs of equal elements in that order, from where they begin.
Groups runs_of(const uint8_t* begins, const int64_t* order, int64_t n, const Wanted& wanted) {
  Groups g;
  g.first.resize(static_cast<size_t>(count_set(begins, n)));
  int64_t* first = g.first.data();
  each_set(begins, n, 0, static_cast<int64_t>(g.first.size()),
           [first](int64_t place, int64_t i) { first[place] = i; });
  if (wanted.counts) g.count_runs(n);
  if (wanted.group) {
    int64_t* group = g.make_group(n);
    for (int64_t i = 0, at = -1; i < n; ++i) group[order ? order[i] : i] = at += begins[i];
  }
  for (size_t j = 0; order && j < g.first.size(); ++j) first[j] = order[first[j]];
  return g;
}

template <typename T>
Groups group_elements(const T* x, const int64_t* order, int64_t n, const Wanted& wanted) {
  const std::unique_ptr<uint8_t[]> begins(new uint8_t[static_cast<size_t>(n)]);
  flag_beginnings(x, order, n, begins.get());
  return runs_of(begins.get(), order, n, wanted);
}

template <typename T>
Groups grouped(const T* x, const Slices& s, const std::vector<int64_t>& order,
               const Wanted& wanted) {
  if (s.whole) return group_elements(x, order.data(), s.count, wanted);
  Groups g;
  int64_t* group = g.make_group(static_cast<int64_t>(order.size()));
  for (size_t j = 0; j < order.size(); ++j) {
    if (j == 0 || !equal_slices(x, s, order[j - 1], order[j])) {
      g.first.push_back(order[j]);
      g.counts.push_back(0);
    }
    ++g.counts.back();
    group[order[j]] = static_cast<int64_t>(g.first.size()) - 1;
  }
  return g;
}

// Integers in a range hardly wider than their number, as labels and numbers of nodes are, without
// sorting: a table of the range. False when the range is wider.
template <typename T>
bool group_by_table(const T* x, int64_t n, const Wanted& wanted, Groups& g) {
  const auto [low, high] = std::minmax_element(x, x + n);
  const auto least = static_cast<uint64_t>(*low);
  const uint64_t width = static_cast<uint64_t>(*high) - least;
  if (width / 4 > static_cast<uint64_t>(n) + 256) return false;
  const auto place = [=](T v) { return static_cast<size_t>(static_cast<uint64_t>(v) - least); };
  std::vector<int64_t> table(static_cast<size_t>(width) + 1, -1);  // first positions, then places
  for (int64_t i = n; i-- > 0;) table[place(x[i])] = i;
  for (int64_t& at : table) {
    if (at < 0) continue;
    g.first.push_back(at);
    at = static_cast<int64_t>(g.first.size()) - 1;
  }
  if (wanted.counts) {
    g.counts.resize(g.first.size(), 0);
    for (int64_t i = 0; i < n; ++i) ++g.counts[static_cast<size_t>(table[place(x[i])])];
  }
  if (wanted.group) {
    int64_t* group = g.make_group(n);
    for (int64_t i = 0; i < n; ++i) group[i] = table[place(x[i])];
  }
  return true;
}

template <typename T, typename Value>
std::vector<int64_t> order_by(int64_t n, Value value) {
  std::vector<SortEntry<SortKey<T>>> entries, spare;
  fill_entries<T>(entries, n, false, value);
  sort_entries(entries, spare);
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (size_t j = 0; j < order.size(); ++j) order[j] = entries[j].at;
  return order;
}

template <typename T>
std::vector<int64_t> sorted_slices(const T* x, const Slices& s) {
  if (s.whole) {
    PADDLE_CHECK_VALUE(s.count <= UINT32_MAX, "unique: x has ", s.count,
                       " elements; at most 2^32 - 1 can be sorted; split x.");
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
      // Most integers lie close together: keys of 32 bits are half the work.
      const auto [low, high] = std::minmax_element(x, x + s.count);
      const T least = *low;
      if (static_cast<uint64_t>(*high) - static_cast<uint64_t>(least) <= UINT32_MAX) {
        return order_by<uint32_t>(s.count, [=](int64_t j) {
          return static_cast<uint32_t>(static_cast<uint64_t>(x[j]) - static_cast<uint64_t>(least));
        });
      }
    }
    return order_by<T>(s.count, [=](int64_t j) { return x[j]; });
  }
  std::vector<int64_t> order(static_cast<size_t>(s.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return compare_slices(x, s, a, b) < 0; });
  return order;
}

template <typename T>
Groups unique_groups(const T* x, const Slices& s, const Wanted& wanted) {
  if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    if (Groups g; s.whole && group_by_table(x, s.count, wanted, g)) return g;
  }
  return grouped(x, s, sorted_slices(x, s), wanted);
}

Tensor index_result(bool wanted, const std::vector<int64_t>& values, DType dtype) {
  return index_tensor(wanted ? values : std::vector<int64_t>(), dtype);
}
Tensor index_result(bool wanted, const Tensor& values, DType dtype) {
  if (!wanted || !values.defined()) return Tensor::empty(Shape{0}, dtype);
  if (dtype == values.dtype()) return values;
  const Tensor out = Tensor::empty(values.shape(), dtype);
  out.copy_data_from(values);
  return out;
}

// arguments: x, return_index, return_inverse, return_counts, axis, dtype
template <typename T>
void unique_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const Slices s = slices_of(x, k.ints(4));
  const Wanted wanted{k.b(1), k.b(2), k.b(3)};
  const Groups g = x.numel ? unique_groups(k.in_data<T>(0), s, wanted) : Groups();
  k.set_out(0, picked<T>(x, s, k.ints(4), g.first));
  k.set_out(1, index_result(wanted.first, g.first, k.dtype(5)));
  k.set_out(2, index_result(wanted.group, g.group, k.dtype(5)));
  k.set_out(3, index_result(wanted.counts, g.counts, k.dtype(5)));
}

// arguments: x, return_inverse, return_counts, axis, dtype
template <typename T>
void unique_consecutive_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const Slices s = slices_of(x, k.ints(3));
  const Wanted wanted{false, k.b(1), k.b(2)};
  Groups g;
  if (x.numel && s.whole) {
    g = group_elements<T>(k.in_data<T>(0), nullptr, s.count, wanted);
  } else if (x.numel) {
    std::vector<int64_t> order(static_cast<size_t>(s.count));
    std::iota(order.begin(), order.end(), 0);
    g = grouped(k.in_data<T>(0), s, order, wanted);
  }
  k.set_out(0, picked<T>(x, s, k.ints(3), g.first));
  k.set_out(1, index_result(wanted.group, g.group, k.dtype(4)));
  k.set_out(2, index_result(wanted.counts, g.counts, k.dtype(4)));
}

std::vector<double> as_doubles(const TensorImpl& t) {
  std::vector<double> out(static_cast<size_t>(t.numel));
  if (t.numel) {
    loop_tables.convert[static_cast<int>(t.dtype)][static_cast<int>(DType::kFloat64)](
        t.numel, out.data(), t.data(), 1);
  }
  return out;
}

Tensor from_doubles(const std::vector<double>& values, DType dtype) {
  const Tensor out = Tensor::empty(Shape{static_cast<int64_t>(values.size())}, dtype);
  if (!values.empty()) {
    loop_tables.convert[static_cast<int>(DType::kFloat64)][static_cast<int>(dtype)](
        out.numel(), out.raw_data(), values.data(), 1);
  }
  return out;
}

template <typename T>
void bincount_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const T* p = x.numel ? k.in_data<T>(0) : nullptr;
  int64_t top = std::max<int64_t>(k.scalar(2).to_int(), 0) - 1;
  for (int64_t i = 0; i < x.numel; ++i) {
    PADDLE_CHECK_VALUE(p[i] >= 0, "bincount: x holds ", static_cast<int64_t>(p[i]),
                       "; only numbers >= 0 can be counted; subtract the minimum first.");
    top = std::max(top, static_cast<int64_t>(p[i]));
  }
  PADDLE_CHECK_VALUE(top < (int64_t{1} << 40), "bincount: x holds ", top,
                     ", which would need as many counters; count with paddle.unique instead.");
  const int64_t length = top + 1;
  if (!k.has(1)) {
    const Tensor out = Tensor::full(Shape{length}, Scalar(int64_t{0}), DType::kInt64);
    for (int64_t i = 0; i < x.numel; ++i) ++out.data<int64_t>()[p[i]];
    k.set_out(0, out);
    return;
  }
  const std::vector<double> weights = as_doubles(k.in(1));
  std::vector<double> sums(static_cast<size_t>(length), 0.0);
  for (int64_t i = 0; i < x.numel; ++i) {
    sums[static_cast<size_t>(p[i])] += weights[static_cast<size_t>(i)];
  }
  k.set_out(
      0, from_doubles(sums, k.in(1).dtype == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64));
}

// arguments: input, weight, bins, min, max, density
// The widest interval whose length the dtype holds.
double greatest_range(DType t) {
  if (t == DType::kInt32) return std::numeric_limits<int32_t>::max();
  if (is_integer(t)) return 0x1p63 - 1024;
  return t == DType::kFloat64 ? std::numeric_limits<double>::max()
                              : static_cast<double>(std::numeric_limits<float>::max());
}

void histogram_kernel(KernelContext& k) {
  const std::vector<double> x = as_doubles(k.in(0));
  const int64_t bins = k.i(2);
  double low = k.f(3), high = k.f(4);
  if (low == high && !x.empty()) {
    if (low == 0) {
      const auto [least, most] = std::minmax_element(x.begin(), x.end());
      low = *least, high = *most;
    }
    for (const double v : x) {
      PADDLE_CHECK_VALUE(std::isfinite(v), "histogram: input holds ", v,
                         " and no range is given; its minimum and maximum must be finite; pass min "
                         "and max.");
    }
    if (low == high) low -= 1, high += 1;
  }
  PADDLE_CHECK_VALUE(high - low <= greatest_range(k.in(0).dtype), "histogram: the range is from ",
                     low, " to ", high, ", which is too wide to be cut; pass finite min and max.");
  const std::vector<double> weights = k.has(1) ? as_doubles(k.in(1)) : std::vector<double>();
  std::vector<double> sums(static_cast<size_t>(bins), 0.0);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    const auto at = static_cast<int64_t>((x[i] - low) * static_cast<double>(bins) / (high - low));
    sums[static_cast<size_t>(std::min(at, bins - 1))] += weights.empty() ? 1.0 : weights[i];
  }
  if (k.b(5)) {
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    const double width = (high - low) / static_cast<double>(bins);
    for (double& v : sums) v = total != 0 ? v / (total * width) : 0;
  }
  const Tensor out = from_doubles(sums, k.out(0).dtype);
  std::memcpy(k.out(0).data(), out.raw_data(), sums.size() * size_of(out.dtype()));
}

template <typename T>
void add_ordered(Registry& r) {
  constexpr DType t = DTypeOf<T>::value;
  r.kernel("unique", DeviceKind::kCpu, {t}, unique_kernel<T>);
  r.kernel("unique_consecutive", DeviceKind::kCpu, {t}, unique_consecutive_kernel<T>);
  r.kernel("histogram", DeviceKind::kCpu, {t}, histogram_kernel);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    r.kernel("bincount", DeviceKind::kCpu, {t}, bincount_kernel<T>);
  }
}

}  // namespace

void register_unique_cpu(Registry& r) {
  init_loop_tables();
  add_ordered<bool>(r);
  add_ordered<uint8_t>(r);
  add_ordered<int8_t>(r);
  add_ordered<int16_t>(r);
  add_ordered<int32_t>(r);
  add_ordered<int64_t>(r);
  add_ordered<float16>(r);
  add_ordered<bfloat16>(r);
  add_ordered<float>(r);
  add_ordered<double>(r);
}

}  // namespace paddle::cpu
