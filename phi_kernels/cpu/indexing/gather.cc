// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes by position. Additions run in the order of the indices, so results do not depend
// on the thread count.
#include <algorithm>
#include <cstring>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/flags.h"
#include "phi_kernels/cpu/loops/in_float32.h"
#include "phi_kernels/cpu/loops/indices.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kGrainBytes = 256 * 1024;

int64_t extent(const TensorImpl& t, size_t d) { return t.shape[d].value(); }

int64_t product(const TensorImpl& t, size_t begin, size_t end) {
  int64_t n = 1;
  for (size_t d = begin; d < end; ++d) n *= extent(t, d);
  return n;
}

template <typename T>
void add_into(T& to, T v) {
  if constexpr (std::is_same_v<T, bool>) {
    to = to || v;
  } else if constexpr (std::is_integral_v<T>) {
    to = static_cast<T>(to + v);
  } else {
    to = T(to + v);
  }
}

void copy_x(KernelContext& k) {
  const TensorImpl &x = k.in(0), &out = k.out(0);
  if (x.numel == 0 || x.data() == out.data()) return;
  if (x.contiguous) {
    return copy_bytes(out.data(), x.data(), x.numel * static_cast<int64_t>(size_of(x.dtype)));
  }
  SmallVector<int64_t, 8> sizes;
  for (size_t d = 0; d < x.shape.size(); ++d) sizes.push_back(extent(x, d));
  copy_strided(out.data(), x.dtype, out.strides.data(), x.data(), x.dtype, x.strides.data(),
               sizes.data(), static_cast<int>(sizes.size()));
}

size_t axis_of(int64_t axis, const TensorImpl& x) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.shape.size()) : axis);
}

struct Bytes16 {
  uint64_t words[2];
};

// Elements [begin, end) of `to`, each of as many bytes as a T: to[i] = from[at[i % count]] within
// the source row of i / count.
template <typename T>
void pick_elements(char* to, const char* from, const int64_t* at, int64_t count, int64_t n,
                   int64_t begin, int64_t end) {
  T* o = reinterpret_cast<T*>(to);
  while (begin < end) {
    const int64_t row = begin / count, first = begin % count;
    const int64_t last = std::min(count, first + (end - begin));
    const T* x = reinterpret_cast<const T*>(from) + row * n;
    for (int64_t j = first; j < last; ++j) o[row * count + j] = x[at[j]];
    begin += last - first;
  }
}

using Pick = void (*)(char*, const char*, const int64_t*, int64_t, int64_t, int64_t, int64_t);
Pick pick_of(int64_t bytes) {
  switch (bytes) {
    case 1:
      return pick_elements<uint8_t>;
    case 2:
      return pick_elements<uint16_t>;
    case 4:
      return pick_elements<uint32_t>;
    case 8:
      return pick_elements<uint64_t>;
    case 16:
      return pick_elements<Bytes16>;
    default:
      return nullptr;
  }
}

// out[o][i] = x[o][at[i]], pieces of `bytes` bytes; x has n of them in a row.
void pick_rows(char* to, const char* from, const int64_t* at, int64_t outer, int64_t count,
               int64_t n, int64_t bytes) {
  if (outer * count * bytes == 0) return;
  const Pick pick = pick_of(bytes);
  parallel_for(0, outer * count, std::max<int64_t>(1, kGrainBytes / bytes),
               [&](int64_t b, int64_t e) {
                 if (pick) return pick(to, from, at, count, n, b, e);
                 for (int64_t i = b; i < e; ++i) {
                   std::memcpy(to + i * bytes, from + (i / count * n + at[i % count]) * bytes,
                               static_cast<size_t>(bytes));
                 }
               });
}

void gather_axis(KernelContext& k, int64_t given) {
  const TensorImpl& x = k.in(0);
  const size_t axis = axis_of(given, x);
  const int64_t outer = product(x, 0, axis), n = extent(x, axis), count = k.in(1).numel;
  const auto at = read_indices(k.in(1), n, k.op().name(), "index", int64_t(axis), k.out(0));
  const int64_t bytes =
      product(x, axis + 1, x.shape.size()) * static_cast<int64_t>(size_of(x.dtype));
  if (k.out(0).numel == 0) return;
  pick_rows(static_cast<char*>(k.out(0).data()), static_cast<const char*>(x.data()), at.get(),
            outer, count, n, bytes);
}
void gather_kernel(KernelContext& k) { gather_axis(k, k.scalar(2).to_int()); }
void index_select_kernel(KernelContext& k) { gather_axis(k, k.i(2)); }

template <typename T>
void index_add_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const size_t axis = axis_of(k.i(3), x);
  const int64_t outer = product(x, 0, axis), n = extent(x, axis), count = k.in(1).numel;
  const auto at = read_indices(k.in(1), n, "index_add", "index", int64_t(axis), k.out(0));
  const int64_t inner = product(x, axis + 1, x.shape.size());
  copy_x(k);
  if (outer * count * inner == 0) return;
  const T* from = k.in_data<T>(2);
  T* to = k.out_data<T>(0);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      T* row = to + (o * n + at[static_cast<size_t>(i)]) * inner;
      const T* add = from + (o * count + i) * inner;
      for (int64_t j = 0; j < inner; ++j) add_into(row[j], add[j]);
    }
  }
}

constexpr int64_t kStridedPart = 64;  // elements: copies of smaller ones cost more than a dense x

// x itself, or a dense copy of it where parts of that many elements are cheaper to take from one.
Tensor as_it_lies(const TensorImpl& x, int64_t part) {
  const Tensor given(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(&x)));
  return part == 1 || part >= kStridedPart ? given : given.contiguous_copy_if_needed();
}

// Which parts of x the last axis of index names, as offsets in units of that many elements.
template <typename Index>
void nd_places(KernelContext& k, const TensorImpl& x, const Index* index, int64_t depth,
               int64_t count, int64_t unit, int64_t* out) {
  Strides strides = x.strides;
  for (int64_t& stride : strides) stride /= std::max<int64_t>(unit, 1);
  for (int64_t i = 0; i < count; ++i, index += depth) {
    int64_t at = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t v = index[d], n = extent(x, static_cast<size_t>(d));
      PADDLE_CHECK_INDEX(v >= -n && v < n, k.op().name(), ": index holds ", v, " but axis ", d,
                         " of x has extent ", n, "; indices must be in [", -n, ", ", n, ").");
      at += (v < 0 ? v + n : v) * strides[static_cast<size_t>(d)];
    }
    out[i] = at;
  }
}
// The unit: all elements of a part where x is dense.
std::unique_ptr<int64_t[]> nd_parts(KernelContext& k, const TensorImpl& x, int64_t& count,
                                    int64_t& inner) {
  const Tensor held = Tensor(IntrusivePtr<TensorImpl>::share(const_cast<TensorImpl*>(&k.in(1))))
                          .contiguous_copy_if_needed();
  const TensorImpl& index = *held.impl();
  const int64_t depth = index.shape.back().value();
  count = product(index, 0, index.shape.size() - 1);
  inner = product(x, static_cast<size_t>(depth), x.shape.size());
  const int64_t unit = x.contiguous ? inner : 1;
  std::unique_ptr<int64_t[]> out(new int64_t[static_cast<size_t>(count)]);
  if (index.numel == 0) {
    std::fill(out.get(), out.get() + count, 0);
  } else if (index.dtype == DType::kInt32) {
    nd_places(k, x, static_cast<const int32_t*>(index.data()), depth, count, unit, out.get());
  } else {
    nd_places(k, x, static_cast<const int64_t*>(index.data()), depth, count, unit, out.get());
  }
  return out;
}

void gather_nd_kernel(KernelContext& k) {
  const auto depth = static_cast<size_t>(k.in(1).shape.back().value());
  const Tensor held = as_it_lies(k.in(0), product(k.in(0), depth, k.in(0).shape.size()));
  const TensorImpl& x = *held.impl();
  int64_t count, inner;
  const auto at = nd_parts(k, x, count, inner);
  if (count * inner == 0) return;
  const int64_t size = static_cast<int64_t>(size_of(x.dtype));
  char* to = static_cast<char*>(k.out(0).data());
  const char* from = static_cast<const char*>(x.data());
  if (x.contiguous || inner == 1) return pick_rows(to, from, at.get(), 1, count, 0, inner * size);
  SmallVector<int64_t, 8> sizes;
  for (size_t d = depth; d < x.shape.size(); ++d) sizes.push_back(extent(x, d));
  const Strides dense = contiguous_strides(Shape(x.shape.begin() + depth, x.shape.end()));
  for (int64_t i = 0; i < count; ++i) {
    copy_strided(to + i * inner * size, x.dtype, dense.data(), from + at[size_t(i)] * size, x.dtype,
                 x.strides.data() + depth, sizes.data(), static_cast<int>(sizes.size()));
  }
}

template <typename T>
void scatter_nd_add_kernel(KernelContext& k) {
  int64_t count, inner;
  const auto at = nd_parts(k, k.in(0), count, inner);
  copy_x(k);
  if (count * inner == 0) return;
  const T* from = k.in_data<T>(2);
  T* to = k.out_data<T>(0);
  for (int64_t i = 0; i < count; ++i) {
    T* row = to + at[static_cast<size_t>(i)] * inner;
    for (int64_t j = 0; j < inner; ++j) add_into(row[j], from[i * inner + j]);
  }
}

// Additions to 16-bit floats run in float32, but for a few to a large tensor in place.
template <KernelFn kNarrow, KernelFn kFloat>
void add_narrow(KernelContext& k) {
  const bool few = k.in(0).data() == k.out(0).data() && k.in(2).numel < k.in(0).numel / 4;
  few ? kNarrow(k) : call_in_float32(k, kFloat);
}

// arguments: x, index, updates, overwrite
template <typename T>
void scatter_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const int64_t count = k.in(1).numel, inner = product(x, 1, x.shape.size());
  const auto at = read_indices(k.in(1), extent(x, 0), "scatter", "index", 0, k.out(0));
  copy_x(k);
  if (count * inner == 0) return;
  const T* from = k.in_data<T>(2);
  T* to = k.out_data<T>(0);
  const bool overwrite = k.b(3);
  for (int64_t i = 0; i < count; ++i) {
    T* row = to + at[static_cast<size_t>(i)] * inner;
    if (overwrite) {
      std::memcpy(row, from + i * inner, static_cast<size_t>(inner) * sizeof(T));
    } else {
      std::fill(row, row + inner, T());
    }
  }
  for (int64_t i = 0; !overwrite && i < count; ++i) {
    T* row = to + at[static_cast<size_t>(i)] * inner;
    for (int64_t j = 0; j < inner; ++j) add_into(row[j], from[i * inner + j]);
  }
}

// Index lists: masks become the columns of their nonzero positions.
struct IndexColumns {
  std::vector<Tensor> columns;  // int64 or int32, contiguous
  Shape common;                 // what they broadcast to
};

void add_mask_columns(const Tensor& mask, IndexColumns& c, const TensorImpl& x) {
  const bool* bits = mask.numel() ? mask.data<bool>() : nullptr;
  int64_t count = 0;
  for (int64_t i = 0; i < mask.numel(); ++i) count += bits[i];
  const size_t first = c.columns.size();
  for (int64_t d = 0; d < mask.ndim(); ++d) {
    PADDLE_CHECK_INDEX(
        mask.size(d) == extent(x, first + size_t(d)), "index_put: a mask in indices has shape ",
        mask.shape(), " and x has shape ", x.shape,
        "; a mask must have the extents of the axes it addresses; slice or expand it.");
    c.columns.push_back(Tensor::empty(Shape{count}, DType::kInt64));
  }
  int64_t row = 0;
  for (int64_t i = 0; i < mask.numel(); ++i) {
    if (!bits[i]) continue;
    int64_t rest = i;
    for (int64_t d = mask.ndim(); d-- > 0;) {
      c.columns[first + static_cast<size_t>(d)].data<int64_t>()[row] = rest % mask.size(d);
      rest /= mask.size(d);
    }
    ++row;
  }
}

IndexColumns columns_of(KernelContext& k) {
  IndexColumns c;
  for (const Tensor& given : k.list(1)) {
    const Tensor t = given.contiguous_copy_if_needed();
    if (t.dtype() == DType::kBool) {
      add_mask_columns(t, c, k.in(0));
    } else {
      c.columns.push_back(t);
    }
  }
  for (const Tensor& t : c.columns) {
    Shape next;
    broadcast_into(c.common, t.shape(), "index_put", "indices", "indices", next);
    c.common = next;
  }
  return c;
}

// Strides of t seen as `target`; 0 on broadcast axes.
Strides broadcast_strides(const TensorImpl& t, const Shape& target) {
  Strides out(target.size(), 0);
  const size_t extra = target.size() - t.shape.size();
  for (size_t d = 0; d < t.shape.size(); ++d) {
    if (!(t.shape[d] == Dim(1))) out[d + extra] = t.strides[d];
  }
  return out;
}

// Offsets of all positions of axes [begin, end) of a shape, the last axis running fastest.
std::vector<int64_t> offsets_of(const Shape& shape, const Strides& strides, size_t begin,
                                size_t end) {
  std::vector<int64_t> out{0};
  for (size_t d = begin; d < end; ++d) {
    std::vector<int64_t> next;
    const int64_t n = shape[d].value();
    next.reserve(out.size() * static_cast<size_t>(n));
    for (const int64_t at : out) {
      for (int64_t i = 0; i < n; ++i) next.push_back(at + i * strides[d]);
    }
    out = std::move(next);
  }
  return out;
}

// to[i] = the next of `from` where flag i is set. What is not set is written too: as it was.
template <typename U>
void merge_by_flags(const uint8_t* flags, int64_t n, int64_t count, const void* from, void* to) {
  const U* x = static_cast<const U*>(from);
  U* o = static_cast<U*>(to);
  for (int64_t i = 0, done = 0; i < n && done < count; ++i) {
    o[i] = flags[i] ? x[done] : o[i];
    done += flags[i];
  }
}

// x[mask] = value for one mask of x's leading axes and a value that lies as x[mask] does: its parts
// are written where the mask is set. Returns whether the arguments are of that kind.
bool put_by_mask(KernelContext& k) {
  const TensorImpl &x = k.in(0), &value = k.in(2);
  if (!k.out(0).contiguous || !value.contiguous) return false;
  if (k.list(1).size() != 1 || k.b(3) || k.list(1)[0].dtype() != DType::kBool) return false;
  const Tensor mask = k.list(1)[0].contiguous_copy_if_needed();
  const auto depth = static_cast<size_t>(mask.ndim());
  for (size_t d = 0; d < depth; ++d) {
    if (mask.size(static_cast<int64_t>(d)) != extent(x, d)) return false;
  }
  const int64_t n = mask.numel(), inner = product(x, depth, x.shape.size());
  if (depth == 0 || n * inner == 0) return false;
  const auto* flags = reinterpret_cast<const uint8_t*>(mask.data<bool>());
  const int64_t count = count_set(flags, n), bytes = inner * int64_t(size_of(x.dtype));
  Shape part{count};
  part.append(x.shape.begin() + depth, x.shape.end());
  if (!(value.shape == part)) return false;
  copy_x(k);
  if (count == 0) return true;
  char* to = static_cast<char*>(k.out(0).data());
  const char* from = static_cast<const char*>(value.data());
  if (bytes == 4) return merge_by_flags<uint32_t>(flags, n, count, from, to), true;
  if (bytes == 8) return merge_by_flags<uint64_t>(flags, n, count, from, to), true;
  for (int64_t i = 0; i < n; ++i) {
    if (!flags[i]) continue;
    std::memcpy(to + i * bytes, from, static_cast<size_t>(bytes));
    from += bytes;
  }
  return true;
}

// What index_put writes: `count` parts of x, each in `groups` runs of elements that lie side by
// side in x, and in value too (step 1) or are one number there (step 0).
struct Parts {
  std::vector<int64_t> at, groups;              // in x
  std::vector<int64_t> value_at, value_groups;  // in value
  int64_t run = 1, step = 0;
};

Parts parts_of(KernelContext& k) {
  const TensorImpl &out = k.out(0), &value = k.in(2);
  const IndexColumns c = columns_of(k);
  const size_t depth = c.columns.size(), front = c.common.size(), rank = out.shape.size();
  Shape part = c.common;
  part.append(out.shape.begin() + depth, out.shape.end());
  Shape check;
  broadcast_into(value.shape, part, "index_put", "value", "x[indices]", check);
  PADDLE_CHECK_VALUE(check == part, "index_put: value has shape ", value.shape,
                     " and x[indices] has shape ", part,
                     "; value must broadcast to it; reshape value.");
  Parts p;
  p.at.assign(static_cast<size_t>(numel_of(c.common).value()), 0);
  for (size_t d = 0; d < depth; ++d) {
    const TensorImpl& column = *c.columns[d].impl();
    const auto index =
        read_indices(column, extent(out, d), "index_put", "indices", int64_t(d), out);
    const int64_t stride = out.strides[d];
    if (c.columns[d].numel() == static_cast<int64_t>(p.at.size())) {
      for (size_t i = 0; i < p.at.size(); ++i) p.at[i] += index[i] * stride;
      continue;
    }
    const auto from = offsets_of(c.common, broadcast_strides(column, c.common), 0, front);
    for (size_t i = 0; i < p.at.size(); ++i) p.at[i] += index[size_t(from[i])] * stride;
  }
  const Strides strides = broadcast_strides(value, part);
  bool same = true, beside = true;
  size_t end = rank;
  for (; end > depth; --end) {
    const int64_t n = extent(out, end - 1), s = strides[front + end - 1 - depth];
    if (n == 1) continue;
    if (out.strides[end - 1] != p.run || !((same && s == 0) || (beside && s == p.run))) break;
    same = same && s == 0;
    beside = beside && s == p.run;
    p.run *= n;
  }
  p.step = same ? 0 : 1;
  p.groups = offsets_of(out.shape, out.strides, depth, end);
  p.value_at = offsets_of(part, strides, 0, front);
  p.value_groups = offsets_of(part, strides, front, front + end - depth);
  return p;
}

// Takes x and value of any strides; in place, those of x are the strides of the result.
template <typename T>
void index_put_kernel(KernelContext& k) {
  if (put_by_mask(k)) return;
  const Parts p = parts_of(k);
  copy_x(k);
  if (p.at.empty() || k.in(0).numel == 0) return;
  const T* from = k.in_data<T>(2);
  T* to = k.out_data<T>(0);
  const bool accumulate = k.b(3);
  for (size_t g = 0; g < p.groups.size(); ++g) {
    for (size_t i = 0; i < p.at.size(); ++i) {
      T* o = to + p.at[i] + p.groups[g];
      const T* v = from + p.value_at[i] + p.value_groups[g];
      if (accumulate) {
        for (int64_t j = 0; j < p.run; ++j) add_into(o[j], v[j * p.step]);
      } else if (p.run == 1) {
        *o = *v;
      } else if (p.step == 1) {
        std::memcpy(o, v, static_cast<size_t>(p.run) * sizeof(T));
      } else {
        std::fill(o, o + p.run, *v);
      }
    }
  }
}

template <typename T>
void register_type(Registry& r) {
  const auto add = [&](const char* op, KernelFn fn) {
    r.kernel(op, DeviceKind::kCpu, {DTypeOf<T>::value}, fn);
  };
  add("gather", gather_kernel);
  add("index_select", index_select_kernel);
  if constexpr (kIs16BitFloat<T>) {
    add("index_add", add_narrow<index_add_kernel<T>, index_add_kernel<float>>);
    add("scatter_nd_add", add_narrow<scatter_nd_add_kernel<T>, scatter_nd_add_kernel<float>>);
  } else {
    add("index_add", index_add_kernel<T>);
    add("scatter_nd_add", scatter_nd_add_kernel<T>);
  }
  r.kernel("gather_nd", DeviceKind::kCpu, {DTypeOf<T>::value}, gather_nd_kernel, true);
  add("scatter", scatter_kernel<T>);
  r.kernel("index_put", DeviceKind::kCpu, {DTypeOf<T>::value}, index_put_kernel<T>, true);
}

}  // namespace

void register_gather_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name) register_type<T>(r);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
}

}  // namespace paddle::cpu
