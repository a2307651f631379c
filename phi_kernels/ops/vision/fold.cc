// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The windows of images as columns (unfold) and the sum of such columns (fold): linear maps, each
// the transpose and so the derivative of the other.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/vision.h"
#include "phi_kernels/rules/window.h"

namespace paddle::ops {
namespace {

// Attributes from position k on: kernel_sizes, strides, paddings, dilations.
struct Windows {
  Shape kernel, strides, paddings, dilations;
};

Windows windows_of(const Infer& c, int k) {
  Windows w{c.ints(k), c.ints(k + 1), c.ints(k + 2), c.ints(k + 3)};
  const auto span = [](const Shape& s) { return std::span<const Dim>(s.data(), s.size()); };
  check_per_axis(c.op_name(), "kernel_sizes", span(w.kernel), 2, 1);
  check_per_axis(c.op_name(), "strides", span(w.strides), 2, 1);
  check_per_axis(c.op_name(), "paddings", span(w.paddings), 4, 0);
  check_per_axis(c.op_name(), "dilations", span(w.dilations), 2, 1);
  return w;
}

// Windows along axis a of an image.
Dim count_along(const Infer& c, const Windows& w, const Dim& extent, size_t a) {
  const Dim window = w.dilations[a] * (w.kernel[a] - Dim(1)) + Dim(1);
  const Dim padded = extent + w.paddings[a] + w.paddings[a + 2];
  PADDLE_CHECK_VALUE(decide_le(window, padded, true), c.op_name(), ": kernel_sizes is ", w.kernel,
                     " and dilations is ", w.dilations, "; along spatial axis ", a,
                     " a window covers ", window, " elements and the padded image has ", padded,
                     "; use a smaller window or more padding.");
  return floordiv(padded - window, w.strides[a]) + Dim(1);
}

void infer_unfold(Infer& c) {
  c.require_rank(0, 4);
  const Windows w = windows_of(c, 1);
  const Shape& x = c.shape(0);
  c.out(0,
        Shape{x[0], x[1] * w.kernel[0] * w.kernel[1],
              count_along(c, w, x[2], 0) * count_along(c, w, x[3], 1)},
        c.dtype(0));
}

void infer_fold(Infer& c) {
  c.require_rank(0, 3);
  const Windows w = windows_of(c, 2);
  const Shape sizes = c.ints(1);
  const bool open = std::any_of(sizes.begin(), sizes.end(), [](Dim d) { return d.is_symbolic(); });
  if (!open) check_per_axis(c.op_name(), "output_sizes", {sizes.data(), sizes.size()}, 2, 1);
  const Shape& x = c.shape(0);
  const Dim elements = w.kernel[0] * w.kernel[1];
  PADDLE_CHECK_VALUE(decide_eq(mod(x[1], elements), 0, true), c.op_name(), ": x has shape ", x,
                     " and kernel_sizes is ", w.kernel, "; x.shape[1] (", x[1],
                     ") must be a multiple of the elements of a window, ", elements, ".");
  const Dim count = count_along(c, w, sizes[0], 0) * count_along(c, w, sizes[1], 1);
  PADDLE_CHECK_VALUE(decide_eq(x[2], count, true), c.op_name(), ": x has shape ", x,
                     " and output_sizes is ", sizes, "; x.shape[2] (", x[2],
                     ") must be the number of windows of such an image, ", count, ".");
  c.out(0, Shape{x[0], floordiv(x[1], elements), sizes[0], sizes[1]}, c.dtype(0));
}

}  // namespace

void register_fold(Registry& r) {
  r.op("unfold")
      .schema(
          "unfold(Tensor x, int[] kernel_sizes, int[] strides, int[] paddings, int[] dilations) -> "
          "(Tensor out)")
      .doc(
          "The windows of images [N, C, H, W] as columns [N, C * window, windows]; paddings is "
          "[top, left, bottom, right].",
          "paddle._C_ops.unfold(paddle.ones([1, 2, 4, 4]), [2, 2], [1, 1], [0, 0, 0, 0], [1, 1])")
      .spmd(sharding::unfold)
      .opaque("a walk over windows")
      .infer(infer_unfold)
      .saves({})
      .vjp([](Vjp& v) {
        const Shape& x = v.in(0).shape();
        v.set(0, fold(v.grad(), Shape{x[2], x[3]}, v.ints(1), v.ints(2), v.ints(3), v.ints(4)));
      });
  r.op("fold")
      .schema(
          "fold(Tensor x, int[] output_sizes, int[] kernel_sizes, int[] strides, int[] paddings, "
          "int[] dilations) -> (Tensor out)")
      .doc("Images as the sum of their windows, given as columns [N, C * window, windows].",
           "paddle._C_ops.fold(paddle.ones([1, 8, 9]), [4, 4], [2, 2], [1, 1], [0, 0, 0, 0], [1, "
           "1])")
      .spmd(sharding::fold)
      .opaque("a walk over windows")
      .infer(infer_fold)
      .saves({})
      .vjp([](Vjp& v) { v.set(0, unfold(v.grad(), v.ints(2), v.ints(3), v.ints(4), v.ints(5))); });
}

}  // namespace paddle::ops
