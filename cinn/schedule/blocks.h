// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose tasks are blocks of threads (kernel.h), for GPUs.
#pragma once

#include "cinn/schedule/schedule.h"

namespace paddle::cinn {

// Shared memory that every GPU grants to a block.
inline constexpr int64_t kSharedBytes = 48 << 10;

struct BlockVariant {
  // kRows keeps what costs much in shared memory between passes over a row, kLongRows nothing;
  // kShortRows gives each thread rows, or elements, of its own; kFewRows cuts rows into pieces.
  Variant order = kRows;
  int threads = 256;
  int lanes = 1;  // elements that a thread reads and writes at once
};

// The variant for these sizes. It makes and weighs a kernel: callers keep the answer for a shape.
BlockVariant choose_block_variant(const GroupForm& form, const int64_t* sizes);
// Buffers and their meaning are those of schedule_for_cpu(). With several lanes the kernel serves
// sizes that are multiples of Kernel::multiples, and buffers that begin at multiples of 16 bytes.
// RuntimeError where an extent that is a number is no multiple of the lanes.
Kernel schedule_for_blocks(const GroupForm& form, const BlockVariant& variant);
// What a block needs of shared memory, each buffer at a multiple of 16 bytes.
int64_t shared_bytes(const Kernel& kernel, const int64_t* sizes);

}  // namespace paddle::cinn
