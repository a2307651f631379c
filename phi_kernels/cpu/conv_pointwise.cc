// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pointwise convolutions of float32 as products of matrices: in channels-last order a product with
// all pixels as rows, where the machine has matrix tiles; of contiguous activations the gradient by
// the filter, the sum over images of grad [O, positions] times source [C, positions] transposed.
// Chunks of fixed size are summed apart there, so the result does not depend on the number of
// threads.
#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/conv.h"
#include "phi_kernels/cpu/gemm.h"
#include "phi_kernels/cpu/row_products.h"
#include "phi_kernels/cpu/split_product.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kChunk = 16384;            // positions of an image that are summed in one go
constexpr int64_t kMostPartials = 16 << 20;  // elements

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
  const int64_t chunks = (positions + kChunk - 1) / kChunk, parts = p.batch * chunks;
  if (parts * size > kMostPartials) return false;
  const auto product = row_product_kernels().products;
  const float *x = t.src.data<float>(), *g = t.dst.data<float>();
  std::vector<float> partial(static_cast<size_t>(parts * size));
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t n = u / chunks, at = u % chunks * kChunk;
      product({g + n * outputs * positions + at, outputs, positions,
               x + n * inputs * positions + at, inputs, positions, std::min(kChunk, positions - at),
               partial.data() + u * size});
    }
  });
  float* w = t.filter.data<float>();
  parallel_for(0, size, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float sum = 0;
      for (int64_t u = 0; u < parts; ++u) sum += partial[static_cast<size_t>(u * size + i)];
      w[i] = sum;
    }
  });
  return true;
}

}  // namespace paddle::cpu
