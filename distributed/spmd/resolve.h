// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How the tensors of one call lie, chosen from its sharding rule: for each dimension of the mesh
// the factor to split, or none, for which the least has to be sent.
#pragma once

#include <vector>

#include "paddle_core/op/spmd.h"

namespace paddle::distributed {

struct Resolution {
  std::vector<const DistAttr*> operands;          // in the order of Spmd::operands()
  std::vector<const DistAttr*> results;           // null: the call does not have it
  std::vector<std::pair<int, int64_t>> integers;  // arguments that are others on this rank
};

// Plain operands count as replicated. A choice for which nothing is sent is preferred, of several
// the one that keeps most operands split; else the one that sends least now, or later to reduce a
// Partial result.
PADDLE_API Resolution resolve(const Spmd& call, const ProcessMesh* mesh);

}  // namespace paddle::distributed
