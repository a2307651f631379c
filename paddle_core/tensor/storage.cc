// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Storage: pooled objects over memory of a device's allocator or of another library.
#include "paddle_core/tensor/storage.h"

#include <utility>

#include "paddle_core/device/context.h"
#include "paddle_core/device/device_arena.h"
#include "paddle_core/device/host_allocator.h"
#include "paddle_core/tensor/object_pool.h"

namespace paddle {
namespace {

__thread PoolState t_storages __attribute__((tls_model("initial-exec")));
PoolState& storages() { return t_storages; }
using StoragePool = ObjectPool<Storage, &storages>;

class PinnedMark final : public DerivedData {};

}  // namespace

StoragePtr Storage::allocate(size_t bytes, Place place) {
  if (!place.is_host()) [[unlikely]]
    return allocate_on_device(bytes, place);
  void* data = host_memory::allocate(bytes);
  auto* s = new (StoragePool::get()) Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  return StoragePtr::adopt(s);
}

StoragePtr Storage::allocate_on_device(size_t bytes, Place place) {
  Stream& stream = current_stream(place);
  DeviceArena* arena = nullptr;
  void* data = DeviceArena::take(bytes, place, stream, arena);
  if (!data) data = device_of(place).allocator().allocate(bytes, &stream);
  auto* s = new (StoragePool::get()) Storage;
  s->stream_ = &stream;
  s->arena_ = arena;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  return StoragePtr::adopt(s);
}

StoragePtr Storage::allocate_pinned(size_t bytes, Place device) {
  Allocator& pinned = device_of(device).pinned_allocator();
  void* data = pinned.allocate(bytes);
  StoragePtr s = wrap(data, bytes, Place(), [&pinned, data, bytes] { pinned.free(data, bytes); });
  s->set_derived(std::make_unique<PinnedMark>());
  return s;
}

bool Storage::is_pinned() const { return derived<PinnedMark>() != nullptr; }

StoragePtr Storage::wrap(void* data, size_t bytes, Place place, std::function<void()> release) {
  auto* function = new std::function<void()>(std::move(release));
  auto* s = new (StoragePool::get()) Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  s->release_ = function;
  return StoragePtr::adopt(s);
}

Storage::~Storage() {
  while (derived_) [[unlikely]] delete std::exchange(derived_, derived_->next_);
  if (release_ != nullptr) [[unlikely]] {
    if (*release_) (*release_)();
    delete release_;
  } else if (place_.is_host()) [[likely]] {
    host_memory::free(data_, bytes_);
  } else {
    free_on_device();
  }
}

void Storage::free_on_device() noexcept {
  if (arena_) return arena_->give(data_);
  device_of(place_).allocator().free(data_, bytes_, stream_);
}

void* Storage::allocation() const { return arena_ ? arena_->allocation() : data_; }

DerivedData* const* Storage::find(const void* type) const {
  DerivedData* const* at = &derived_;
  while (*at && (*at)->type_ != type) at = &(*at)->next_;
  return at;
}

void Storage::set_derived(std::unique_ptr<DerivedData> data, const void* type) {
  auto** const at = const_cast<DerivedData**>(find(type));
  if (*at) delete std::exchange(*at, (*at)->next_);
  if (!data) return;
  data->type_ = type;
  data->next_ = derived_;
  derived_ = data.release();
}

void Storage::record_stream(Stream& stream) {
  if (stream_ == nullptr || stream_ == &stream) return;
  recorded_.store(true, std::memory_order_relaxed);
  if (arena_) return arena_->record_stream(data_, stream);
  device_of(place_).allocator().record_stream(data_, stream);
}

void Storage::destroy(Storage* s) {
  s->~Storage();
  StoragePool::put(s);
}

}  // namespace paddle
