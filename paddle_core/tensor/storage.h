// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A block of device memory, shared by a tensor and its views, with the counters that writes raise.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "paddle_core/device/device.h"

namespace paddle {

class DeviceArena;

// What was made of the contents of a storage and is kept with it (weights in the order that a
// kernel wants); freed with the storage. Whoever reads it compares the version that it was made of.
// Each type that derives from it has a slot of its own.
class PADDLE_API DerivedData {
 public:
  virtual ~DerivedData() = default;

 private:
  friend class Storage;
  const void* type_ = nullptr;
  DerivedData* next_ = nullptr;
};

class PADDLE_API Storage : public RefCounted<Storage> {
 public:
  // Memory of `place`'s allocator, on the thread's current stream.
  static IntrusivePtr<Storage> allocate(size_t bytes, Place place);
  // Memory of the host from and to which `device` copies without a staging buffer.
  static IntrusivePtr<Storage> allocate_pinned(size_t bytes, Place device);
  // Foreign memory (NumPy, DLPack, a mapped file): `release` is called once when it is not used any
  // more.
  static IntrusivePtr<Storage> wrap(void* data, size_t bytes, Place place,
                                    std::function<void()> release);
  ~Storage();

  void* data() const { return data_; }
  // What the device's allocator gave: data() lies in it.
  void* allocation() const;
  size_t bytes() const { return bytes_; }
  Place place() const { return place_; }
  // The stream whose work owns the memory; null on the host and for foreign memory.
  Stream* stream() const { return stream_; }
  // Work issued on `stream` so far uses the memory: it is not reused before that is done.
  void record_stream(Stream& stream);
  // Whether nothing but work of `stream` uses the memory.
  bool belongs_to(const Stream& stream) const {
    return stream_ == &stream && !recorded_.load(std::memory_order_relaxed);
  }
  bool is_pinned() const;  // of allocate_pinned()
  bool is_foreign() const { return release_ != nullptr; }
  // Number of writes: what was made of the contents is good while it stays.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  // Number of writes by in-place operators (`add_`, `x[i] = y`), which gradients recorded before
  // must not see. They do see overwrites, `set_value` and the steps of optimizers, as in
  // PaddlePaddle.
  uint32_t inplace_version() const { return inplace_version_.load(std::memory_order_relaxed); }
  void note_overwrite() { version_.fetch_add(1, std::memory_order_relaxed); }
  void note_inplace_write() { inplace_version_.fetch_add(1, std::memory_order_relaxed); }
  // Memory that takes over from memory with that many writes counts on from there.
  void count_writes_from(uint32_t writes) {
    if (inplace_version() < writes) inplace_version_.store(writes, std::memory_order_relaxed);
  }
  void bump_version() {
    note_overwrite();
    note_inplace_write();
  }
  // What is kept in the slot of type T, or null. Whoever sets and reads it guards it, over all
  // types.
  template <typename T>
  T* derived() const {
    DerivedData* const* const slot = find(&type_id<T>);
    return *slot ? static_cast<T*>(*slot) : nullptr;
  }
  // Replaces, and frees, what is kept in the slot of its type.
  template <typename T>
  void set_derived(std::unique_ptr<T> data) {
    set_derived(std::unique_ptr<DerivedData>(std::move(data)), &type_id<T>);
  }
  static void destroy(Storage* s);

 private:
  template <typename T>
  static inline const char type_id = 0;
  DerivedData* const* find(const void* type) const;
  static IntrusivePtr<Storage> allocate_on_device(size_t bytes, Place place);
  void free_on_device() noexcept;
  void set_derived(std::unique_ptr<DerivedData> data, const void* type);

  Storage() = default;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  Place place_;
  Stream* stream_ = nullptr;
  std::atomic<uint32_t> version_{0}, inplace_version_{0};
  DerivedData* derived_ = nullptr;            // owned, one of each type
  std::function<void()>* release_ = nullptr;  // set only for foreign memory
  DeviceArena* arena_ = nullptr;              // in which the memory lies
  std::atomic<bool> recorded_{false};         // work of another stream uses it, or did
};
using StoragePtr = IntrusivePtr<Storage>;

}  // namespace paddle
