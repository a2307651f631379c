// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a device's range: where they lie, and what of other streams still uses them.
#include "paddle_core/device/device_arena.h"

#include <algorithm>
#include <utility>

#include "paddle_core/device/context.h"
#include "paddle_core/device/execution_context.h"

namespace paddle {

IntrusivePtr<DeviceArena> DeviceArena::open(size_t bytes, Place place) {
  try {
    return IntrusivePtr<DeviceArena>::adopt(new DeviceArena(bytes, place, current_stream(place)));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kMemory) throw;
    return nullptr;  // the blocks one by one may fit
  }
}

DeviceArena::DeviceArena(size_t bytes, Place place, Stream& stream)
    : place_(place),
      stream_(stream),
      bytes_(bytes),
      data_(device_of(place).allocator().allocate(bytes, &stream)) {}

DeviceArena::~DeviceArena() { device_of(place_).allocator().free(data_, bytes_, &stream_); }

DeviceArena::Step::Step(DeviceArena& arena, std::span<const Block> expected)
    : before_(std::exchange(thread_binding.arena, &arena)) {
  arena.expected_ = expected;
  arena.given_.assign(expected.size(), false);
}

DeviceArena::Step::~Step() {
  DeviceArena* const arena = std::exchange(thread_binding.arena, before_);
  arena->expected_ = {};
}

void* DeviceArena::take(size_t bytes, Place place, const Stream& stream, DeviceArena*& from) {
  DeviceArena* const arena = thread_binding.arena;
  if (!arena || !(arena->place_ == place)) return nullptr;
  void* const data = arena->take(bytes, stream);
  if (data) from = arena;
  return data;
}

void* DeviceArena::take(size_t bytes, const Stream& stream) {
  if (&stream != &stream_) return nullptr;
  const size_t taken = host_memory::arena_bytes(bytes);
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < expected_.size(); ++i) {
    if (given_[i] || expected_[i].bytes != taken || !is_free(expected_[i])) continue;
    given_[i] = true;
    used_.push_back({expected_[i]});
    retain();
    return static_cast<char*>(data_) + expected_[i].offset;
  }
  return nullptr;
}

// Forgets what has been given back and is done.
bool DeviceArena::is_free(const Block& block) {
  std::erase_if(used_, [](const Used& u) {
    return !u.live && std::all_of(u.pending.begin(), u.pending.end(),
                                  [](const EventPtr& event) { return event->query(); });
  });
  return std::none_of(used_.begin(), used_.end(), [&](const Used& u) {
    return u.block.offset < block.offset + block.bytes &&
           block.offset < u.block.offset + u.block.bytes;
  });
}

void DeviceArena::give(void* data) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto offset = static_cast<size_t>(static_cast<char*>(data) - static_cast<char*>(data_));
    const auto at = std::find_if(used_.begin(), used_.end(),
                                 [&](const Used& u) { return u.live && u.block.offset == offset; });
    if (at->users.empty()) {
      used_.erase(at);
    } else {
      at->live = false;
      for (Stream* user : at->users) at->pending.push_back(user->record());
    }
  }
  IntrusivePtr<DeviceArena>::adopt(this).reset();
}

void DeviceArena::record_stream(void* data, Stream& stream) {
  device_of(place_).allocator().record_stream(data_, stream);
  const std::lock_guard lock(mutex_);
  const auto offset = static_cast<size_t>(static_cast<char*>(data) - static_cast<char*>(data_));
  for (Used& u : used_) {
    if (!u.live || u.block.offset != offset) continue;
    if (std::find(u.users.begin(), u.users.end(), &stream) == u.users.end()) {
      u.users.push_back(&stream);
    }
  }
}

}  // namespace paddle
