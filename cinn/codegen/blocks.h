// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of blocks (schedule/blocks.h) as text for a GPU's own compiler, and what whoever launches
// them has to know.
//
//   const BlockSource source = opencl_source(kernel);
//   // for each entry, in order: launch tasks x threads with the arguments, when the one before is
//   done
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cinn/loop/kernel.h"

namespace paddle::cinn {

struct BlockArgument {
  enum class Kind : uint8_t {
    kBuffer,  // the address of buffer `number` in global memory
    kSize,    // size `number`, int64
    kFailed,  // the address of an int32 that is 0 at first; it is set where a Check does not hold
    kShared,  // OpenCL: shared memory for buffer `number`
  };
  Kind kind;
  int64_t number = 0;
};

// One stage.
struct BlockEntry {
  std::string name;
  int threads = 0;        // of a block, in one dimension
  Expr tasks = nullptr;   // blocks, in one dimension; nothing is launched for 0
  Expr shared = nullptr;  // bytes of shared memory to give at the launch; CUDA only
  std::vector<BlockArgument> arguments;
};

// Buffers of kTemporary and kScratch are memory of the launcher: their extents are
// Buffer::elements, those of kScratch for each task of the stage with the most. They need no
// values.
struct BlockSource {
  std::string text;
  std::vector<BlockEntry> entries;
};

// OpenCL C 1.2 without extensions, but for float64 where the kernel has it. Division and square
// root are as exact as the device is asked for: -cl-fp32-correctly-rounded-divide-sqrt.
BlockSource opencl_source(const Kernel& kernel);

// PTX of an architecture that ptxas and the driver know, sm_80 or sm_90. Division and square root
// round to nearest; functions are the polynomials of the kernel.
BlockSource ptx_source(const Kernel& kernel, const std::string& architecture);

}  // namespace paddle::cinn
