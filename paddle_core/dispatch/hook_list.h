// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks of compilers per kind of device, ordered by priority. Installing makes a new list, so that
// whoever walks one holds it.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "paddle_core/device/device.h"

namespace paddle {

template <typename Hook>
class HookList {
 public:
  struct Entry {
    uint64_t number;
    Place device;
    int priority;
    std::shared_ptr<Hook> hook;
    bool serves(Place place) const {
      return device.kind == place.kind && device.custom_type == place.custom_type;
    }
  };
  using Entries = std::vector<Entry>;

  // `count` follows the number of hooks.
  explicit HookList(std::atomic<uint32_t>& count) : count_(count) {}

  uint64_t add(Place device, int priority, std::shared_ptr<Hook> hook) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto next = std::make_shared<Entries>(*entries_);
    const auto at = std::find_if(next->begin(), next->end(),
                                 [&](const Entry& e) { return e.priority < priority; });
    const uint64_t number = ++last_number_;
    next->insert(at, {number, device, priority, std::move(hook)});
    set(std::move(next));
    return number;
  }
  bool remove(uint64_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto next = std::make_shared<Entries>(*entries_);
    const bool known = std::erase_if(*next, [&](const Entry& e) { return e.number == number; }) > 0;
    set(std::move(next));
    return known;
  }
  std::shared_ptr<const Entries> entries() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_;
  }

 private:
  void set(std::shared_ptr<Entries> next) {
    count_.store(static_cast<uint32_t>(next->size()), std::memory_order_relaxed);
    entries_ = std::move(next);
  }
  std::atomic<uint32_t>& count_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Entries> entries_ = std::make_shared<Entries>();
  uint64_t last_number_ = 0;
};

}  // namespace paddle
