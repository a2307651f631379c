// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of weights quantised in blocks. Few rows are multiplied in 8-bit integers, which reads
// each weight once, on matrix tiles where there are more than four; many rows in bfloat16 on matrix
// tiles, where the processor has them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/half_tiles.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/quantize/packed_byte_tiles.h"
#include "phi_kernels/cpu/quantize/packed_halves.h"
#include "phi_kernels/cpu/quantize/packed_product.h"
#include "phi_kernels/cpu/quantize/packed_tiles.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kTile = kPackedRows;
// From so many rows on, widening the weights to bfloat16 costs less than it saves; sooner where
// products in 8 bits have a scale for 16 columns.
constexpr int64_t kManyRows = 40, kManyRowsTwoScales = 24;
// Bytes of weights that are worth a thread.
constexpr int64_t kGrainBytes = 65536;

BlockFormat format_of(std::string_view name) {
  BlockFormat format{};
  block_format_from_name(name, format);  // the shape rule has checked it
  return format;
}

// The weight operand of a call.
struct Weight {
  BlockFormat format;
  const BlockLayout& layout;
  const uint8_t* data;
  int64_t rows, columns;
  bool packed;

  int64_t tiles() const { return (rows + kTile - 1) / kTile; }
  int64_t tile_bytes() const { return packed_tile_bytes(layout, columns); }
  int64_t grain() const {
    return std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, tile_bytes()));
  }
  // Tile i; made in `own` when the weight is not packed.
  const uint8_t* tile(int64_t i, std::vector<uint8_t>& own) const {
    if (packed) return data + i * tile_bytes();
    own.resize(static_cast<size_t>(tile_bytes()));
    pack_tile(format, data + i * kTile * block_row_bytes(layout, columns),
              std::min(kTile, rows - i * kTile), columns, own.data());
    return own.data();
  }
  void row(int64_t i, float* to) const {
    if (packed) return unpack_row(format, data + i / kTile * tile_bytes(), i % kTile, columns, to);
    dequantize_row(format, data + i * block_row_bytes(layout, columns), columns, to);
  }
};

Weight weight_of(KernelContext& c, int weight, int format, int64_t rows, int64_t columns,
                 bool packed) {
  isa();  // an error on a processor without AVX2
  const BlockFormat f = format_of(c.text(format));
  return {f, layout_of(f), c.in_data<uint8_t>(weight), rows, columns, packed};
}

// arguments: weight, format, rows, columns, packed, dtype
template <typename T>
void dequantize_kernel(KernelContext& c) {
  const Weight w = weight_of(c, 0, 1, c.i(2), c.i(3), c.b(4));
  T* out = c.out_data<T>(0);
  parallel_for(0, w.rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, w.columns)),
               [&](int64_t begin, int64_t end) {
                 std::vector<float> row(static_cast<size_t>(w.columns));
                 for (int64_t i = begin; i < end; ++i) {
                   w.row(i, row.data());
                   std::transform(row.begin(), row.end(), out + i * w.columns,
                                  [](float v) { return static_cast<T>(v); });
                 }
               });
}

// arguments: weight, format
void pack_kernel(KernelContext& c) {
  isa();
  const BlockFormat format = format_of(c.text(1));
  const BlockLayout& l = layout_of(format);
  const int64_t rows = c.in(0).shape[0].value();
  const int64_t columns = c.in(0).shape[1].value() / l.bytes * l.weights;
  const Weight w{format, l, c.in_data<uint8_t>(0), rows, columns, false};
  auto* out = c.out_data<uint8_t>(0);
  parallel_for(0, w.tiles(), w.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pack_tile(format, w.data + i * kTile * block_row_bytes(l, columns),
                std::min(kTile, rows - i * kTile), columns, out + i * w.tile_bytes());
    }
  });
}

// arguments: ids, weight, format, rows, columns, packed, dtype
template <typename T>
void embedding_kernel(KernelContext& c) {
  const Weight w = weight_of(c, 1, 2, c.i(3), c.i(4), c.b(5));
  const auto* ids = c.in_data<int64_t>(0);
  T* out = c.out_data<T>(0);
  const int64_t count = c.in(0).numel;
  for (int64_t i = 0; i < count; ++i) {
    PADDLE_CHECK_INDEX(ids[i] >= 0 && ids[i] < w.rows, "embedding_q: ids has the value ", ids[i],
                       " at position ", i, "; it must lie in [0, ", w.rows, ").");
  }
  std::vector<float> row(static_cast<size_t>(w.columns));
  for (int64_t i = 0; i < count; ++i) {
    w.row(ids[i], row.data());
    std::transform(row.begin(), row.end(), out + i * w.columns,
                   [](float v) { return static_cast<T>(v); });
  }
}

bool has_byte_tiles() {
  static const bool can = has_tiles() && __builtin_cpu_supports("amx-int8");
  return can;
}

// Rows of x in 8 bits.
struct NarrowRows {
  std::vector<int8_t> q;
  std::vector<float> scale;
  std::vector<int32_t> sum;
  int64_t columns;

  QuantizedRows rows() const { return {q.data(), scale.data(), sum.data(), columns}; }
};

NarrowRows narrow_rows(const float* x, int64_t count, int64_t columns) {
  const PackedProductKernels& kernels = packed_product_kernels();
  const int64_t blocks = columns / kPackedColumns;
  NarrowRows to{std::vector<int8_t>(static_cast<size_t>(count * columns)),
                std::vector<float>(static_cast<size_t>(count * blocks)),
                std::vector<int32_t>(static_cast<size_t>(count * blocks * 2)), columns};
  parallel_for(0, count, std::max<int64_t>(1, 16384 / columns), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      kernels.quantize(x + i * columns, columns, to.q.data() + i * columns,
                       to.scale.data() + i * blocks, to.sum.data() + i * 2 * blocks);
    }
  });
  return to;
}

// multiply(tile, to, step) for each tile from `begin` to `end`.
template <typename F>
void each_tile(const Weight& w, int64_t begin, int64_t end, int64_t count, float* out,
               F&& multiply) {
  std::vector<uint8_t> own;
  std::vector<float> beside;
  for (int64_t i = begin; i < end; ++i) {
    const uint8_t* tile = w.tile(i, own);
    const int64_t width = std::min(kTile, w.rows - i * kTile);
    if (width == kTile) {
      multiply(tile, out + i * kTile, w.rows);
      continue;
    }
    beside.resize(static_cast<size_t>(count * kTile));
    multiply(tile, beside.data(), kTile);
    for (int64_t r = 0; r < count; ++r) {
      std::copy_n(beside.data() + r * kTile, width, out + r * w.rows + i * kTile);
    }
  }
}

// In 8-bit integers; an element does not depend on `count`.
void multiply_few(const Weight& w, const float* x, int64_t count, float* out) {
  const NarrowRows narrow = narrow_rows(x, count, w.columns);
  const QuantizedRows rows = narrow.rows();
  if (count >= kFewestTileRows && has_byte_tiles()) {
    const ByteTileRows sides = byte_tile_rows(w.format, rows, count);
    parallel_for(0, w.tiles(), w.grain(), [&](int64_t begin, int64_t end) {
      kByteTiles_amx.begin(w.format, count);
      each_tile(w, begin, end, count, out, [&](const uint8_t* tile, float* to, int64_t step) {
        kByteTiles_amx.multiply(w.format, tile, w.columns, sides, count, to, step);
      });
      kByteTiles_amx.end();
    });
    return;
  }
  const PackedProductKernels& kernels = packed_product_kernels();
  parallel_for(0, w.tiles(), w.grain(), [&](int64_t begin, int64_t end) {
    each_tile(w, begin, end, count, out, [&](const uint8_t* tile, float* to, int64_t step) {
      kernels.multiply(w.format, tile, rows, count, to, step);
    });
  });
}

bool can_widen() {
  static const bool can = has_tiles() && __builtin_cpu_supports("avx512bf16");
  return can;
}

// In bfloat16 on matrix tiles.
void multiply_many(const Weight& w, const float* x, int64_t count, float* out) {
  const int64_t steps = w.columns / kHalfStep;
  const int64_t whole = (count + kHalfColumns - 1) / kHalfColumns * kHalfColumns;
  std::vector<uint16_t> narrow(static_cast<size_t>(whole * w.columns));
  parallel_for(0, count, std::max<int64_t>(1, 16384 / w.columns), [&](int64_t begin, int64_t end) {
    kHalfTiles_amx.narrow(x + begin * w.columns, end - begin, w.columns,
                          narrow.data() + begin * w.columns, w.columns);
  });
  constexpr int64_t kPair = kHalfColumns / kTile;
  const int64_t pairs = (w.tiles() + kPair - 1) / kPair;
  parallel_for(0, pairs, 1, [&](int64_t begin, int64_t end) {
    std::vector<uint8_t> own;
    std::vector<uint16_t> wide(static_cast<size_t>(steps * kHalfBlock));
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t i = p * kPair; i < std::min((p + 1) * kPair, w.tiles()); ++i) {
        widen_tile_amx(w.format, w.tile(i, own), w.columns,
                       wide.data() + i % kPair * (kTile * kHalfStep));
      }
      kHalfTiles_amx.multiply({.a = narrow.data(),
                               .lda = w.columns,
                               .b = wide.data(),
                               .block = steps * kHalfBlock,
                               .steps = steps,
                               .rows = count,
                               .columns = std::min(kHalfColumns, w.rows - p * kHalfColumns),
                               .c = out + p * kHalfColumns,
                               .ldc = w.rows,
                               .accumulate = false});
    }
  });
}

// arguments: x, weight, bias, format, rows, packed
template <typename T>
void matmul_kernel(KernelContext& c) {
  const int64_t columns = c.in(0).shape.back().value();
  const Weight w = weight_of(c, 1, 3, c.i(4), columns, c.b(5));
  const int64_t count = columns ? c.in(0).numel / columns : 0;
  if (c.out(0).numel == 0) return;
  const T* x = c.in_data<T>(0);
  T* out = c.out_data<T>(0);
  std::vector<float> wide_x, wide_out;
  const float* from = nullptr;
  float* to = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    from = x;
    to = out;
  } else {
    wide_x.assign(x, x + count * columns);
    wide_out.resize(static_cast<size_t>(count * w.rows));
    from = wide_x.data();
    to = wide_out.data();
  }
  const int64_t many = w.layout.scales == 2 ? kManyRowsTwoScales : kManyRows;
  if (count >= many && can_widen() && !batch_invariant()) {
    multiply_many(w, from, count, to);
  } else {
    multiply_few(w, from, count, to);
  }
  if (c.has(2)) {
    const T* bias = c.in_data<T>(2);
    for (int64_t i = 0; i < count * w.rows; ++i) to[i] += static_cast<float>(bias[i % w.rows]);
  }
  if constexpr (!std::is_same_v<T, float>) {
    std::transform(to, to + count * w.rows, out, [](float v) { return static_cast<T>(v); });
  }
}

}  // namespace

void register_block_weights_cpu(Registry& r) {
  r.kernel("dequantize_q", DeviceKind::kCpu, {DType::kFloat32}, dequantize_kernel<float>);
  r.kernel("dequantize_q", DeviceKind::kCpu, {DType::kFloat16}, dequantize_kernel<float16>);
  r.kernel("dequantize_q", DeviceKind::kCpu, {DType::kBFloat16}, dequantize_kernel<bfloat16>);
  r.kernel("pack_q", DeviceKind::kCpu, {DType::kUInt8}, pack_kernel);
  r.kernel("embedding_q", DeviceKind::kCpu, {DType::kFloat32}, embedding_kernel<float>);
  r.kernel("embedding_q", DeviceKind::kCpu, {DType::kFloat16}, embedding_kernel<float16>);
  r.kernel("embedding_q", DeviceKind::kCpu, {DType::kBFloat16}, embedding_kernel<bfloat16>);
  r.kernel("matmul_q", DeviceKind::kCpu, {DType::kFloat32}, matmul_kernel<float>);
  r.kernel("matmul_q", DeviceKind::kCpu, {DType::kFloat16}, matmul_kernel<float16>);
  r.kernel("matmul_q", DeviceKind::kCpu, {DType::kBFloat16}, matmul_kernel<bfloat16>);
}

}  // namespace paddle::cpu
