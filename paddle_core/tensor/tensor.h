// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Tensor`: a handle to a strided view over shared storage, with its place in the autograd graph.
// Copying a Tensor copies the handle. A tensor without storage is a *meta* tensor (shape and dtype
// only): what shape rules see, and what a tensor is while a program is captured.
//
// Thread-safety: handles may be copied on any thread; one tensor may be read by many threads, and
// written by one while no other reads.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "paddle_core/shape/shape.h"
#include "paddle_core/tensor/storage.h"
#include "paddle_core/type/dtype.h"
#include "paddle_core/type/scalar.h"

namespace paddle {

class TensorImpl;
struct ShardedPart;  // tensor/sharded_part.h

// Reasons for which a call leaves the straight path to the kernel; or-ed over the arguments and
// with the thread's modes (dispatch/state.h).
enum ModeBit : uint32_t {
  kModeAmp = 1u << 0,
  kModeSharded = 1u << 1,
  kModeAutograd = 1u << 2,
  kModeCapture = 1u << 3,
  kModeCheck = 1u << 4,  // FLAGS_check_nan_inf, profiler
  kModeView = 1u << 5,   // an argument is a view that may have to follow its base
  // The memory of a tensor [N, C, spatial...] is in the order [N, spatial..., C], which
  // convolutions prefer. Only dispatch/layout.h knows: whoever asks for memory or strides finds
  // logical order.
  kModeLayout = 1u << 6,
};
inline constexpr int kNumModes = 7;

// What autograd keeps with a tensor; owned by the TensorImpl, defined in autograd/.
struct PADDLE_API AutogradMeta {
  virtual ~AutogradMeta() = default;
};

// Holds what autograd keeps with a tensor. Made at first use, by whichever of the threads that view
// or record the tensor comes first.
class AutogradSlot {
 public:
  AutogradSlot() = default;
  AutogradSlot(const AutogradSlot&) = delete;
  AutogradSlot& operator=(const AutogradSlot&) = delete;
  ~AutogradSlot() { delete get(); }
  AutogradMeta* get() const { return meta_.load(std::memory_order_acquire); }
  explicit operator bool() const { return get() != nullptr; }
  // What is there; `made` where there was nothing.
  AutogradMeta* get_or_set(std::unique_ptr<AutogradMeta> made) {
    AutogradMeta* there = nullptr;
    return meta_.compare_exchange_strong(there, made.get()) ? made.release() : there;
  }
  // While no other thread uses the tensor.
  void reset() { delete meta_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  std::atomic<AutogradMeta*> meta_{nullptr};
};

// What capture keeps with a tensor: the value that stands for it in the program being captured.
struct CaptureHandle {
  uint64_t program = 0;  // id of the capture; 0 = none
  void* value = nullptr;
};

class PADDLE_API TensorImpl : public RefCounted<TensorImpl> {
 public:
  StoragePtr storage;
  int64_t offset = 0;  // bytes from the start of storage
  uint32_t keys = 0;   // ModeBits that this tensor asks for
  DType dtype = DType::kUndefined;
  Place place;
  bool contiguous = true;
  bool stop_gradient = true;
  bool persistable = false;
  bool is_parameter = false;
  int64_t numel = 0;  // -1 when symbolic
  Shape shape;
  Strides strides;  // in elements; empty on a meta tensor
  AutogradSlot autograd;
  CaptureHandle capture;
  std::string* name = nullptr;     // owned
  void* py_object = nullptr;       // the Python object of this tensor (bindings own the protocol)
  ShardedPart* sharded = nullptr;  // of a distributed tensor: this rank's part; owned

  ~TensorImpl();
  static void destroy(TensorImpl* t);
  static TensorImpl* create();  // from the thread's pool

  void* data() const {
    prepare_memory("data");
    return static_cast<char*>(storage->data()) + offset;
  }
  // Rearranges the memory of a tensor with kModeLayout, once; the value stays the same. Safe
  // against other threads that do the same or compute with the tensor.
  void ensure_logical_order() const {
    if (shared_keys() & kModeLayout) [[unlikely]]
      to_logical_order();
  }
  // Before memory or strides are used: as ensure_logical_order(); RuntimeError for a distributed
  // tensor.
  void prepare_memory(const char* what) const {
    if (shared_keys() & (kModeLayout | kModeSharded)) [[unlikely]]
      to_plain_memory(what);
  }
  // The keys of a tensor that other threads may use: one of them may end its private order. Whoever
  // finds kModeLayout cleared sees the memory that the tensor has from then on.
  uint32_t shared_keys() const { return __atomic_load_n(&keys, __ATOMIC_ACQUIRE); }
  // After shape was set: numel, contiguous strides.
  void set_contiguous_layout();

 private:
  void to_logical_order() const;
  void to_plain_memory(const char* what) const;
};

// The bindings' hook: called instead of deleting when an impl with a Python object dies.
using PyObjectReleaseFn = void (*)(TensorImpl*);
PADDLE_API void set_py_object_release(PyObjectReleaseFn fn);

class PADDLE_API Tensor {
 public:
  Tensor() = default;
  explicit Tensor(IntrusivePtr<TensorImpl> impl) : impl_(std::move(impl)) {}

  // Uninitialised memory.
  static Tensor empty(const Shape& shape, DType dtype, Place place = Place());
  static Tensor meta(const Shape& shape, DType dtype, Place place = Place());
  // 0-d unless a shape is given; every element holds the scalar.
  static Tensor full(const Shape& shape, const Scalar& value, DType dtype, Place place = Place());
  // Shares storage; offset_bytes counts from the first element of base. No autograd history.
  static Tensor alias(const Tensor& base, const Shape& shape, const Strides& strides,
                      int64_t offset_bytes);

  bool defined() const { return static_cast<bool>(impl_); }
  explicit operator bool() const { return defined(); }
  TensorImpl* impl() const { return impl_.get(); }
  TensorImpl* operator->() const { return impl_.get(); }
  const IntrusivePtr<TensorImpl>& ptr() const { return impl_; }

  const Shape& shape() const { return impl_->shape; }
  const Strides& strides() const {
    impl_->prepare_memory("strides");
    return impl_->strides;
  }
  int64_t ndim() const { return static_cast<int64_t>(impl_->shape.size()); }
  // Integer extent; negative axes count from the end. Throws on a symbolic one.
  int64_t size(int64_t axis) const {
    return impl_->shape[static_cast<size_t>(axis < 0 ? axis + ndim() : axis)].value();
  }
  int64_t numel() const { return impl_->numel; }
  DType dtype() const { return impl_->dtype; }
  Place place() const { return impl_->place; }
  bool is_contiguous() const {
    impl_->ensure_logical_order();
    return impl_->contiguous;
  }
  bool has_storage() const { return static_cast<bool>(impl_->storage); }
  template <typename T>
  T* data() const {
    return static_cast<T*>(impl_->data());
  }
  void* raw_data() const { return impl_->data(); }
  bool same_impl(const Tensor& other) const { return impl_ == other.impl_; }
  bool shares_storage(const Tensor& other) const;

  // Contiguous, same values; itself when it is already. No autograd.
  Tensor contiguous_copy_if_needed() const;
  // Shares storage, and its private order if it has one: for those who keep values, not for users.
  Tensor share_values() const;
  // A tensor with kModeLayout as one of shape [N, spatial..., C], sharing storage; an undefined one
  // when it has no private order (any more).
  Tensor channels_last_view() const;
  // Shares storage, has no history and stop_gradient = true.
  Tensor detach() const;
  // Copies values (same shape; casts dtype) into this tensor's memory, as an in-place operator does
  // (Storage::inplace_version) or as an overwrite. No autograd.
  void copy_data_from(const Tensor& source) const;
  void overwrite_from(const Tensor& source) const;
  // The only element. ValueError when numel != 1.
  Scalar item() const;

 private:
  IntrusivePtr<TensorImpl> impl_;
};

// Strided, casting copy of equal shapes at one place, on the thread's current stream. The CPU
// kernels install that of the host. Without one, a device's strided memory is copied through the
// host, with one warning (RuntimeError under FLAGS_forbid_fallback).
using StridedCopyFn = void (*)(const Tensor& dst, const Tensor& src);
PADDLE_API void set_strided_copy(StridedCopyFn fn);
PADDLE_API void set_strided_copy(Place device_type, StridedCopyFn fn);

}  // namespace paddle
