// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/spmd/reshard.h"

#include <algorithm>
#include <optional>

#include "paddle_core/comm/job.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/collective.h"
#include "phi_kernels/ops/creation.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::distributed {
namespace {

using Kind = ReshardStep::Kind;

class Planner {
 public:
  Planner(const Placements& from, const Placements& to) : now_(from), to_(to) {}

  std::vector<ReshardStep> run() {
    while (!(now_ == to_)) step();
    return std::move(steps_);
  }

 private:
  size_t count() const { return now_.size(); }

  // Whether mesh dimension d can begin to cut tensor dimension t: a cut further in would have to
  // be outside of it, and the cuts outside of it are those that stay.
  bool can_cut(size_t d, int64_t t) const {
    for (size_t e = 0; e < count(); ++e) {
      if (e > d && now_[e].is_shard(t)) return false;
      if (e < d && now_[e].is_shard(t) != to_[e].is_shard(t)) return false;
    }
    return true;
  }
  // Whether no cut of the same tensor dimension lies inside of that of d.
  bool is_innermost(size_t d) const {
    for (size_t e = d + 1; e < count(); ++e) {
      if (now_[e].is_shard(now_[d].dim)) return false;
    }
    return true;
  }

  void add(Kind kind, size_t d, Placement after) {
    now_[d] = after;
    steps_.push_back({kind, static_cast<int64_t>(d), now_});
  }

  void step() {
    for (size_t d = 0; d < count(); ++d) {
      const bool cuts = to_[d].is_shard() && !(now_[d] == to_[d]) && can_cut(d, to_[d].dim);
      if (cuts && now_[d].is_replicate()) return add(Kind::kCut, d, to_[d]);
    }
    for (size_t d = 0; d < count(); ++d) {
      const bool cuts = to_[d].is_shard() && !(now_[d] == to_[d]) && can_cut(d, to_[d].dim);
      if (cuts && now_[d].is_partial()) return add(Kind::kReduceScatter, d, to_[d]);
      if (cuts && now_[d].is_shard() && is_innermost(d)) return add(Kind::kAllToAll, d, to_[d]);
    }
    for (size_t d = 0; d < count(); ++d) {
      const bool reduces = now_[d].is_partial() && !(now_[d] == to_[d]);
      if (reduces && !to_[d].is_shard()) return add(Kind::kAllReduce, d, Placement::replicate());
    }
    // From the innermost cut outwards.
    for (size_t d = count(); d-- > 0;) {
      const bool goes = now_[d].is_shard() && !(now_[d] == to_[d]) && is_innermost(d);
      if (goes) return add(Kind::kAllGather, d, Placement::replicate());
    }
    for (size_t d = 0; d < count(); ++d) {
      if (now_[d].is_replicate() && to_[d].is_partial()) return add(Kind::kSpread, d, to_[d]);
    }
    // A cut that stays is inside of one that changes: it is made again afterwards.
    for (size_t d = count(); d-- > 0;) {
      if (!now_[d].is_shard() || !is_innermost(d)) continue;
      for (size_t e = 0; e < count(); ++e) {
        const bool changes = !(now_[e] == to_[e]);
        const bool blocks =
            changes && (now_[e].is_shard(now_[d].dim) || to_[e].is_shard(now_[d].dim));
        if (blocks) return add(Kind::kAllGather, d, Placement::replicate());
      }
    }
    for (size_t d = 0; d < count(); ++d) {
      if (now_[d].is_partial() && !(now_[d] == to_[d])) {
        return add(Kind::kAllReduce, d, Placement::replicate());
      }
    }
    PADDLE_ASSERT(false);
  }

  Placements now_;
  const Placements& to_;
  std::vector<ReshardStep> steps_;
};

Shape numbers(const Ranks& ranks) {
  Shape shape;
  for (const int64_t rank : ranks) shape.push_back(Dim(rank));
  return shape;
}

// Neither recorded by autograd nor cast.
ModeGuard below_layers() { return ModeGuard(kModeAutograd | kModeAmp | kModeSharded | kModeView); }

Tensor cut(const Tensor& local, int64_t axis, IndexRange range) {
  return ops::slice(local, Shape{axis}, Shape{range.begin}, Shape{range.begin + range.count});
}

// What a rank other than the first has of a whole value that becomes Partial.
Tensor neutral(const Tensor& local, ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum:
      // -0.0 leaves every number as it is, also -0.0.
      return ops::full_like(local, is_floating(local.dtype()) ? Scalar(-0.0) : Scalar(0),
                            local.dtype(), Place());
    case ReduceKind::kProd:
      return ops::full_like(local, Scalar(1), local.dtype(), Place());
    default:
      return local;
  }
}

// IndexRange of tensor dimension `axis` before mesh dimension d cuts it.
IndexRange range_outside(const Shape& shape, const Placements& placements, const ProcessMesh& mesh,
                         int64_t position, int64_t d, int64_t axis) {
  IndexRange range{0, shape[static_cast<size_t>(axis)].value()};
  for (int64_t e = 0; e < d; ++e) {
    if (placements[static_cast<size_t>(e)].is_shard(axis)) {
      range = part_of(range, mesh.extent(e), mesh.coordinate(position, e));
    }
  }
  return range;
}

Tensor run_step(const Tensor& local, const ReshardStep& step, const Placement& before,
                const Shape& shape, const ProcessMesh& mesh, int64_t position) {
  const int64_t d = step.mesh_dim, n = mesh.extent(d), index = mesh.coordinate(position, d);
  const Placement& after = step.after[static_cast<size_t>(d)];
  const auto outside = [&](int64_t axis) {
    return range_outside(shape, step.after, mesh, position, d, axis);
  };
  const Shape ranks = numbers(mesh.line(position, d));
  switch (step.kind) {
    case Kind::kCut: {
      IndexRange range = part_of({0, outside(after.dim).count}, n, index);
      return n == 1 ? local : cut(local, after.dim, range);
    }
    case Kind::kSpread:
      return index == 0 ? local : neutral(local, after.reduce);
    case Kind::kAllReduce:
      return ops::mesh_all_reduce(local, ranks, static_cast<int64_t>(before.reduce));
    case Kind::kReduceScatter:
      return ops::mesh_reduce_scatter(local, ranks, index, after.dim,
                                      static_cast<int64_t>(before.reduce));
    case Kind::kAllGather:
      return ops::mesh_all_gather(local, ranks, index, before.dim, outside(before.dim).count);
    case Kind::kAllToAll:
      return ops::mesh_all_to_all(local, ranks, index, after.dim, before.dim,
                                  outside(before.dim).count);
  }
  return local;
}

Tensor along_plan(Tensor local, const Shape& shape, const DistAttr* from, const DistAttr* to) {
  const ProcessMesh& mesh = *from->mesh();
  const int64_t position = own_position(mesh);
  if (position < 0) return Tensor();
  if (!local.has_storage() && local->capture.program == 0) {  // shape and dtype are all there is
    return Tensor::meta(local_shape(shape, *to, position), local.dtype(), local.place());
  }
  Placements now = from->placements();
  for (const ReshardStep& step : reshard_plan(from->placements(), to->placements())) {
    const Placement before = now[static_cast<size_t>(step.mesh_dim)];
    now = step.after;
    local = run_step(local, step, before, shape, mesh, position);
  }
  return local;
}

// Each rank of one mesh hands its part to the rank at the same position of the other.
Tensor across(const Tensor& x, const DistAttr* from, const DistAttr* to) {
  const ProcessMesh &source = *from->mesh(), &target = *to->mesh();
  const int64_t rank = current_rank();
  Tensor received;
  for (int64_t i = 0; i < target.size(); ++i) {
    const int64_t giver = source.ranks()[static_cast<size_t>(i)];
    const int64_t taker = target.ranks()[static_cast<size_t>(i)];
    if (giver != rank && taker != rank) continue;
    Tensor part;
    if (giver == rank) {
      part = local_part(x).contiguous_copy_if_needed();
    } else {
      part = Tensor::empty(local_shape(x.shape(), *from, i), x.dtype(), x.place());
    }
    if (giver != taker) part = ops::mesh_broadcast(part, Shape{giver, taker}, 0);
    if (taker == rank) received = part;
  }
  return received;
}

// From a mesh of another shape: whole on the first rank, which gives it to those who lack it.
Tensor through_one(const Tensor& whole, const Shape& shape, DType dtype, const ProcessMesh& source,
                   const ProcessMesh& target) {
  Ranks ranks{source.ranks()[0]};
  for (const int64_t r : target.ranks()) {
    if (source.position_of(r) < 0) ranks.push_back(r);
  }
  const int64_t rank = current_rank();
  const bool takes_part = std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  Tensor value = whole.defined() ? whole.contiguous_copy_if_needed() : Tensor();
  if (ranks.size() > 1 && takes_part) {
    const Tensor x = value.defined() ? value : Tensor::empty(shape, dtype);
    value = ops::mesh_broadcast(x, numbers(ranks), 0);
  }
  return target.position_of(rank) >= 0 ? value : Tensor();
}

Tensor move_to_mesh(const Tensor& x, const DistAttr* to) {
  const DistAttr* from = dist_attr_of(x);
  const ProcessMesh &source = *from->mesh(), &target = *to->mesh();
  if (source.shape() == target.shape() && !from->is_replicated()) {
    const DistAttr* there = DistAttr::get(&target, from->placements());
    const Tensor moved = make_sharded(x.shape(), x.dtype(), there, across(x, from, to));
    return reshard(moved, to);
  }
  const DistAttr* whole = DistAttr::replicated(&source);
  const Tensor value = through_one(local_for(x, whole), x.shape(), x.dtype(), source, target);
  const DistAttr* there = DistAttr::replicated(&target);
  return reshard(make_sharded(x.shape(), x.dtype(), there, value), to);
}

}  // namespace

std::vector<ReshardStep> reshard_plan(const Placements& from, const Placements& to) {
  return Planner(from, to).run();
}

double bytes_of_step(Kind kind, double before, double after, int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case Kind::kCut:
    case Kind::kSpread:
      return 0;
    case Kind::kAllReduce:
      return 2 * before * (n - 1) / n;
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
      return before * (n - 1) / n;
    case Kind::kAllGather:
      return after * (n - 1) / n;
  }
  return 0;
}

Tensor local_for(const Tensor& x, const DistAttr* to) {
  const ModeGuard guard = below_layers();
  const DistAttr* from = dist_attr_of(x);
  if (from == to) return local_part(x);
  if (from) return along_plan(local_part(x), x.shape(), from, to);
  return along_plan(x, x.shape(), DistAttr::replicated(to->mesh()), to);
}

Tensor reshard(const Tensor& x, const DistAttr* to) {
  check_placements("reshard", to->placements(), x.ndim());
  const DistAttr* from = dist_attr_of(x);
  if (from == to) return share_parts(x);
  if (from && from->mesh() != to->mesh()) {
    const ModeGuard guard = below_layers();
    return move_to_mesh(x, to);
  }
  Tensor local = local_for(x, to);
  // A cut of a plain tensor would keep the whole alive.
  if (!from && local.defined() && local.has_storage() && !to->is_replicated() &&
      local.shares_storage(x)) {
    const Tensor own = Tensor::empty(local.shape(), local.dtype(), local.place());
    own.overwrite_from(local);
    local = own;
  }
  return make_sharded(x.shape(), x.dtype(), to, std::move(local));
}

Tensor unshard(const Tensor& x) {
  const DistAttr* from = dist_attr_of(x);
  if (!from) return x.share_values();
  const Tensor whole = local_for(x, DistAttr::replicated(from->mesh()));
  PADDLE_CHECK_RUNTIME(whole.defined(), "unshard: rank ", current_rank(), " is not in the mesh of ",
                       *from,
                       ", and has no part of the tensor; reshard it to a mesh that has this "
                       "rank first.");
  return whole.same_impl(local_part(x)) ? whole.share_values() : whole;
}

}  // namespace paddle::distributed
