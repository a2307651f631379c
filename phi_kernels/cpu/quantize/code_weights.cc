// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of weights that are codes with scales. Few rows are multiplied with the codes themselves,
// which reads each once; for many rows the codes become float32 first, some outputs at a time.
#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/quantize/code_product.h"

namespace paddle::cpu {

const CodeProductKernels& code_product_kernels() {
  return isa() == Isa::kAvx512 ? kCodeProduct_avx512 : kCodeProduct_avx2;
}

namespace {

// From so many rows on, a product in float32 costs less than what it needs before.
constexpr int64_t kManyCodeRows = 40;
constexpr int64_t kPanel = 256;  // outputs that are float32 at once
constexpr int64_t kGrain = 16;   // outputs that are worth a thread

// Arguments `codes`, `scale` and `bits` of a call.
CodeMatrix matrix_of(KernelContext& c, int codes, int scale, int bits) {
  const Shape &w = c.in(codes).shape, &s = c.in(scale).shape;
  const int64_t inputs = w[1].value(), outputs = s[1].value();
  return {c.in_data<uint8_t>(codes), c.in_data<float>(scale),    inputs, outputs,
          inputs / s[0].value(),     static_cast<int>(c.i(bits))};
}

// Rows of x as float32, with the inputs in the order of the codes.
template <typename T>
std::vector<float> ordered_rows(const CodeMatrix& m, const T* x, int64_t count) {
  int order[kCodeChunk];
  code_product_kernels().order(m.bits, order);
  std::vector<float> to(static_cast<size_t>(count * m.inputs));
  for (int64_t k = 0; k < count * m.inputs; k += kCodeChunk) {
    for (int i = 0; i < kCodeChunk; ++i) {
      to[static_cast<size_t>(k + i)] = static_cast<float>(x[k + order[i]]);
    }
  }
  return to;
}

// arguments: codes, scale, bits, dtype
template <typename T>
void dequantize_kernel(KernelContext& c) {
  const CodeMatrix m = matrix_of(c, 0, 1, 2);
  const CodeProductKernels& kernels = code_product_kernels();
  int order[kCodeChunk];
  kernels.order(m.bits, order);
  T* out = c.out_data<T>(0);
  parallel_for(0, m.outputs / kGrain, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> values(static_cast<size_t>(kGrain * m.inputs));
    for (int64_t j = begin * kGrain; j < end * kGrain; j += kGrain) {
      kernels.values(m, j, j + kGrain, values.data());
      for (int64_t k = 0; k < m.inputs; ++k) {
        T* const to = out + (k / kCodeChunk * kCodeChunk + order[k % kCodeChunk]) * m.outputs + j;
        for (int64_t i = 0; i < kGrain; ++i) {
          to[i] = static_cast<T>(values[static_cast<size_t>(i * m.inputs + k)]);
        }
      }
    }
  });
}

void multiply_many(const CodeMatrix& m, const float* x, int64_t count, float* out) {
  std::vector<float> panel(static_cast<size_t>(std::min(kPanel, m.outputs) * m.inputs));
  for (int64_t j = 0; j < m.outputs; j += kPanel) {
    const int64_t width = std::min(kPanel, m.outputs - j);
    parallel_for(0, width / kGrain, 1, [&](int64_t begin, int64_t end) {
      code_product_kernels().values(m, j + begin * kGrain, j + end * kGrain,
                                    panel.data() + begin * kGrain * m.inputs);
    });
    const GemmShape shape{false, true, count, width, m.inputs, m.inputs, m.inputs, m.outputs};
    sgemm(shape, 1, x, panel.data(), 0, out + j);
  }
}

// arguments: x, codes, scale, bias, bits
template <typename T>
void matmul_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  const CodeMatrix m = matrix_of(c, 1, 2, 4);
  const int64_t count = c.in(0).numel / m.inputs;
  const std::vector<float> x = ordered_rows(m, c.in_data<T>(0), count);
  std::vector<float> sums(static_cast<size_t>(count * m.outputs));
  if (count >= kManyCodeRows && !batch_invariant()) {
    multiply_many(m, x.data(), count, sums.data());
  } else {
    parallel_for(0, m.outputs / kGrain, 1, [&](int64_t begin, int64_t end) {
      code_product_kernels().multiply(m, x.data(), count, begin * kGrain, end * kGrain,
                                      sums.data());
    });
  }
  const T* const bias = c.has(3) ? c.in_data<T>(3) : nullptr;
  T* to = c.out_data<T>(0);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < m.outputs; ++j, ++to) {
      const float sum = sums[static_cast<size_t>(i * m.outputs + j)];
      // The product is rounded before the bias is added, as by two operators.
      *to = static_cast<T>(sum);
      if (bias) *to = static_cast<T>(static_cast<float>(*to) + static_cast<float>(bias[j]));
    }
  }
}

}  // namespace

void register_code_weights_cpu(Registry& r) {
  r.kernel("dequantize_codes", DeviceKind::kCpu, {DType::kFloat32}, dequantize_kernel<float>);
  r.kernel("dequantize_codes", DeviceKind::kCpu, {DType::kFloat16}, dequantize_kernel<float16>);
  r.kernel("dequantize_codes", DeviceKind::kCpu, {DType::kBFloat16}, dequantize_kernel<bfloat16>);
  r.kernel("matmul_codes", DeviceKind::kCpu, {DType::kFloat32}, matmul_kernel<float>);
  r.kernel("matmul_codes", DeviceKind::kCpu, {DType::kFloat16}, matmul_kernel<float16>);
  r.kernel("matmul_codes", DeviceKind::kCpu, {DType::kBFloat16}, matmul_kernel<bfloat16>);
}

}  // namespace paddle::cpu
