// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading the values of tensors that stand for numbers.
#include "paddle_core/dispatch/arguments/resolve.h"

#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/tensor/host_values.h"

namespace paddle {

namespace {

Dim number_of(const OpDef& op, const Tensor& t) {
  materialize(t, op.name());
  return Dim::clamped(t.item().to_int());
}

}  // namespace

ResolvedArgs::ResolvedArgs(const OpDef& op, const Slot* args) : slots_(args, args + op.num_args) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ArgSpec& spec = op.schema().args[i];
    if (spec.is_tensor()) continue;
    if (slots_[i].kind == SlotKind::kTensor) {
      resolve(op, spec, i, sharing(slots_[i].tensor));
    } else if (slots_[i].kind == SlotKind::kTensorList) {
      Shape& ints = ints_.emplace_back();
      for (uint32_t k = 0; k < args[i].count; ++k) ints.push_back(number_of(op, args[i].list[k]));
      slots_[i] = Slot::of(ints);
    }
  }
}
void ResolvedArgs::resolve(const OpDef& op, const ArgSpec& spec, size_t i, const Tensor& t) {
  materialize(t, op.name());
  switch (spec.type) {
    case ArgType::kScalar:
      slots_[i] = Slot::of(scalars_.emplace_back(t.item()));
      return;
    case ArgType::kBool:
      slots_[i] = Slot::of_bool(t.item().to_bool());
      return;
    case ArgType::kInt:
    case ArgType::kInt64:
      slots_[i] = Slot::of_int(t.item().to_int());
      return;
    case ArgType::kFloat:
    case ArgType::kDouble:
      slots_[i] = Slot::of_float(t.item().to_double());
      return;
    case ArgType::kIntArray:
    case ArgType::kInts:
    case ArgType::kInt64s: {
      PADDLE_CHECK_TYPE(is_integer(t.dtype()) || t.numel() == 0, op.name(), ": ", spec.name,
                        " is a tensor of dtype ", t.dtype(), " and shape ", t.shape(),
                        "; a tensor of integers is needed.");
      const Tensor source = contiguous_on_host(t);
      Shape& ints = ints_.emplace_back();
      for (int64_t k = 0; k < source.numel(); ++k) {
        const int64_t offset = k * static_cast<int64_t>(size_of(t.dtype()));
        ints.push_back(Dim::clamped(Tensor::alias(source, {}, {}, offset).item().to_int()));
      }
      slots_[i] = Slot::of(ints);
      return;
    }
    default:
      throw_error(ErrorKind::kType, str(op.name(), ": ", spec.name, " may not be a tensor."));
  }
}

}  // namespace paddle
