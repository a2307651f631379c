// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared ownership with the count inside the object. A type T derives from RefCounted<T> and may
// define `static void destroy(T*)` to return itself to a pool instead of being deleted.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace paddle {

template <typename T>
class RefCounted {
 public:
  void retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  // True when this was the last reference. The load first spares a sole owner the locked decrement.
  bool drop() const {
    if (refs_.load(std::memory_order_acquire) == 1) return true;
    return refs_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_acquire); }
  static void destroy(T* object) { delete object; }

 private:
  mutable std::atomic<uint32_t> refs_{1};
};

template <typename T>
class IntrusivePtr {
 public:
  IntrusivePtr() = default;
  IntrusivePtr(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  // Takes over a reference that the caller holds.
  static IntrusivePtr adopt(T* object) {
    IntrusivePtr p;
    p.object_ = object;
    return p;
  }
  // Adds a reference.
  static IntrusivePtr share(T* object) {
    if (object) object->retain();
    return adopt(object);
  }
  IntrusivePtr(const IntrusivePtr& other) : object_(other.object_) {
    if (object_) object_->retain();
  }
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IntrusivePtr() { reset(); }

  void reset() {
    T* object = std::exchange(object_, nullptr);
    if (object && object->drop()) T::destroy(object);
  }
  // Gives the reference to the caller.
  T* release() { return std::exchange(object_, nullptr); }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) {
    return a.object_ == b.object_;
  }

 private:
  T* object_ = nullptr;
};

}  // namespace paddle
