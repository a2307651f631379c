// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives among the ranks that an argument lists, on plain tensors. All of these ranks call the
// same one. `index` is the position of the calling rank; dimensions are cut into ceil(n / p)
// elements each, the last parts into what is left (sharding/dist_attr.h).

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/sharding/dist_attr.h"

namespace paddle::ops {
namespace {

constexpr const char* kReason = "exchanges values with other ranks";

int64_t count_ranks(Infer& c, int arg) {
  const auto n = static_cast<int64_t>(c.ints(arg).size());
  PADDLE_CHECK_VALUE(n > 0, c.op_name(), ": ranks is empty; give at least the own rank.");
  return n;
}

int64_t own_index(Infer& c, int arg, int64_t ranks) {
  const int64_t index = c.i(arg);
  PADDLE_CHECK_VALUE(index >= 0 && index < ranks, c.op_name(), ": index is ", index,
                     "; it must be the position of this rank among the ", ranks, " ranks.");
  return index;
}

void check_reduce(Infer& c, int arg) {
  PADDLE_CHECK_VALUE(c.i(arg) >= 0 && c.i(arg) < kNumReduceKinds, c.op_name(), ": reduce is ",
                     c.i(arg), "; it must be the number of a ReduceType, 0 to ",
                     kNumReduceKinds - 1, ".");
}

// Dimension `axis` with the extent of a whole whose part `index` the tensor has.
void check_part(Infer& c, const Shape& shape, int64_t axis, int64_t whole, int64_t ranks,
                int64_t index) {
  const int64_t own = part_of({0, whole}, ranks, index).count;
  const Dim has = shape[static_cast<size_t>(axis)];
  PADDLE_CHECK_VALUE(has == Dim(own), c.op_name(), ": x has shape ", shape, "; of an extent of ",
                     whole, " in ", ranks, " parts this rank has ", own, " in dimension ", axis,
                     ".");
}

}  // namespace

void register_mesh(Registry& r) {
  r.op("mesh_all_reduce")
      .schema("mesh_all_reduce(Tensor x, int64[] ranks, int reduce=0) -> (Tensor out)")
      .doc(
          "The reduction of the x of all ranks, in their order: 0 sum, 1 max, 2 min, 3 product, 4 "
          "mean, 5 any, 6 all.",
          "paddle._C_ops.mesh_all_reduce(paddle.ones([2]), [0], 0)")
      .opaque(kReason)
      .trait(kSideEffect)
      .no_grad()
      .infer([](Infer& c) {
        count_ranks(c, 1);
        check_reduce(c, 2);
        c.out(0, c.shape(0), c.dtype(0));
      });
  r.op("mesh_all_gather")
      .schema(
          "mesh_all_gather(Tensor x, int64[] ranks, int index, int axis, int64 extent) -> (Tensor "
          "out)")
      .doc(
          "The x of all ranks, which are the parts of a dimension of the extent, one behind the "
          "other.",
          "paddle._C_ops.mesh_all_gather(paddle.ones([2]), [0], 0, 0, 2)")
      .opaque(kReason)
      .trait(kSideEffect)
      .no_grad()
      .infer([](Infer& c) {
        const int64_t n = count_ranks(c, 1), index = own_index(c, 2, n);
        const int64_t axis = c.axis(3, c.rank(0));
        check_part(c, c.shape(0), axis, c.i(4), n, index);
        Shape out = c.shape(0);
        out[static_cast<size_t>(axis)] = Dim(c.i(4));
        c.out(0, out, c.dtype(0));
      });
  r.op("mesh_reduce_scatter")
      .schema(
          "mesh_reduce_scatter(Tensor x, int64[] ranks, int index, int axis, int reduce=0) -> "
          "(Tensor out)")
      .doc("This rank's part, along a dimension, of the reduction of the x of all ranks.",
           "paddle._C_ops.mesh_reduce_scatter(paddle.ones([2]), [0], 0, 0, 0)")
      .opaque(kReason)
      .trait(kSideEffect)
      .no_grad()
      .infer([](Infer& c) {
        const int64_t n = count_ranks(c, 1), index = own_index(c, 2, n);
        const auto axis = static_cast<size_t>(c.axis(3, c.rank(0)));
        check_reduce(c, 4);
        Shape out = c.shape(0);
        out[axis] = Dim(part_of({0, out[axis].value()}, n, index).count);
        c.out(0, out, c.dtype(0));
      });
  r.op("mesh_all_to_all")
      .schema(
          "mesh_all_to_all(Tensor x, int64[] ranks, int index, int split_axis, int concat_axis, "
          "int64 extent) -> (Tensor out)")
      .doc(
          "x is a part along concat_axis of a tensor that has the extent there; the result is the "
          "part along split_axis.",
          "paddle._C_ops.mesh_all_to_all(paddle.ones([2, 2]), [0], 0, 0, 1, 2)")
      .opaque(kReason)
      .trait(kSideEffect)
      .no_grad()
      .infer([](Infer& c) {
        const int64_t n = count_ranks(c, 1), index = own_index(c, 2, n);
        const int64_t split = c.axis(3, c.rank(0)), concat = c.axis(4, c.rank(0));
        PADDLE_CHECK_VALUE(split != concat, c.op_name(), ": split_axis and concat_axis are both ",
                           split, ".");
        check_part(c, c.shape(0), concat, c.i(5), n, index);
        Shape out = c.shape(0);
        Dim& cut = out[static_cast<size_t>(split)];
        cut = Dim(part_of({0, cut.value()}, n, index).count);
        out[static_cast<size_t>(concat)] = Dim(c.i(5));
        c.out(0, out, c.dtype(0));
      });
  r.op("mesh_broadcast")
      .schema("mesh_broadcast(Tensor x, int64[] ranks, int root=0) -> (Tensor out)")
      .doc("The x of the rank at position root; of other ranks' x only shape and dtype count.",
           "paddle._C_ops.mesh_broadcast(paddle.ones([2]), [0], 0)")
      .opaque(kReason)
      .trait(kSideEffect)
      .no_grad()
      .infer([](Infer& c) {
        own_index(c, 2, count_ranks(c, 1));
        c.out(0, c.shape(0), c.dtype(0));
      });
}

}  // namespace paddle::ops
