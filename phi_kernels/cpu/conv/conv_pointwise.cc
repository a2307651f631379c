// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pointwise convolutions of float32 as products of matrices: in channels-last order a product with
// all pixels as rows, where the machine has matrix tiles; of contiguous activations the gradient by
// the filter, the sum over images of grad [O, positions] times source [C, positions] transposed.
#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/gemm/split_product.h"

namespace paddle::cpu {
namespace {

// Elements of a filter up to which the product of an image does not occupy the threads.
constexpr int64_t kSmallFilter = 16384;

}  // namespace

bool pointwise_product(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  if (!may_split() || !is_pointwise(p) || p.axes != 2 || t.src.dtype() != DType::kFloat32 ||
      t.bias.defined() || !is_channels_last(t.src) || !is_channels_last(t.dst)) {
    return false;
  }
  static const RowEpilogue none = *RowEpilogue::of({});
  const int64_t pixels = p.batch * p.in[1] * p.in[2], c = p.in_channels, o = p.out_channels;
  float *x = t.src.data<float>(), *w = t.filter.data<float>(), *y = t.dst.data<float>();
  switch (pass) {
    case ConvPass::kForward:
      if (split_product_of_kept(pixels, o, c, x, t.filter, /*transposed=*/true,
                                {nullptr, none, nullptr}, KeptFrom::kSecondUse, y)) {
        break;
      }
      sgemm({false, true, pixels, o, c, c, c, o}, 1, x, w, 0, y);
      break;
    case ConvPass::kInputGrad:
      sgemm({false, false, pixels, c, o, o, c, c}, 1, y, w, 0, x);
      break;
    case ConvPass::kFilterGrad:
      sgemm({true, false, o, c, pixels, o, c, c}, 1, y, x, 0, w);
      break;
  }
  return true;
}

bool pointwise_filter_grad(const ConvProblem& p, const ConvOperands& t) {
  if (!is_pointwise(p) || t.src.dtype() != DType::kFloat32 || !t.src->contiguous ||
      !t.dst->contiguous) {
    return false;
  }
  const int64_t inputs = p.in_channels, outputs = p.out_channels, size = inputs * outputs;
  const int64_t positions = p.in[0] * p.in[1] * p.in[2];
  const GemmShape shape{false, true, outputs, inputs, positions, positions, positions, inputs};
  const float *x = t.src.data<float>(), *g = t.dst.data<float>();
  float* w = t.filter.data<float>();
  const auto image = [&](int64_t n, float beta, float* to) {
    sgemm(shape, 1, g + n * outputs * positions, x + n * inputs * positions, beta, to);
  };
  if (size > kSmallFilter || p.batch == 1) {
    for (int64_t n = 0; n < p.batch; ++n) image(n, n > 0 ? 1.0f : 0.0f, w);
    return true;
  }
  // The images are shared out and summed apart, so the number of threads does not matter.
  std::vector<float> partial(static_cast<size_t>(p.batch * size));
  parallel_for(0, p.batch, std::max<int64_t>(1, 65536 / (size * positions)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t n = begin; n < end; ++n) image(n, 0, partial.data() + n * size);
               });
  parallel_for(0, size, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float sum = 0;
      for (int64_t n = 0; n < p.batch; ++n) sum += partial[static_cast<size_t>(n * size + i)];
      w[i] = sum;
    }
  });
  return true;
}

}  // namespace paddle::cpu
