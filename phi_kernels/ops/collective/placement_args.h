// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Placements as arguments of operators (placing.cc), and the calls that take them.
#pragma once

#include <string>

#include "paddle_core/op/args.h"
#include "paddle_core/tensor/sharded_part.h"
#include "phi_kernels/ops/collective.h"

namespace paddle::ops {

struct PADDLE_API PlacementArgs {
  explicit PlacementArgs(const DistAttr* attr);
  Shape mesh, ranks;
  std::string names;  // separated by commas
  Shape placements;
};

PADDLE_API Placements placements_of(const Shape& codes);
// From arguments `first` on: mesh, ranks, names, placements.
PADDLE_API const DistAttr* attr_of_args(const Args& args, int first);
// x itself when it lies so; the plain whole for null.
PADDLE_API Tensor reshard_to(const Tensor& x, const DistAttr* attr);
PADDLE_API Tensor whole_of(const Tensor& local, const Shape& shape, const DistAttr* attr);

}  // namespace paddle::ops
