// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes of a program: to tensors that exist outside, and to tensors that lie over one memory with
// others.
#pragma once

#include <unordered_map>

#include "pir/capture/values.h"

namespace paddle::pir {

class PADDLE_API Writes : public CapturePart {
 public:
  Writes(Capture& capture, CaptureContext& context) : CapturePart(capture, context) {}

  // Gives a tensor with values another one, which stands in the program as an operation without
  // results that has the name of the tensor: builtin.set_parameter, builtin.shadow_output.
  void assign_state(const Tensor& target, const Tensor& value, const std::string& operation);
  // Forgets the write that such an operation stands for.
  void forget_state(const Operation& op);
  // The last values of the tensors that the program writes so far.
  std::vector<CapturedWrite> current() const;
  // Whether the program has written the memory of a tensor with values so far.
  bool is_written(const Tensor& t) const { return written_memory(t) != nullptr; }

  // The first is from now on a second tensor over the memory of the other.
  void share(const Tensor& copy, const Tensor& source);
  // The tensor leaves its memory for that of another one, whose shape and dtype it has then.
  void move_to(const Tensor& t, const Tensor& memory);
  // From the first call on captures are notified of detach() on their tensors.
  static void follow_detached();

  // -- for the other parts -----------------------------------------------------------------------
  // The target has a value from now on, and so have the tensors over its memory.
  void write(const Tensor& target, Value* v);
  // A tensor with values is written, by an operation with regions.
  void note(const Tensor& target);
  // The value of the tensor when the program was left; null when it has not been left since.
  Value* value_when_left(const Tensor& t) const;
  // The last value of the memory of a tensor with values; null when it was not written.
  Value* written_memory(const Tensor& t) const;
  void replace_last(const Value* from, Value* to);
  void suspend();
  void adopt(const std::vector<CapturedWrite>& writes, const ValueCopies& copies);
  void collect();
  void forget_shared() { shared_.clear(); }
  // Tensors that exist outside are what they were before.
  void restore();

 private:
  // A tensor with values that the program writes. `last` is what it had when the program was left:
  // another program may record the tensor since.
  struct Written {
    Tensor tensor;
    Value* last = nullptr;
  };
  Value* last_value(const TensorImpl* impl, const Written& w) const {
    return impl->capture.program == context_.id ? static_cast<Value*>(impl->capture.value) : w.last;
  }
  void give_to_shared(const Tensor& written, Value* v);
  void leave_shared(const Tensor& t);

  std::unordered_map<TensorImpl*, Written> written_;
  std::vector<TensorList> shared_;  // tensors without values that are over one memory
};

}  // namespace paddle::pir
