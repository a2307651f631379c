// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ownership of the argument pack that graph nodes and program operations keep.

#include "paddle_core/op/slot.h"

#include <memory>

#include "paddle_core/device/host_allocator.h"

namespace paddle {
namespace {

// Views and recorded calls keep short lists all the time: they come from the warm blocks.
template <typename T>
const T* copy_array(const T* from, size_t n) {
  if (n == 0) return nullptr;
  auto* to = static_cast<T*>(host_memory::allocate(n * sizeof(T)));
  std::uninitialized_copy_n(from, n, to);
  return to;
}

template <typename T>
void free_array(const T* array, size_t n) {
  if (n == 0) return;
  auto* first = const_cast<T*>(array);
  std::destroy_n(first, n);
  host_memory::free(first, n * sizeof(T));
}

bool points_to_something(const Slot& slot) {
  constexpr auto bit = [](SlotKind k) { return 1u << static_cast<unsigned>(k); };
  constexpr unsigned plain = bit(SlotKind::kNone) | bit(SlotKind::kBool) | bit(SlotKind::kInt) |
                             bit(SlotKind::kFloat) | bit(SlotKind::kDType) | bit(SlotKind::kPlace);
  return !(plain & bit(slot.kind));
}

}  // namespace

OwnedArgs::OwnedArgs(const Slot* slots, size_t n) : slots_(slots, slots + n) {
  for (size_t i = 0; i < n; ++i) {
    if (points_to_something(slots[i])) own(i, slots[i]);
  }
}

OwnedArgs::~OwnedArgs() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (points_to_something(slots_[i])) disown(i);
  }
}

OwnedArgs& OwnedArgs::operator=(OwnedArgs&& other) noexcept {
  if (this != &other) {
    for (size_t i = 0; i < slots_.size(); ++i) disown(i);
    slots_ = std::move(other.slots_);
    other.slots_.clear();
  }
  return *this;
}

void OwnedArgs::own(size_t i, const Slot& slot) {
  Slot& mine = slots_[i];
  mine = slot;
  switch (slot.kind) {
    case SlotKind::kTensor:
      slot.tensor->retain();
      break;
    case SlotKind::kTensorList:
      mine.list = copy_array(slot.list, slot.count);
      break;
    case SlotKind::kScalar:
      mine.scalar = new Scalar(*slot.scalar);
      break;
    case SlotKind::kInts:
      mine.dims = copy_array(slot.dims, slot.count);
      break;
    case SlotKind::kFloats:
      mine.floats = copy_array(slot.floats, slot.count);
      break;
    case SlotKind::kString:
      mine.chars = copy_array(slot.chars, slot.count);
      break;
    default:
      break;
  }
}

void OwnedArgs::disown(size_t i) {
  Slot& mine = slots_[i];
  switch (mine.kind) {
    case SlotKind::kTensor:
      IntrusivePtr<TensorImpl>::adopt(mine.tensor).reset();
      break;
    case SlotKind::kTensorList:
      free_array(mine.list, mine.count);
      break;
    case SlotKind::kScalar:
      delete mine.scalar;
      break;
    case SlotKind::kInts:
      free_array(mine.dims, mine.count);
      break;
    case SlotKind::kFloats:
      free_array(mine.floats, mine.count);
      break;
    case SlotKind::kString:
      free_array(mine.chars, mine.count);
      break;
    default:
      break;
  }
  mine = Slot();
}

void OwnedArgs::set(size_t i, const Slot& slot) {
  const Slot old = slots_[i];
  own(i, slot);
  const Slot fresh = slots_[i];
  slots_[i] = old;  // released only now: the new slot may borrow from it
  disown(i);
  slots_[i] = fresh;
}

Tensor OwnedArgs::tensor(size_t i) const {
  if (slots_[i].kind != SlotKind::kTensor) return Tensor();
  return Tensor(IntrusivePtr<TensorImpl>::share(slots_[i].tensor));
}

TensorList OwnedArgs::tensor_list(size_t i) const {
  if (slots_[i].kind != SlotKind::kTensorList) return {};
  return {slots_[i].list, slots_[i].list + slots_[i].count};
}

}  // namespace paddle
