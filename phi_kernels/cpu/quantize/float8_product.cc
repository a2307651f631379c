// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The ways of multiplying with 8-bit floats, and the choice.
#include "phi_kernels/cpu/quantize/float8_product.h"

#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/gemm/half_tiles.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {
namespace {

// From so many rows on, widening the weights first costs less than it saves.
constexpr int64_t kManyRows = 16;
constexpr int64_t kPanel = 256;  // rows of the weight that are float32 at once

const uint8_t* row_of(const BlockWeight& w, int64_t i) {
  return w.data + i * block_row_bytes(w.layout, w.columns);
}

// In bfloat16 on matrix tiles.
void multiply_on_tiles(const BlockWeight& w, const float* x, int64_t count, float* out) {
  const int64_t steps = w.columns / kHalfStep;
  const int64_t whole = (count + kHalfColumns - 1) / kHalfColumns * kHalfColumns;
  std::vector<uint16_t> narrow(static_cast<size_t>(whole * w.columns));
  kHalfTiles_amx.narrow(x, count, w.columns, narrow.data(), w.columns);
  const int64_t panels = (w.rows + kHalfColumns - 1) / kHalfColumns;
  parallel_for(0, panels, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> values(static_cast<size_t>(kHalfColumns * w.columns));
    std::vector<uint16_t> halves(values.size()), packed(static_cast<size_t>(steps * kHalfBlock));
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * kHalfColumns, width = std::min(kHalfColumns, w.rows - first);
      for (int64_t i = 0; i < width; ++i) {
        float8_kernels().values(row_of(w, first + i), w.columns, values.data() + i * w.columns);
      }
      kHalfTiles_amx.narrow(values.data(), width, w.columns, halves.data(), w.columns);
      kHalfTiles_amx.pack({.from = halves.data(),
                           .ld = w.columns,
                           .lie_flat = true,
                           .columns = width,
                           .depth = w.columns},
                          packed.data(), steps * kHalfBlock);
      kHalfTiles_amx.multiply({.a = narrow.data(),
                               .lda = w.columns,
                               .b = packed.data(),
                               .block = steps * kHalfBlock,
                               .steps = steps,
                               .rows = count,
                               .columns = width,
                               .c = out + first,
                               .ldc = w.rows,
                               .accumulate = false});
    }
  });
}

void multiply_wide(const BlockWeight& w, const float* x, int64_t count, float* out) {
  std::vector<float> panel(static_cast<size_t>(std::min(kPanel, w.rows) * w.columns));
  for (int64_t j = 0; j < w.rows; j += kPanel) {
    const int64_t width = std::min(kPanel, w.rows - j);
    parallel_for(0, width, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float8_kernels().values(row_of(w, j + i), w.columns, panel.data() + i * w.columns);
      }
    });
    const GemmShape shape{false, true, count, width, w.columns, w.columns, w.columns, w.rows};
    sgemm(shape, 1, x, panel.data(), 0, out + j);
  }
}

bool has_half_tiles() {
  static const bool can = has_tiles() && __builtin_cpu_supports("avx512bf16");
  return can;
}

}  // namespace

const Float8Kernels& float8_kernels() {
  return isa() == Isa::kAvx512 ? kFloat8_avx512 : kFloat8_avx2;
}

void multiply_float8(const BlockWeight& w, const float* x, int64_t count, float* out) {
  if (count >= kManyRows && !batch_invariant()) {
    return has_half_tiles() ? multiply_on_tiles(w, x, count, out) : multiply_wide(w, x, count, out);
  }
  parallel_for(0, w.rows, w.grain() * BlockWeight::kTile, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float8_kernels().multiply(row_of(w, i), x, w.columns, count, out + i, w.rows);
    }
  });
}

}  // namespace paddle::cpu
