// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers near a number.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

// `parameters`: of the public function, where they are not those of the schema.
OpDef& rounding(OpDef& op, const char* doc, const char* example, const char* parameters = "") {
  const std::string name = op.name();
  return op.doc(doc, str("paddle.", name, "(paddle.to_tensor(", example, "))"))
      .python(str("paddle.", name, parameters))
      .python("Tensor." + name)
      .inplace_python(str("paddle.", name, "_", parameters))
      .inplace_python(str("Tensor.", name, "_"))
      .elementwise()
      .infer(infer::same_as_x)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, zeros_like(v.in(0))); })
      .primitive("rounding");
}

}  // namespace

void register_rounding(Registry& r) {
  rounding(r.op("floor").schema("floor(Tensor x) -> (Tensor out)"),
           "The greatest whole number that is not above x, elementwise; the gradient is 0.",
           "[-1.5, 2.5]");
  rounding(r.op("ceil").schema("ceil(Tensor x) -> (Tensor out)"),
           "The least whole number that is not below x, elementwise; the gradient is 0.",
           "[-1.5, 2.5]");
  rounding(r.op("round").schema("round(Tensor x, int decimals=0) -> (Tensor out)"),
           "Elementwise round to whole numbers; the gradient is 0.", "[0.25, 0.5]");
  rounding(r.op("trunc").schema("trunc(Tensor x) -> (Tensor out)"),
           "x without its fraction, elementwise: rounded towards 0; the gradient is 0.",
           "[-1.5, 2.5]", "(input, name=None)");
}

}  // namespace paddle::ops
