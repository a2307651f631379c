// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of two tensors.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {
namespace {

// `sign` between x and y; `short_name` is another name of the function.
OpDef& comparison(OpDef& op, const char* sign, const char* short_name) {
  const std::string name = op.name();
  op.doc(str("Comparison, elementwise: out = x ", sign,
             " y, as bool. x and y broadcast against each other."),
         str("paddle.", name, "(paddle.to_tensor([4.0, 9.0]), paddle.to_tensor([4.0, 9.0]))"));
  for (const char* path : {"paddle.", "Tensor."}) {
    op.python(path + name).inplace_python(path + name + "_").python(str(path, short_name));
  }
  return op.elementwise()
      .trait(kBroadcast | kPromote)
      .amp_class(AmpClass::kWidest)
      .infer(infer::compare)
      .no_grad()
      .primitive("order");
}

}  // namespace

void register_compare(Registry& r) {
  comparison(r.op("equal").schema("equal(Tensor x, Tensor y) -> (Tensor out)"), "==", "eq")
      .trait(kCommutative);
  comparison(r.op("not_equal").schema("not_equal(Tensor x, Tensor y) -> (Tensor out)"), "!=", "ne")
      .trait(kCommutative);
  comparison(r.op("less_than").schema("less_than(Tensor x, Tensor y) -> (Tensor out)"), "<", "lt")
      .python("paddle.less")
      .python("Tensor.less")
      .inplace_python("paddle.less_")
      .inplace_python("Tensor.less_");
  comparison(r.op("less_equal").schema("less_equal(Tensor x, Tensor y) -> (Tensor out)"),
             "<=", "le");
  comparison(r.op("greater_than").schema("greater_than(Tensor x, Tensor y) -> (Tensor out)"), ">",
             "gt")
      .python("paddle.greater")
      .python("Tensor.greater");
  comparison(r.op("greater_equal").schema("greater_equal(Tensor x, Tensor y) -> (Tensor out)"),
             ">=", "ge");
}

}  // namespace paddle::ops
