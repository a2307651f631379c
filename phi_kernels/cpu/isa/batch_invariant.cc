// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "phi_kernels/cpu/isa/batch_invariant.h"

#include "paddle_core/base/flags.h"

namespace paddle::cpu {

bool batch_invariant() {
  static const std::atomic<bool>* const flag = bool_flag("FLAGS_batch_invariant");
  return flag->load(std::memory_order_relaxed);
}

}  // namespace paddle::cpu
