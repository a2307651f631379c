// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of two tensors, exact and with a tolerance.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/reduce.h"

namespace paddle::ops {
namespace {

// `sign` between x and y; `short_name` is another name of the function.
// `result` is what Python prints for [1, 2, 3] and 2.
OpDef& comparison(OpDef& op, const char* sign, const char* short_name, const char* result) {
  const std::string name = op.name();
  op.doc(str("Elementwise: out = x ", sign, " y.\nx: A Tensor.\ny: A Tensor or a number.",
             "\nReturns: A bool Tensor of the shape to which x and y broadcast.",
             "\nRaises: ValueError: The shapes do not broadcast."),
         str("paddle.", name, "(paddle.to_tensor([1, 2, 3]), paddle.to_tensor(2)).tolist()  # ",
             result));
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name).inplace_python(path + name + "_").python(str(path, short_name));
  }
  return op.elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad();
}

// Files hold operands of one shape.
void write_allclose(SavedForm& f) {
  Shape shape;
  broadcast_into(f.shape(f.operand(0)), f.shape(f.operand(1)), "allclose", "x", "y", shape);
  f.expand_operands({0, 1}, shape);
}

// |x - y| <= atol + rtol |y|, or equal; NaN equals NaN when asked.
Tensor close_to(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1);
  const double rtol = a.scalar(2).to_double(), atol = a.scalar(3).to_double();
  const bool real = !is_int_or_bool(x.dtype());
  const Tensor fx = real ? x : cast(x, DType::kFloat64), fy = real ? y : cast(y, DType::kFloat64);
  Tensor near =
      logical_or(equal(x, y), less_equal(abs(fx - fy), abs(fy) * Scalar(rtol) + Scalar(atol)));
  // An infinite limit is close to nothing but itself.
  near = logical_and(near, logical_or(isfinite(fy), equal(x, y)));
  if (a.b(4)) near = logical_or(near, logical_and(isnan(fx), isnan(fy)));
  return near;
}

void register_tolerance(Registry& r) {
  r.op("isclose")
      .schema(
          "isclose(Tensor x, Tensor y, Scalar@float64 rtol=1e-5, Scalar@float64 atol=1e-8, bool "
          "equal_nan=false) -> (Tensor out)")
      .doc("Where |x - y| <= atol + rtol * |y|.",
           "paddle.isclose(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))")
      .python("paddle.isclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .python("Tensor.isclose(y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .alias("input", "x")
      .alias("other", "y")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .infer(infer::compare)
      .no_grad()
      .decompose([](Args& a) -> TensorList { return {close_to(a)}; });
  r.op("allclose")
      .schema(
          "allclose(Tensor x, Tensor y, Scalar@float64 rtol=1e-5, Scalar@float64 atol=1e-8, bool "
          "equal_nan=false) -> (Tensor out)")
      .doc(
          "Whether |x - y| <= atol + rtol * |y| everywhere.\n"
          "x: A Tensor.\n"
          "y: A Tensor; they broadcast.\n"
          "rtol: Part of |y| that the difference may have.\n"
          "atol: What the difference may be besides.\n"
          "equal_nan: Whether NaN equals NaN.\n"
          "Returns: A 0-d bool Tensor.",
          "paddle.allclose(paddle.to_tensor([1.0]), paddle.to_tensor([1.000001])).item()  # True")
      .python("paddle.allclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .python("Tensor.allclose(y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None)")
      .alias("input", "x")
      .alias("other", "y")
      .trait(kPromote)
      .infer([](Infer& c) {
        infer::compare(c);
        c.out(0, Shape(), DType::kBool);
      })
      .no_grad()
      .decompose([](Args& a) -> TensorList { return {all(close_to(a), Shape(), false)}; })
      .saved_form(write_allclose);
  r.op("equal_all")
      .schema("equal_all(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Whether x and y have one shape and equal elements.\n"
          "x: A Tensor.\n"
          "y: A Tensor.\n"
          "Returns: A 0-d bool Tensor.",
          "paddle.equal_all(paddle.to_tensor([1.0]), paddle.to_tensor([1.0, 1.0])).item()  # False")
      .python("paddle.equal_all(x, y, name=None)")
      .python("Tensor.equal_all(x, y, name=None)")
      .trait(kPromote)
      .kernel_dtype_of("x")
      .infer([](Infer& c) { c.out(0, Shape(), DType::kBool); })
      .no_grad()
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), y = a.tensor(1);
        bool same = x.ndim() == y.ndim();
        for (size_t d = 0; same && d < x.shape().size(); ++d) {
          same = decide_eq(x.shape()[d], y.shape()[d], true);
        }
        if (!same) return {full(Shape(), Scalar(false), DType::kBool, x.place())};
        return {all(equal(x, y), Shape(), false)};
      });
}

}  // namespace

void register_compare(Registry& r) {
  comparison(r.op("equal").schema("equal(Tensor x, Tensor y) -> (Tensor out)"), "==", "eq",
             "[False, True, False]")
      .trait(kCommutative)
      .primitive("order");
  comparison(r.op("not_equal").schema("not_equal(Tensor x, Tensor y) -> (Tensor out)"), "!=", "ne",
             "[True, False, True]")
      .trait(kCommutative)
      .rank(1)
      .decompose(
          [](Args& a) -> TensorList { return {bitwise_not(equal(a.tensor(0), a.tensor(1)))}; });
  comparison(r.op("less_than").schema("less_than(Tensor x, Tensor y) -> (Tensor out)"), "<", "lt",
             "[True, False, False]")
      .python("paddle.less")
      .python("Tensor.less")
      .inplace_python("paddle.less_")
      .inplace_python("Tensor.less_")
      .primitive("order");
  comparison(r.op("less_equal").schema("less_equal(Tensor x, Tensor y) -> (Tensor out)"),
             "<=", "le", "[True, True, False]")
      .rank(1)
      .decompose([](Args& a) -> TensorList {  // nothing compares with NaN
        const Tensor x = a.tensor(0), y = a.tensor(1);
        return {bitwise_or(less_than(x, y), equal(x, y))};
      });
  comparison(r.op("greater_than").schema("greater_than(Tensor x, Tensor y) -> (Tensor out)"), ">",
             "gt", "[False, False, True]")
      .python("paddle.greater")
      .python("Tensor.greater")
      .rank(1)
      .decompose([](Args& a) -> TensorList { return {less_than(a.tensor(1), a.tensor(0))}; });
  comparison(r.op("greater_equal").schema("greater_equal(Tensor x, Tensor y) -> (Tensor out)"),
             ">=", "ge", "[False, True, True]")
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0), y = a.tensor(1);
        return {bitwise_or(less_than(y, x), equal(x, y))};
      });
  register_tolerance(r);
}

}  // namespace paddle::ops
