// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Regions of images brought to one size. roi_align (He et al., 2017) and psroi_pool (Dai et al.,
// 2016) are linear in x: each has its transpose, and the two are each other's derivative. roi_pool
// (Girshick, 2015) picks elements. Boxes are constants.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/vision.h"
#include "phi_kernels/ops/vision/sampling.h"

namespace paddle::ops {
namespace {

// x and boxes; boxes_num at position k; pooled_height and pooled_width at `size`.
void check_regions(const Infer& c, int k, int size) {
  c.require_rank(0, 4);
  c.require_floating(0);
  c.require_rank(1, 2);
  c.require_same_dtype(1, 0);
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; it must be a real floating type.");
  PADDLE_CHECK_VALUE(decide_eq(c.shape(1)[1], 4, true), c.op_name(), ": boxes has shape ",
                     c.shape(1), "; it must be [regions, 4].");
  for (int a = 2; a < 4; ++a) {
    PADDLE_CHECK_VALUE(decide_lt(0, c.shape(0)[static_cast<size_t>(a)], true), c.op_name(),
                       ": x has shape ", c.shape(0), "; no spatial axis may be empty.");
  }
  if (c.has(k)) {
    c.require_integer(k);
    c.require_rank(k, 1);
    PADDLE_CHECK_VALUE(decide_eq(c.shape(k)[0], c.shape(0)[0], true), c.op_name(),
                       ": boxes_num has shape ", c.shape(k), " and x has shape ", c.shape(0),
                       "; there must be one number per image.");
  } else {
    PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[0], 1, true), c.op_name(),
                       ": boxes_num is None and x has shape ", c.shape(0),
                       "; without boxes_num there must be one image.");
  }
  PADDLE_CHECK_VALUE(
      c.i(size) > 0 && c.i(size + 1) > 0 && c.i(size) < 65536 && c.i(size + 1) < 65536, c.op_name(),
      ": the output size is ", c.i(size), " by ", c.i(size + 1),
      "; both must be positive and below 65536.");
}

Shape pooled(const Infer& c, Dim channels, int size) {
  return Shape{c.shape(1)[0], channels, c.i(size), c.i(size + 1)};
}

// arguments: x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale, ...
void infer_align(Infer& c) {
  check_regions(c, 2, 3);
  c.out(0, pooled(c, c.shape(0)[1], 3), c.dtype(0));
}

void infer_pool(Infer& c) {
  check_regions(c, 2, 3);
  const Shape out = pooled(c, c.shape(0)[1], 3);
  c.out(0, out, c.dtype(0));
  c.out(1, out, DType::kInt64);
}

void check_channels(const Infer& c, int size, int64_t channels) {
  const Dim expected = Dim(channels) * Dim(c.i(size)) * Dim(c.i(size + 1));
  PADDLE_CHECK_VALUE(channels > 0 && decide_eq(c.shape(0)[1], expected, true), c.op_name(),
                     ": x has shape ", c.shape(0), "; its channels (", c.shape(0)[1],
                     ") must be output_channels times the elements of the output, ", channels,
                     " * ", c.i(size), " * ", c.i(size + 1), ".");
}

// arguments: x, boxes, boxes_num, pooled_height, pooled_width, output_channels, spatial_scale
void infer_psroi(Infer& c) {
  check_regions(c, 2, 3);
  check_channels(c, 3, c.i(5));
  c.out(0, pooled(c, c.i(5), 3), c.dtype(0));
}

// arguments: x (its shape), boxes, out_grad, boxes_num, pooled_height, ...
void infer_align_grad(Infer& c) {
  check_regions(c, 3, 4);
  c.require_same_dtype(2, 0);
  c.require_shape(2, pooled(c, c.shape(0)[1], 4));
  c.out(0, c.shape(0), c.dtype(0));
}

void infer_psroi_grad(Infer& c) {
  check_regions(c, 3, 4);
  check_channels(c, 4, c.i(6));
  c.require_same_dtype(2, 0);
  c.require_shape(2, pooled(c, c.i(6), 4));
  c.out(0, c.shape(0), c.dtype(0));
}

// arg_max holds flat positions in x, or -1.
void vjp_pool(Vjp& v) {
  if (!v.needs(0) || !v.has_grad(0)) return;
  const Shape x = v.in(0).shape();
  const Tensor at = reshape(v.out(1), Shape{-1}), g = reshape(v.grad(), Shape{-1});
  const Tensor none = full(Shape(), Scalar(int64_t{0}), DType::kInt64, at.place());
  const Tensor flags = cast(greater_equal(at, none), g.dtype());
  const Tensor zeros = full(Shape{numel_of(x)}, Scalar(0.0), g.dtype(), g.place());
  v.set(0, reshape(index_add(zeros, maximum(at, none), g * flags, 0), x));
}

void define_linear(OpDef& op, OpDef& grad) {
  op.opaque("sums of few elements, found from the boxes").saves({"boxes", "boxes_num"});
  grad.opaque("the transpose of a pool of regions")
      .reads_shape_of({"x"})
      .saves({"boxes", "boxes_num"});
}

void register_align(Registry& r) {
  OpDef& align =
      r.op("roi_align")
          .schema(
              "roi_align(Tensor x, Tensor boxes, Tensor? boxes_num, int pooled_height=1, int "
              "pooled_width=1, float spatial_scale=1.0, int sampling_ratio=-1, bool aligned=false) "
              "-> (Tensor out)")
          .doc(
              "Every box (x1, y1, x2, y2), times spatial_scale, cut into bins; a bin is the mean "
              "of bilinear samples, sampling_ratio by sampling_ratio of them or, with -1, about "
              "one per element. boxes_num counts the boxes of each image; aligned shifts boxes by "
              "half a pixel.",
              "paddle._C_ops.roi_align(paddle.ones([1, 2, 8, 8]), paddle.to_tensor([[0., 0., 4., "
              "4.]]), paddle.to_tensor([1], 'int32'), 2, 2)")
          .infer(infer_align)
          .vjp([](Vjp& v) {
            if (!v.needs(0)) return;
            v.set(0, roi_align_grad(v.in(0), v.in(1), v.grad(), v.in(2), v.i(3), v.i(4), v.f(5),
                                    v.i(6), v.b(7)));
          });
  OpDef& align_grad =
      r.op("roi_align_grad")
          .schema(
              "roi_align_grad(Tensor x, Tensor boxes, Tensor out_grad, Tensor? boxes_num, int "
              "pooled_height, int pooled_width, float spatial_scale, int sampling_ratio, bool "
              "aligned) -> (Tensor x_grad)")
          .doc("Gradient of roi_align by x, whose values are not read.",
               "paddle._C_ops.roi_align_grad(paddle.ones([1, 2, 8, 8]), paddle.to_tensor([[0., 0., "
               "4., 4.]]), paddle.to_tensor([1], 'int32'), paddle.ones([1, 2, 2, 2]), 2, 2, 1.0, "
               "-1, False)")
          .infer(infer_align_grad)
          .vjp([](Vjp& v) {
            if (!v.needs(2)) return;
            v.set(2, roi_align(v.grad(), v.in(1), v.in(3), v.i(4), v.i(5), v.f(6), v.i(7), v.b(8)));
          });
  define_linear(align.spmd(sharding::roi_align), align_grad.spmd(sharding::roi_align_grad));
}

void register_psroi(Registry& r) {
  OpDef& psroi =
      r.op("psroi_pool")
          .schema(
              "psroi_pool(Tensor x, Tensor boxes, Tensor? boxes_num, int pooled_height=1, int "
              "pooled_width=1, int output_channels=1, float spatial_scale=1.0) -> (Tensor out)")
          .doc(
              "Every box cut into bins; a bin of output channel c is the mean over it of the input "
              "channel that belongs to c and the bin.",
              "paddle._C_ops.psroi_pool(paddle.ones([1, 8, 8, 8]), paddle.to_tensor([[0., 0., 4., "
              "4.]]), paddle.to_tensor([1], 'int32'), 2, 2, 2)")
          .infer(infer_psroi)
          .vjp([](Vjp& v) {
            if (!v.needs(0)) return;
            v.set(0, psroi_pool_grad(v.in(0), v.in(1), v.grad(), v.in(2), v.i(3), v.i(4), v.i(5),
                                     v.f(6)));
          });
  OpDef& psroi_grad =
      r.op("psroi_pool_grad")
          .schema(
              "psroi_pool_grad(Tensor x, Tensor boxes, Tensor out_grad, Tensor? boxes_num, int "
              "pooled_height, int pooled_width, int output_channels, float spatial_scale) -> "
              "(Tensor x_grad)")
          .doc(
              "Gradient of psroi_pool by x, whose values are not read.",
              "paddle._C_ops.psroi_pool_grad(paddle.ones([1, 8, 8, 8]), paddle.to_tensor([[0., 0., "
              "4., 4.]]), paddle.to_tensor([1], 'int32'), paddle.ones([1, 2, 2, 2]), 2, 2, 2, 1.0)")
          .infer(infer_psroi_grad)
          .vjp([](Vjp& v) {
            if (!v.needs(2)) return;
            v.set(2, psroi_pool(v.grad(), v.in(1), v.in(3), v.i(4), v.i(5), v.i(6), v.f(7)));
          });
  define_linear(psroi.spmd(sharding::psroi_pool), psroi_grad.spmd(sharding::psroi_pool_grad));
}

void register_pool(Registry& r) {
  r.op("roi_pool")
      .schema(
          "roi_pool(Tensor x, Tensor boxes, Tensor? boxes_num, int pooled_height=1, int "
          "pooled_width=1, float spatial_scale=1.0) -> (Tensor out, Tensor arg_max)")
      .doc(
          "Every box, times spatial_scale and rounded, cut into bins; a bin is the maximum over "
          "it, 0 if it is empty. arg_max is its flat position in x, or -1.",
          "paddle._C_ops.roi_pool(paddle.ones([1, 2, 8, 8]), paddle.to_tensor([[0., 0., 4., 4.]]), "
          "paddle.to_tensor([1], 'int32'), 2, 2)")
      .spmd(sharding::roi_pool)
      .opaque("maxima of bins, found from the boxes")
      .infer(infer_pool)
      .no_grad_result("arg_max")
      .saves({"arg_max"})
      .vjp(vjp_pool);
}

}  // namespace

void register_roi(Registry& r) {
  register_align(r);
  register_psroi(r);
  register_pool(r);
}

}  // namespace paddle::ops
