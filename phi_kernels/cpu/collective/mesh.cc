// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "paddle_core/comm/job.h"
#include "paddle_core/op/registry.h"

namespace paddle::cpu {
namespace {

Ranks ranks_of(const KernelContext& ctx) {
  Ranks ranks;
  for (const Dim rank : ctx.ints(1)) ranks.push_back(rank.value());
  return ranks;
}

// A group of one needs no other rank.
bool copied_alone(KernelContext& ctx, const Ranks& ranks) {
  if (ranks.size() > 1) return false;
  Tensor(IntrusivePtr<TensorImpl>::share(&ctx.out(0))).overwrite_from(ctx.in_tensor(0));
  return true;
}

Tensor out_of(const KernelContext& ctx) {
  return Tensor(IntrusivePtr<TensorImpl>::share(&ctx.out(0)));
}

// Indices [begin, begin + count) of a dimension, sharing memory.
Tensor part_along(const Tensor& t, int64_t axis, IndexRange range) {
  Shape shape = t.shape();
  shape[static_cast<size_t>(axis)] = Dim(range.count);
  const int64_t stride = t.strides()[static_cast<size_t>(axis)];
  const int64_t bytes = static_cast<int64_t>(size_of(t.dtype()));
  return Tensor::alias(t, shape, t.strides(), range.count ? range.begin * stride * bytes : 0);
}

int64_t normalised(int64_t axis, const Tensor& t) { return axis < 0 ? axis + t.ndim() : axis; }

// The parts of a tensor for each of `n` ranks, each dense.
TensorList parts_along(const Tensor& t, int64_t axis, int64_t n) {
  TensorList parts;
  for (int64_t i = 0; i < n; ++i) {
    const IndexRange range = part_of({0, t.size(axis)}, n, i);
    parts.push_back(part_along(t, axis, range).contiguous_copy_if_needed());
  }
  return parts;
}

// Where what each rank gives is received: views of the result where those are dense.
struct Received {
  Received(const Tensor& out, int64_t axis, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const Tensor part = part_along(out, axis, part_of({0, out.size(axis)}, n, i));
      places.push_back(part);
      buffers.push_back(
          part.is_contiguous() ? part : Tensor::empty(part.shape(), part.dtype(), part.place()));
    }
  }
  void finish() const {
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i].same_impl(buffers[i])) places[i].overwrite_from(buffers[i]);
    }
  }
  TensorList places, buffers;
};

void all_reduce(KernelContext& ctx) {
  const Ranks ranks = ranks_of(ctx);
  if (copied_alone(ctx, ranks)) return;
  group_of(ranks, "all_reduce")
      .all_reduce(ctx.in_tensor(0), out_of(ctx), static_cast<ReduceKind>(ctx.i(2)));
}

void all_gather(KernelContext& ctx) {
  const Ranks ranks = ranks_of(ctx);
  if (copied_alone(ctx, ranks)) return;
  const Tensor x = ctx.in_tensor(0), out = out_of(ctx);
  const Received received(out, normalised(ctx.i(3), out), static_cast<int64_t>(ranks.size()));
  group_of(ranks, "all_gather").all_gather(x, received.buffers);
  received.finish();
}

void reduce_scatter(KernelContext& ctx) {
  const Ranks ranks = ranks_of(ctx);
  if (copied_alone(ctx, ranks)) return;
  const Tensor x = ctx.in_tensor(0);
  const TensorList parts =
      parts_along(x, normalised(ctx.i(3), x), static_cast<int64_t>(ranks.size()));
  group_of(ranks, "reduce_scatter")
      .reduce_scatter(parts, out_of(ctx), static_cast<ReduceKind>(ctx.i(4)));
}

void all_to_all(KernelContext& ctx) {
  const Ranks ranks = ranks_of(ctx);
  if (copied_alone(ctx, ranks)) return;
  const Tensor x = ctx.in_tensor(0), out = out_of(ctx);
  const auto n = static_cast<int64_t>(ranks.size());
  const TensorList parts = parts_along(x, normalised(ctx.i(3), x), n);
  const Received received(out, normalised(ctx.i(4), out), n);
  group_of(ranks, "all_to_all").all_to_all(parts, received.buffers);
  received.finish();
}

void broadcast(KernelContext& ctx) {
  const Ranks ranks = ranks_of(ctx);
  if (copied_alone(ctx, ranks)) return;
  const Tensor out = out_of(ctx);
  ProcessGroup& group = group_of(ranks, "broadcast");
  if (group.index() == ctx.i(2)) out.overwrite_from(ctx.in_tensor(0));
  group.broadcast(out, ctx.i(2));
}

}  // namespace

void register_mesh_cpu(Registry& r) {
#define PADDLE_REGISTER(T, name)                                                    \
  r.kernel("mesh_all_reduce", DeviceKind::kCpu, {DType::name}, all_reduce);         \
  r.kernel("mesh_all_gather", DeviceKind::kCpu, {DType::name}, all_gather);         \
  r.kernel("mesh_reduce_scatter", DeviceKind::kCpu, {DType::name}, reduce_scatter); \
  r.kernel("mesh_all_to_all", DeviceKind::kCpu, {DType::name}, all_to_all);         \
  r.kernel("mesh_broadcast", DeviceKind::kCpu, {DType::name}, broadcast);
  PADDLE_FOR_ALL_DTYPES(PADDLE_REGISTER)
#undef PADDLE_REGISTER
}

}  // namespace paddle::cpu
