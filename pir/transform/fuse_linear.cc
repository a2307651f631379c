// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A matrix product and the bias behind it as one call of the library; silu and the factor behind it
// as one operator.
#include "pir/transform/transform.h"

namespace paddle::pir {

void add_fuse_rules(RuleSet& rules) {
  rules.add("matmul_add_to_linear")
      .source("t = matmul(x, w, transpose_x=false, transpose_y=false); out = add(t, b)")
      .result("out = linear(x, w, b)")
      .where([](const Match& m) {
        return m.rank("x") >= 2 && m.rank("w") == 2 && m.rank("b") == 1 &&
               is_floating(m.dtype("x")) && m.dtype("b") == m.dtype("x") &&
               m.dtype("w") == m.dtype("x") && m.shape("b")[0] == m.shape("w")[1];
      });
}

void add_swiglu_rules(RuleSet& rules) {
  for (const char* product : {"out = multiply(s, y)", "out = multiply(y, s)"}) {
    for (const char* gate : {"silu", "swish"}) {
      rules.add(str("swiglu_", gate, product[15] == 's' ? "" : "_behind"))
          .source(str("s = ", gate, "(x); ", product))
          .result("out = swiglu(x, y)")
          .where([](const Match& m) { return m.same_type("x", "y") && is_floating(m.dtype("x")); });
    }
  }
}

}  // namespace paddle::pir
