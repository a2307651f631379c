// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Frames of a signal, their sum, and the short-time Fourier transform. frame and overlap_add are
// adjoint to each other.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/creation/counted.h"
#include "phi_kernels/ops/fft.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/signal.h"

namespace paddle::ops {
namespace {

void check_axis(const Infer& c, int64_t axis) {
  PADDLE_CHECK_VALUE(axis == 0 || axis == -1, c.op_name(), ": axis has value ", axis,
                     "; it must be 0 (time first) or -1 (time last); transpose x.");
}

void infer_frame(Infer& c) {
  c.require_rank_at_least(0, 1);
  const int64_t length = c.i(1), hop = c.i(2), axis = c.i(3);
  check_axis(c, axis);
  const Shape& x = c.shape(0);
  const Dim n = axis == 0 ? x.front() : x.back();
  PADDLE_CHECK_VALUE(length > 0 && hop > 0, c.op_name(), ": frame_length has value ", length,
                     " and hop_length has value ", hop,
                     "; both must be positive; pass at least 1.");
  PADDLE_CHECK_VALUE(decide_le(length, n, true), c.op_name(), ": x has shape ", x,
                     " and frame_length is ", length,
                     "; a frame must not be longer than the signal; pad x.");
  const Dim frames = floordiv(n - length, hop) + 1;
  Shape& out = c.out(0, c.dtype(0));
  out.clear();
  if (axis == 0) {
    out.push_back(frames);
    out.push_back(length);
    for (size_t d = 1; d < x.size(); ++d) out.push_back(x[d]);
  } else {
    for (size_t d = 0; d + 1 < x.size(); ++d) out.push_back(x[d]);
    out.push_back(length);
    out.push_back(frames);
  }
}

void infer_overlap_add(Infer& c) {
  c.require_rank_at_least(0, 2);
  const int64_t hop = c.i(1), axis = c.i(2);
  check_axis(c, axis);
  PADDLE_CHECK_VALUE(hop > 0, c.op_name(), ": hop_length has value ", hop,
                     "; it must be positive; pass at least 1.");
  const Shape& x = c.shape(0);
  const size_t rank = x.size();
  const Dim frames = axis == 0 ? x[0] : x[rank - 1], length = axis == 0 ? x[1] : x[rank - 2];
  PADDLE_CHECK_VALUE(
      decide_le(1, frames, true) && decide_le(1, length, true), c.op_name(), ": x has shape ", x,
      "; it must hold at least one frame of one sample; pass a ", "signal that is not empty.");
  const Dim n = (frames - 1) * hop + length;
  Shape& out = c.out(0, c.dtype(0));
  out.clear();
  if (axis == 0) {
    out.push_back(n);
    for (size_t d = 2; d < rank; ++d) out.push_back(x[d]);
  } else {
    for (size_t d = 0; d + 2 < rank; ++d) out.push_back(x[d]);
    out.push_back(n);
  }
}

// The samples behind the last whole frame have no influence.
void vjp_frame(Vjp& v) {
  const int64_t axis = v.i(3);
  Tensor g = overlap_add(v.grad(), v.i(2), axis);
  const Shape& x = v.in(0).shape();
  const size_t at = axis == 0 ? 0 : x.size() - 1;
  if (!decide_eq(g.shape()[at], x[at], true)) {
    Shape rest = x;
    rest[at] = x[at] - g.shape()[at];
    g = concat({g, full(rest, Scalar(0.0), g.dtype(), g.place())}, Scalar(int64_t(at)));
  }
  v.set(0, g);
}

void vjp_overlap_add(Vjp& v) {
  const Shape& x = v.in(0).shape();
  const int64_t axis = v.i(2);
  const Dim length = axis == 0 ? x[1] : x[x.size() - 2];
  if (!length.is_symbolic()) return v.set(0, frame(v.grad(), length.value(), v.i(1), axis));
  const Dim frames = axis == 0 ? x[0] : x.back();
  const Tensor& g = v.grad();
  const Tensor start = counted(frames, g.place()) * Scalar(v.i(1)), at = counted(length, g.place());
  const Tensor places = axis == 0
                            ? reshape(start, Shape{frames, 1}) + reshape(at, Shape{1, length})
                            : reshape(at, Shape{length, 1}) + reshape(start, Shape{1, frames});
  v.set(0, reshape(index_select(g, reshape(places, Shape{-1}), axis == 0 ? 0 : g.ndim() - 1), x));
}

Tensor last_two_exchanged(const Tensor& x) {
  Shape permutation;
  for (int64_t d = 0; d < x.ndim() - 2; ++d) permutation.push_back(d);
  permutation.push_back(x.ndim() - 1);
  permutation.push_back(x.ndim() - 2);
  return transpose(x, permutation);
}

// The frames are a view of the signal; the product with the window lays them out one after the
// other.
TensorList decompose_stft(Args& a) {
  const Tensor windowed = tensor_unfold(a.tensor(0), -1, a.i(2), a.i(3)) * a.tensor(1);
  const std::string_view norm = a.b(4) ? "ortho" : "backward";
  const Shape axes{windowed.ndim() - 1};
  const Tensor spectra = is_complex(windowed.dtype()) ? fft_c2c(windowed, axes, norm, true)
                                                      : fft_r2c(windowed, axes, norm, true, a.b(5));
  return {last_two_exchanged(spectra)};
}

void infer_stft(Infer& c) {
  const int64_t n = c.i(2), hop = c.i(3);
  PADDLE_CHECK_VALUE(n > 0 && hop > 0, c.op_name(), ": n_fft has value ", n,
                     " and hop_length has value ", hop,
                     "; both must be positive; pass at least 1.");
  c.require_rank_at_least(0, 1);
  c.require_floating(0);
  const Shape &x = c.shape(0), &window = c.shape(1);
  PADDLE_CHECK_VALUE(window.size() == 1 && decide_eq(window[0], n, true), c.op_name(),
                     ": window has shape ", window, " and n_fft is ", n, "; it must have shape [",
                     n, "]; pad the window.");
  PADDLE_CHECK_VALUE(decide_le(n, x.back(), true), c.op_name(), ": x has shape ", x,
                     " and n_fft is ", n, "; a frame must not be longer than the signal; pad x.");
  PADDLE_CHECK_VALUE(!is_complex(c.dtype(0)) || !c.b(5), c.op_name(), ": x has dtype ", c.dtype(0),
                     "; onesided spectra are those of real signals; pass onesided=False.");
  Shape& out = c.out(0, complex_of(c.dtype(0)));
  out = x;
  out.back() = c.b(5) ? n / 2 + 1 : n;
  out.push_back(floordiv(x.back() - n, hop) + 1);
}

}  // namespace

void register_frame(Registry& r) {
  r.op("frame")
      .schema("frame(Tensor x, int frame_length, int hop_length, int axis=-1) -> (Tensor out)")
      .doc(
          "Slices of frame_length samples, hop_length apart, of signals whose time is the last "
          "axis (out [..., frame_length, frames]) or, with axis=0, the first ([frames, "
          "frame_length, ...]).",
          "paddle.signal.frame(paddle.arange(6), 3, 2)")
      .python("paddle.signal.frame(x, frame_length, hop_length, axis=-1, name=None)")
      .spmd(sharding::frame)
      .opaque("a walk over overlapping windows")
      .infer(infer_frame)
      .saves({})
      .vjp(vjp_frame);

  r.op("overlap_add")
      .schema("overlap_add(Tensor x, int hop_length, int axis=-1) -> (Tensor out)")
      .doc("The signal that is the sum of frames hop_length apart: the adjoint of frame.",
           "paddle.signal.overlap_add(paddle.ones([3, 2]), 2)")
      .python("paddle.signal.overlap_add(x, hop_length, axis=-1, name=None)")
      .spmd(sharding::overlap_add)
      .opaque("a walk over overlapping windows")
      .infer(infer_overlap_add)
      .saves({})
      .vjp(vjp_overlap_add);

  r.op("stft")
      .schema(
          "stft(Tensor x, Tensor window, int n_fft, int hop_length, bool normalized, bool "
          "onesided) -> (Tensor out)")
      .doc(
          "The Fourier transforms of the windowed frames of x, as [..., frequencies, frames]; "
          "normalized divides by sqrt(n_fft).",
          "paddle._C_ops.stft(paddle.ones([8]), paddle.ones([4]), 4, 2, False, True)")
      .amp_class(AmpClass::kHigh)
      .infer(infer_stft)
      .decompose(decompose_stft);
}

}  // namespace paddle::ops
