// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a group to a kernel. A group has a variant per class of sizes (rows that fit the cache, huge
// rows, few rows), each a kernel of its own that serves all sizes of the class.
#pragma once

#include "cinn/group/form.h"
#include "cinn/loop/kernel.h"

namespace paddle::cinn {

enum Variant : uint32_t {
  kRows,       // rows that fit the cache, each the work of one thread
  kLongRows,   // rows that do not fit: nothing is kept between passes
  kShortRows,  // many rows of a few elements: vectors run across them
  kFewRows,    // few rows so long that threads share each
  kNumOrders,
  // And: results are so large that they are written past the caches.
  kStreamed = 4,
};
inline constexpr uint32_t kNumVariants = 8;

// The variant for these sizes, which does not depend on the number of threads. Cheap: asked at
// every call.
Variant choose_variant(const GroupForm& form, const int64_t* sizes);
std::string name_of_variant(Variant variant);
// Why it is that one, in numbers, for people.
std::string why_variant(const GroupForm& form, const int64_t* sizes);
// Without kStreamed.
inline Variant order_of(Variant variant) { return static_cast<Variant>(variant & (kStreamed - 1)); }
// The kernel for the CPU with vectors of so many float32 values. Its buffers of Space kInput and
// kOutput say which input or result of the group they are; both are dense in memory.
Kernel schedule_for_cpu(const GroupForm& form, Variant variant, int lanes);

}  // namespace paddle::cinn
