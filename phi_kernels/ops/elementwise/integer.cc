// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of whole numbers: shifts, greatest common divisor, least common multiple, division that
// rounds towards zero.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

void infer_shift(Infer& c) {
  PADDLE_CHECK_TYPE(is_integer(c.dtype(0)) && is_integer(c.dtype(1)), c.op_name(), ": x has dtype ",
                    c.dtype(0), " and y has dtype ", c.dtype(1),
                    "; both must be integers; cast them first.");
  infer::broadcast(c);
}

OpDef& shift(OpDef& op, const char* doc) {
  const std::string name = op.name();
  op.doc(doc, "paddle." + name + "(paddle.to_tensor([4, -8]), paddle.to_tensor([1, 2]))");
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name + "(x, y, is_arithmetic=True, out=None, name=None)");
    op.inplace_python(path + name + "_(x, y, is_arithmetic=True, out=None, name=None)");
  }
  op.elementwise().trait(kBroadcast | kPromote).infer(infer_shift).no_grad().primitive("bits");
  return op;
}

OpDef& divisor(OpDef& op, const char* doc) {
  const std::string name = op.name();
  op.doc(doc, "paddle." + name + "(paddle.to_tensor([12, 18]), paddle.to_tensor([8, 27]))");
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name + "(x, y, name=None)");
    op.inplace_python(path + name + "_(x, y, name=None)");
  }
  return op.alias("input", "x")
      .alias("other", "y")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .infer(infer_ordered)
      .no_grad();
}

// |x| / gcd |y|, and 0 where both are 0.
TensorList decompose_lcm(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1), divisor = gcd(x, y), zero = zero_of(divisor);
  const Tensor none = equal(divisor, zero);
  const Tensor safe = where(none, scalar_like(divisor, Scalar(1)), divisor);
  const Tensor part = is_integer(x.dtype()) ? trunc_divide(abs(x), safe) : abs(x) / safe;
  return {where(none, zero, part * abs(y))};
}

}  // namespace

void register_integer(Registry& r) {
  shift(r.op("bitwise_left_shift")
            .schema(
                "bitwise_left_shift(Tensor x, Tensor y, bool is_arithmetic=true) -> (Tensor out)"),
        "x with its bits moved y places to the left; places beyond the width give 0.");
  shift(r.op("bitwise_right_shift")
            .schema(
                "bitwise_right_shift(Tensor x, Tensor y, bool is_arithmetic=true) -> (Tensor out)"),
        "x with its bits moved y places to the right; the sign is kept when is_arithmetic.");
  divisor(r.op("gcd").schema("gcd(Tensor x, Tensor y) -> (Tensor out)"),
          "Greatest common divisor of |x| and |y|; gcd(0, 0) = 0.")
      .opaque("Euclid's algorithm, a loop for each element");
  divisor(r.op("lcm").schema("lcm(Tensor x, Tensor y) -> (Tensor out)"),
          "Least common multiple of |x| and |y|; 0 when one of them is 0.")
      .decompose(decompose_lcm);
  r.op("trunc_divide")
      .schema("trunc_divide(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Quotient rounded towards zero. x and y broadcast against each other.",
           "paddle._C_ops.trunc_divide(paddle.to_tensor([-7, 7]), paddle.to_tensor([2, 2]))")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .infer(infer_ordered)
      .no_grad()
      .primitive("exact on integers");
}

}  // namespace paddle::ops
