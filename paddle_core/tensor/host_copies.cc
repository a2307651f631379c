// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A counter.
#include "paddle_core/tensor/host_copies.h"

#include <atomic>

namespace paddle {
namespace {

std::atomic<int64_t> g_copies{0};

}  // namespace

void note_host_copy() { g_copies.fetch_add(1, std::memory_order_relaxed); }
int64_t host_copies() { return g_copies.load(std::memory_order_relaxed); }

}  // namespace paddle
