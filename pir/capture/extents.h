// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors of integers as extents: what paddle.shape(x)[0] * 2 is, so that it can stand in the shape
// argument of a call.
#pragma once

#include <optional>

#include "pir/capture/context.h"

namespace paddle::pir {

class PADDLE_API Extents : public CapturePart {
 public:
  Extents(Capture& capture, CaptureContext& context) : CapturePart(capture, context) {}

  // Whether a tensor of one integer was computed from shapes and constants alone, and what it is.
  bool extent_of(const Tensor& t, Dim& out) const;
  // The same for a list of integers that are all numbers.
  bool sizes_of(const Tensor& t, Shape& out) const;
  // The same as extent_of, and for other tensors of one integer a symbol that gets its value when
  // the program runs; nullopt for tensors that are no extents.
  std::optional<Dim> extent_from(const Tensor& t);
  // The numbers that a tensor, or a list of them, holds in the place of an argument.
  Shape numbers_in(const OpDef& op, int arg, const Slot& given);

 private:
  Dim number_of(const Tensor& t);
};

}  // namespace paddle::pir
