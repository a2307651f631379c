// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A convolution as its kernels see it: extents, and activations as tensors of logical shape
// [N, C, spatial...] whatever their memory order. Filters are contiguous [O, C / groups,
// kernel...].
#pragma once

#include <array>

#include "paddle_core/tensor/tensor.h"
#include "phi_kernels/cpu/gemm/row_epilogue.h"

namespace paddle::cpu {

struct ConvProblem {
  int64_t axes = 2;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  // Per spatial axis; unused ones are 1 (paddings 0).
  std::array<int64_t, 3> in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1},
      dilation{1, 1, 1}, before{}, after{};
};

enum class ConvPass : uint8_t {
  kForward,     // reads src and filter, writes dst
  kInputGrad,   // reads filter and dst, writes src
  kFilterGrad,  // reads src and dst, writes filter
};

struct ConvOperands {
  Tensor src, filter, dst;
  Tensor bias;  // [O] of a forward convolution; may be undefined
};

// One product of matrices per image, in either order of memory.
inline bool is_pointwise(const ConvProblem& p) {
  const std::array<int64_t, 3> ones{1, 1, 1}, zeros{};
  return p.kernel == ones && p.stride == ones && p.before == zeros && p.after == zeros &&
         p.groups == 1;
}

// Every channel has one filter.
inline bool is_depthwise(const ConvProblem& p) {
  return p.groups > 1 && p.groups == p.in_channels && p.groups == p.out_channels;
}

// Of activations with two spatial axes.
bool is_channels_last(const Tensor& t);
// `t`, in new memory unless it lies so.
Tensor in_channels_last(const Tensor& t);

// float32 (a 16-bit float where the machine multiplies it natively) through oneDNN. Any dense
// strides of src and dst; those in channels-last order are taken as they are, and contiguous ones
// of a pointwise convolution except float16. False when oneDNN has no implementation.
bool convolve_onednn(ConvPass pass, const ConvProblem& p, const ConvOperands& t);

// float32, 3x3 filters, stride 1, numbers of channels that are multiples of 16, the activation that
// is written in channels-last order. False for everything else, and under FLAGS_cpu_winograd=0.
bool convolve_winograd(ConvPass pass, const ConvProblem& p, const ConvOperands& t);

// The same forward, followed by an epilogue, with the transformed filters kept. All float32;
// `residual` in any order, undefined when the epilogue takes none.
bool convolve_winograd_fused(const ConvProblem& p, const ConvOperands& t,
                             const RowEpilogue& epilogue, const Tensor& residual);

// float32 on matrix tiles, where the processor has them: windows of more than one pixel, the
// activation that is written in channels-last order. False for everything else and, with what is
// written undefined, where numbers have no exact parts (split_product.h).
bool convolve_tiles(ConvPass pass, const ConvProblem& p, const ConvOperands& t);
// The same forward, followed by an epilogue, with the packed filters kept.
bool convolve_tiles_fused(const ConvProblem& p, const ConvOperands& t, const RowEpilogue& epilogue,
                          const Tensor& residual);

// float32, one filter per channel, both activations contiguous. False for everything else.
bool convolve_depthwise(ConvPass pass, const ConvProblem& p, const ConvOperands& t);

// float32 without a bias, both activations in channels-last order, on machines with matrix tiles.
// False for everything else.
bool pointwise_product(ConvPass pass, const ConvProblem& p, const ConvOperands& t);

// ConvPass::kFilterGrad of float32 in contiguous memory. False for everything else.
bool pointwise_filter_grad(const ConvProblem& p, const ConvOperands& t);

// float32 and float64: unfolds windows into columns and multiplies matrices. All contiguous; bias
// is not added.
void convolve_columns(ConvPass pass, const ConvProblem& p, const ConvOperands& t);

}  // namespace paddle::cpu
