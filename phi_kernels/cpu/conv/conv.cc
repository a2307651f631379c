// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the convolutions on the CPU: they bring the operands into the form of conv.h and
// choose the implementation. 16-bit floats are convolved in float32 unless the machine multiplies
// them itself.
#include "phi_kernels/cpu/conv/conv.h"

#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/libraries/onednn_isa.h"
#include "phi_kernels/rules/conv.h"

namespace paddle::cpu {
namespace {

// [N, spatial..., C] seen as [N, C, spatial...].
Tensor channels_first(const Tensor& t, bool channels_last) {
  if (!channels_last) return t;
  Shape shape = t.shape();
  Strides strides = t.strides();
  const size_t last = shape.size() - 1;
  std::rotate(shape.begin() + 1, shape.begin() + static_cast<int64_t>(last), shape.end());
  std::rotate(strides.begin() + 1, strides.begin() + static_cast<int64_t>(last), strides.end());
  return Tensor::alias(t, shape, strides, 0);
}

ConvProblem problem_of(const ConvAttributes& a, const Tensor& src, const Tensor& filter,
                       const Tensor& dst) {
  ConvProblem p;
  p.axes = static_cast<int64_t>(a.axes);
  p.batch = src.size(0);
  p.in_channels = src.size(1);
  p.out_channels = dst.size(1);
  p.groups = a.groups;
  for (size_t i = 0; i < a.axes; ++i) {
    const size_t k = 3 - a.axes + i;
    const int64_t axis = static_cast<int64_t>(i) + 2;
    p.in[k] = src.size(axis);
    p.out[k] = dst.size(axis);
    p.kernel[k] = filter.size(axis);
    p.stride[k] = a.stride(i);
    p.dilation[k] = a.dilation(i);
  }
  return p;
}

Tensor in_type(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  const Tensor out = Tensor::empty(t.shape(), dtype, t.place());
  out.copy_data_from(t);
  return out;
}

// Zeros, or the bias of every channel.
void fill(const Tensor& t, const Tensor& bias) {
  if (t.numel() == 0) return;
  Strides strides(t.shape().size(), 0);
  if (bias.defined()) strides[1] = 1;
  const Tensor value = bias.defined() ? bias : Tensor::full({}, 0.0, t.dtype(), t.place());
  t.copy_data_from(Tensor::alias(value, t.shape(), strides, 0));
}

// out [N, C, positions...] += bias [C]
template <typename T>
void add_bias(const Tensor& out, const Tensor& bias) {
  T* to = out.data<T>();
  const T* from = bias.data<T>();
  const int64_t channels = out.size(1), rows = out.size(0) * channels;
  const int64_t positions = out.numel() / std::max<int64_t>(1, rows);
  parallel_for(0, rows, std::max<int64_t>(1, 32768 / positions), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T* line = to + row * positions;
      const T b = from[row % channels];
      for (int64_t i = 0; i < positions; ++i) line[i] += b;
    }
  });
}

void convolve_contiguous(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  Tensor* result = nullptr;
  ConvOperands dense{t.src.contiguous_copy_if_needed(), t.filter, t.dst.contiguous_copy_if_needed(),
                     t.bias};
  convolve_columns(pass, p, dense);
  if (t.bias.defined()) {
    if (t.bias.dtype() == DType::kFloat64) {
      add_bias<double>(dense.dst, t.bias);
    } else {
      add_bias<float>(dense.dst, t.bias);
    }
  }
  result = pass == ConvPass::kForward     ? &dense.dst
           : pass == ConvPass::kInputGrad ? &dense.src
                                          : nullptr;
  const Tensor& target = pass == ConvPass::kForward ? t.dst : t.src;
  if (result && !result->same_impl(target)) target.copy_data_from(*result);
}

// Of a 16-bit gradient of the input oneDNN writes beside it when windows lie 40 or more elements
// apart along the last axis, and not all of it when no window reaches the end of a volume.
bool beyond_library(ConvPass pass, const ConvProblem& p) {
  if (pass != ConvPass::kInputGrad) return false;
  if (p.stride[2] >= 32) return true;
  if (p.axes < 3) return false;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t window = (p.kernel[i] - 1) * p.dilation[i] + 1;
    if ((p.out[i] - 1) * p.stride[i] + window - p.before[i] < p.in[i]) return true;
  }
  return false;
}

// What is chosen by the shapes; false where none of these takes them.
bool convolve_as_fits(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  const DType dtype = t.src.dtype();
  if (convolve_depthwise(pass, p, t) || convolve_tiles(pass, p, t) ||
      convolve_winograd(pass, p, t)) {
    return true;
  }
  if (pointwise_product(pass, p, t)) return true;
  if (pass == ConvPass::kFilterGrad && pointwise_filter_grad(p, t)) return true;
  const bool native =
      dtype == DType::kFloat32 || (onednn_multiplies(dtype) && !beyond_library(pass, p));
  return native && convolve_onednn(pass, p, t);
}

// Computes in a type that an implementation has; the result is narrowed afterwards.
void convolve(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  const DType dtype = t.src.dtype();
  const Tensor& result = pass == ConvPass::kForward     ? t.dst
                         : pass == ConvPass::kInputGrad ? t.src
                                                        : t.filter;
  if (t.src.numel() == 0 || t.dst.numel() == 0 || t.filter.numel() == 0) {
    return fill(result, t.bias);
  }
  if (dtype == DType::kFloat64) return convolve_contiguous(pass, p, t);
  // Sums over windows in one order; a gradient of the filter is a sum over the batch in any case.
  const bool by_shape = !batch_invariant() || pass == ConvPass::kFilterGrad;
  if (by_shape && convolve_as_fits(pass, p, t)) return;
  const auto widened = [&](const Tensor& x) {
    return &x == &result ? Tensor::empty(x.shape(), DType::kFloat32, x.place())
                         : in_type(x, DType::kFloat32);
  };
  if (dtype == DType::kFloat32) return convolve_contiguous(pass, p, t);
  const ConvOperands wide{widened(t.src), widened(t.filter), widened(t.dst),
                          t.bias.defined() ? in_type(t.bias, DType::kFloat32) : t.bias};
  if (!by_shape || !convolve_onednn(pass, p, wide)) convolve_contiguous(pass, p, wide);
  result.copy_data_from(pass == ConvPass::kForward     ? wide.dst
                        : pass == ConvPass::kInputGrad ? wide.src
                                                       : wide.filter);
}

// Convolutions with kernels of their own for contiguous memory; with as many results as channels,
// those of one filter per channel.
bool works_contiguously(const ConvAttributes& a, const TensorImpl& weights) {
  const Shape& filter = weights.shape;
  if (a.groups > 1) {
    return weights.dtype == DType::kFloat32 && filter[0] == Dim(a.groups) && filter[1] == Dim(1);
  }
  for (size_t i = 0; i < a.axes; ++i) {
    const int64_t kernel = filter[i + 2].value();
    const Padding pad = a.padding(i, 1, kernel);
    if (kernel != 1 || a.stride(i) != 1 || pad.before != 0 || pad.after != 0) return false;
  }
  return true;
}

// Results with channels in front that are worth it are written in channels-last memory, unless the
// order of the activation that is read is as good.
bool prefers_channels_last(const ConvAttributes& a, const TensorImpl& out, const TensorImpl& read,
                           const TensorImpl& filter) {
  constexpr int64_t kWorthIt = 8192;
  const bool by_library = out.dtype != DType::kFloat64;
  if (a.channels_last() || !by_library || out.numel < kWorthIt ||
      !(thread_modes.allowed & kModeLayout)) {
    return false;
  }
  return !(read.contiguous && works_contiguously(a, filter));
}

// Gives the result, not yet written, the strides of channels-last memory.
void order_channels_last(TensorImpl& out) {
  std::rotate(out.shape.begin() + 1, out.shape.begin() + 2, out.shape.end());
  out.set_contiguous_layout();
  become_channels_first(out);
}

// `src`, `filter` and `dst` in the roles they have in the convolution.
void run(ConvPass pass, const ConvAttributes& a, const Tensor& src, const Tensor& filter,
         const Tensor& dst, const Tensor& padding_rule, const Tensor& bias = Tensor()) {
  const bool last = a.channels_last();
  const ConvOperands t{channels_first(src, last), filter.contiguous_copy_if_needed(),
                       channels_first(dst, last),
                       bias.defined() ? bias.contiguous_copy_if_needed() : bias};
  ConvProblem p = problem_of(a, t.src, t.filter, t.dst);
  const Tensor rule = channels_first(padding_rule, last);
  for (size_t i = 0; i < a.axes; ++i) {
    const size_t k = 3 - a.axes + i;
    const int64_t extent = rule.size(static_cast<int64_t>(i) + 2);
    const Padding pad = a.padding(i, extent, p.kernel[k]);
    p.before[k] = pad.before;
    p.after[k] = pad.after;
    // Of a single window any step is as good: one that the library's loops can count with.
    if (p.out[k] == 1) p.stride[k] = std::min(p.stride[k], p.in[k] + pad.before + pad.after);
  }
  convolve(pass, p, t);
}

Tensor out_tensor(KernelContext& c) { return Tensor(IntrusivePtr<TensorImpl>::share(&c.out(0))); }

// The activation that the call writes, from the one that it reads (argument `read`): [N, C,
// spatial...] or, for data_format N...C, [N, spatial..., C].
Tensor activation_result(KernelContext& c, const ConvAttributes& a, int read) {
  if (!prefers_channels_last(a, c.out(0), c.in(read), c.in(1))) return out_tensor(c);
  order_channels_last(c.out(0));
  const Tensor view = out_tensor(c).channels_last_view();
  return view.defined() ? channels_first(view, true) : out_tensor(c);
}

void conv_kernel(KernelContext& c) {
  const ConvAttributes a = conv_attributes(c);
  const Tensor x = c.in_tensor(0);
  run(ConvPass::kForward, a, x, c.in_tensor(1), activation_result(c, a, 0), x);
}

// arguments: input, filter, bias, ...
void conv_bias_kernel(KernelContext& c) {
  const ConvAttributes a = conv_attributes(c);
  const Tensor x = c.in_tensor(0);
  run(ConvPass::kForward, a, x, c.in_tensor(1), activation_result(c, a, 0), x, c.in_tensor(2));
}

// arguments: x, filter, ...: x stands where the convolution has its result.
void transpose_kernel(KernelContext& c) {
  const ConvAttributes a = conv_attributes(c);
  const Tensor x = c.in_tensor(0);
  run(ConvPass::kInputGrad, a, activation_result(c, a, 0), c.in_tensor(1), x, x);
}

// arguments: input (its shape), filter, out_grad, ...
void grad_input_kernel(KernelContext& c) {
  const ConvAttributes a = conv_attributes(c);
  const Tensor out = activation_result(c, a, 2);
  run(ConvPass::kInputGrad, a, out, c.in_tensor(1), c.in_tensor(2), out);
}

// arguments: input, filter (its shape), out_grad, ...
void grad_filter_kernel(KernelContext& c) {
  const Tensor x = c.in_tensor(0);
  run(ConvPass::kFilterGrad, conv_attributes(c), x, out_tensor(c), c.in_tensor(2), x);
}

}  // namespace

bool is_channels_last(const Tensor& t) {
  const Strides& s = t.strides();
  const int64_t c = t.size(1), h = t.size(2), w = t.size(3);
  return s[1] == 1 && s[3] == c && s[2] == w * c && (t.size(0) == 1 || s[0] == h * w * c);
}

Tensor in_channels_last(const Tensor& t) {
  if (is_channels_last(t)) return t;
  const Tensor memory = Tensor::empty({t.size(0), t.size(2), t.size(3), t.size(1)}, t.dtype());
  const Strides& s = memory.strides();
  const Tensor out = Tensor::alias(memory, t.shape(), Strides{s[0], s[3], s[1], s[2]}, 0);
  out.copy_data_from(t);
  return out;
}

void register_conv_cpu(Registry& r) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const auto add = [&](const char* op, KernelFn fn) {
      r.kernel(op, DeviceKind::kCpu, {dtype}, fn, /*strided=*/true);
    };
    for (const char* op : {"conv2d", "conv3d"}) add(op, conv_kernel);
    for (const char* op : {"conv2d_bias", "conv3d_bias"}) add(op, conv_bias_kernel);
    for (const char* op : {"conv2d_transpose", "conv3d_transpose"}) add(op, transpose_kernel);
    for (const char* op : {"conv2d_grad_input", "conv3d_grad_input"}) add(op, grad_input_kernel);
    for (const char* op : {"conv2d_grad_filter", "conv3d_grad_filter"}) add(op, grad_filter_kernel);
  }
}

}  // namespace paddle::cpu
