// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What an integer rule sees of a call: constants, shapes, and the integers that its tensor operands
// are known to hold. Programs compute extents with such calls (paddle.shape(x)[0] * 2); the rules
// tell which extents those are, as symbols, so that they can stand in shape arguments.
#pragma once

#include <functional>
#include <optional>

#include "paddle_core/op/args.h"
#include "paddle_core/shape/shape.h"

namespace paddle {

// The elements of a tensor in row-major order; nullopt: they are not known.
using Integers = std::optional<Shape>;

class IntegerArgs : public Args {
 public:
  using Known = std::function<Integers(const Tensor&)>;
  IntegerArgs(const OpDef& op, const Slot* slots, const Known& known)
      : Args(op, slots), known_(known) {}

  // Of an argument: the elements of a constant list, of a tensor, or of a list of tensors one after
  // the other.
  Integers integers(int i) const {
    const Slot& s = slot(i);
    if (s.kind == SlotKind::kTensor) return known_(tensor(i));
    if (s.kind != SlotKind::kTensorList) return Shape(s.dims, s.dims + s.count);
    Shape all;
    for (const Tensor& part : list(i)) {
      const Integers some = part.shape().size() > 1 ? std::nullopt : known_(part);
      if (!some) return std::nullopt;
      for (const Dim d : *some) all.push_back(d);
    }
    return all;
  }

 private:
  const Known& known_;
};

}  // namespace paddle
