// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where the results of a program lie during a run on inputs of given shapes: in one range of memory
// of each place, no larger than what lives at a time, as far as the shapes are known before the
// run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "paddle_core/base/export.h"
#include "paddle_core/base/small_vector.h"
#include "paddle_core/device/arena.h"
#include "paddle_core/device/device_arena.h"

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
  struct Range {
    Place place;
    size_t bytes;
  };
  struct Step {
    // False: the step's memory comes out of the heap, as its results leave the program or are not
    // known before.
    bool planned = false;
    size_t range = 0;  // of the results
    SmallVector<host_memory::Arena::Block, 1> results;
  };
  std::vector<Range> ranges;
  std::vector<Step> steps;  // of the instructions, or none
};

// The ranges of a run.
class PlannedMemory {
 public:
  explicit PlannedMemory(const MemoryPlan* plan);

  // While it lives, what this thread allocates are results of instruction i, or what making them
  // takes.
  class Step {
   public:
    Step(PlannedMemory& memory, size_t i);

   private:
    std::optional<host_memory::Arena::Step> host_;
    std::optional<DeviceArena::Step> device_;
  };

 private:
  const MemoryPlan* plan_;
  std::optional<host_memory::Arena> host_;
  std::vector<IntrusivePtr<DeviceArena>> devices_;  // by range
};

}  // namespace paddle::pir
