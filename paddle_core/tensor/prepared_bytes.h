// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of all weights that are kept in a kernel's own order beside the tensors that they were
// made of, for all owners together: at most FLAGS_prepared_weight_bytes. Any thread.
#pragma once

#include <cstdint>

#include "paddle_core/base/export.h"

namespace paddle {

class PADDLE_API PreparedBytes {
 public:
  static int64_t kept();
  // Whether so many more may be kept now.
  static bool has_room(int64_t bytes);
  // Counts them; false, and nothing counted, when there is no room.
  static bool reserve(int64_t bytes);
  static void release(int64_t bytes);
};

}  // namespace paddle
