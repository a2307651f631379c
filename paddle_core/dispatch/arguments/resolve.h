// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Constants in place of tensors given for IntArray, Scalar and number arguments. Their values are
// read on the host: a tensor of a device is copied there whole, once. Private to dispatch/.
#pragma once

#include <deque>

#include "paddle_core/dispatch/arguments/pack.h"

namespace paddle {

class ResolvedArgs {
 public:
  static bool needed(const OpDef& op, const Slot* args) {
    if (op.tensors_first) {
      for (int i = op.num_tensor_args; i < op.num_args; ++i) {
        if (args[i].kind == SlotKind::kTensor || args[i].kind == SlotKind::kTensorList) return true;
      }
      return false;
    }
    for (int i = 0; i < op.num_args; ++i) {
      const bool is_tensor =
          args[i].kind == SlotKind::kTensor || args[i].kind == SlotKind::kTensorList;
      if (is_tensor && !op.schema().args[static_cast<size_t>(i)].is_tensor()) return true;
    }
    return false;
  }

  ResolvedArgs(const OpDef& op, const Slot* args);
  const Slot* data() const { return slots_.data(); }

 private:
  void resolve(const OpDef& op, const ArgSpec& spec, size_t i, const Tensor& t);
  SmallVector<Slot, 8> slots_;
  std::deque<Shape> ints_;
  std::deque<Scalar> scalars_;
};

}  // namespace paddle
