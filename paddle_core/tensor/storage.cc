// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Storage: pooled objects over memory of a device's allocator or of another library.
#include "paddle_core/tensor/storage.h"

#include <utility>

#include "paddle_core/device/context.h"
#include "paddle_core/device/host_allocator.h"
#include "paddle_core/tensor/object_pool.h"

namespace paddle {
namespace {

__thread PoolState t_storages __attribute__((tls_model("initial-exec")));
PoolState& storages() { return t_storages; }
using StoragePool = ObjectPool<Storage, &storages>;

}  // namespace

StoragePtr Storage::allocate(size_t bytes, Place place) {
  Stream* stream = place.is_host() ? nullptr : &current_stream(place);
  void* data = place.is_host() ? host_memory::allocate(bytes)
                               : device_of(place).allocator().allocate(bytes, stream);
  auto* s = new (StoragePool::get()) Storage;
  s->stream_ = stream;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  return StoragePtr::adopt(s);
}

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
    device_of(place_).allocator().free(data_, bytes_, stream_);
  }
}

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
  if (stream_ != nullptr && stream_ != &stream) {
    device_of(place_).allocator().record_stream(data_, stream);
  }
}

void Storage::destroy(Storage* s) {
  s->~Storage();
  StoragePool::put(s);
}

}  // namespace paddle
