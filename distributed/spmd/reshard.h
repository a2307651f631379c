// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From one placement to another: a sequence of collectives along single dimensions of the mesh.
#pragma once

#include <vector>

#include "paddle_core/tensor/sharded_part.h"

namespace paddle::distributed {

struct ReshardStep {
  enum class Kind : uint8_t {
    kCut,            // Replicate to Shard: a slice
    kSpread,         // Replicate to Partial
    kAllReduce,      // Partial to Replicate
    kReduceScatter,  // Partial to Shard
    kAllGather,      // Shard to Replicate
    kAllToAll,       // Shard to Shard of another dimension
  };
  Kind kind;
  int64_t mesh_dim;
  Placements after;
};

// The steps between placements on one mesh. Partial tensors are reduced along with cuts where the
// order of the cuts allows it; what is cut alike before and after stays cut unless a cut outside of
// it changes.
PADDLE_API std::vector<ReshardStep> reshard_plan(const Placements& from, const Placements& to);

// What a rank sends for one step of a tensor with so many bytes in its part before and after it.
PADDLE_API double bytes_of_step(ReshardStep::Kind kind, double before, double after, int64_t ranks);

// The tensor `x`, plain (then as if replicated) or distributed, placed so; below autograd. All
// ranks of both meshes call it.
PADDLE_API Tensor reshard(const Tensor& x, const DistAttr* to);
// This rank's part for placements on its own mesh.
PADDLE_API Tensor local_for(const Tensor& x, const DistAttr* to);
// The whole as a plain tensor, on every rank of its mesh.
PADDLE_API Tensor unshard(const Tensor& x);

}  // namespace paddle::distributed
