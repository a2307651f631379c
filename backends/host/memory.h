// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of a plugin's device. A plugin gives handles; tensors have addresses. So each device has a
// range of addresses that nobody can touch, in which every block of the plugin takes a part: an
// address is a handle and an offset, found with one look into a table. The blocks are large; the
// allocator divides them and keeps what is given back, for the stream that it belonged to at once,
// for others when its work is done.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "backends/host/plugin.h"
#include "paddle_core/device/device.h"

namespace paddle::plugin {

// Defines FLAGS_poison_device_memory: whether memory is filled with 0xA5 before a tensor gets it.
void define_memory_flags();

struct MemoryAddress {
  PdMemory memory;
  int64_t offset;
};

class AddressRange {
 public:
  // A part of the range that stands for a block of the plugin.
  struct Block {
    PdMemory memory;
    char* begin;
    size_t bytes;
    size_t live = 0;  // pieces of it that are given out
  };

  AddressRange(const Plugin& plugin, size_t total_memory);
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;

  // What stands behind an address. ValueError when it is in no block.
  MemoryAddress at(const void* address) const {
    const Block* const block = holds(address) ? block_of(address) : nullptr;
    if (!block) [[unlikely]]
      throw_foreign(address);
    return {block->memory, static_cast<const char*>(address) - block->begin};
  }
  Block* block_of(const void* address) const {
    return table_[(static_cast<const char*>(address) - base_) / kGranule];
  }
  bool holds(const void* address) const {
    return address >= base_ && address < base_ + granules_ * kGranule;
  }
  // Not thread-safe, but at() of another block may run beside them. add() gives null when the range
  // has no room.
  Block* add(PdMemory memory, size_t bytes);
  void remove(Block* block);

  static constexpr size_t kGranule = size_t{2} << 20;

 private:
  [[noreturn]] void throw_foreign(const void* address) const;
  const Plugin& plugin_;
  char* base_;
  size_t granules_;
  Block** table_;                  // of each granule
  std::map<size_t, size_t> free_;  // first granule -> how many
};

class PluginAllocator final : public Allocator {
 public:
  PluginAllocator(const Plugin& plugin, PdDevice device, Place place, size_t total_memory);

  void* allocate(size_t bytes, Stream* stream) override;
  void free(void* data, size_t bytes, Stream* stream) noexcept override;
  void record_stream(void* data, Stream& stream) override;
  MemoryStats stats() const override;
  void reset_peak() override;
  // Waits for the device, and gives every block back of which nothing is in use.
  void release_cached() override;

  const AddressRange& addresses() const { return addresses_; }

 private:
  struct Freed {
    void* data;
    Stream* stream;                 // null: no work uses it
    std::vector<EventPtr> pending;  // of other streams that used it
  };
  void* take_freed(size_t size, Stream* stream);
  // Sizes up to 1 MiB are powers of two.
  static constexpr size_t kSmallSizes = 21;
  std::vector<Freed>& freed(size_t size);
  template <typename Visit>
  void each_list(Visit&& visit);
  static bool others_are_done(const Freed& piece);
  static bool is_done(const Freed& piece);
  // The lock is let go while the plugin gives memory back.
  void* take_new(size_t size, size_t bytes, std::unique_lock<std::mutex>& lock);
  AddressRange::Block* new_block(size_t bytes);
  void poison(void* data, size_t bytes, Stream* stream);

  const Plugin& plugin_;
  PdDevice device_;
  Place place_;
  mutable std::mutex mutex_;
  AddressRange addresses_;
  std::array<std::vector<Freed>, kSmallSizes> small_;  // by the power of two that is the size
  std::map<size_t, std::vector<Freed>> large_;         // by size
  std::map<void*, std::set<Stream*>> users_;           // streams that record_stream() named
  char *rest_ = nullptr, *rest_end_ = nullptr;  // of the block out of which small pieces come
  MemoryStats stats_;
};

// Host memory that the device reaches without staging.
class PluginHostAllocator final : public Allocator {
 public:
  PluginHostAllocator(const Plugin& plugin, PdDevice device) : plugin_(plugin), device_(device) {}
  void* allocate(size_t bytes, Stream* stream) override;
  void free(void* data, size_t bytes, Stream* stream) noexcept override;
  MemoryStats stats() const override;
  void reset_peak() override;
  void release_cached() override {}

 private:
  const Plugin& plugin_;
  PdDevice device_;
  mutable std::mutex mutex_;
  MemoryStats stats_;
};

}  // namespace paddle::plugin
