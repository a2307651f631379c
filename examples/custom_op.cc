// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// squareplus, (x + sqrt(x^2 + b)) / 2: a kernel in plain loops, its gradient in operators.
#include <cmath>

#include "paddle/extension.h"

std::vector<paddle::Tensor> squareplus(const paddle::Tensor& x, float b) {
  PD_CHECK(b >= 0, "b must not be negative, got ", b);
  paddle::Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(
      x.dtype(), "squareplus", ([&] {
        const data_t* from = x.data<data_t>();
        data_t* to = out.data<data_t>();
        for (int64_t i = 0; i < x.numel(); ++i) {
          to[i] = (from[i] + std::sqrt(from[i] * from[i] + static_cast<data_t>(b))) / 2;
        }
      }));
  return {out};
}

// The derivative is out / (2 out - x).
std::vector<paddle::Tensor> squareplus_grad(const paddle::Tensor& x, const paddle::Tensor& out,
                                            const paddle::Tensor& grad_out) {
  return {grad_out * out / (out * 2.0 - x)};
}

PD_BUILD_OP(squareplus)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"b: float"})
    .SetKernelFn(PD_KERNEL(squareplus));

PD_BUILD_GRAD_OP(squareplus)
    .Inputs({"X", "Out", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(squareplus_grad));
