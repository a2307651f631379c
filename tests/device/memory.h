// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the lagging device: one file in memory, mapped twice. What the framework sees lies
// in a mapping without access rights; the device's own code translates it to the other one.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "paddle_core/device/device.h"

namespace paddle::lagging {

// The readable address behind one that the framework sees; aborts when it is no device memory.
void* translated(const void* address);
// Whether an address is of the device's mapping.
bool is_device_memory(const void* address);

// Blocks are reused at once by the stream that they belonged to, by others when its work is done.
// Fresh blocks are poisoned with 0xA5 bytes, in the order of the stream.
class LaggingAllocator final : public Allocator {
 public:
  // How often memory was asked for, of any device.
  static long long allocations();
  void* allocate(size_t bytes, Stream* stream) override;
  void free(void* data, size_t bytes, Stream* stream) noexcept override;
  void record_stream(void* data, Stream& stream) override;
  MemoryStats stats() const override;
  void reset_peak() override;
  void release_cached() override {}

 private:
  struct Freed {
    void* data;
    Stream* stream;
    std::vector<std::shared_ptr<Event>> pending;  // of other streams that used it
  };
  bool reusable(const Freed& block, Stream* stream) const;

  mutable std::mutex mutex_;
  std::map<size_t, std::vector<Freed>> free_;  // by size
  std::map<void*, std::set<Stream*>> users_;   // streams that record_stream() named
  MemoryStats stats_;
};

// Host memory for copies to and from the device.
class PinnedAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, Stream* stream) override;
  void free(void* data, size_t bytes, Stream* stream) noexcept override;
  MemoryStats stats() const override { return {live_.load(), 0, 0}; }
  void reset_peak() override {}
  void release_cached() override {}

 private:
  std::atomic<size_t> live_{0};
};

}  // namespace paddle::lagging
