// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Epilogues as operators, and the rule for their operands.
#include "phi_kernels/ops/epilogue.h"

#include "paddle_core/op/epilogue.h"
#include "phi_kernels/ops/activation.h"
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

DType check_epilogue(Infer& c, const EpilogueArguments& a, const Shape& out) {
  const auto require_dtype = [&](int i) {
    if (c.has(i) && c.dtype(i) != DType::kFloat32) c.require_same_dtype(i, 0);
  };
  require_dtype(a.bias);
  require_dtype(a.residual);
  DType dtype = c.dtype_attr(a.out_dtype);
  if (dtype == DType::kUndefined) dtype = c.dtype(0);
  PADDLE_CHECK_VALUE(dtype == c.dtype(0) || dtype == DType::kFloat32, c.op_name(),
                     ": out_dtype is ", dtype, "; it must be float32 or the dtype of ",
                     c.arg_name(0), ", ", c.dtype(0), '.');
  const bool taken = takes_residual(parse_epilogue(c.text(a.epilogue), c.op_name()));
  PADDLE_CHECK_VALUE(taken == c.has(a.residual), c.op_name(), ": epilogue is '", c.text(a.epilogue),
                     "'; residual must be given when it holds add or multiply, and only then.");
  if (!taken) return dtype;
  const Shape& shape = c.shape(a.residual);
  bool fits = shape.size() == out.size();
  for (size_t i = 0; fits && i < out.size(); ++i) fits = decide_eq(shape[i], out[i], true);
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": residual has shape ", shape,
                     "; it must have the result's shape ", out, '.');
  return dtype;
}

EpilogueOperands epilogue_operands(const Args& args, const EpilogueArguments& a) {
  EpilogueOperands o{args.tensor(0), args.tensor(1), args.tensor(a.bias), args.tensor(a.residual),
                     args.dtype(a.out_dtype)};
  const DType own = o.x.dtype();
  if (o.dtype == DType::kUndefined) o.dtype = own;
  const auto differs = [&](const Tensor& t) { return t.defined() && t.dtype() != own; };
  if (o.dtype == own && !differs(o.bias) && !differs(o.residual)) return o;
  for (Tensor* t : {&o.x, &o.weight, &o.bias, &o.residual}) {
    if (t->defined()) *t = as_dtype(*t, DType::kFloat32);
  }
  return o;
}

}  // namespace paddle::ops
