// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are copies between parts of tensors: concat, stack, split, split_with_num, unbind,
// slice_scatter, pad, strided_slice with negative steps, and the two that read a shape.
#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/rules/slice.h"

namespace paddle::cpu {
namespace {

int64_t product(const Shape& s, size_t begin, size_t end) {
  int64_t n = 1;
  for (size_t d = begin; d < end; ++d) n *= s[d].value();
  return n;
}

// [rows, width] bytes of elements between two row pitches.
void copy_rows(void* dst, int64_t dst_pitch, const void* src, int64_t src_pitch, int64_t rows,
               int64_t width, DType dtype) {
  const int64_t sizes[] = {rows, width}, to[] = {dst_pitch, 1}, from[] = {src_pitch, 1};
  copy_strided(dst, dtype, to, src, dtype, from, sizes, 2);
}

char* element(void* data, int64_t index, DType dtype) {
  return static_cast<char*>(data) + index * static_cast<int64_t>(size_of(dtype));
}

// Copies the parts, of any strides, one behind the other along `axis`, which a stack adds.
void join(KernelContext& k, size_t axis, bool adds_axis) {
  TensorImpl& out = k.out(0);
  if (out.numel == 0) return;
  const int64_t step = out.strides[axis];
  Strides to = out.strides;
  if (adds_axis) to.erase(to.begin() + static_cast<int64_t>(axis));
  int64_t at = 0;
  for (const Tensor& part : k.list(0)) {
    if (part.numel() == 0) continue;
    const auto sizes = sizes_of(part.shape());
    copy_strided(element(out.data(), at, out.dtype), out.dtype, to.data(), part.raw_data(),
                 out.dtype, part.strides().data(), sizes.data(), static_cast<int>(sizes.size()));
    at += step * (adds_axis ? 1 : part.shape()[axis].value());
  }
}

struct Share {
  char* to;
  int64_t width;  // elements of a row
};

// Rows into narrow parts, a row after the other: each is read once.
void cut_narrow(const std::vector<Share>& shares, const char* from, int64_t rows, int64_t pitch,
                int64_t size) {
  const int64_t grain = std::max<int64_t>(1, (256 << 10) / (pitch * size));
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const char* at = from + row * pitch * size;
      for (const Share& share : shares) {
        const auto bytes = static_cast<size_t>(share.width * size);
        std::memcpy(share.to + static_cast<size_t>(row) * bytes, at, bytes);
        at += bytes;
      }
    }
  });
}

// Cuts [outer, sum of width_i] into its parts, the results.
void cut(KernelContext& k, size_t axis, int64_t extent, bool drops_axis) {
  const TensorImpl& x = k.in(0);
  if (x.numel == 0) return;
  const int64_t outer = product(x.shape, 0, axis), pitch = x.numel / outer;
  const auto size = static_cast<int64_t>(size_of(x.dtype));
  std::vector<Share> shares;
  for (int64_t i = 0, at = 0; at < pitch; ++i) {
    TensorImpl& part = k.out(static_cast<int>(i));
    const int64_t width = pitch / extent * (drops_axis ? 1 : part.shape[axis].value());
    if (width > 0) shares.push_back({static_cast<char*>(part.data()), width});
    at += width;
  }
  constexpr int64_t kNarrow = 256;  // bytes
  const auto count = static_cast<int64_t>(shares.size());
  const char* from = static_cast<const char*>(x.data());
  if (count > 1 && outer > 1 && pitch * size <= kNarrow * count) {
    return cut_narrow(shares, from, outer, pitch, size);
  }
  for (const Share& share : shares) {
    copy_rows(share.to, share.width, from, pitch, outer, share.width, x.dtype);
    from += share.width * size;
  }
}

size_t axis_in(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

void concat_kernel(KernelContext& k) {
  join(k, axis_in(k.scalar(1).to_int(), k.out(0).shape.size()), false);
}
void stack_kernel(KernelContext& k) { join(k, axis_in(k.i(1), k.out(0).shape.size()), true); }
void split_kernel(KernelContext& k) {
  const Shape& x = k.in(0).shape;
  const size_t axis = axis_in(k.scalar(2).to_int(), x.size());
  cut(k, axis, x[axis].value(), false);
}
void unbind_kernel(KernelContext& k) {
  const Shape& x = k.in(0).shape;
  const size_t axis = axis_in(k.i(1), x.size());
  cut(k, axis, x[axis].value(), true);
}

// The strides and first element of x[starts:ends:steps].
struct Part {
  Shape shape;
  Strides strides;
  int64_t first = 0;
};

Part part_of(KernelContext& k, const Shape& x, const Strides& strides, int first_arg) {
  const auto list = [&](int i) {
    const auto v = k.ints(first_arg + i);
    return Shape(v.begin(), v.end());
  };
  const Shape axes = list(0);
  SmallVector<Range, 5> ranges;
  Part p{sliced_shape(x, axes, list(1), list(2), list(3), k.op().name(), &ranges), strides};
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = axis_in(axes[i].value(), x.size());
    p.first += ranges[i].start.value() * p.strides[axis];
    p.strides[axis] *= ranges[i].step;
  }
  return p;
}

void strided_slice_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  TensorImpl& out = k.out(0);
  if (out.numel == 0) return;
  const Part p = part_of(k, x.shape, x.strides, 1);
  const auto sizes = sizes_of(p.shape);
  copy_strided(out.data(), x.dtype, out.strides.data(), element(x.data(), p.first, x.dtype),
               x.dtype, p.strides.data(), sizes.data(), static_cast<int>(sizes.size()));
}

void slice_scatter_kernel(KernelContext& k) {
  const TensorImpl &x = k.in(0), &value = k.in(1);
  TensorImpl& out = k.out(0);
  if (x.numel == 0) return;
  if (out.data() != x.data()) {
    const auto whole = sizes_of(x.shape);
    copy_strided(out.data(), x.dtype, out.strides.data(), x.data(), x.dtype, x.strides.data(),
                 whole.data(), static_cast<int>(whole.size()));
  }
  if (value.numel == 0) return;
  const Part p = part_of(k, x.shape, out.strides, 2);
  const auto sizes = sizes_of(p.shape);
  const size_t before = sizes.size() - value.shape.size();
  Strides from(sizes.size(), 0);  // value broadcasts
  for (size_t d = 0; d < value.shape.size(); ++d) {
    if (sizes[before + d] == 0) return;
    from[before + d] = value.shape[d] == 1 ? 0 : value.strides[d];
  }
  copy_strided(element(out.data(), p.first, x.dtype), x.dtype, p.strides.data(), value.data(),
               x.dtype, from.data(), sizes.data(), static_cast<int>(sizes.size()));
}

// arguments: x, paddings (before and after, axis by axis; negative numbers crop), pad_value
void pad_kernel(KernelContext& k) {
  const TensorImpl &x = k.in(0), &out = k.out(0);
  if (out.numel == 0) return;
  alignas(16) char one[16];
  const Scalar value = k.scalar(2);
  const std::complex<double> z = value.to_complex();
  const int64_t whole = value.is_integral() ? value.to_int() : 0;
  const DType from = value.is_integral() ? DType::kInt64 : DType::kComplex128;
  const void* given = value.is_integral() ? static_cast<const void*>(&whole) : &z;
  loop_tables.convert[static_cast<int>(from)][static_cast<int>(x.dtype)](1, one, given, 1);
  fill_pattern(out.data(), one, size_of(x.dtype), out.numel);
  const auto pads = k.ints(1);
  const Strides of_x = contiguous_strides(x.shape), of_out = contiguous_strides(out.shape);
  auto sizes = sizes_of(x.shape);
  int64_t first = 0, target = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t before = pads[2 * d].value(), after = pads[2 * d + 1].value();
    first += std::max<int64_t>(-before, 0) * of_x[d];
    target += std::max<int64_t>(before, 0) * of_out[d];
    sizes[d] += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    if (sizes[d] <= 0) return;
  }
  copy_strided(element(out.data(), target, x.dtype), x.dtype, of_out.data(),
               element(x.data(), first, x.dtype), x.dtype, of_x.data(), sizes.data(),
               static_cast<int>(sizes.size()));
}

void shape_kernel(KernelContext& k) {
  const Shape& x = k.in(0).shape;
  for (size_t d = 0; d < x.size(); ++d) k.out_data<int64_t>(0)[d] = x[d].value();
}
void numel_kernel(KernelContext& k) { *k.out_data<int64_t>(0) = k.in(0).numel; }

void register_type(Registry& r, DType t) {
  r.kernel("concat", DeviceKind::kCpu, {t}, concat_kernel, /*strided=*/true);
  r.kernel("stack", DeviceKind::kCpu, {t}, stack_kernel, /*strided=*/true);
  r.kernel("split", DeviceKind::kCpu, {t}, split_kernel);
  r.kernel("split_with_num", DeviceKind::kCpu, {t}, split_kernel);
  r.kernel("unbind", DeviceKind::kCpu, {t}, unbind_kernel);
  r.kernel("strided_slice", DeviceKind::kCpu, {t}, strided_slice_kernel, /*strided=*/true);
  r.kernel("pad", DeviceKind::kCpu, {t}, pad_kernel);
  r.kernel("slice_scatter", DeviceKind::kCpu, {t}, slice_scatter_kernel, true);
  r.kernel("shape64", DeviceKind::kCpu, {t}, shape_kernel, true);
  r.kernel("numel", DeviceKind::kCpu, {t}, numel_kernel, true);
}

}  // namespace

void register_concat_cpu(Registry& r) {
  init_loop_tables();
#define PADDLE_REGISTER(T, name) register_type(r, DType::name);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
}

}  // namespace paddle::cpu
