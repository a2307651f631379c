// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that change how a tensor lies on a mesh. They are calls like any other to autograd and
// to AMP; the sharded layer, which they always ask for (distributed/spmd), carries them out.

#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/collective/placement_args.h"

namespace paddle::ops {
namespace {

constexpr const char* kReason = "moves the parts of a distributed tensor";

// A gradient as the tensor lies that it is of; whole for a plain one.
Tensor placed_as(const Tensor& grad, const Tensor& x) {
  const DistAttr* attr = dist_attr_of(x);
  return attr ? reshard_to(grad, attr->reduced()) : unshard(grad);
}

void infer_like(Infer& c) { c.out(0, c.shape(0), c.dtype(0)); }

OpDef& placing(OpDef& op) {
  op.modes |= kModeSharded;
  return op.opaque(kReason).trait(kPlaces);
}

}  // namespace

void register_placing(Registry& r) {
  placing(r.op("reshard").schema(
              "reshard(Tensor x, int64[] mesh, int64[] ranks, str names, int64[] placements) -> "
              "(Tensor out)"))
      .doc(
          "The tensor x, plain or distributed, with other placements: the extents, ranks and names "
          "of a mesh, and for each of its dimensions a number, -1 for Replicate, d for Shard(d), "
          "-2 - r for Partial of reduce type r.",
          "paddle._C_ops.reshard(paddle.ones([2]), [1], [0], 'x', [0])")
      .infer(infer_like)
      .vjp([](Vjp& v) { v.set(0, placed_as(v.grad(), v.in(0))); });
  placing(r.op("unshard").schema("unshard(Tensor x) -> (Tensor out)"))
      .doc("The whole of a distributed tensor as a plain one, on every rank of its mesh.",
           "paddle._C_ops.unshard(paddle.ones([2]))")
      .infer(infer_like)
      .vjp([](Vjp& v) { v.set(0, placed_as(v.grad(), v.in(0))); });
  placing(
      r.op("local_part").schema("local_part(Tensor x, int64[] grad_placements={}) -> (Tensor out)"))
      .doc(
          "This rank's part of a distributed tensor as a plain one. The gradients of the parts "
          "make "
          "that of x by grad_placements; without them as the parts make x.",
          "paddle._C_ops.local_part(paddle._C_ops.reshard(paddle.ones([2]), [1], [0], 'x', [0]))")
      .infer([](Infer& c) {
        const TensorImpl& x = *c.slot(0).tensor;
        c.out(0, x.sharded && x.sharded->local.defined() ? x.sharded->local.shape() : x.shape,
              x.dtype);
      })
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0);
        const DistAttr* attr = dist_attr_of(x);
        if (!attr) return v.set(0, v.grad());
        const Shape codes = v.ints(1);
        const DistAttr* of_grad =
            codes.empty() ? attr->reduced() : DistAttr::get(attr->mesh(), placements_of(codes));
        v.set(0, placed_as(whole_of(v.grad(), x.shape(), of_grad), x));
      });
  placing(
      r.op("whole_of_parts")
          .schema("whole_of_parts(Tensor local, int64[] shape, int64[] mesh, int64[] ranks, str "
                  "names, int64[] placements) -> (Tensor out)"))
      .doc(
          "The distributed tensor of this shape whose part on this rank is `local`; mesh and "
          "placements as of reshard.",
          "paddle._C_ops.whole_of_parts(paddle.ones([2]), [2], [1], [0], 'x', [0])")
      .infer([](Infer& c) { c.out(0, c.ints(1), c.dtype(0)); })
      .vjp([](Vjp& v) {
        const DistAttr* attr = attr_of_args(v.args(), 2);
        v.set(0, local_part(reshard_to(v.grad(), attr->reduced()), Shape()));
      });
}

Placements placements_of(const Shape& codes) {
  Placements placements;
  for (const Dim d : codes) {
    const int64_t code = d.value();
    PADDLE_CHECK_VALUE(code < 64 && code > -2 - kNumReduceKinds, "placements: ", code,
                       " stands for no placement; -1 is Replicate, d Shard(d), -2 - r Partial.");
    placements.push_back(code >= 0    ? Placement::shard(code)
                         : code == -1 ? Placement::replicate()
                                      : Placement::partial(static_cast<ReduceKind>(-2 - code)));
  }
  return placements;
}

PlacementArgs::PlacementArgs(const DistAttr* attr) {
  for (const int64_t extent : attr->mesh()->shape()) mesh.push_back(Dim(extent));
  for (const int64_t rank : attr->mesh()->ranks()) ranks.push_back(Dim(rank));
  for (const std::string& name : attr->mesh()->names()) {
    if (&name != attr->mesh()->names().data()) names.push_back(',');
    names += name;
  }
  for (const Placement& p : attr->placements()) {
    placements.push_back(Dim(p.is_shard()       ? int64_t{p.dim}
                             : p.is_replicate() ? int64_t{-1}
                                                : -2 - static_cast<int64_t>(p.reduce)));
  }
}

const DistAttr* attr_of_args(const Args& args, int first) {
  const auto numbers = [&](int k) {
    std::vector<int64_t> values;
    for (const Dim d : args.ints(k)) values.push_back(d.value());
    return values;
  };
  std::vector<std::string> names(1);
  for (const char c : args.text(first + 2)) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back().push_back(c);
    }
  }
  const std::vector<int64_t> shape = numbers(first);
  if (shape.empty()) names.clear();
  return DistAttr::get(ProcessMesh::get(shape, numbers(first + 1), names),
                       placements_of(args.ints(first + 3)));
}

Tensor reshard_to(const Tensor& x, const DistAttr* attr) {
  if (dist_attr_of(x) == attr) return x;
  if (!attr) return unshard(x);
  const PlacementArgs args(attr);
  return reshard(x, args.mesh, args.ranks, args.names, args.placements);
}

Tensor whole_of(const Tensor& local, const Shape& shape, const DistAttr* attr) {
  const PlacementArgs args(attr);
  return whole_of_parts(local, shape, args.mesh, args.ranks, args.names, args.placements);
}

}  // namespace paddle::ops
