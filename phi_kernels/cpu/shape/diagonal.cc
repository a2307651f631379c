// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that write by a rule of position: diag_embed, fill_diagonal, fill_diagonal_tensor, the
// indices of triangles; and shard_index and repeat_interleave_with_tensor_index.
#include <algorithm>
#include <cstring>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/indices.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {
namespace {

void copy_first_input(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  if (x.numel) {
    copy_bytes(k.out(0).data(), x.data(), x.numel * static_cast<int64_t>(size_of(x.dtype)));
  }
}

// y onto the diagonal `offset` of out in dimensions dim1 and dim2.
void place_diagonal(const TensorImpl& out, const TensorImpl& y, int64_t offset, int64_t dim1,
                    int64_t dim2) {
  if (y.numel == 0) return;
  const auto rank = static_cast<int64_t>(out.shape.size());
  const int64_t first = dim1 < 0 ? dim1 + rank : dim1, second = dim2 < 0 ? dim2 + rank : dim2;
  const Strides own = contiguous_strides(out.shape), from = contiguous_strides(y.shape);
  Strides to;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != first && d != second) to.push_back(own[static_cast<size_t>(d)]);
  }
  const int64_t row = own[static_cast<size_t>(first)], column = own[static_cast<size_t>(second)];
  to.push_back(row + column);
  const int64_t start = std::max<int64_t>(-offset, 0) * row + std::max<int64_t>(offset, 0) * column;
  const auto sizes = sizes_of(y.shape);
  copy_strided(static_cast<char*>(out.data()) + start * static_cast<int64_t>(size_of(out.dtype)),
               out.dtype, to.data(), y.data(), y.dtype, from.data(), sizes.data(),
               static_cast<int>(sizes.size()));
}

// arguments: x, y, offset, dim1, dim2
void fill_diagonal_tensor_kernel(KernelContext& k) {
  copy_first_input(k);
  if (k.out(0).numel) place_diagonal(k.out(0), k.in(1), k.i(2), k.i(3), k.i(4));
}

// arguments: input, offset, dim1, dim2
void diag_embed_kernel(KernelContext& k) {
  const TensorImpl& out = k.out(0);
  if (out.numel == 0) return;
  const uint8_t zero[16] = {};
  fill_pattern(out.data(), zero, size_of(out.dtype), out.numel);
  place_diagonal(out, k.in(0), k.i(1), k.i(2), k.i(3));
}

// arguments: x, value, offset, wrap
void fill_diagonal_kernel(KernelContext& k) {
  copy_first_input(k);
  const TensorImpl& x = k.in(0);
  if (x.numel == 0) return;
  alignas(16) char one[16];
  const double value = k.f(1);
  loop_tables.convert[static_cast<int>(DType::kFloat64)][static_cast<int>(x.dtype)](1, one, &value,
                                                                                    1);
  const Strides strides = contiguous_strides(x.shape);
  int64_t step = 0;
  for (const int64_t s : strides) step += s;
  const int64_t columns = x.shape.back().value();
  const int64_t offset = std::clamp(k.i(2), -columns, columns);
  // Without wrap the diagonal of a tall matrix ends at its last column.
  const int64_t end =
      x.shape.size() == 2 && !k.b(3) ? std::min(x.numel, columns * columns) : x.numel;
  const size_t size = size_of(x.dtype);
  for (int64_t i = 0; i < end; i += step) {
    const int64_t column = i % columns + offset;
    if (column < 0 || column >= columns) continue;
    std::memcpy(static_cast<char*>(k.out(0).data()) + static_cast<size_t>(i + offset) * size, one,
                size);
  }
}

// arguments: rows, columns, offset. Column c of row r belongs to the lower triangle when
// c - r <= offset, to the upper one when c - r >= offset.
template <typename T, bool kLower>
void triangle_indices_kernel(KernelContext& k) {
  const int64_t rows = k.i(0), columns = k.i(1), n = k.out(0).shape[1].value();
  if (n == 0) return;
  const int64_t offset = std::clamp(k.i(2), -rows, columns);
  T* row = k.out_data<T>(0);
  T* column = row + n;
  const int64_t first = kLower ? std::max<int64_t>(-offset, 0) : 0;
  const int64_t last = kLower ? rows : std::min(rows, columns - offset);
  for (int64_t r = first; r < last; ++r) {
    const int64_t cut = std::clamp<int64_t>(r + offset + (kLower ? 1 : 0), 0, columns);
    for (int64_t c = kLower ? 0 : cut; c < (kLower ? cut : columns); ++c) {
      *row++ = static_cast<T>(r);
      *column++ = static_cast<T>(c);
    }
  }
}

// arguments: input, index_num, nshards, shard_id, ignore_value
template <typename T>
void shard_index_kernel(KernelContext& k) {
  const int64_t n = k.in(0).numel, total = k.i(1), shards = k.i(2), shard = k.i(3);
  const int64_t size = total / shards + (total % shards != 0);
  const T* x = n ? k.in_data<T>(0) : nullptr;
  T* out = n ? k.out_data<T>(0) : nullptr;
  for (int64_t i = 0; i < n; ++i) {
    PADDLE_CHECK_VALUE(x[i] >= 0 && static_cast<int64_t>(x[i]) < total, "shard_index: input holds ",
                       static_cast<int64_t>(x[i]), " and index_num is ", total,
                       "; indices must be in [0, index_num); change index_num.");
    out[i] = x[i] / size == shard ? static_cast<T>(x[i] % size) : static_cast<T>(k.i(4));
  }
}

// arguments: x, repeats, axis
void repeat_by_tensor_kernel(KernelContext& k) {
  const TensorImpl &x = k.in(0), &repeats = k.in(1);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const auto axis = static_cast<size_t>(k.i(2) < 0 ? k.i(2) + rank : k.i(2));
  const int64_t n = x.shape[axis].value();
  int64_t total = 0;
  for (int64_t i = 0; i < repeats.numel; ++i) {
    const int64_t times = index_at(repeats, i);
    PADDLE_CHECK_VALUE(times >= 0, "repeat_interleave: repeats holds ", times,
                       "; a number of repetitions must be >= 0; clip it first.");
    PADDLE_CHECK_KIND(ErrorKind::kOverflow, !__builtin_add_overflow(total, times, &total),
                      "repeat_interleave: repeats adds up to more than 2**63 - 1; repeat less.");
  }
  Shape shape = x.shape;
  shape[axis] = total;
  const Tensor out = Tensor::empty(shape, x.dtype);
  int64_t outer = 1, bytes = static_cast<int64_t>(size_of(x.dtype));
  for (size_t d = 0; d < axis; ++d) outer *= x.shape[d].value();
  for (size_t d = axis + 1; d < x.shape.size(); ++d) bytes *= x.shape[d].value();
  if (out.numel() > 0) {
    const char* from = static_cast<const char*>(x.data());
    char* to = out.data<char>();
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < n; ++i, from += bytes) {
        for (int64_t j = index_at(repeats, i); j > 0; --j, to += bytes) {
          std::memcpy(to, from, static_cast<size_t>(bytes));
        }
      }
    }
  }
  k.set_out(0, out);
}

}  // namespace

void register_diagonal_cpu(Registry& r) {
  init_loop_tables();
#define PADDLE_REGISTER(T, name)                                                                  \
  r.kernel("fill_diagonal", DeviceKind::kCpu, {DType::name}, fill_diagonal_kernel);               \
  r.kernel("fill_diagonal_tensor", DeviceKind::kCpu, {DType::name}, fill_diagonal_tensor_kernel); \
  r.kernel("diag_embed", DeviceKind::kCpu, {DType::name}, diag_embed_kernel);                     \
  r.kernel("repeat_interleave_with_tensor_index", DeviceKind::kCpu, {DType::name},                \
           repeat_by_tensor_kernel);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
  r.kernel("tril_indices", DeviceKind::kCpu, {DType::kInt32},
           triangle_indices_kernel<int32_t, true>);
  r.kernel("tril_indices", DeviceKind::kCpu, {DType::kInt64},
           triangle_indices_kernel<int64_t, true>);
  r.kernel("triu_indices", DeviceKind::kCpu, {DType::kInt32},
           triangle_indices_kernel<int32_t, false>);
  r.kernel("triu_indices", DeviceKind::kCpu, {DType::kInt64},
           triangle_indices_kernel<int64_t, false>);
  r.kernel("shard_index", DeviceKind::kCpu, {DType::kInt32}, shard_index_kernel<int32_t>);
  r.kernel("shard_index", DeviceKind::kCpu, {DType::kInt64}, shard_index_kernel<int64_t>);
}

}  // namespace paddle::cpu
