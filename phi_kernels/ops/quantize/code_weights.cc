// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with weights that are int8 or int4 codes with a scale for each output, or for groups of
// inputs of each output. The weight is a constant: gradients go to the other operands.
#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/quantize.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

constexpr int64_t kChunk = 64, kWhole = 16;

// That arguments `codes` and `scale` are the codes and scales of a matrix; outputs and inputs.
std::pair<int64_t, int64_t> require_codes(const Infer& c, int codes, int scale, int bits) {
  c.require_dtype(codes, DType::kInt8);
  c.require_dtype(scale, DType::kFloat32);
  c.require_rank(codes, 2);
  c.require_rank(scale, 2);
  const int64_t width = c.i(bits);
  PADDLE_CHECK_VALUE(width == 8 || width == 4, c.op_name(), ": bits has value ", width,
                     "; it must be 8 or 4.");
  const Shape &w = c.shape(codes), &s = c.shape(scale);
  PADDLE_CHECK_VALUE(!w[0].is_symbolic() && !w[1].is_symbolic() && !s[0].is_symbolic(), c.op_name(),
                     ": codes has shape ", w, " and scale ", s, "; both must be known.");
  const int64_t outputs = w[0].value() * 8 / width, inputs = w[1].value(), groups = s[0].value();
  PADDLE_CHECK_VALUE(inputs > 0 && inputs % kChunk == 0 && outputs % kWhole == 0, c.op_name(),
                     ": codes has shape ", w, " of ", outputs, " outputs and ", inputs,
                     " inputs; they must be multiples of 16 and of 64.");
  PADDLE_CHECK_VALUE(
      s[1] == outputs && groups > 0 && inputs % groups == 0 && inputs / groups % kChunk == 0,
      c.op_name(), ": scale has shape ", s, "; it must be [groups, ", outputs,
      "], with groups that divide the ", inputs, " inputs into multiples of 64.");
  return {outputs, inputs};
}

// arguments: codes, scale, bits, dtype
void infer_dequantize(Infer& c) {
  const auto [outputs, inputs] = require_codes(c, 0, 1, 2);
  const DType dtype = c.dtype_attr(3);
  PADDLE_CHECK_TYPE(
      dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16,
      c.op_name(), ": dtype has value ", dtype, "; it must be float32, float16 or bfloat16.");
  c.out(0, Shape{inputs, outputs}, dtype);
}

// arguments: x, codes, scale, bias, bits
void infer_matmul(Infer& c) {
  const auto [outputs, inputs] = require_codes(c, 1, 2, 4);
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  PADDLE_CHECK_VALUE(c.shape(0).back() == inputs, c.op_name(), ": x has shape ", c.shape(0),
                     " and codes ", c.shape(1), "; both must have the same last extent.");
  if (c.has(3)) {
    c.require_same_dtype(0, 3);
    c.require_shape(3, Shape{outputs});
  }
  Shape shape = c.shape(0);
  shape.back() = outputs;
  c.out(0, shape, c.dtype(0));
}

// arguments: x, codes, scale, bias, threshold
void infer_int8(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  c.require_dtype(1, DType::kInt8);
  c.require_rank(1, 2);
  c.require_dtype(2, DType::kFloat32);
  const Shape &x = c.shape(0), &w = c.shape(1);
  PADDLE_CHECK_VALUE(!w[0].is_symbolic() && !w[1].is_symbolic() && x.back() == w[1],
                     "matmul_int8: x has shape ", x, " and codes ", w,
                     "; both must have the same last extent, and codes a known shape.");
  c.require_shape(2, Shape{w[0]});
  if (c.has(3)) {
    c.require_same_dtype(0, 3);
    c.require_shape(3, Shape{w[0]});
  }
  Shape shape = x;
  shape.back() = w[0];
  c.out(0, shape, c.dtype(0));
}

// In float64, too: scales are float32.
Tensor values(const Tensor& codes, const Tensor& scale, int64_t bits, DType dtype) {
  const DType held = dtype == DType::kFloat64 ? DType::kFloat32 : dtype;
  return as_dtype(dequantize_codes(codes, scale, bits, held), dtype);
}

TensorList decompose_matmul(Args& a) {
  const Tensor& x = a.tensor(0);
  const Tensor out = matmul(x, values(a.tensor(1), a.tensor(2), a.i(4), x.dtype()));
  return {a.has(3) ? out + a.tensor(3) : out};
}

void vjp_matmul(Vjp& v) {
  if (v.needs(0)) {
    const Tensor w = values(v.in(1), v.in(2), v.i(4), v.grad().dtype());
    v.set(0, matmul(v.grad(), w, false, true));
  }
  if (v.needs(3)) v.set(3, v.grad());
}

}  // namespace

void register_code_weights(Registry& r) {
  r.op("dequantize_codes")
      .schema(
          "dequantize_codes(Tensor codes, Tensor scale, int bits=8, DType dtype=float32) -> "
          "(Tensor out)")
      .doc(
          "The weights [inputs, outputs] of codes that paddle.nn.quant.weight_quantize has made "
          "for "
          "arch 75 or later: int8 [outputs * bits / 8, inputs], with scales [groups, outputs].",
          "paddle._C_ops.dequantize_codes(paddle.zeros([16, 64], 'int8'), paddle.ones([1, 16]))")
      .spmd(sharding::code_outputs)
      .opaque("a table of bytes in an order of their own")
      .no_grad()
      .infer(infer_dequantize);
  r.op("matmul_int8")
      .schema(
          "matmul_int8(Tensor x, Tensor codes, Tensor scale, Tensor? bias, float threshold=6.0) -> "
          "(Tensor out)")
      .doc(
          "x W^T + bias for W = scale * codes, in which both are int8: a row of x is rounded to "
          "multiples "
          "of its largest magnitude / 127, and products are added as integers. Columns in which "
          "any row "
          "of x has a magnitude above `threshold` are left out of that and multiplied in float32 "
          "(Dettmers et al. 2022, \"LLM.int8()\").\n"
          "x: A Tensor [..., inputs].\n"
          "codes: int8 [outputs, inputs].\n"
          "scale: float32 [outputs].",
          "paddle._C_ops.matmul_int8(paddle.ones([3, 64]), paddle.zeros([16, 64], 'int8'), "
          "paddle.ones([16]), None)")
      .spmd(sharding::int8_outputs)
      .opaque("a choice of columns by their values")
      .no_grad()
      .infer(infer_int8);
  r.op("matmul_codes")
      .schema(
          "matmul_codes(Tensor x, Tensor codes, Tensor scale, Tensor? bias, int bits=8) -> (Tensor "
          "out)")
      .doc(
          "x W + bias for the weights W [inputs, outputs] of dequantize_codes; x is [..., inputs]. "
          "Sums are in float32.",
          "paddle._C_ops.matmul_codes(paddle.ones([3, 64]), paddle.zeros([16, 64], 'int8'), "
          "paddle.ones([1, 16]), None)")
      .infer(infer_matmul)
      .saves({"codes", "scale"})
      .vjp(vjp_matmul)
      .decompose(decompose_matmul);
}

}  // namespace paddle::ops
