// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One count for the process.
#include "paddle_core/tensor/prepared_bytes.h"

#include <atomic>

#include "paddle_core/base/flags.h"

namespace paddle {
namespace {

std::atomic<int64_t> kept_bytes{0};

int64_t limit() {
  static const std::atomic<int64_t>* const flag = int_flag("FLAGS_prepared_weight_bytes");
  return flag->load(std::memory_order_relaxed);
}

}  // namespace

int64_t PreparedBytes::kept() { return kept_bytes.load(std::memory_order_relaxed); }

bool PreparedBytes::has_room(int64_t bytes) { return kept() + bytes <= limit(); }

bool PreparedBytes::reserve(int64_t bytes) {
  if (kept_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit()) return true;
  release(bytes);
  return false;
}

void PreparedBytes::release(int64_t bytes) {
  kept_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace paddle
