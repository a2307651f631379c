// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of two tensors.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {

void register_compare(Registry& r) {
  r.op("equal")
      .schema("equal(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Comparison, elementwise: out = x == y, as bool. x and y broadcast against each other.",
           "paddle.equal(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.equal")
      .python("Tensor.equal")
      .inplace_python("paddle.equal_")
      .inplace_python("Tensor.equal_")
      .python("paddle.eq")
      .python("Tensor.eq")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
  r.op("not_equal")
      .schema("not_equal(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Comparison, elementwise: out = x != y, as bool. x and y broadcast against each other.",
           "paddle.not_equal(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.not_equal")
      .python("Tensor.not_equal")
      .inplace_python("paddle.not_equal_")
      .inplace_python("Tensor.not_equal_")
      .python("paddle.ne")
      .python("Tensor.ne")
      .elementwise()
      .trait(kBroadcast | kPromote | kCommutative)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
  r.op("less_than")
      .schema("less_than(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Comparison, elementwise: out = x < y, as bool. x and y broadcast against each other.",
           "paddle.less_than(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.less_than")
      .python("Tensor.less_than")
      .inplace_python("paddle.less_than_")
      .inplace_python("Tensor.less_than_")
      .python("paddle.lt")
      .python("Tensor.lt")
      .python("paddle.less")
      .python("Tensor.less")
      .inplace_python("paddle.less_")
      .inplace_python("Tensor.less_")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
  r.op("less_equal")
      .schema("less_equal(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Comparison, elementwise: out = x <= y, as bool. x and y broadcast against each other.",
           "paddle.less_equal(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.less_equal")
      .python("Tensor.less_equal")
      .inplace_python("paddle.less_equal_")
      .inplace_python("Tensor.less_equal_")
      .python("paddle.le")
      .python("Tensor.le")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
  r.op("greater_than")
      .schema("greater_than(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Comparison, elementwise: out = x > y, as bool. x and y broadcast against each other.",
           "paddle.greater_than(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.greater_than")
      .python("Tensor.greater_than")
      .inplace_python("paddle.greater_than_")
      .inplace_python("Tensor.greater_than_")
      .python("paddle.gt")
      .python("Tensor.gt")
      .python("paddle.greater")
      .python("Tensor.greater")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
  r.op("greater_equal")
      .schema("greater_equal(Tensor x, Tensor y) -> (Tensor out)")
      .doc("Comparison, elementwise: out = x >= y, as bool. x and y broadcast against each other.",
           "paddle.greater_equal(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))")
      .python("paddle.greater_equal")
      .python("Tensor.greater_equal")
      .inplace_python("paddle.greater_equal_")
      .inplace_python("Tensor.greater_equal_")
      .python("paddle.ge")
      .python("Tensor.ge")
      .elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
}

}  // namespace paddle::ops
