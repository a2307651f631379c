// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Finding the numbers of a call that only a run tells.
#include "paddle_core/dispatch/open_numbers.h"

namespace paddle {
namespace {

bool is_number_list(const ArgSpec& arg) {
  return arg.type == ArgType::kInts || arg.type == ArgType::kInt64s ||
         arg.type == ArgType::kIntArray;
}

bool is_tensor(const Slot& slot) {
  return slot.kind == SlotKind::kTensor || slot.kind == SlotKind::kTensorList;
}

}  // namespace

OpenNumbers::OpenNumbers(const OpDef& op, const Slot* args) : slots_(args, args + op.num_args) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ArgSpec& arg = op.schema().args[i];
    if (!is_tensor(slots_[i]) || !is_number_list(arg) || arg.saved_as_operand) continue;
    slots_[i] =
        Slot::of(ints_.emplace_back(capture_sink()->extents_given(op, args, static_cast<int>(i))));
  }
}

bool OpenNumbers::needed(const OpDef& op, const Slot* args) {
  for (size_t i = 0; i < op.num_args; ++i) {
    if (is_tensor(args[i]) && !op.schema().args[i].is_tensor()) return true;
  }
  return false;
}

void throw_if_number_is_open(const OpDef& op, const Slot* args) {
  std::string names;
  for (size_t i = 0; i < op.num_args; ++i) {
    const ArgSpec& arg = op.schema().args[i];
    if (arg.is_tensor() || !is_tensor(args[i])) continue;
    names += (names.empty() ? "" : ", ") + arg.name;
  }
  if (names.empty()) return;
  throw_error(ErrorKind::kNotImplemented,
              str(op.name(), ": ", names,
                  " is a Tensor of the program that is captured, and the shape of the result, or "
                  "another rule of the operator, needs the value, which only a run tells. Give a "
                  "number, or capture the function with full_graph=False."));
}

}  // namespace paddle
