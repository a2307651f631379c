// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels: functions that fill allocated outputs, keyed by (operator, device type, dtype).
#pragma once

#include <array>
#include <atomic>
#include <span>

#include "paddle_core/device/context.h"
#include "paddle_core/device/generator.h"
#include "paddle_core/op/slot.h"

namespace paddle {

class OpDef;

// What a kernel sees. Outputs are allocated (contiguous) with the shape that infer gave, except for
// operators with kDynamicOutput, whose kernel calls set_out. Inputs are contiguous unless the
// kernel was registered as strided. Every IntArray and Scalar is a constant on the host.
class KernelContext {
 public:
  // `user` is what the kernel was registered with; no `device` means the host.
  KernelContext(const OpDef& op, const Slot* args, Tensor* outs, PhiloxState random,
                void* user = nullptr, const DeviceContext* device = nullptr)
      : op_(op), args_(args), outs_(outs), random_(random), user_(user), device_(device) {}

  const OpDef& op() const { return op_; }
  bool has(int i) const { return args_[i].kind != SlotKind::kNone; }
  const TensorImpl& in(int i) const { return *args_[i].tensor; }
  Tensor in_tensor(int i) const { return Tensor(IntrusivePtr<TensorImpl>::share(args_[i].tensor)); }
  std::span<const Tensor> list(int i) const { return {args_[i].list, args_[i].count}; }
  TensorImpl& out(int i) const { return *outs_[i].impl(); }
  bool wants(int i) const { return outs_[i].defined(); }
  void set_out(int i, Tensor t) { outs_[i] = std::move(t); }
  template <typename T>
  const T* in_data(int i) const {
    return static_cast<const T*>(in(i).data());
  }
  template <typename T>
  T* out_data(int i) const {
    return static_cast<T*>(out(i).data());
  }
  int64_t i(int k) const { return args_[k].i; }
  bool b(int k) const { return args_[k].i != 0; }
  double f(int k) const { return args_[k].f; }
  DType dtype(int k) const { return static_cast<DType>(args_[k].i); }
  Scalar scalar(int k) const { return *args_[k].scalar; }
  std::span<const Dim> ints(int k) const { return {args_[k].dims, args_[k].count}; }
  std::string_view text(int k) const { return {args_[k].chars, args_[k].count}; }
  const Slot& slot(int k) const { return args_[k]; }
  PhiloxState random() const { return random_; }
  // The device, stream and library handles of the call.
  const DeviceContext& device() const { return device_ ? *device_ : host_context(); }
  void* user() const { return user_; }

 private:
  const OpDef& op_;
  const Slot* args_;
  Tensor* outs_;
  PhiloxState random_;
  void* user_;
  const DeviceContext* device_;
};

using KernelFn = void (*)(KernelContext&);

struct Kernel {
  KernelFn fn = nullptr;
  bool strided = false;  // takes inputs of any strides
  void* user = nullptr;  // KernelContext::user()
};

// The kernels of one operator, by device type and dtype. Those of devices other than the host may
// be added while other threads look kernels up; a kernel is not replaced.
class PADDLE_API KernelTable {
 public:
  KernelTable() = default;
  ~KernelTable();
  KernelTable(const KernelTable& other);
  KernelTable& operator=(const KernelTable&) = delete;

  // One without a function when there is none.
  const Kernel& at(Place place, DType dtype) const {
    if (place.is_host()) [[likely]]
      return host_[static_cast<size_t>(dtype)];
    return at_device(device_type_of(place), dtype);
  }
  void set(Place place, DType dtype, Kernel kernel);
  // Whether the type of device has a kernel of any dtype.
  bool any(Place place) const;
  bool any() const { return any_.load(std::memory_order_relaxed); }

 private:
  struct Row {
    int device_type;
    std::array<Kernel, kNumDTypes> kernels{};
    Row* next;
  };
  const Kernel& at_device(int device_type, DType dtype) const;
  const Row* row(int device_type) const;

  std::array<Kernel, kNumDTypes> host_{};
  std::atomic<Row*> devices_{nullptr};
  std::atomic<bool> any_{false};
};

}  // namespace paddle
