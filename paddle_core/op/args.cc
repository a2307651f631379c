// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a rule is given that reads a number which is a tensor without a value.
#include "paddle_core/op/args.h"

namespace paddle {

void throw_no_constant(const OpDef& op, int arg) {
  throw_error(ErrorKind::kNotImplemented,
              str(op.name(), ": ", op.schema().args[static_cast<size_t>(arg)].name,
                  " is a Tensor of the program that is captured, and a rule of the operator, its "
                  "gradient for instance, needs the value. Give a number, or take the gradient of "
                  "a function under to_static instead of inside of the program."));
}

}  // namespace paddle
