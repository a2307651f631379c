// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of conv2d_epilogue on channels-last memory. float32: Winograd's algorithm where it is
// faster, windows on matrix tiles, and pointwise filters as a product with packed weights. What
// remains, and bfloat16, is one oneDNN primitive. For other types, and where the library has none,
// the decomposition is the implementation.
#include <algorithm>

#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/gemm/panels.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/libraries/onednn.h"
#include "phi_kernels/cpu/libraries/onednn_epilogue.h"
#include "phi_kernels/rules/conv.h"

namespace paddle::cpu {
namespace {

using dnnl::memory;
using Type = memory::data_type;
constexpr int kBias = 2, kResidual = 3, kEpilogue = 10;

// What a primitive is made for. Source and result are [N, C, H, W] in channels-last memory.
struct Problem {
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[2], out[2], kernel[2], stride[2], gaps[2], before[2], after[2];
  int64_t has_bias, threads;
  FusedTypes types;

  memory::dims source() const { return {batch, in_channels, in[0], in[1]}; }
  memory::dims result() const { return {batch, out_channels, out[0], out[1]}; }
  memory::dims filter() const {
    memory::dims d{out_channels / groups, in_channels / groups, kernel[0], kernel[1]};
    if (groups > 1) d.insert(d.begin(), groups);
    return d;
  }
};

memory::dims pair(const int64_t (&values)[2]) { return {values[0], values[1]}; }

memory::dims channels_last_strides(const memory::dims& d) {
  return {d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]};
}

// [N, H, W, C] seen as [N, C, H, W].
Tensor channels_first(const Tensor& t) {
  const Shape& s = t.shape();
  const Strides& st = t.strides();
  return Tensor::alias(t, {s[0], s[3], s[1], s[2]}, {st[0], st[3], st[1], st[2]}, 0);
}

Problem problem_of(const ConvAttributes& a, const Tensor& x, const Shape& filter, const Shape& out,
                   bool has_bias) {
  Problem p{};
  p.batch = x.size(0);
  p.in_channels = x.size(1);
  p.out_channels = out[1].value();
  p.groups = a.groups;
  for (size_t i = 0; i < 2; ++i) {
    p.in[i] = x.size(static_cast<int64_t>(i) + 2);
    p.out[i] = out[i + 2].value();
    p.kernel[i] = filter[i + 2].value();
    p.stride[i] = a.stride(i);
    p.gaps[i] = a.dilation(i) - 1;
    const Padding pad = a.padding(i, p.in[i], p.kernel[i]);
    p.before[i] = pad.before;
    p.after[i] = pad.after;
  }
  p.has_bias = has_bias;
  return p;
}

// The memory of `t` as [N, C, H, W]; axes of extent 1 have the strides of channels-last order.
memory::desc desc_of(const Tensor& t) {
  memory::dims dims(4, 1), strides(4, 0);
  const size_t skip = 4 - t.shape().size();
  for (size_t i = skip; i < 4; ++i) {
    dims[i] = t.shape()[i - skip].value();
    strides[i] = t.strides()[i - skip];
  }
  const memory::dims last = channels_last_strides(dims);
  bool same = true;
  for (size_t i = 0; i < 4; ++i) same = same && (dims[i] == 1 || strides[i] == last[i]);
  return {dims, library_type(t.dtype()), same ? last : strides};
}

memory::desc channels_last(const memory::dims& dims, Type type) {
  return {dims, type, channels_last_strides(dims)};
}
memory::desc channels_last(const memory::dims& dims, int64_t dtype) {
  return channels_last(dims, library_type(static_cast<DType>(dtype)));
}

// `t` in channels-last memory.
Tensor ordered(const Tensor& t, memory::desc& desc) {
  desc = desc_of(t);
  const memory::desc wanted = channels_last(desc.get_dims(), desc.get_data_type());
  if (desc == wanted) return t;
  Shape shape;
  for (const int64_t d : desc.get_dims()) shape.push_back(Dim(d));
  const Tensor out = Tensor::empty({shape[0], shape[2], shape[3], shape[1]}, t.dtype(), t.place());
  memory from(desc, onednn_engine(), t.raw_data()), to(wanted, onednn_engine(), out.raw_data());
  dnnl::reorder(from, to).execute(onednn_stream(), from, to);
  desc = wanted;
  return out;
}

// Filters come in blocks of 16 in AVX-512 code; where a block would be half empty and AVX2 computes
// at the same rate (Zen 4), its blocks of 8 are better.
bool wants_narrow_blocks(const Problem& p) {
  static const bool same_rate = __builtin_cpu_is("amd") != 0;
  const int64_t outputs = p.out_channels / p.groups, rest = outputs % 16;
  const bool wide = p.types.src == static_cast<int64_t>(DType::kFloat32);
  return same_rate && wide && p.groups == 1 && outputs <= 64 && rest > 0 && rest <= 8;
}

dnnl::convolution_forward::primitive_desc describe(const Problem& p, const Epilogue& epilogue) {
  const memory::desc src = channels_last(p.source(), p.types.src),
                     dst = channels_last(p.result(), p.types.dst);
  const memory::desc filter(p.filter(), src.get_data_type(), memory::format_tag::any);
  const memory::desc bias =
      p.has_bias ? memory::desc({p.out_channels}, library_type(static_cast<DType>(p.types.bias)),
                                memory::format_tag::a)
                 : memory::desc();
  return {onednn_engine(),
          dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_direct,
          src,
          filter,
          bias,
          dst,
          pair(p.stride),
          pair(p.gaps),
          pair(p.before),
          pair(p.after),
          epilogue_attributes(epilogue, channels_last(p.result(), p.types.residual))};
}

FusedPrimitive create(const Problem& p, const Epilogue& epilogue) {
  auto desc = describe(p, epilogue);
  if (wants_narrow_blocks(p)) {
    auto other = describe(p, epilogue);
    const auto is_narrow = [&] {
      const std::string_view name = other.impl_info_str();
      return name.find("avx2") != name.npos && name.find("gemm") == name.npos;
    };
    while (!is_narrow() && other.next_impl()) {
    }
    if (is_narrow()) desc = other;
  }
  return {dnnl::primitive(desc),
          desc.src_desc(),
          desc.weights_desc(),
          desc.bias_desc(),
          channels_last(p.result(), p.types.residual),
          desc.dst_desc(),
          desc.scratchpad_desc()};
}

bool convolve(const Problem& p, const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Tensor& residual, std::string_view text, const Tensor& out) {
  const Epilogue epilogue = parse_epilogue(text, "conv2d_epilogue");
  std::string key("conv");
  append_bytes(key, p);
  key += text;
  const auto primitive = fused_cache().get(key, [&] { return create(p, epilogue); });
  memory::desc src_desc, residual_desc;
  const memory::desc dst_desc = desc_of(out);
  const Tensor src = ordered(x, src_desc);
  const Tensor added = residual.defined() ? ordered(residual, residual_desc) : residual;
  const memory::dims filter_dims = p.filter();
  memory::dims strides(filter_dims.size(), 1);
  for (size_t i = strides.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * filter_dims[i + 1];
  StoragePtr packed;
  const memory weights =
      packed_weights(filter, {filter_dims, library_type(filter.dtype()), strides},
                     primitive->weights, p.groups > 1, packed);
  const bool direct = dst_desc == primitive->dst;
  const StoragePtr staged =
      direct ? StoragePtr() : Storage::allocate(primitive->dst.get_size(), Place());
  memory dst(primitive->dst, onednn_engine(), direct ? out.raw_data() : staged->data());
  execute_fused(*primitive, {epilogue, memory(src_desc, onednn_engine(), src.raw_data()), weights,
                             dst, bias.defined() ? bias.raw_data() : nullptr,
                             added.defined() ? added.raw_data() : nullptr});
  if (!direct) {
    memory own(dst_desc, onednn_engine(), out.raw_data());
    dnnl::reorder(dst, own).execute(onednn_stream(), dst, own);
  }
  return true;
}

bool through_library(const Problem& p, const Tensor& x, const Tensor& filter, const Tensor& bias,
                     const Tensor& residual, std::string_view text, const Tensor& out) {
  const LibraryThreads threads;
  Problem now = p;
  now.threads = threads.now;
  try {
    return convolve(now, x, filter, bias, residual, text, out);
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented) return false;
    throw_error(e.status == dnnl_out_of_memory ? ErrorKind::kMemory : ErrorKind::kRuntime,
                str("conv2d_epilogue: oneDNN reports: ", e.what(), "."));
  }
}

ConvProblem in_three_axes(const Problem& p) {
  ConvProblem out;
  out.batch = p.batch;
  out.in_channels = p.in_channels;
  out.out_channels = p.out_channels;
  out.groups = p.groups;
  for (size_t i = 0; i < 2; ++i) {
    out.in[i + 1] = p.in[i];
    out.out[i + 1] = p.out[i];
    out.kernel[i + 1] = p.kernel[i];
    out.stride[i + 1] = p.stride[i];
    out.dilation[i + 1] = p.gaps[i] + 1;
    out.before[i + 1] = p.before[i];
    out.after[i + 1] = p.after[i];
  }
  return out;
}

// Channels of a panel that is half empty cost as much as all of them.
bool fills_panels(int64_t channels) {
  const int64_t width = panel_kernels().columns;
  return channels % width == 0 || channels >= 6 * width;
}

const float* data_of(const Tensor& t) { return t.defined() ? t.data<float>() : nullptr; }

bool through_kept_weights(const Problem& p, const ConvOperands& t, const Tensor& residual,
                          const RowEpilogue& epilogue) {
  if (!is_pointwise(in_three_axes(p)) || !fills_panels(p.out_channels) ||
      !(desc_of(t.dst) == channels_last(p.result(), Type::f32))) {
    return false;
  }
  const int64_t rows = p.batch * p.out[0] * p.out[1];
  memory::desc ignored;
  const Tensor src = ordered(t.src, ignored),
               added = residual.defined() ? ordered(residual, ignored) : residual;
  if (split_product_of_kept(rows, p.out_channels, p.in_channels, src.data<float>(), t.filter, true,
                            {data_of(t.bias), epilogue, data_of(added)}, KeptFrom::kFirstUse,
                            t.dst.data<float>())) {
    return true;
  }
  const StoragePtr panels = kept_panels(t.filter, p.in_channels, p.out_channels, true, rows);
  if (!panels) return false;
  multiply_panels({rows, p.out_channels, p.in_channels, p.in_channels, src.data<float>(),
                   static_cast<const float*>(panels->data()), data_of(t.bias), t.dst.data<float>(),
                   epilogue, data_of(added)});
  return true;
}

bool through_own_loops(const Problem& p, const ConvOperands& t, const Tensor& residual,
                       std::string_view text) {
  if (!is_float32(p.types)) return false;
  const auto epilogue = RowEpilogue::of(parse_epilogue(text, "conv2d_epilogue"));
  if (!epilogue) return false;
  const ConvProblem problem = in_three_axes(p);
  return through_kept_weights(p, t, residual, *epilogue) ||
         convolve_tiles_fused(problem, t, *epilogue, residual) ||
         convolve_winograd_fused(problem, t, *epilogue, residual);
}

// Gives the result, not yet written, channels-last memory where tensors may have it; [N, C, H, W].
Tensor result_of(KernelContext& c, bool last) {
  const Tensor out(IntrusivePtr<TensorImpl>::share(&c.out(0)));
  if (last) return channels_first(out);
  if (!(thread_modes.allowed & kModeLayout)) return out;
  TensorImpl& impl = c.out(0);
  std::rotate(impl.shape.begin() + 1, impl.shape.begin() + 2, impl.shape.end());
  impl.set_contiguous_layout();
  become_channels_first(impl);
  const Tensor view = out.channels_last_view();
  return view.defined() ? channels_first(view) : out;
}

void kernel(KernelContext& c) {
  const ConvAttributes a = conv_attributes(c);
  const bool last = a.channels_last();
  const Tensor x = last ? channels_first(c.in_tensor(0)) : c.in_tensor(0);
  const Tensor filter = c.in_tensor(1).contiguous_copy_if_needed();
  const Tensor bias = c.has(kBias) ? c.in_tensor(kBias).contiguous_copy_if_needed() : Tensor();
  Tensor residual = c.has(kResidual) ? c.in_tensor(kResidual) : Tensor();
  if (last && residual.defined()) residual = channels_first(residual);
  const Tensor out = result_of(c, last);
  if (out.numel() == 0) return;
  if (!batch_invariant() && is_fused_dtype(x.dtype()) && x.numel() != 0 && filter.numel() != 0) {
    Problem p = problem_of(a, x, filter.shape(), out.shape(), bias.defined());
    p.types = fused_types(x, bias, residual, out);
    const std::string_view text = c.text(kEpilogue);
    if (through_own_loops(p, {x, filter, out, bias}, residual, text) ||
        through_library(p, x, filter, bias, residual, text, out)) {
      return;
    }
  }
  const Tensor value = decomposed(c.op(), &c.slot(0)).at(0);
  out.copy_data_from(last ? channels_first(value) : value);
}

}  // namespace

void register_conv_epilogue_cpu(Registry& r) {
  r.kernel("conv2d_epilogue", DeviceKind::kCpu,
           {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}, kernel,
           /*strided=*/true);
}

}  // namespace paddle::cpu
