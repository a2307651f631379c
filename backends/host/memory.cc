// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Addresses that stand for handles, and the pieces of blocks.
#include "backends/host/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "backends/host/device.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"

namespace paddle::plugin {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kLargest = size_t{1} << 47;  // no size above is tried
constexpr size_t kSmall = kMiB;               // pieces up to this share blocks
constexpr size_t kSharedBlock = 4 * AddressRange::kGranule;

// Sizes are rounded so that pieces fit again.
size_t rounded(size_t bytes) {
  if (bytes > kSmall) return (bytes + kMiB - 1) & ~(kMiB - 1);
  return std::max<size_t>(64, std::bit_ceil(bytes));
}

// On the host the addresses cost nothing but numbers.
void* reserve(size_t bytes, int access, const Plugin& plugin) {
  void* const range =
      mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  PADDLE_CHECK_KIND(ErrorKind::kMemory, range != MAP_FAILED, plugin.title(),
                    ": the process has no room for ", bytes,
                    " addresses that stand for the device's memory; raise its limit (ulimit -v).");
  return range;
}

const std::atomic<bool>& poisons() {
  static const std::atomic<bool>* const flag = [] {
    define_flag("FLAGS_poison_device_memory", false,
                "Fill memory of devices of plugins with 0xA5 bytes before a tensor gets it.");
    return bool_flag("FLAGS_poison_device_memory");
  }();
  return *flag;
}

}  // namespace

void define_memory_flags() { poisons(); }

// -- addresses -----------------------------------------------------------------------------------

void AddressRange::throw_foreign(const void* address) const {
  throw_error(ErrorKind::kValue, str(plugin_.title(), ": ", address,
                                     " is no memory of the device; tensors on it must ",
                                     "have been made by its allocator."));
}

AddressRange::AddressRange(const Plugin& plugin, size_t total_memory)
    : plugin_(plugin),
      granules_(std::max<size_t>(8 * total_memory, size_t{64} << 30) / kGranule + 1) {
  base_ = static_cast<char*>(reserve(granules_ * kGranule, PROT_NONE, plugin));
  table_ =
      static_cast<Block**>(reserve(granules_ * sizeof(Block*), PROT_READ | PROT_WRITE, plugin));
  free_[0] = granules_;
}

AddressRange::~AddressRange() {
  munmap(base_, granules_ * kGranule);
  munmap(table_, granules_ * sizeof(Block*));
}

AddressRange::Block* AddressRange::add(PdMemory memory, size_t bytes) {
  const size_t count = (bytes + kGranule - 1) / kGranule;
  const auto at = std::find_if(free_.begin(), free_.end(),
                               [&](const auto& range) { return range.second >= count; });
  if (at == free_.end()) return nullptr;
  const auto [first, length] = *at;
  free_.erase(at);
  if (length > count) free_[first + count] = length - count;
  auto* const block = new Block{memory, base_ + first * kGranule, bytes};
  std::fill_n(table_ + first, count, block);
  return block;
}

void AddressRange::remove(Block* block) {
  size_t first = static_cast<size_t>(block->begin - base_) / kGranule;
  size_t count = (block->bytes + kGranule - 1) / kGranule;
  std::fill_n(table_ + first, count, nullptr);
  delete block;
  auto next = free_.lower_bound(first);
  if (next != free_.end() && next->first == first + count) {
    count += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += count;
      return;
    }
  }
  free_[first] = count;
}

// -- pieces --------------------------------------------------------------------------------------

PluginAllocator::PluginAllocator(const Plugin& plugin, PdDevice device, Place place,
                                 size_t total_memory)
    : plugin_(plugin), device_(device), place_(place), addresses_(plugin, total_memory) {}

void* PluginAllocator::allocate(size_t bytes, Stream* stream) {
  if (bytes == 0) return nullptr;
  PADDLE_CHECK_KIND(ErrorKind::kMemory, bytes < kLargest, "allocate: size has value ", bytes,
                    " bytes on ", place_, "; at most ", kLargest, " can be asked for.");
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, plugin_.has_memory, plugin_.title(),
                    ": it has no group memory, so there are no tensors on its devices.");
  const size_t size = rounded(bytes);
  void* data;
  {
    std::unique_lock lock(mutex_);
    data = take_freed(size, stream);
    if (!data) data = take_new(size, bytes, lock);
    ++addresses_.block_of(data)->live;
    stats_.allocated += size;
    stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  }
  plugin_.counts.allocations.fetch_add(1, std::memory_order_relaxed);
  if (poisons().load(std::memory_order_relaxed)) [[unlikely]]
    poison(data, size, stream ? stream : &device_of(place_).default_stream());
  return data;
}

bool PluginAllocator::others_are_done(const Freed& piece) {
  return std::all_of(piece.pending.begin(), piece.pending.end(),
                     [](const EventPtr& event) { return event->query(); });
}

bool PluginAllocator::is_done(const Freed& piece) {
  return (!piece.stream || piece.stream->query()) && others_are_done(piece);
}

std::vector<PluginAllocator::Freed>& PluginAllocator::freed(size_t size) {
  return size <= kSmall ? small_[static_cast<size_t>(std::countr_zero(size))] : large_[size];
}

template <typename Visit>
void PluginAllocator::each_list(Visit&& visit) {
  for (size_t i = 0; i < small_.size(); ++i) visit(size_t{1} << i, small_[i]);
  for (auto& [size, list] : large_) visit(size, list);
}

void* PluginAllocator::take_freed(size_t size, Stream* stream) {
  std::vector<Freed>& list = freed(size);
  for (size_t i = list.size(); i-- > 0;) {
    const Freed& piece = list[i];
    if (piece.stream == stream ? !others_are_done(piece) : !is_done(piece)) continue;
    void* const data = piece.data;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    stats_.cached -= size;
    return data;
  }
  return nullptr;
}

void* PluginAllocator::take_new(size_t size, size_t bytes, std::unique_lock<std::mutex>& lock) {
  const bool shares = size <= kSmall;
  if (shares && static_cast<size_t>(rest_end_ - rest_) >= size) {
    return std::exchange(rest_, rest_ + size);
  }
  const size_t asked = shares ? kSharedBlock : size;
  AddressRange::Block* block;
  try {
    block = new_block(asked);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kMemory) throw;
    lock.unlock();
    release_cached();
    lock.lock();
    try {
      block = new_block(asked);
    } catch (const Error& again) {
      if (again.kind() != ErrorKind::kMemory) throw;
      throw_error(ErrorKind::kMemory, str("allocate: ", bytes, " bytes on ", place_, " while ",
                                          stats_.allocated, " are in use: ", again.message()));
    }
  }
  if (!shares) return block->begin;
  rest_ = block->begin + size;
  rest_end_ = block->begin + block->bytes;
  return block->begin;
}

AddressRange::Block* PluginAllocator::new_block(size_t bytes) {
  PdAllocateArgs args{};
  args.device = device_;
  args.bytes = static_cast<int64_t>(bytes);
  plugin_.call(plugin_.memory.allocate, args, "memory.allocate");
  if (!args.memory) plugin_.lies("memory.allocate", "gave a null handle and no error.");
  AddressRange::Block* const block = addresses_.add(args.memory, bytes);
  if (!block) {
    PdFreeArgs back{0, nullptr, device_, args.memory, nullptr, args.bytes};
    plugin_.call(plugin_.memory.free, back, "memory.free");
    throw_error(ErrorKind::kMemory, str(plugin_.title(), ": the addresses of ", place_,
                                        " are used up; free tensors, or use larger ones."));
  }
  plugin_.counts.blocks.fetch_add(1);
  plugin_.counts.block_bytes.fetch_add(args.bytes);
  return block;
}

void PluginAllocator::free(void* data, size_t bytes, Stream* stream) noexcept {
  if (bytes == 0) return;
  const size_t size = rounded(bytes);
  Freed piece{data, stream, {}};
  std::unique_lock lock(mutex_);
  if (!users_.empty()) [[unlikely]] {
    if (const auto used = users_.extract(data)) {
      lock.unlock();
      try {
        for (Stream* user : used.mapped()) piece.pending.push_back(user->record());
      } catch (const Error& e) {
        // Nobody can tell when the work is done, so the memory is never given out again.
        return warn(str("free: memory of ", place_, " is lost, since ", e.message()));
      }
      lock.lock();
    }
  }
  --addresses_.block_of(data)->live;
  stats_.allocated -= size;
  stats_.cached += size;
  freed(size).push_back(std::move(piece));
}

void PluginAllocator::record_stream(void* data, Stream& stream) {
  const std::lock_guard lock(mutex_);
  users_[data].insert(&stream);
}

MemoryStats PluginAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void PluginAllocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
}

void PluginAllocator::release_cached() {
  PdDeviceArgs args{0, nullptr, device_};
  plugin_.call(plugin_.device.synchronize, args, "device.synchronize");
  const std::lock_guard lock(mutex_);
  // What other threads gave back since then may still be in use.
  std::set<AddressRange::Block*> busy, idle;
  each_list([&](size_t, std::vector<Freed>& list) {
    for (const Freed& piece : list) {
      AddressRange::Block* const block = addresses_.block_of(piece.data);
      if (block->live > 0 || !is_done(piece)) busy.insert(block);
    }
  });
  each_list([&](size_t size, std::vector<Freed>& list) {
    std::erase_if(list, [&](const Freed& piece) {
      AddressRange::Block* const block = addresses_.block_of(piece.data);
      if (busy.contains(block)) return false;
      idle.insert(block);
      stats_.cached -= size;
      return true;
    });
  });
  for (AddressRange::Block* block : idle) {
    if (rest_end_ == block->begin + block->bytes) rest_ = rest_end_ = nullptr;
    PdFreeArgs back{
        0, nullptr, device_, block->memory, nullptr, static_cast<int64_t>(block->bytes)};
    plugin_.counts.blocks.fetch_sub(1);
    plugin_.counts.block_bytes.fetch_sub(back.bytes);
    addresses_.remove(block);
    plugin_.call(plugin_.memory.free, back, "memory.free");
  }
}

void PluginAllocator::poison(void* data, size_t bytes, Stream* stream) {
  const MemoryAddress at = addresses_.at(data);
  PdFillArgs args{};
  args.device = device_;
  args.stream = static_cast<PluginStream*>(stream)->raw();
  args.memory = at.memory;
  args.offset = at.offset;
  args.bytes = static_cast<int64_t>(bytes);
  args.value = 0xA5;
  plugin_.call(plugin_.memory.fill, args, "memory.fill");
}

// -- host memory
// -----------------------------------------------------------------------------------

void* PluginHostAllocator::allocate(size_t bytes, Stream*) {
  if (bytes == 0) return nullptr;
  PADDLE_CHECK_KIND(ErrorKind::kMemory, bytes < kLargest, "allocate: size has value ", bytes,
                    " bytes of page-locked memory; at most ", kLargest, " can be asked for.");
  PdAllocateArgs args{};
  args.device = device_;
  args.bytes = static_cast<int64_t>(bytes);
  plugin_.call(plugin_.memory.allocate_host, args, "memory.allocate_host");
  if (!args.host) plugin_.lies("memory.allocate_host", "gave a null address and no error.");
  const std::lock_guard lock(mutex_);
  stats_.allocated += bytes;
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  return args.host;
}

void PluginHostAllocator::free(void* data, size_t bytes, Stream*) noexcept {
  if (bytes == 0) return;
  PdFreeArgs args{0, nullptr, device_, nullptr, data, static_cast<int64_t>(bytes)};
  try {
    plugin_.call(plugin_.memory.free_host, args, "memory.free_host");
  } catch (const Error& e) {
    warn(e.message());
  }
  const std::lock_guard lock(mutex_);
  stats_.allocated -= bytes;
}

MemoryStats PluginHostAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void PluginHostAllocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
}

}  // namespace paddle::plugin
