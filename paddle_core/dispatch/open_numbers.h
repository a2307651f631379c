// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers that a captured call is given as tensors, whose values only a run of the program
// tells: rules that take extents take symbols in their place, the others say which argument has to
// be a number.
#pragma once

#include <deque>

#include "paddle_core/dispatch/call.h"
#include "paddle_core/shape/sym.h"

namespace paddle {

// The arguments of a call, with symbols in place of tensors that are lists of whole numbers and
// that programs hold as attributes. Operands stay tensors.
class PADDLE_API OpenNumbers {
 public:
  OpenNumbers(const OpDef& op, const Slot* args);
  // Whether a number is a tensor.
  static bool needed(const OpDef& op, const Slot* args);
  const Slot* data() const { return slots_.data(); }

 private:
  SmallVector<Slot, 8> slots_;
  std::deque<Shape> ints_;
};

// NotImplementedError in place of the error of a rule that asked for the value of an extent, where
// arguments of the call are such numbers.
PADDLE_API void throw_if_number_is_open(const OpDef& op, const Slot* args);

template <typename Rule>
auto apply_to_open_numbers(const OpDef& op, const Slot* args, Rule&& rule) {
  try {
    return rule();
  } catch (const OpenExtentError&) {
    throw_if_number_is_open(op, args);
    throw;
  }
}

}  // namespace paddle
