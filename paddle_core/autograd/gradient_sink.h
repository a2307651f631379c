// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture hears of .grad of tensors that exist outside of it. Whether a gradient is there is
// seen by Python (`p.grad is None`) and by every backward, so a captured program is right only for
// calls that find the gradients as its capture did.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle::autograd {

// None, zeros that are not made yet, or values.
enum class GradState : uint8_t { kNone = 1, kZero = 2, kValues = 4 };

class PADDLE_API GradientSink {
 public:
  enum class Touch { kRead, kZeroed, kReplaced };
  // Called before it happens.
  virtual void gradient_touched(const Tensor& leaf, Touch touch) = 0;
  // Whether it was there before the branch or loop that is being captured: then every run needs
  // it afterwards, so it is written and not exchanged.
  virtual bool gradient_is_outer(const Tensor& leaf) = 0;
  // False for programs that do without the gradients of other tensors.
  virtual bool follows_gradients() const = 0;
  // Gives results of a call that was recorded without autograd a history: its gradients are taken
  // when the program runs.
  virtual void give_history_of_run(const OpDef& op, const Outputs& results) = 0;

 protected:
  ~GradientSink() = default;
};

// The capture of this thread if it follows gradients, or null.
inline GradientSink* gradient_sink() {
  CaptureSink* sink = capture_sink();
  if (!sink) [[likely]]
    return nullptr;
  auto* found = dynamic_cast<GradientSink*>(sink);
  return found && found->follows_gradients() ? found : nullptr;
}

PADDLE_API GradState grad_state(const Tensor& t);
// As zero_grad, whatever the gradient was.
PADDLE_API void make_grad_zero(const Tensor& t);

}  // namespace paddle::autograd
