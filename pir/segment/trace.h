// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded stream of operator calls as words: cheap to write, compared as a whole to find a
// program that was made of the same calls, and decoded to run them or to build that program.
// Tensors are numbers of values: tensors from outside in order of first use, and results.
#pragma once

#include <bit>
#include <complex>
#include <cstring>

#include "paddle_core/op/op_def.h"

namespace paddle::pir {

using Words = std::vector<uint64_t>;
using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

// Appends one argument; tensors are given by `id_of(const Tensor&)`.
template <typename IdOf>
void encode(Words& words, const Slot& slot, IdOf&& id_of);

// One call, taken out of the words. Slots borrow from the words and from this object.
struct DecodedCall {
  const OpDef* op = nullptr;
  ValueId first_result = 0;
  uint32_t num_results = 0;
  SmallVector<Slot, 8> slots;
  SmallVector<ValueId, 8> operands;  // values read, in order; kNoValue for an undefined one
  std::vector<Scalar> scalars;
  std::vector<TensorList> lists;
};

// The head of a call; the results are those from `first` on.
inline void encode_head(Words& words, const OpDef& op, ValueId first, size_t results) {
  words.push_back(reinterpret_cast<uintptr_t>(&op));
  words.push_back(uint64_t{first} | uint64_t{results} << 32);
}

// Decodes the call at `at` and returns the position of the next one. tensor_of(ValueId) gives a
// `const Tensor&` that lives as long as the slots are used.
template <typename TensorOf>
size_t decode(const Words& words, size_t at, DecodedCall& call, TensorOf&& tensor_of);

// -- implementation --------------------------------------------------------------------------
namespace trace {

static_assert(sizeof(Dim) == sizeof(uint64_t) && sizeof(double) == sizeof(uint64_t));

inline uint64_t head(SlotKind kind, uint64_t rest) {
  return static_cast<uint64_t>(kind) | rest << 8;
}

inline void put_bytes(Words& words, const void* from, size_t bytes) {
  const size_t at = words.size();
  words.resize(at + (bytes + 7) / 8, 0);
  if (bytes) std::memcpy(words.data() + at, from, bytes);
}

inline void put_scalar(Words& words, const Scalar& s) {
  const std::complex<double> c = s.to_complex();
  words.push_back(static_cast<uint64_t>(s.kind()));
  words.push_back(s.is_integral() ? static_cast<uint64_t>(s.to_int())
                                  : std::bit_cast<uint64_t>(c.real()));
  words.push_back(std::bit_cast<uint64_t>(c.imag()));
}

inline Scalar get_scalar(const uint64_t* w) {
  const double real = std::bit_cast<double>(w[1]), imag = std::bit_cast<double>(w[2]);
  switch (static_cast<Scalar::Kind>(w[0])) {
    case Scalar::Kind::kBool:
      return Scalar(w[1] != 0);
    case Scalar::Kind::kInt:
      return Scalar(static_cast<int64_t>(w[1]));
    case Scalar::Kind::kFloat:
      return Scalar(real);
    case Scalar::Kind::kComplex:
      break;
  }
  return Scalar(std::complex<double>(real, imag));
}

}  // namespace trace

template <typename IdOf>
void encode(Words& words, const Slot& slot, IdOf&& id_of) {
  using namespace trace;
  switch (slot.kind) {
    case SlotKind::kNone:
      words.push_back(head(slot.kind, 0));
      return;
    case SlotKind::kTensor:
      words.push_back(head(slot.kind, id_of(slot.tensor)));
      return;
    case SlotKind::kTensorList:
      words.push_back(head(slot.kind, slot.count));
      for (uint32_t i = 0; i < slot.count; ++i) {
        words.push_back(slot.list[i].defined() ? id_of(slot.list[i].impl()) : kNoValue);
      }
      return;
    case SlotKind::kBool:
    case SlotKind::kInt:
    case SlotKind::kDType:
    case SlotKind::kFloat:
      words.push_back(head(slot.kind, 0));
      words.push_back(static_cast<uint64_t>(slot.i));
      return;
    case SlotKind::kScalar:
      words.push_back(head(slot.kind, 0));
      put_scalar(words, *slot.scalar);
      return;
    case SlotKind::kInts:
      words.push_back(head(slot.kind, slot.count));
      put_bytes(words, slot.dims, slot.count * sizeof(Dim));
      return;
    case SlotKind::kFloats:
      words.push_back(head(slot.kind, slot.count));
      put_bytes(words, slot.floats, slot.count * sizeof(double));
      return;
    case SlotKind::kString:
      words.push_back(head(slot.kind, slot.count));
      put_bytes(words, slot.chars, slot.count);
      return;
    case SlotKind::kPlace:
      words.push_back(head(slot.kind, 0));
      words.push_back(static_cast<uint64_t>(slot.place.kind) |
                      static_cast<uint64_t>(static_cast<uint16_t>(slot.place.index)) << 32 |
                      static_cast<uint64_t>(slot.place.custom_type) << 48);
      return;
  }
}

template <typename TensorOf>
size_t decode(const Words& words, size_t at, DecodedCall& call, TensorOf&& tensor_of) {
  using namespace trace;
  call.op = reinterpret_cast<const OpDef*>(words[at]);
  call.first_result = static_cast<ValueId>(words[at + 1]);
  call.num_results = static_cast<uint32_t>(words[at + 1] >> 32);
  at += 2;
  const size_t n = call.op->num_args;
  call.slots.clear();
  call.operands.clear();
  call.scalars.clear();
  call.lists.clear();
  call.scalars.reserve(n);  // slots borrow the elements
  call.lists.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    const auto kind = static_cast<SlotKind>(words[at] & 0xff);
    const uint64_t rest = words[at] >> 8;
    const uint64_t* payload = words.data() + ++at;
    Slot slot;
    switch (kind) {
      case SlotKind::kNone:
        break;
      case SlotKind::kTensor:
        call.operands.push_back(static_cast<ValueId>(rest));
        slot = Slot::of(tensor_of(static_cast<ValueId>(rest)));
        break;
      case SlotKind::kTensorList: {
        TensorList& list = call.lists.emplace_back();
        for (uint64_t k = 0; k < rest; ++k) {
          const auto id = static_cast<ValueId>(payload[k]);
          call.operands.push_back(id);
          list.push_back(id == kNoValue ? Tensor() : tensor_of(id));
        }
        slot = Slot::of(list);
        at += rest;
        break;
      }
      case SlotKind::kBool:
      case SlotKind::kInt:
      case SlotKind::kDType:
      case SlotKind::kFloat:
        slot.kind = kind;
        slot.i = static_cast<int64_t>(*payload);
        ++at;
        break;
      case SlotKind::kScalar:
        slot = Slot::of(call.scalars.emplace_back(get_scalar(payload)));
        at += 3;
        break;
      case SlotKind::kInts:
        slot = Slot::of(reinterpret_cast<const Dim*>(payload), rest);
        at += rest;
        break;
      case SlotKind::kFloats:
        slot = Slot::of_floats(reinterpret_cast<const double*>(payload), rest);
        at += rest;
        break;
      case SlotKind::kString:
        slot = Slot::of(std::string_view(reinterpret_cast<const char*>(payload), rest));
        at += (rest + 7) / 8;
        break;
      case SlotKind::kPlace: {
        Place place;
        place.kind = static_cast<DeviceKind>(*payload & 0xffffffff);
        place.index = static_cast<decltype(place.index)>(*payload >> 32 & 0xffff);
        place.custom_type = static_cast<uint8_t>(*payload >> 48);
        slot = Slot::of(place);
        ++at;
        break;
      }
    }
    call.slots.push_back(slot);
  }
  return at;
}

}  // namespace paddle::pir
