// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Walking the tensors of an argument pack, and packs in which some are replaced. Private to
// dispatch/.
#pragma once

#include <vector>

#include "paddle_core/op/op_def.h"

namespace paddle {

// Visits every tensor of the pack.
template <typename Fn>
inline void for_each_tensor(const OpDef& op, const Slot* args, Fn&& fn) {
  const int n = op.tensors_first ? op.num_tensor_args : op.num_args;
  for (int i = 0; i < n; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      fn(*args[i].tensor);
    } else if (args[i].kind == SlotKind::kTensorList) {
      for (uint32_t k = 0; k < args[i].count; ++k) {
        if (args[i].list[k].defined()) fn(*args[i].list[k].impl());
      }
    }
  }
}

// What one look at the tensors of a call tells.
struct TensorFacts {
  uint32_t keys = 0;
  DType dtype = DType::kUndefined;  // of the first
  bool mixed = false;               // dtypes differ
  bool off_host = false;            // one is not in host memory
  bool strided = false;             // one is not contiguous
  bool no_values = false;           // one has no storage
};

inline TensorFacts facts_of(const OpDef& op, const Slot* args) {
  TensorFacts facts;
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    const uint32_t keys = t.shared_keys();
    if (facts.dtype == DType::kUndefined) facts.dtype = t.dtype;
    facts.off_host |= !t.place.is_host();
    facts.keys |= keys;
    facts.mixed |= t.dtype != facts.dtype;
    if (keys & kModeLayout) [[unlikely]] {  // another thread may be changing the rest
      facts.strided = true;
      return;
    }
    facts.strided |= !t.contiguous;
    facts.no_values |= !t.storage;
  });
  return facts;
}

// A copy of the pack whose replaced tensors are owned here.
class Patched {
 public:
  Patched(const OpDef& op, const Slot* args) : slots_(args, args + op.num_args) {}
  const Slot* data() const { return slots_.data(); }
  void set(int i, Tensor t) {
    slots_[static_cast<size_t>(i)] = Slot::of(t);
    tensors_.push_back(std::move(t));
  }
  void set_slot(int i, Slot slot) { slots_[static_cast<size_t>(i)] = slot; }
  void set_list(int i, TensorList list) {
    lists_.push_back(std::move(list));
    slots_[static_cast<size_t>(i)] = Slot::of(lists_.back());
  }

 private:
  SmallVector<Slot, 8> slots_;
  TensorList tensors_;
  std::vector<TensorList> lists_;
};

inline Tensor sharing(TensorImpl* impl) { return Tensor(IntrusivePtr<TensorImpl>::share(impl)); }

// Applies fn(Tensor) -> Tensor to every tensor of the pack.
template <typename Fn>
Patched map_tensors(const OpDef& op, const Slot* args, Fn&& fn) {
  Patched out(op, args);
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      out.set(i, fn(i, sharing(args[i].tensor)));
    } else if (args[i].kind == SlotKind::kTensorList) {
      TensorList list;
      for (uint32_t k = 0; k < args[i].count; ++k) list.push_back(fn(i, args[i].list[k]));
      out.set_list(i, std::move(list));
    }
  }
  return out;
}

}  // namespace paddle
