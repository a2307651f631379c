// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Epilogues as operators, and the rule for their operands.
#include "phi_kernels/ops/epilogue.h"

#include "paddle_core/op/epilogue.h"
#include "phi_kernels/ops/compose.h"

namespace paddle::ops {
namespace {

using Kind = EpilogueStep::Kind;

Tensor apply(const EpilogueStep& step, const Tensor& x) {
  switch (step.kind) {
    case Kind::kRelu:
      return relu(x);
    case Kind::kLeakyRelu:
      return leaky_relu(x, step.a);
    case Kind::kSigmoid:
      return sigmoid(x);
    case Kind::kHardSigmoid:
      return hardsigmoid(x, step.a, step.b);
    case Kind::kHardSwish:
      return hardswish(x);
    case Kind::kSwish:
      return x * sigmoid(x * Scalar(step.a));
    case Kind::kTanh:
      return tanh(x);
    case Kind::kGelu:
      return gelu(x, false);
    case Kind::kGeluTanh:
      return gelu(x, true);
    case Kind::kClip:
      return clip(x, Scalar(step.a), Scalar(step.b));
    default:
      return scale(x, Scalar(step.a), Scalar(step.b), true);
  }
}

}  // namespace

Tensor apply_epilogue(Tensor x, std::string_view epilogue, const Tensor& residual, const char* op) {
  for (const EpilogueStep& step : parse_epilogue(epilogue, op)) {
    if (!step.takes_residual()) {
      x = apply(step, x);
    } else {
      x = step.kind == Kind::kAdd ? x + residual : x * residual;
    }
  }
  return x;
}

void check_epilogue(Infer& c, int epilogue, int residual, const Shape& out) {
  const bool taken = takes_residual(parse_epilogue(c.text(epilogue), c.op_name()));
  PADDLE_CHECK_VALUE(taken == c.has(residual), c.op_name(), ": epilogue is '", c.text(epilogue),
                     "'; residual must be given when it holds add or multiply, and only then.");
  if (!taken) return;
  c.require_same_dtype(residual, 0);
  const Shape& shape = c.shape(residual);
  bool fits = shape.size() == out.size();
  for (size_t i = 0; fits && i < out.size(); ++i) fits = decide_eq(shape[i], out[i], true);
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": residual has shape ", shape,
                     "; it must have the result's shape ", out, '.');
}

}  // namespace paddle::ops
