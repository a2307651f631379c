// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers near a number.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {

void register_rounding(Registry& r) {
  r.op("floor")
      .schema("floor(Tensor x) -> (Tensor out)")
      .doc("The greatest whole number that is not above x, elementwise; the gradient is 0.",
           "paddle.floor(paddle.to_tensor([-1.5, 2.5]))")
      .python("paddle.floor")
      .python("Tensor.floor")
      .inplace_python("paddle.floor_")
      .inplace_python("Tensor.floor_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
      .primitive("rounding");
  r.op("ceil")
      .schema("ceil(Tensor x) -> (Tensor out)")
      .doc("The least whole number that is not below x, elementwise; the gradient is 0.",
           "paddle.ceil(paddle.to_tensor([-1.5, 2.5]))")
      .python("paddle.ceil")
      .python("Tensor.ceil")
      .inplace_python("paddle.ceil_")
      .inplace_python("Tensor.ceil_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
      .primitive("rounding");
  r.op("round")
      .schema("round(Tensor x, int decimals=0) -> (Tensor out)")
      .doc("Elementwise round to whole numbers; the gradient is 0.",
           "paddle.round(paddle.to_tensor([0.25, 0.5]))")
      .python("paddle.round")
      .python("Tensor.round")
      .inplace_python("paddle.round_")
      .inplace_python("Tensor.round_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
      .primitive("rounding");
  r.op("trunc")
      .schema("trunc(Tensor x) -> (Tensor out)")
      .doc("x without its fraction, elementwise: rounded towards 0; the gradient is 0.",
           "paddle.trunc(paddle.to_tensor([-1.5, 2.5]))")
      .python("paddle.trunc(input, name=None)")
      .python("Tensor.trunc")
      .inplace_python("paddle.trunc_(input, name=None)")
      .inplace_python("Tensor.trunc_")
      .elementwise()
      .amp_class(AmpClass::kNeutral)
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
      .primitive("rounding");
}

}  // namespace paddle::ops
