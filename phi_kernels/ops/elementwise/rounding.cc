// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers near a number.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

// `result` is what Python prints for -1.5 and 2.25, `parameters` are those of the public function
// where they are not the schema's.
OpDef& rounding(OpDef& op, const char* doc, const char* result, const char* parameters = "") {
  const std::string name = op.name();
  return op
      .doc(str(doc, "; the gradient is 0.\nx: A Tensor of numbers."),
           str("paddle.", name, "(paddle.to_tensor([-1.5, 2.25])).tolist()  # ", result))
      .python(str("paddle.", name, parameters))
      .python("Tensor." + name)
      .inplace_python(str("paddle.", name, "_", parameters))
      .inplace_python(str("Tensor.", name, "_"))
      .elementwise()
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); });
}

// Products by -1 keep the sign of 0, which a sum with 0 does not.
Tensor rounded_up(const Tensor& x) {
  if (is_integer(x.dtype())) return x;
  const Tensor turned = scalar_like(x, Scalar(-1));
  return floor(x * turned) * turned;
}

}  // namespace

void register_rounding(Registry& r) {
  rounding(r.op("floor").schema("floor(Tensor x) -> (Tensor out)"),
           "Elementwise: the greatest whole number that is not above x", "[-2.0, 2.0]")
      .primitive("rounding");
  rounding(r.op("ceil").schema("ceil(Tensor x) -> (Tensor out)"),
           "Elementwise: the least whole number that is not below x", "[-1.0, 3.0]")
      .decompose([](Args& a) -> TensorList { return {rounded_up(a.tensor(0))}; });
  rounding(r.op("round").schema("round(Tensor x, int decimals=0) -> (Tensor out)"),
           "Elementwise: x rounded to whole numbers, or to `decimals` digits behind the point",
           "[-2.0, 2.0]")
      .primitive("rounding");
  rounding(r.op("trunc").schema("trunc(Tensor x) -> (Tensor out)"),
           "Elementwise: x without its fraction, rounded towards 0", "[-1.0, 2.0]",
           "(input, name=None)")
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        if (is_integer(x.dtype())) return {x};
        return {where(less_than(x, zero_of(x)), rounded_up(x), floor(x))};
      });
}

}  // namespace paddle::ops
