// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels: functions that fill allocated outputs, keyed by (operator, device kind, dtype).
#pragma once

#include <array>
#include <span>

#include "paddle_core/device/generator.h"
#include "paddle_core/op/slot.h"

namespace paddle {

class OpDef;

// What a kernel sees. Outputs are allocated (contiguous) with the shape that infer gave, except for
// operators with kDynamicOutput, whose kernel calls set_out. Inputs are contiguous unless the
// kernel was registered as strided. Every IntArray and Scalar is a constant.
class KernelContext {
 public:
  KernelContext(const OpDef& op, const Slot* args, Tensor* outs, PhiloxState random)
      : op_(op), args_(args), outs_(outs), random_(random) {}

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

 private:
  const OpDef& op_;
  const Slot* args_;
  Tensor* outs_;
  PhiloxState random_;
};

using KernelFn = void (*)(KernelContext&);

struct Kernel {
  KernelFn fn = nullptr;
  bool strided = false;  // takes inputs of any strides
};

inline constexpr int kNumDeviceKinds = 4;

class KernelTable {
 public:
  const Kernel& at(DeviceKind device, DType dtype) const {
    return table_[static_cast<size_t>(device)][static_cast<size_t>(dtype)];
  }
  void set(DeviceKind device, DType dtype, Kernel kernel) {
    table_[static_cast<size_t>(device)][static_cast<size_t>(dtype)] = kernel;
    any_ = true;
  }
  bool any() const { return any_; }

 private:
  std::array<std::array<Kernel, kNumDTypes>, kNumDeviceKinds> table_{};
  bool any_ = false;
};

}  // namespace paddle
