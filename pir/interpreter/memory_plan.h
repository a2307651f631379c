// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where the results of a program lie during a run on inputs of given shapes: in one range of
// memory, no larger than what lives at a time, as far as the shapes are known before the run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "paddle_core/base/export.h"
#include "paddle_core/base/small_vector.h"
#include "paddle_core/device/arena.h"

namespace paddle::pir {

// A block that is needed from step `first` to step `last`, both included.
struct Lifetime {
  size_t first, last, bytes;
};

// Offsets at which no two blocks overlap while both live: the largest first, each into the smallest
// gap (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020).
// `total`: the bytes that all of them take.
PADDLE_API std::vector<size_t> place(std::span<const Lifetime> blocks, size_t& total);

struct MemoryPlan {
  struct Step {
    // False: the step's memory comes out of the heap, as its results leave the program or are not
    // known before.
    bool planned = false;
    SmallVector<host_memory::Arena::Block, 1> results;
  };
  size_t bytes = 0;
  std::vector<Step> steps;  // of the instructions, or none
};

}  // namespace paddle::pir
