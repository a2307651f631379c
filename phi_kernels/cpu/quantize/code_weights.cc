// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of weights that are codes with scales. Few rows are multiplied with the codes themselves,
// which reads each once; for many rows the codes become float32 first, some outputs at a time.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/quantize/block_product.h"
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

// Rows in 8 bits with a scale each, but for the columns in which any row has a large number.
struct Int8Rows {
  std::vector<int8_t> q;
  std::vector<float> scales;
  std::vector<int64_t> outliers;  // columns

  template <typename T>
  Int8Rows(const T* x, int64_t count, int64_t columns, int64_t whole, float threshold)
      : q(static_cast<size_t>(count * whole)), scales(static_cast<size_t>(count)) {
    std::vector<uint8_t> is_out(static_cast<size_t>(columns));
    for (int64_t i = 0; i < count * columns; ++i) {
      if (std::fabs(static_cast<float>(x[i])) > threshold) {
        is_out[static_cast<size_t>(i % columns)] = 1;
      }
    }
    for (int64_t k = 0; k < columns; ++k) {
      if (is_out[static_cast<size_t>(k)]) outliers.push_back(k);
    }
    parallel_for(0, count, std::max<int64_t>(1, 16384 / columns), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const row = x + i * columns;
        float most = 0, broken = 0;
        for (int64_t k = 0; k < columns; ++k) {
          if (is_out[static_cast<size_t>(k)]) continue;
          const auto v = static_cast<float>(row[k]);
          most = std::max(most, std::fabs(v));
          broken += v * 0.0f;
        }
        // NaN where a number is, and then so is every product of the row.
        scales[static_cast<size_t>(i)] = most / 127.0f + broken;
        const float factor = most > 0 && broken == 0 ? 127.0f / most : 0.0f;
        for (int64_t k = 0; k < columns; ++k) {
          if (is_out[static_cast<size_t>(k)]) continue;
          const float v = std::nearbyint(static_cast<float>(row[k]) * factor);
          q[static_cast<size_t>(i * whole + k)] =
              static_cast<int8_t>(std::clamp(v, -127.0f, 127.0f));
        }
      }
    });
  }
};

// arguments: x, codes, scale, bias, threshold
template <typename T>
void int8_kernel(KernelContext& c) {
  if (c.out(0).numel == 0) return;
  isa();
  const int64_t outputs = c.in(1).shape[0].value(), inputs = c.in(1).shape[1].value();
  const int64_t count = c.out(0).numel / outputs;
  const int64_t whole = (inputs + kPackedColumns - 1) / kPackedColumns * kPackedColumns;
  const T* const x = c.in_data<T>(0);
  const auto* const codes = c.in_data<int8_t>(1);
  const float* const scale = c.in_data<float>(2);
  const T* const bias = c.has(3) ? c.in_data<T>(3) : nullptr;
  std::vector<float> sums(static_cast<size_t>(count * outputs));
  std::vector<int64_t> outliers;
  if (inputs > 0) {
    Int8Rows rows(x, count, inputs, whole, static_cast<float>(c.f(4)));
    outliers = std::move(rows.outliers);
    const BlockWeight w{BlockFormat::kQ8_0,
                        layout_of(BlockFormat::kQ8_0),
                        reinterpret_cast<const uint8_t*>(codes),
                        outputs,
                        whole,
                        false,
                        inputs};
    multiply_rounded(w, RoundedRows(std::move(rows.q), rows.scales.data(), count, whole), count,
                     sums.data());
  }
  T* const out = c.out_data<T>(0);
  parallel_for(0, count, std::max<int64_t>(1, 16384 / outputs), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < outputs; ++j) {
        float sum = sums[static_cast<size_t>(i * outputs + j)];
        for (const int64_t k : outliers) {
          sum += static_cast<float>(x[i * inputs + k]) * static_cast<float>(codes[j * inputs + k]);
        }
        sum *= scale[j];
        if (bias) sum += static_cast<float>(bias[j]);
        out[i * outputs + j] = static_cast<T>(sum);
      }
    }
  });
}

}  // namespace

void register_code_weights_cpu(Registry& r) {
  r.kernel("dequantize_codes", DeviceKind::kCpu, {DType::kFloat32}, dequantize_kernel<float>);
  r.kernel("dequantize_codes", DeviceKind::kCpu, {DType::kFloat16}, dequantize_kernel<float16>);
  r.kernel("dequantize_codes", DeviceKind::kCpu, {DType::kBFloat16}, dequantize_kernel<bfloat16>);
  r.kernel("matmul_int8", DeviceKind::kCpu, {DType::kFloat32}, int8_kernel<float>);
  r.kernel("matmul_int8", DeviceKind::kCpu, {DType::kFloat16}, int8_kernel<float16>);
  r.kernel("matmul_int8", DeviceKind::kCpu, {DType::kBFloat16}, int8_kernel<bfloat16>);
  r.kernel("matmul_codes", DeviceKind::kCpu, {DType::kFloat32}, matmul_kernel<float>);
  r.kernel("matmul_codes", DeviceKind::kCpu, {DType::kFloat16}, matmul_kernel<float16>);
  r.kernel("matmul_codes", DeviceKind::kCpu, {DType::kBFloat16}, matmul_kernel<bfloat16>);
}

}  // namespace paddle::cpu
