// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A product with a matrix and what follows it. Passes make it of several operators
// (pir/transform/fuse_epilogue.cc).
#include "paddle_core/op/args.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/epilogue.h"
#include "phi_kernels/ops/linalg.h"

namespace paddle::ops {
namespace {

// arguments: x, y, bias, residual, transpose_y, epilogue, out_dtype
constexpr int kBias = 2, kResidual = 3, kTranspose = 4, kEpilogue = 5, kOutDtype = 6;
constexpr EpilogueArguments kArguments{kBias, kResidual, kEpilogue, kOutDtype};

void infer(Infer& c) {
  c.require_floating(0);
  c.require_same_dtype(1, 0);
  c.require_rank_at_least(0, 2);
  c.require_rank(1, 2);
  const Shape& y = c.shape(1);
  const bool transposed = c.b(kTranspose);
  const Dim inner = y[transposed ? 1 : 0], columns = y[transposed ? 0 : 1];
  Shape out = c.shape(0);
  PADDLE_CHECK_VALUE(decide_eq(out[out.size() - 1], inner, true), c.op_name(), ": x has shape ",
                     out, " and y has shape ", y, " (transpose_y ", transposed,
                     "); the last extent of x must be the number of rows of y, ", inner, '.');
  out[out.size() - 1] = columns;
  if (c.has(kBias)) c.require_shape(kBias, {columns});
  c.out(0, out, check_epilogue(c, kArguments, out));
}

TensorList decompose(Args& a) {
  const EpilogueOperands o = epilogue_operands(a, kArguments);
  Tensor out = matmul(o.x, o.weight, false, a.b(kTranspose));
  if (o.bias.defined()) out = out + o.bias;
  out = apply_epilogue(out, a.text(kEpilogue), o.residual, a.op().name());
  return {as_dtype(out, o.dtype)};
}

}  // namespace

void register_matmul_epilogue(Registry& r) {
  r.op("matmul_epilogue")
      .schema(
          "matmul_epilogue(Tensor x, Tensor y, Tensor? bias, Tensor? residual, bool "
          "transpose_y=false, str epilogue=\"\", DType out_dtype=Undefined) -> (Tensor out)")
      .doc(
          "x @ y (or y transposed) + bias, then the steps of epilogue, such as 'gelu' or 'add "
          "relu' (paddle_core/op/epilogue.h). y is one matrix. bias and residual may be float32 "
          "where x is narrower, and out_dtype float32 gives the result unrounded.",
          "paddle._C_ops.matmul_epilogue(paddle.ones([2, 3]), paddle.ones([3, 4]), "
          "paddle.ones([4]), epilogue='gelu')")
      .amp_class(AmpClass::kLow)
      .infer(infer)
      .decompose(decompose);
}

}  // namespace paddle::ops
