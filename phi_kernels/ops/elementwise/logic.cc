// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Logical and bitwise operators.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {

void register_logic(Registry& r) {
  r.op("logical_and")
      .schema("logical_and(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Logical and of truth values (nonzero is true), as bool. x and y broadcast against each "
          "other.",
          "paddle.logical_and(paddle.to_tensor([True, False]), paddle.to_tensor([True, False]))")
      .python("paddle.logical_and")
      .python("Tensor.logical_and")
      .inplace_python("paddle.logical_and_")
      .inplace_python("Tensor.logical_and_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("logic");
  r.op("logical_or")
      .schema("logical_or(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Logical or of truth values (nonzero is true), as bool. x and y broadcast against each "
          "other.",
          "paddle.logical_or(paddle.to_tensor([True, False]), paddle.to_tensor([True, False]))")
      .python("paddle.logical_or")
      .python("Tensor.logical_or")
      .inplace_python("paddle.logical_or_")
      .inplace_python("Tensor.logical_or_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("logic");
  r.op("logical_xor")
      .schema("logical_xor(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Logical xor of truth values (nonzero is true), as bool. x and y broadcast against each "
          "other.",
          "paddle.logical_xor(paddle.to_tensor([True, False]), paddle.to_tensor([True, False]))")
      .python("paddle.logical_xor")
      .python("Tensor.logical_xor")
      .inplace_python("paddle.logical_xor_")
      .inplace_python("Tensor.logical_xor_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("logic");
  r.op("bitwise_and")
      .schema("bitwise_and(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Bitwise and of integers or bools. x and y broadcast against each other.",
           "paddle.bitwise_and(paddle.to_tensor([6, 3]), paddle.to_tensor([6, 3]))")
      .python("paddle.bitwise_and(x, y, out=None, name=None)")
      .python("Tensor.bitwise_and(y, out=None, name=None)")
      .inplace_python("paddle.bitwise_and_")
      .inplace_python("Tensor.bitwise_and_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer_bits)
      .no_grad()
      .primitive("logic");
  r.op("bitwise_or")
      .schema("bitwise_or(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Bitwise or of integers or bools. x and y broadcast against each other.",
           "paddle.bitwise_or(paddle.to_tensor([6, 3]), paddle.to_tensor([6, 3]))")
      .python("paddle.bitwise_or(x, y, out=None, name=None)")
      .python("Tensor.bitwise_or(y, out=None, name=None)")
      .inplace_python("paddle.bitwise_or_")
      .inplace_python("Tensor.bitwise_or_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer_bits)
      .no_grad()
      .primitive("logic");
  r.op("bitwise_xor")
      .schema("bitwise_xor(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Bitwise xor of integers or bools. x and y broadcast against each other.",
           "paddle.bitwise_xor(paddle.to_tensor([6, 3]), paddle.to_tensor([6, 3]))")
      .python("paddle.bitwise_xor(x, y, out=None, name=None)")
      .python("Tensor.bitwise_xor(y, out=None, name=None)")
      .inplace_python("paddle.bitwise_xor_")
      .inplace_python("Tensor.bitwise_xor_")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer_bits)
      .no_grad()
      .primitive("logic");
  r.op("logical_not")
      .schema("logical_not(Tensor x) -> (Tensor out)")
      .doc("Logical negation, elementwise.", "paddle.logical_not(paddle.to_tensor([True, False]))")
      .python("paddle.logical_not")
      .python("Tensor.logical_not")
      .inplace_python("paddle.logical_not_")
      .inplace_python("Tensor.logical_not_")
      .elementwise()
      .infer(infer_flag)
      .no_grad()
      .primitive("logic");
  r.op("bitwise_not")
      .schema("bitwise_not(Tensor x) -> (Tensor out)")
      .doc("Bitwise negation, elementwise.", "paddle.bitwise_not(paddle.to_tensor([True, False]))")
      .python("paddle.bitwise_not(x, out=None, name=None)")
      .python("Tensor.bitwise_not(out=None, name=None)")
      .inplace_python("paddle.bitwise_not_")
      .inplace_python("Tensor.bitwise_not_")
      .python("paddle.bitwise_invert(x, out=None, name=None)")
      .python("Tensor.bitwise_invert(out=None, name=None)")
      .inplace_python("paddle.bitwise_invert_")
      .inplace_python("Tensor.bitwise_invert_")
      .elementwise()
      .infer(infer_bits)
      .no_grad()
      .primitive("logic");
}

}  // namespace paddle::ops
