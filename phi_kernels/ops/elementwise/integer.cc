// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of whole numbers: shifts, greatest common divisor, least common multiple, division that
// rounds towards zero.
#include "paddle_core/op/saved_form.h"
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

FormValue absolute(SavedForm& f, size_t i) {
  return f.unary("abs", f.expand(f.operand(i), f.shape(f.result())));
}

FormValue positive(SavedForm& f, FormValue x) {
  return f.binary("greater_than", x, f.full(Shape{}, 0, f.dtype(x)));
}

// x where `size` is above 0, else y.
FormValue chosen(SavedForm& f, FormValue size, FormValue x, FormValue y) {
  return f.make("where", {positive(f, size), x, y}, x);
}

// Euclid's algorithm on numbers from 0 on.
FormValue common_divisor(SavedForm& f, FormValue x, FormValue y) {
  // A loop may write into what it starts from.
  const FormValue from_x = f.unary("assign", x), from_y = f.unary("assign", y);
  return f.loop(
      {from_x, from_y},
      [&](const FormValues& v) {
        return f.make("any", {positive(f, v[1])}, {DType::kBool, {}},
                      {{"axis", AttributeArray()}, {"keepdim", false}});
      },
      [&](const FormValues& v) -> FormValues {
        const FormValue divisor = chosen(f, v[1], v[1], f.like(v[1], 1));
        const FormValue rest = f.binary("remainder", v[0], divisor);
        return {chosen(f, v[1], v[1], v[0]), chosen(f, v[1], rest, v[1])};
      })[0];
}

void write_gcd(SavedForm& f) {
  const FormValue y = absolute(f, 1), x = absolute(f, 0);
  f.become({common_divisor(f, x, y)});
}

// |x| / gcd(x, y) * |y|
void write_lcm(SavedForm& f) {
  const FormValue x = absolute(f, 0), y = absolute(f, 1);
  const FormValue divisor = common_divisor(f, x, y);
  const FormValue safe = chosen(f, divisor, divisor, f.like(divisor, 1));
  const bool whole = is_integer(f.dtype(x));
  const FormValue share = f.binary(whole ? "floor_divide" : "divide", x, safe);
  f.become({f.binary("multiply", share, y)});
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
      .opaque("Euclid's algorithm, a loop for each element")
      .saved_form(write_gcd);
  divisor(r.op("lcm").schema("lcm(Tensor x, Tensor y) -> (Tensor out)"),
          "Least common multiple of |x| and |y|; 0 when one of them is 0.")
      .decompose(decompose_lcm)
      .saved_form(write_lcm);
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
