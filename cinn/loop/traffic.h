// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes that a kernel moves between memory and the processor.
#pragma once

#include "cinn/loop/kernel.h"

namespace paddle::cinn {

struct Traffic {
  int64_t moved = 0;  // by all stages
  int64_t least = 0;  // what inputs that are read and results hold, once each
};

// For these sizes. A buffer counts once for each stage that reads it and once for each that writes
// it, with no more than its elements and no more than there are accesses; where `rows_stay` is
// false, once for each loop of the stage, as the cache does not hold a row from one to the next.
// What tasks keep to themselves does not count.
Traffic traffic_of(const Kernel& kernel, const int64_t* sizes, bool rows_stay);

}  // namespace paddle::cinn
