// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a group to a kernel. A group has a variant per class of sizes (rows that fit the cache, huge
// rows, few rows), each a kernel of its own that serves all sizes of the class.
#pragma once

#include "cinn/group/form.h"
#include "cinn/loop/kernel.h"

namespace paddle::cinn {

using Variant = uint32_t;

// The variant for these sizes, which does not depend on the number of threads. Cheap: asked at
// every call.
Variant choose_variant(const GroupForm& form, const int64_t* sizes);
const char* name_of_variant(Variant variant);
// The kernel for the CPU with vectors of so many float32 values. Its buffers of Space kInput and
// kOutput say which input or result of the group they are; both are dense in memory.
Kernel schedule_for_cpu(const GroupForm& form, Variant variant, int lanes);

}  // namespace paddle::cinn
