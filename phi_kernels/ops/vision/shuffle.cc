// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Channels moved into pixels, pixels into channels, and channels interleaved: a reshape, a
// transposition and a reshape.
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/rules/window.h"

namespace paddle::ops {
namespace {

// arguments: x, factor, data_format
bool check_shuffle(const Infer& c) {
  c.require_rank(0, 4);
  PADDLE_CHECK_VALUE(c.text(2) == "NCHW" || c.text(2) == "NHWC", c.op_name(), ": data_format is '",
                     c.text(2), "'; it must be 'NCHW' or 'NHWC'.");
  PADDLE_CHECK_VALUE(c.i(1) > 0 && c.i(1) < (int64_t{1} << 31), c.op_name(), ": ", c.arg_name(1),
                     " is ", c.i(1), "; it must be positive and below 2^31.");
  return is_channels_last(c.text(2));
}

void require_multiple(const Infer& c, Dim extent, int64_t factor, const char* what) {
  PADDLE_CHECK_VALUE(decide_eq(mod(extent, factor), 0, true), c.op_name(), ": x has shape ",
                     c.shape(0), " and ", c.arg_name(1), " is ", c.i(1), "; ", what, " (", extent,
                     ") must be a multiple of ", factor, ".");
}

void infer_pixel_shuffle(Infer& c) {
  const bool last = check_shuffle(c);
  const int64_t r = c.i(1);
  Shape out = c.shape(0);
  Dim& channels = out[channel_axis(last, 4)];
  require_multiple(c, channels, r * r, "the number of channels");
  channels = floordiv(channels, r * r);
  for (size_t a = 0; a < 2; ++a) out[spatial_axis(last, a)] = out[spatial_axis(last, a)] * Dim(r);
  c.out(0, out, c.dtype(0));
}

void infer_pixel_unshuffle(Infer& c) {
  const bool last = check_shuffle(c);
  const int64_t r = c.i(1);
  Shape out = c.shape(0);
  for (size_t a = 0; a < 2; ++a) {
    Dim& extent = out[spatial_axis(last, a)];
    require_multiple(c, extent, r, "every spatial extent");
    extent = floordiv(extent, r);
  }
  Dim& channels = out[channel_axis(last, 4)];
  channels = channels * Dim(r * r);
  c.out(0, out, c.dtype(0));
}

void infer_channel_shuffle(Infer& c) {
  const bool last = check_shuffle(c);
  require_multiple(c, c.shape(0)[channel_axis(last, 4)], c.i(1), "the number of channels");
  c.out(0, c.shape(0), c.dtype(0));
}

TensorList shuffle_pixels(Args& a) {
  const Tensor x = a.tensor(0);
  const Shape& s = x.shape();
  const int64_t r = a.i(1);
  if (is_channels_last(a.text(2))) {
    const Dim c = floordiv(s[3], r * r);
    const Tensor parts = reshape(x, Shape{s[0], s[1], s[2], c, r, r});
    return {reshape(transpose(parts, Shape{0, 1, 4, 2, 5, 3}),
                    Shape{s[0], s[1] * Dim(r), s[2] * Dim(r), c})};
  }
  const Dim c = floordiv(s[1], r * r);
  const Tensor parts = reshape(x, Shape{s[0], c, r, r, s[2], s[3]});
  return {reshape(transpose(parts, Shape{0, 1, 4, 2, 5, 3}),
                  Shape{s[0], c, s[2] * Dim(r), s[3] * Dim(r)})};
}

TensorList unshuffle_pixels(Args& a) {
  const Tensor x = a.tensor(0);
  const Shape& s = x.shape();
  const int64_t r = a.i(1);
  if (is_channels_last(a.text(2))) {
    const Dim h = floordiv(s[1], r), w = floordiv(s[2], r);
    const Tensor parts = reshape(x, Shape{s[0], h, r, w, r, s[3]});
    return {
        reshape(transpose(parts, Shape{0, 1, 3, 5, 2, 4}), Shape{s[0], h, w, s[3] * Dim(r * r)})};
  }
  const Dim h = floordiv(s[2], r), w = floordiv(s[3], r);
  const Tensor parts = reshape(x, Shape{s[0], s[1], h, r, w, r});
  return {reshape(transpose(parts, Shape{0, 1, 3, 5, 2, 4}), Shape{s[0], s[1] * Dim(r * r), h, w})};
}

TensorList shuffle_channels(Args& a) {
  const Tensor x = a.tensor(0);
  const Shape s = x.shape();
  const int64_t groups = a.i(1);
  if (is_channels_last(a.text(2))) {
    const Tensor parts = reshape(x, Shape{s[0], s[1], s[2], groups, floordiv(s[3], groups)});
    return {reshape(transpose(parts, Shape{0, 1, 2, 4, 3}), s)};
  }
  const Tensor parts = reshape(x, Shape{s[0], groups, floordiv(s[1], groups), s[2], s[3]});
  return {reshape(transpose(parts, Shape{0, 2, 1, 3, 4}), s)};
}

}  // namespace

void register_pixel_shuffle(Registry& r) {
  r.op("pixel_shuffle")
      .schema(
          "pixel_shuffle(Tensor x, int upscale_factor=1, str data_format=\"NCHW\") -> (Tensor out)")
      .doc("Groups of r * r channels become squares of r by r pixels (Shi et al., 2016).",
           "paddle._C_ops.pixel_shuffle(paddle.ones([1, 8, 3, 3]), 2)")
      .infer(infer_pixel_shuffle)
      .follows_layout({"x"}, {"out"}, "data_format")
      .decompose(shuffle_pixels);
  r.op("pixel_unshuffle")
      .schema(
          "pixel_unshuffle(Tensor x, int downscale_factor=1, str data_format=\"NCHW\") -> (Tensor "
          "out)")
      .doc("Squares of r by r pixels become groups of r * r channels.",
           "paddle._C_ops.pixel_unshuffle(paddle.ones([1, 2, 6, 6]), 2)")
      .infer(infer_pixel_unshuffle)
      .decompose(unshuffle_pixels);
  r.op("channel_shuffle")
      .schema("channel_shuffle(Tensor x, int groups, str data_format=\"NCHW\") -> (Tensor out)")
      .doc("Channels of several groups interleaved (Zhang et al., 2018).",
           "paddle._C_ops.channel_shuffle(paddle.ones([1, 6, 3, 3]), 2)")
      .infer(infer_channel_shuffle)
      .decompose(shuffle_channels);
}

}  // namespace paddle::ops
