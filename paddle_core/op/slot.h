// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The argument pack of an operator call: one 16-byte Slot per schema argument, in schema order, on
// the caller's stack. A Slot borrows what it points to. `OwnedArgs` is the copy that graph nodes
// and program operations keep.
#pragma once

#include <string_view>
#include <vector>

#include "paddle_core/tensor/tensor.h"

namespace paddle {

using TensorList = std::vector<Tensor>;

enum class SlotKind : uint8_t {
  kNone,        // absent optional argument
  kTensor,      // .tensor
  kTensorList,  // .list, .count
  kBool,        // .i
  kInt,         // .i
  kFloat,       // .f
  kScalar,      // .scalar
  kInts,        // .dims, .count: IntArray, int[], int64[]
  kFloats,      // .floats, .count
  kString,      // .chars, .count
  kDType,       // .i
  kPlace,       // .place
};

struct Slot {
  SlotKind kind = SlotKind::kNone;
  uint32_t count = 0;
  union {
    TensorImpl* tensor;
    const Tensor* list;
    int64_t i;
    double f;
    const Scalar* scalar;
    const Dim* dims;
    const double* floats;
    const char* chars;
    Place place;
  };

  Slot() : i(0) {}
  static Slot of(TensorImpl* t) {
    Slot s;
    if (t) {
      s.kind = SlotKind::kTensor;
      s.tensor = t;
    }
    return s;
  }
  static Slot of(const Tensor& t) { return of(t.impl()); }
  static Slot of(const TensorList& list) { return of(list.data(), list.size()); }
  static Slot of(const Tensor* list, size_t n) {
    Slot s;
    s.kind = SlotKind::kTensorList;
    s.count = static_cast<uint32_t>(n);
    s.list = list;
    return s;
  }
  static Slot of_bool(bool v) {
    Slot s;
    s.kind = SlotKind::kBool;
    s.i = v;
    return s;
  }
  static Slot of_int(int64_t v) {
    Slot s;
    s.kind = SlotKind::kInt;
    s.i = v;
    return s;
  }
  static Slot of_float(double v) {
    Slot s;
    s.kind = SlotKind::kFloat;
    s.f = v;
    return s;
  }
  static Slot of(const Scalar& v) {
    Slot s;
    s.kind = SlotKind::kScalar;
    s.scalar = &v;
    return s;
  }
  static Slot of(const Shape& v) { return of(v.data(), v.size()); }
  static Slot of(const Dim* dims, size_t n) {
    Slot s;
    s.kind = SlotKind::kInts;
    s.count = static_cast<uint32_t>(n);
    s.dims = dims;
    return s;
  }
  static Slot of_floats(const double* floats, size_t n) {
    Slot s;
    s.kind = SlotKind::kFloats;
    s.count = static_cast<uint32_t>(n);
    s.floats = floats;
    return s;
  }
  static Slot of(std::string_view v) {
    Slot s;
    s.kind = SlotKind::kString;
    s.count = static_cast<uint32_t>(v.size());
    s.chars = v.data();
    return s;
  }
  static Slot of(DType v) {
    Slot s;
    s.kind = SlotKind::kDType;
    s.i = static_cast<int64_t>(v);
    return s;
  }
  static Slot of(Place v) {
    Slot s;
    s.kind = SlotKind::kPlace;
    s.place = v;
    return s;
  }
};
static_assert(sizeof(Slot) == 16);

// Owns what its slots point to. Tensors are held by reference count.
class PADDLE_API OwnedArgs {
 public:
  OwnedArgs() = default;
  OwnedArgs(const Slot* slots, size_t n);
  OwnedArgs(const OwnedArgs& other) : OwnedArgs(other.slots_.data(), other.slots_.size()) {}
  OwnedArgs(OwnedArgs&& other) noexcept : slots_(std::move(other.slots_)) { other.slots_.clear(); }
  OwnedArgs& operator=(const OwnedArgs& other) { return *this = OwnedArgs(other); }
  OwnedArgs& operator=(OwnedArgs&& other) noexcept;
  ~OwnedArgs();

  const Slot* data() const { return slots_.data(); }
  size_t size() const { return slots_.size(); }
  const Slot& operator[](size_t i) const { return slots_[i]; }
  Tensor tensor(size_t i) const;
  TensorList tensor_list(size_t i) const;
  void set(size_t i, const Slot& slot);

 private:
  void own(size_t i, const Slot& slot);
  void disown(size_t i);
  SmallVector<Slot, 4> slots_;
};

}  // namespace paddle
