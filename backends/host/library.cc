// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a call of matmul to products of as many matrices at a time as lie at equal distances.
#include "backends/host/library.h"

#include "backends/host/device.h"
#include "paddle_core/op/registry.h"

namespace paddle::plugin {
namespace {

// An operand without gaps, as matrices of rows x columns; a vector is one row, or one column.
struct Matrices {
  int64_t rows, columns, row_step, column_step;
  SmallVector<int64_t, 4> batch_steps;  // of each axis of the result's batch; 0 where repeated
};

Matrices matrices_of(const TensorImpl& t, bool transposed, bool left, const Shape& out,
                     size_t batch_rank) {
  const size_t rank = t.shape.size();
  Matrices m{};
  m.batch_steps.resize(batch_rank);
  if (rank == 1) {
    const int64_t n = t.shape[0].value();
    return left ? Matrices{1, n, n, 1, m.batch_steps} : Matrices{n, 1, 1, n, m.batch_steps};
  }
  m.rows = t.shape[rank - 2].value();
  m.columns = t.shape[rank - 1].value();
  m.row_step = m.columns;
  m.column_step = 1;
  int64_t step = m.rows * m.columns;
  for (size_t d = 1; d + 1 < rank; ++d) {  // axes of the batch, from the last
    const int64_t extent = t.shape[rank - 2 - d].value();
    if (extent == out[batch_rank - d].value()) m.batch_steps[batch_rank - d] = step;
    step *= extent;
  }
  if (transposed) {
    std::swap(m.rows, m.columns);
    std::swap(m.row_step, m.column_step);
  }
  return m;
}

void matmul(KernelContext& k) {
  const TensorImpl &x = k.in(0), &y = k.in(1), &out = k.out(0);
  if (out.numel == 0) return;
  auto& device = static_cast<PluginDevice&>(k.device().device());
  auto& stream = static_cast<PluginStream&>(k.device().stream());
  const auto size = static_cast<int64_t>(size_of(out.dtype));
  if (x.numel == 0) {  // an empty sum
    return device.memset(out.data(), 0, static_cast<size_t>(out.numel * size), stream);
  }
  const size_t batch_rank = out.shape.size() - (x.shape.size() > 1) - (y.shape.size() > 1);
  const Matrices a = matrices_of(x, k.b(2), true, out.shape, batch_rank);
  const Matrices b = matrices_of(y, k.b(3), false, out.shape, batch_rank);

  PdMatmulArgs args{};
  args.device = device.raw();
  args.stream = stream.raw();
  args.dtype = static_cast<int32_t>(out.dtype);
  args.rows = a.rows;
  args.columns = b.columns;
  args.depth = a.columns;
  args.x_row = a.row_step;
  args.x_depth = a.column_step;
  args.y_depth = b.row_step;
  args.y_column = b.column_step;
  // The last axes of the batch over which both operands go on at one distance are one call.
  size_t joined = batch_rank;
  args.batch = 1;
  for (; joined > 0; --joined) {
    const int64_t extent = out.shape[joined - 1].value();
    if (extent == 1) continue;
    const int64_t x_step = a.batch_steps[joined - 1], y_step = b.batch_steps[joined - 1];
    if (args.batch == 1) {
      args.x_batch = x_step;
      args.y_batch = y_step;
    } else if (x_step != args.x_batch * args.batch || y_step != args.y_batch * args.batch) {
      break;
    }
    args.batch *= extent;
  }
  const int64_t rest = out.numel / (args.batch * args.rows * args.columns);
  const MemoryAddress x_at = device.at(x.data()), y_at = device.at(y.data()),
                      out_at = device.at(out.data());
  args.x = x_at.memory;
  args.y = y_at.memory;
  args.out = out_at.memory;
  for (int64_t i = 0; i < rest; ++i) {
    int64_t index = i, x_offset = 0, y_offset = 0;
    for (size_t d = joined; d-- > 0;) {
      const int64_t extent = out.shape[d].value();
      x_offset += index % extent * a.batch_steps[d];
      y_offset += index % extent * b.batch_steps[d];
      index /= extent;
    }
    args.x_offset = x_at.offset + x_offset * size;
    args.y_offset = y_at.offset + y_offset * size;
    args.out_offset = out_at.offset + i * args.batch * args.rows * args.columns * size;
    device.plugin().call(device.plugin().library.matmul, args, "library.matmul");
  }
  device.plugin().counts.kernels.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void register_library(const Plugin& plugin, Place place) {
  const OpDef& op = Registry::global().at("matmul");
  for (int n = 1; n < kNumDTypes; ++n) {
    const auto dtype = static_cast<DType>(n);
    if ((plugin.library.matmul_dtypes >> n & 1) && !op.kernels.at(place, dtype).fn) {
      Registry::global().kernel("matmul", place, {dtype}, Kernel{matmul});
    }
  }
}

}  // namespace paddle::plugin
