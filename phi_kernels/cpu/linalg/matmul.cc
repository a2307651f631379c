// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of matmul and linear on the CPU. Inputs may have any strides: transposed matrices are
// handed to the product as flags, leading dimensions that continue the rows are merged into them,
// and only memory that fits neither is copied.
#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/libraries/onednn_isa.h"

namespace paddle::cpu {
namespace {

// One operand: matrices [rows, columns] as stored, one per batch entry.
struct Operand {
  Tensor held;  // keeps a copy alive
  const void* data = nullptr;
  bool trans = false;
  int64_t ld = 0;
  SmallVector<int64_t, 5> batch;          // extents of the leading dimensions
  SmallVector<int64_t, 5> batch_strides;  // in elements
};

bool fits(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  return (columns <= 1 || column_stride == 1) && (rows <= 1 || row_stride >= columns);
}

// rows x columns: the last two dimensions as the tensor shows them (a vector counts as one row).
Operand operand(const Tensor& t, bool flag) {
  Operand o;
  const size_t rank = t.shape().size();
  if (rank == 1) {
    o.held = t->strides[0] == 1 ? t : t.contiguous_copy_if_needed();
    o.data = o.held.raw_data();
    o.ld = std::max<int64_t>(1, t.size(0));
    return o;
  }
  const int64_t rows = t.size(-2), columns = t.size(-1);
  o.held = t;
  const Strides* st = &t.strides();
  if (fits(rows, columns, (*st)[rank - 2], (*st)[rank - 1])) {
    o.trans = flag;
    o.ld = rows <= 1 ? columns : (*st)[rank - 2];
  } else if (fits(columns, rows, (*st)[rank - 1], (*st)[rank - 2])) {
    o.trans = !flag;
    o.ld = columns <= 1 ? rows : (*st)[rank - 1];
  } else {
    Tensor copy = Tensor::empty(t.shape(), t.dtype(), t.place());
    copy.copy_data_from(t);
    o.held = copy;
    st = &copy.strides();
    o.trans = flag;
    o.ld = columns;
  }
  o.ld = std::max<int64_t>(o.ld, 1);
  o.data = o.held.raw_data();
  for (size_t i = 0; i + 2 < rank; ++i) {
    o.batch.push_back(t.shape()[i].value());
    o.batch_strides.push_back((*st)[i]);
  }
  return o;
}

// The stored matrix, seen by the multiplication after `trans`, has `rows` rows; true when walking
// all leading dimensions is the same as having more rows.
bool merge_rows(const Operand& x, int64_t rows) {
  if (x.trans) return false;
  int64_t expected = x.ld * rows;
  for (size_t i = x.batch.size(); i-- > 0;) {
    if (x.batch[i] != 1 && x.batch_strides[i] != expected) return false;
    expected *= x.batch[i];
  }
  return true;
}

int64_t batch_offset(const Operand& o, const SmallVector<int64_t, 5>& extents, int64_t index) {
  int64_t offset = 0;
  const size_t skip = extents.size() - o.batch.size();
  for (size_t i = extents.size(); i-- > 0;) {
    const int64_t at = index % extents[i];
    index /= extents[i];
    if (i >= skip && o.batch[i - skip] != 1) offset += at * o.batch_strides[i - skip];
  }
  return offset;
}

// The distance between neighbours in the flattened leading dimensions; -1 where it varies.
int64_t batch_step(const Operand& o, const SmallVector<int64_t, 5>& extents) {
  const size_t skip = extents.size() - o.batch.size();
  int64_t step = 0, expected = 0;
  bool known = false;
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    const int64_t own = i < skip || o.batch[i - skip] == 1 ? 0 : o.batch_strides[i - skip];
    if (known && own != expected) return -1;
    if (!known) step = own;
    known = true;
    expected = own * extents[i];
  }
  return step;
}

template <typename T>
void product(const Tensor& x_in, const Tensor& y_in, bool trans_x, bool trans_y, T* out,
             bool accumulate) {
  const bool x_vector = x_in.ndim() == 1, y_vector = y_in.ndim() == 1;
  Operand x = operand(x_in, trans_x && !x_vector);
  Operand y = operand(y_in, trans_y && !y_vector);
  GemmShape s;
  const int64_t k = x_vector ? x_in.size(0) : x_in.size(trans_x ? -2 : -1);
  s.m = x_vector ? 1 : x_in.size(trans_x ? -1 : -2);
  s.n = y_vector ? 1 : y_in.size(trans_y ? -2 : -1);
  s.k = k;
  if (y_vector) y.trans = true;  // [n, k] with n = 1
  s.trans_a = x.trans;
  s.trans_b = y.trans;
  s.lda = x.ld;
  s.ldb = y.ld;
  s.ldc = std::max<int64_t>(1, s.n);

  SmallVector<int64_t, 5> extents;
  extents.resize(std::max(x.batch.size(), y.batch.size()), 1);
  int64_t batches = 1, y_batches = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    const size_t from_x = extents.size() - x.batch.size();
    const size_t from_y = extents.size() - y.batch.size();
    if (i >= from_x) extents[i] = x.batch[i - from_x];
    if (i >= from_y && y.batch[i - from_y] != 1) extents[i] = y.batch[i - from_y];
    batches *= extents[i];
  }
  for (const int64_t b : y.batch) y_batches *= b;
  if (batches == 0 || s.m == 0 || s.n == 0) return;

  const bool one_y = y_batches == 1 && batches > 1;
  if (one_y && !trans_x && s.m <= 32 && s.n >= 16 && !merge_rows(x, s.m)) {
    x = operand(x_in.contiguous_copy_if_needed(), false);  // few rows each: one product of them all
    s.trans_a = x.trans;
    s.lda = x.ld;
  }
  const T* a = static_cast<const T*>(x.data);
  const T* b = static_cast<const T*>(y.data);
  if (batches == 1) {
    gemm(s, a, b, out, accumulate);
    return;
  }
  if (one_y && merge_rows(x, s.m)) {
    s.m *= batches;
    gemm(s, a, b, out, accumulate);
    return;
  }
  const int64_t work = s.m * s.n * std::max<int64_t>(1, s.k);
  const int64_t step_x = batch_step(x, extents), step_y = batch_step(y, extents);
  const auto at = [&](const Operand& o, int64_t step, int64_t i) {
    return step >= 0 ? step * i : batch_offset(o, extents, i);
  };
  const auto one = [&](int64_t i) {
    gemm(s, a + at(x, step_x, i), b + at(y, step_y, i), out + i * s.m * s.n, accumulate);
  };
  if (batches < num_threads() && work > 1000000) {
    for (int64_t i = 0; i < batches; ++i) one(i);
    return;
  }
  parallel_for(0, batches, std::max<int64_t>(1, 65536 / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) one(i);
  });
}

template <typename T>
void matmul_kernel(KernelContext& c) {
  product<T>(c.in_tensor(0), c.in_tensor(1), c.b(2), c.b(3), c.out_data<T>(0), false);
}

// Every row of out is the bias, or its only value.
template <typename T>
void fill_rows(const T* bias, int64_t step, int64_t rows, int64_t n, T* out) {
  parallel_for(0, rows, std::max<int64_t>(1, 32768 / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (step) {
        std::copy(bias, bias + n, out + i * n);
      } else {
        std::fill(out + i * n, out + i * n + n, bias[0]);
      }
    }
  });
}

// A bias of several axes, repeated to the shape of out.
template <typename T>
void fill_broadcast(const Tensor& bias, const TensorImpl& out_tensor, T* out) {
  const Shape& shape = out_tensor.shape;
  const size_t skip = shape.size() - static_cast<size_t>(bias.ndim());
  for (int64_t i = 0; i < out_tensor.numel; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (size_t d = shape.size(); d-- > skip;) {
      const int64_t own = bias.size(static_cast<int64_t>(d - skip)), extent = shape[d].value();
      if (own != 1) at += rest % extent * stride;
      rest /= extent;
      stride *= own;
    }
    out[i] = bias.data<T>()[at];
  }
}

template <typename T>
void linear_kernel(KernelContext& c) {
  T* out = c.out_data<T>(0);
  const bool has_bias = c.has(2);
  if (has_bias && c.out(0).numel > 0) {
    const Tensor bias = c.in_tensor(2).contiguous_copy_if_needed();
    const int64_t n = c.out(0).shape.empty() ? 1 : c.out(0).shape.back().value();
    if (bias.ndim() <= 1) {
      fill_rows(bias.data<T>(), bias.numel() == 1 ? 0 : 1, c.out(0).numel / n, n, out);
    } else {
      fill_broadcast(bias, c.out(0), out);
    }
  }
  product<T>(c.in_tensor(0), c.in_tensor(1), false, false, out, has_bias);
}

template <typename T>
void add_both(Registry& r, DType dtype) {
  r.kernel("matmul", DeviceKind::kCpu, {dtype}, matmul_kernel<T>, /*strided=*/true);
  r.kernel("linear", DeviceKind::kCpu, {dtype}, linear_kernel<T>, /*strided=*/true);
}

}  // namespace

void register_matmul_cpu(Registry& r) {
  allow_float16_tiles();
  add_both<float>(r, DType::kFloat32);
  add_both<double>(r, DType::kFloat64);
  add_both<float16>(r, DType::kFloat16);
  add_both<bfloat16>(r, DType::kBFloat16);
  add_both<std::complex<float>>(r, DType::kComplex64);
  add_both<std::complex<double>>(r, DType::kComplex128);
  add_both<uint8_t>(r, DType::kUInt8);
  add_both<uint8_t>(r, DType::kInt8);
  add_both<uint16_t>(r, DType::kInt16);
  add_both<uint32_t>(r, DType::kInt32);
  add_both<uint64_t>(r, DType::kInt64);
}

}  // namespace paddle::cpu
