// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The last overwrites of each storage. They are looked up only when a gradient finds a version that
// differs from the one it saw, so they are kept beside the storages: those of an earlier storage at
// the same address are older than the gradient, which holds this one.
#include "paddle_core/tensor/overwrite.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace paddle {
namespace {

struct Overwrite {
  uint32_t version;
  uint64_t clock;
};

constexpr size_t kKept = 32;  // more between a use and its gradient count as a write in place

std::atomic<uint64_t> clock_now{0};
std::mutex mutex;

std::unordered_map<const Storage*, std::vector<Overwrite>>& overwrites() {
  static auto* const map = new std::unordered_map<const Storage*, std::vector<Overwrite>>;
  return *map;
}

}  // namespace

void note_overwrite(const Storage& storage) {
  const uint64_t clock = clock_now.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::lock_guard lock(mutex);
  std::vector<Overwrite>& of = overwrites()[&storage];
  if (of.size() == kKept) of.erase(of.begin());
  of.push_back({storage.version(), clock});
}

void overwrite(const Tensor& target, const Tensor& source) {
  target.copy_data_from(source);
  note_overwrite(*target->storage);
}

uint64_t overwrite_clock() { return clock_now.load(std::memory_order_relaxed); }

bool only_overwritten(const Storage& storage, uint32_t then, uint32_t now, uint64_t clock) {
  const std::lock_guard lock(mutex);
  const auto at = overwrites().find(&storage);
  if (at == overwrites().end()) return false;
  const auto count = std::count_if(at->second.begin(), at->second.end(), [&](const Overwrite& w) {
    return w.clock > clock && w.version > then && w.version <= now;
  });
  return static_cast<uint32_t>(count) == now - then;
}

}  // namespace paddle
