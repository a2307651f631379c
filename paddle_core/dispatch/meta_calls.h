// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that compute nothing: while a MetaCalls lives, each call of the thread gives meta tensors
// by the operator's shape rule and is handed to a function. It is how decompositions are looked at:
// what they cost, and what they are as operations of a program. Values that are asked for, and
// writes in place, are RuntimeErrors.
#pragma once

#include <functional>

#include "paddle_core/dispatch/call.h"

namespace paddle {

class PADDLE_API MetaCalls final : public CaptureSink {
 public:
  using OnCall = std::function<void(const OpDef& op, const Slot* args, const Outputs& outs)>;
  // Takes the place of the thread's sink, if it has one, until the destructor.
  explicit MetaCalls(OnCall on_call);
  ~MetaCalls() override;
  MetaCalls(const MetaCalls&) = delete;
  MetaCalls& operator=(const MetaCalls&) = delete;

  void record(const OpDef& op, const Slot* args, Outputs& outs) override;
  void rebind(const Tensor& target, const Tensor& value) override;
  void set_grad(const Tensor& leaf, const Tensor& grad) override;
  [[noreturn]] void value_requested(const Tensor& t, const char* what) override;

 private:
  OnCall on_call_;
  CaptureSink* outer_;
  ModeGuard guard_;
};

}  // namespace paddle
