// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Logical and bitwise operators.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

// What is not 0 is true.
Tensor truth(const Tensor& x) { return is_bool(x.dtype()) ? x : bitwise_not(equal(x, zero_of(x))); }

// Of two tensors.
OpDef& combination(OpDef& op) {
  return op.elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .no_grad();
}

OpDef& logical(OpDef& op, const char* word, const char* result) {
  const std::string name = op.name();
  op.doc(str("Elementwise: logical ", word,
             " of truth values; what is not 0 is true.\nx: A Tensor of any dtype.",
             "\ny: The same.\nReturns: A bool Tensor of the shape to which x and y broadcast."),
         str("paddle.", name,
             "(paddle.to_tensor([True, True, False]), paddle.to_tensor([True, False, "
             "False])).tolist()  # ",
             result));
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name).inplace_python(path + name + "_");
  }
  return combination(op).infer(infer::compare);
}

OpDef& bitwise(OpDef& op, const char* word) {
  const std::string name = op.name();
  op.doc(str("Bitwise ", word, " of integers or bools. x and y broadcast against each other."),
         str("paddle.", name, "(paddle.to_tensor([6, 3]), paddle.to_tensor([6, 3]))"));
  op.python(str("paddle.", name, "(x, y, out=None, name=None)"));
  op.python(str("Tensor.", name, "(y, out=None, name=None)"));
  for (const char* path : {"paddle.", "Tensor."}) op.inplace_python(path + name + "_");
  return combination(op).infer(infer_bits).primitive("logic");
}

}  // namespace

void register_logic(Registry& r) {
  logical(r.op("logical_and").schema("logical_and(Tensor x, Tensor y) -> (Tensor out)"), "and",
          "[True, False, False]")
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {bitwise_and(truth(a.tensor(0)), truth(a.tensor(1)))};
      });
  logical(r.op("logical_or").schema("logical_or(Tensor x, Tensor y) -> (Tensor out)"), "or",
          "[True, True, False]")
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {bitwise_or(truth(a.tensor(0)), truth(a.tensor(1)))};
      });
  logical(r.op("logical_xor").schema("logical_xor(Tensor x, Tensor y) -> (Tensor out)"), "xor",
          "[False, True, False]")
      .decompose([](Args& a) -> TensorList {
        return {bitwise_xor(truth(a.tensor(0)), truth(a.tensor(1)))};
      });
  bitwise(r.op("bitwise_and").schema("bitwise_and(Tensor x, Tensor y) -> (Tensor out)"), "and");
  bitwise(r.op("bitwise_or").schema("bitwise_or(Tensor x, Tensor y) -> (Tensor out)"), "or");
  bitwise(r.op("bitwise_xor").schema("bitwise_xor(Tensor x, Tensor y) -> (Tensor out)"), "xor");
  r.op("logical_not")
      .schema("logical_not(Tensor x) -> (Tensor out)")
      .doc(
          "Elementwise: whether x is 0.\n"
          "x: A Tensor of any dtype.\n"
          "Returns: A bool Tensor of the shape of x.",
          "paddle.logical_not(paddle.to_tensor([True, False])).tolist()  # [False, True]")
      .python("paddle.logical_not")
      .python("Tensor.logical_not")
      .inplace_python("paddle.logical_not_")
      .inplace_python("Tensor.logical_not_")
      .elementwise()
      .infer(infer_flag)
      .no_grad()
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        return {is_bool(x.dtype()) ? bitwise_not(x) : equal(x, zero_of(x))};
      });
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
