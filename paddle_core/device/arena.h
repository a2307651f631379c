// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One range of host memory for the large blocks of a run whose sizes are known beforehand. Who runs
// it says before each step where the step's results go; what else the step takes comes out of the
// gaps. A block may outlive its arena: it belongs to the heap then, like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "paddle_core/base/export.h"
#include "paddle_core/base/small_vector.h"
#include "paddle_core/device/range_heap.h"

namespace paddle::host_memory {

// Blocks that are smaller do not come out of arenas.
inline constexpr size_t kArenaMin = (size_t{32} << 10) + 1;

// What a block of `bytes` takes of an arena.
inline size_t arena_bytes(size_t bytes) { return RangeHeap::rounded(bytes); }

class PADDLE_API Arena {
 public:
  struct Block {
    size_t offset, bytes;  // bytes: as arena_bytes() says
  };
  // `bytes` of memory; none when the system has no more, and every block comes out of the heap.
  explicit Arena(size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The large blocks that this thread allocates during a step: the first of the size of an expected
  // block lies there, unless that place is still taken.
  class Step {
   public:
    Step(Arena& arena, std::span<const Block> expected);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Arena* before_;
  };

 private:
  friend class Central;
  bool holds(const void* data) const { return reinterpret_cast<uintptr_t>(data) - begin_ < bytes_; }
  void* take(size_t bytes);

  uintptr_t begin_ = 0;
  size_t bytes_ = 0;
  RangeHeap free_;
  SmallVector<Block, 4> expected_;  // taken out of `free_`, not yet asked for
  Arena* next_ = nullptr;           // of those that are open
};

// Within it this thread's blocks come out of the heap: for what is kept past the run.
class PADDLE_API OutsideArena {
 public:
  OutsideArena();
  ~OutsideArena();
  OutsideArena(const OutsideArena&) = delete;
  OutsideArena& operator=(const OutsideArena&) = delete;

 private:
  Arena* before_;
};

}  // namespace paddle::host_memory
