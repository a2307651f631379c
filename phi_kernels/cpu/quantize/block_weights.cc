// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of weights quantised in blocks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/gemm/expert_rows.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/quantize/block_product.h"
#include "phi_kernels/cpu/quantize/encode_blocks.h"

namespace paddle::cpu {
namespace {

BlockFormat format_of(std::string_view name) {
  BlockFormat format{};
  block_format_from_name(name, format);  // the shape rule has checked it
  return format;
}

BlockWeight weight_of(KernelContext& c, int weight, int format, int64_t rows, int64_t columns,
                      bool packed) {
  isa();  // an error on a processor without AVX2
  const BlockFormat f = format_of(c.text(format));
  return {f, layout_of(f), c.in_data<uint8_t>(weight), rows, columns, packed};
}

// arguments: weight, format, rows, columns, packed, dtype
template <typename T>
void dequantize_kernel(KernelContext& c) {
  const BlockWeight w = weight_of(c, 0, 1, c.i(2), c.i(3), c.b(4));
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
  const BlockWeight w{format, l, c.in_data<uint8_t>(0), rows, columns, false};
  auto* out = c.out_data<uint8_t>(0);
  parallel_for(0, w.tiles(), w.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pack_tile(format, w.data + i * BlockWeight::kTile * block_row_bytes(l, columns),
                std::min(BlockWeight::kTile, rows - i * BlockWeight::kTile), columns,
                out + i * w.tile_bytes());
    }
  });
}

// arguments: x, format
void quantize_kernel(KernelContext& c) {
  isa();
  const BlockFormat format = format_of(c.text(1));
  const int64_t rows = c.in(0).shape[0].value(), columns = c.in(0).shape[1].value();
  const int64_t bytes = block_row_bytes(layout_of(format), columns);
  const float* x = c.in_data<float>(0);
  auto* out = c.out_data<uint8_t>(0);
  parallel_for(0, rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, columns)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   encode_row(format, x + i * columns, columns, out + i * bytes);
                 }
               });
}

// arguments: ids, weight, format, rows, columns, packed, dtype
template <typename T>
void embedding_kernel(KernelContext& c) {
  const BlockWeight w = weight_of(c, 1, 2, c.i(3), c.i(4), c.b(5));
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

// x and the result of a product as floats: themselves, or copies.
template <typename T>
struct FloatOperands {
  const float* x;
  float* out;
  std::vector<float> wide_x, wide_out;
  T* narrow_out;
  int64_t results;

  FloatOperands(KernelContext& c, int64_t count) : results(c.out(0).numel) {
    const T* const given = c.in_data<T>(0);
    narrow_out = c.out_data<T>(0);
    if constexpr (std::is_same_v<T, float>) {
      x = given;
      out = narrow_out;
    } else {
      wide_x.assign(given, given + count);
      wide_out.resize(static_cast<size_t>(results));
      x = wide_x.data();
      out = wide_out.data();
    }
  }
  void finish() const {
    if constexpr (!std::is_same_v<T, float>) {
      std::transform(out, out + results, narrow_out, [](float v) { return static_cast<T>(v); });
    }
  }
};

// arguments: x, weight, bias, format, rows, packed
template <typename T>
void matmul_kernel(KernelContext& c) {
  const int64_t columns = c.in(0).shape.back().value();
  const BlockWeight w = weight_of(c, 1, 3, c.i(4), columns, c.b(5));
  const int64_t count = columns ? c.in(0).numel / columns : 0;
  if (c.out(0).numel == 0) return;
  const FloatOperands<T> rows(c, c.in(0).numel);
  multiply_blocks(w, rows.x, count, rows.out);
  if (c.has(2)) {
    const T* bias = c.in_data<T>(2);
    for (int64_t i = 0; i < count * w.rows; ++i) {
      rows.out[i] += static_cast<float>(bias[i % w.rows]);
    }
  }
  rows.finish();
}

// The experts that few rows chose: tiles of all of them side by side.
void multiply_few_rows_of_experts(const std::vector<BlockWeight>& weights, const ExpertRows& rows,
                                  const std::vector<ExpertRows::Group>& groups, bool shared,
                                  const RoundedRows& x, float* out) {
  std::vector<RoundedRows> gathered;
  gathered.reserve(groups.size());
  std::vector<QuantizedRows> operands;
  for (const ExpertRows::Group& g : groups) {
    std::vector<int64_t> at(static_cast<size_t>(g.count));
    for (size_t i = 0; i < at.size(); ++i) {
      at[i] = rows.row(rows.order[static_cast<size_t>(g.first) + i], shared);
    }
    if (g.count == 1) {
      operands.push_back(x.from(at[0]));
    } else {
      operands.push_back(gathered.emplace_back(x.gathered(at.data(), g.count)).from(0));
    }
  }
  const BlockWeight& first = weights.front();
  const int64_t tiles = first.tiles(), width = first.rows;
  constexpr int64_t kTile = BlockWeight::kTile;
  const auto count = static_cast<int64_t>(groups.size());
  parallel_for(0, count * tiles, first.grain(), [&](int64_t begin, int64_t end) {
    std::vector<uint8_t> own;
    std::vector<float> beside, several;
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i / tiles);
      const ExpertRows::Group& g = groups[at];
      const BlockWeight& w = weights[static_cast<size_t>(g.expert)];
      const int64_t t = i % tiles;
      const int64_t* const choice = rows.order.data() + g.first;
      if (g.count == 1) {
        multiply_tile(w, t, operands[at], 1, out + choice[0] * width + t * kTile, width, own,
                      beside);
        continue;
      }
      several.resize(static_cast<size_t>(g.count * kTile));
      multiply_tile(w, t, operands[at], g.count, several.data(), kTile, own, beside);
      for (int64_t r = 0; r < g.count; ++r) {
        std::copy_n(several.data() + r * kTile, std::min(kTile, width - t * kTile),
                    out + choice[r] * width + t * kTile);
      }
    }
  });
}

// arguments: x, weight, ids, format, experts, rows, packed
template <typename T>
void expert_kernel(KernelContext& c) {
  const int64_t columns = c.in(0).shape.back().value(), width = c.i(5);
  const bool shared = c.in(0).shape.size() == 2;
  const ExpertRows rows(c, 2, c.i(4));
  if (c.out(0).numel == 0) return;
  std::vector<BlockWeight> weights;
  for (int64_t e = 0; e < c.i(4); ++e) {
    weights.push_back(weight_of(c, 1, 3, width, columns, c.b(6)));
    weights.back().data += e * weights.back().bytes();
  }
  std::vector<ExpertRows::Group> few, many;
  for (const ExpertRows::Group& g : rows.groups) {
    (multiplies_wide(weights.front(), g.count) ? many : few).push_back(g);
  }
  const FloatOperands<T> operands(c, c.in(0).numel);
  if (!few.empty()) {
    const RoundedRows x(operands.x, columns ? c.in(0).numel / columns : 0, columns);
    multiply_few_rows_of_experts(weights, rows, few, shared, x, operands.out);
  }
  std::vector<float> room, beside;
  for (const ExpertRows::Group& g : many) {
    const float* const x = rows.gathered(operands.x, columns, shared, g.first, g.count, room);
    beside.resize(static_cast<size_t>(g.count * width));
    multiply_blocks(weights[static_cast<size_t>(g.expert)], x, g.count, beside.data());
    for (int64_t i = 0; i < g.count; ++i) {
      std::copy_n(beside.data() + i * width, width,
                  operands.out + rows.order[static_cast<size_t>(g.first + i)] * width);
    }
  }
  operands.finish();
}

}  // namespace

void register_block_weights_cpu(Registry& r) {
  r.kernel("dequantize_q", DeviceKind::kCpu, {DType::kFloat32}, dequantize_kernel<float>);
  r.kernel("dequantize_q", DeviceKind::kCpu, {DType::kFloat16}, dequantize_kernel<float16>);
  r.kernel("dequantize_q", DeviceKind::kCpu, {DType::kBFloat16}, dequantize_kernel<bfloat16>);
  r.kernel("pack_q", DeviceKind::kCpu, {DType::kUInt8}, pack_kernel);
  r.kernel("quantize_q", DeviceKind::kCpu, {DType::kUInt8}, quantize_kernel);
  r.kernel("embedding_q", DeviceKind::kCpu, {DType::kFloat32}, embedding_kernel<float>);
  r.kernel("embedding_q", DeviceKind::kCpu, {DType::kFloat16}, embedding_kernel<float16>);
  r.kernel("embedding_q", DeviceKind::kCpu, {DType::kBFloat16}, embedding_kernel<bfloat16>);
  r.kernel("matmul_q", DeviceKind::kCpu, {DType::kFloat32}, matmul_kernel<float>);
  r.kernel("matmul_q", DeviceKind::kCpu, {DType::kFloat16}, matmul_kernel<float16>);
  r.kernel("matmul_q", DeviceKind::kCpu, {DType::kBFloat16}, matmul_kernel<bfloat16>);
  r.kernel("expert_matmul_q", DeviceKind::kCpu, {DType::kFloat32}, expert_kernel<float>);
  r.kernel("expert_matmul_q", DeviceKind::kCpu, {DType::kFloat16}, expert_kernel<float16>);
  r.kernel("expert_matmul_q", DeviceKind::kCpu, {DType::kBFloat16}, expert_kernel<bfloat16>);
}

}  // namespace paddle::cpu
