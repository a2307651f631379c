// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A convolution with what follows it: bias, activations, products and sums. Passes make it of
// several operators (pir/transform/fuse_epilogue.cc).
#include "phi_kernels/ops/epilogue.h"

#include "paddle_core/op/args.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/conv.h"
#include "phi_kernels/ops/conv/shape.h"
#include "phi_kernels/rules/conv.h"

namespace paddle::ops {
namespace {

// arguments: input, filter, bias, residual, ..., epilogue, out_dtype
constexpr int kBias = 2, kResidual = 3, kEpilogue = 10, kOutDtype = 11;
constexpr EpilogueArguments kArguments{kBias, kResidual, kEpilogue, kOutDtype};

void infer(Infer& c) {
  const Shape out = conv_result_shape(c);
  if (c.has(kBias)) {
    c.require_rank(kBias, 1);
    PADDLE_CHECK_VALUE(decide_eq(c.shape(kBias)[0], c.shape(1)[0], true), c.op_name(),
                       ": bias has shape ", c.shape(kBias), " and filter has shape ", c.shape(1),
                       "; bias must have one value per filter.");
  }
  c.out(0, out, check_epilogue(c, kArguments, out));
}

TensorList decompose(Args& args) {
  const ConvAttributes a = conv_attributes(args);
  const EpilogueOperands o = epilogue_operands(args, kArguments);
  Tensor out =
      conv2d(o.x, o.weight, a.strides, a.paddings, a.algorithm, a.dilations, a.groups, a.format);
  if (o.bias.defined()) {
    const Shape channels = a.channels_last() ? Shape{-1} : Shape{-1, 1, 1};
    out = out + reshape(o.bias, channels);
  }
  out = apply_epilogue(out, args.text(kEpilogue), o.residual, args.op().name());
  return {as_dtype(out, o.dtype)};
}

}  // namespace

void register_conv_epilogue(Registry& r) {
  r.op("conv2d_epilogue")
      .schema(
          "conv2d_epilogue(Tensor input, Tensor filter, Tensor? bias, Tensor? residual, int[] "
          "strides={1, 1}, int[] paddings={0, 0}, str padding_algorithm=\"EXPLICIT\", int[] "
          "dilations={1, 1}, int groups=1, str data_format=\"NCHW\", str epilogue=\"\", DType "
          "out_dtype=Undefined) -> (Tensor out)")
      .doc(
          "conv2d plus a bias per filter, then the steps of epilogue, such as 'hardswish "
          "linear(0.5,1) add relu' (paddle_core/op/epilogue.h). bias and residual may be float32 "
          "where input is narrower, and out_dtype float32 gives the result unrounded.",
          "paddle._C_ops.conv2d_epilogue(paddle.ones([1, 2, 4, 4]), paddle.ones([3, 2, 3, 3]), "
          "paddle.ones([3]), epilogue='relu')")
      .amp_class(AmpClass::kLow)
      .infer(infer)
      .follows_layout({"input", "residual"}, {"out"}, "data_format")
      .decompose(decompose);
}

}  // namespace paddle::ops
