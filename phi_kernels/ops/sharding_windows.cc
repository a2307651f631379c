// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sharding rules of images: samples and channels of convolutions, pools, interpolation; regions.
// Space stays whole: windows at the edge of a part would need elements of its neighbour.
#include "phi_kernels/ops/sharding_factors.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/window.h"

namespace paddle::ops::sharding {
namespace {

int64_t channels_of(const Spmd& s, int64_t rank) {
  const int at = position(s, "data_format");
  const bool last = at >= 0 && is_channels_last(s.text(at));
  return static_cast<int64_t>(channel_axis(last, static_cast<size_t>(rank)));
}

// Where a convolution has its images, those that it makes, and its filter [out, in / groups, ...];
// a negative number is a result.
struct ConvTensors {
  int input, output, filter;
};
constexpr int kResult = -1;

void place(Spmd& s, int tensor, int64_t dim, int f) {
  if (tensor == kResult) {
    s.result(0, dim, f);
  } else {
    s.operand(tensor, dim, f);
  }
}

// Three maps have the same factors; each sums over those that its result does not have. Several
// groups are split together with their number: each part has whole ones.
void convolution(Spmd& s, ConvTensors at) {
  const int64_t channel = channels_of(s, s.ndim(0));
  const auto shape = [&](int tensor) -> const Shape& {
    return tensor == kResult ? s.out_shape(0) : s.shape(tensor);
  };
  const int n = s.factor(extent_of(s.shape(0), 0).value());
  place(s, at.input, 0, n);
  place(s, at.output, 0, n);
  if (at.filter == kResult) s.reduces(n, ReduceKind::kSum);
  const int groups_arg = position(s, "groups");
  const int64_t groups = s.i(groups_arg);
  if (groups > 1) {
    const int g = s.factor(groups);
    s.even(g).count_argument(groups_arg, g);
    place(s, at.input, channel, g);
    place(s, at.output, channel, g);
    place(s, at.filter, 0, g);
    return;
  }
  const int out = s.factor(extent_of(shape(at.filter), 0).value());
  place(s, at.output, channel, out);
  place(s, at.filter, 0, out);
  if (at.input == kResult) s.reduces(out, ReduceKind::kSum);
  const int in = s.factor(extent_of(shape(at.filter), 1).value());
  place(s, at.input, channel, in);
  place(s, at.filter, 1, in);
  if (at.output == kResult) s.reduces(in, ReduceKind::kSum);
}

}  // namespace

void conv(Spmd& s) {
  convolution(s, {0, kResult, 1});
  s.linear({0}).linear({1});
}
void conv_grad_input(Spmd& s) {
  convolution(s, {kResult, 2, 1});
  const int64_t channel = channels_of(s, s.ndim(0));
  // The argument that tells the shape is split like the result.
  for (const int64_t d : {int64_t{0}, channel}) s.operand(0, d, s.result_factor(0, d));
  s.linear({1}).linear({2});
}
void conv_grad_filter(Spmd& s) {
  convolution(s, {0, 2, kResult});
  for (const int64_t d : {0, 1}) s.operand(1, d, s.result_factor(0, d));
  s.linear({0}).linear({2});
}
// The gradient by the input, whose channels are those of the result.
void conv_transpose(Spmd& s) {
  convolution(s, {kResult, 0, 1});
  s.linear({0}).linear({1});
}

void channels(Spmd& s) {
  const int64_t rank = s.out_ndim(0);
  for (const int64_t d : {int64_t{0}, channels_of(s, rank)}) {
    const Dim extent = extent_of(s.out_shape(0), d);
    const int f = s.factor(extent.value());
    for (Spmd::Operand& o : s.operands()) {
      const Shape& own = o.tensor->shape;
      if (static_cast<int64_t>(own.size()) == rank && extent_of(own, d) == extent) {
        o.factors[static_cast<size_t>(d)] = f;
      }
    }
    for (size_t r = 0; r < s.num_results(); ++r) s.result(static_cast<int>(r), d, f);
  }
}
void channels_linear(Spmd& s) {
  channels(s);
  const bool is_grad = s.op().reads_shape_only(0);
  s.linear({is_grad ? 1 : 0});
}
void pool(Spmd& s) {
  channels(s);
  if (s.text(position(s, "pooling_type")) != "max") s.linear({0});
}
void drawn_channels(Spmd& s) {
  if (s.f(position(s, "random_u")) != 0) channels(s);
}

void unfold(Spmd& s) {
  passes(s, 0, 0);
  s.even(passes(s, 1, 1));  // the columns of a channel stand together
  s.linear({0});
}
void fold(Spmd& s) {
  passes(s, 0, 0);
  const int f = s.factor(extent_of(s.out_shape(0), 1).value());
  s.even(f).operand(0, 1, f).result(0, 1, f);
  s.linear({0});
}

namespace {

// Regions, unless boxes_num says how many belong to each image.
int regions(Spmd& s, bool has_numbers) {
  if (has_numbers) return -1;
  const int f = s.factor(extent_of(s.shape(1), 0).value());
  s.operand(1, 0, f);
  return f;
}

}  // namespace

void roi_pool(Spmd& s) {  // channels are whole: arg_max counts elements of all of x
  const int f = regions(s, s.has(2));
  for (size_t r = 0; r < s.num_results() && f >= 0; ++r) s.result(static_cast<int>(r), 0, f);
}
void psroi_pool(Spmd& s) {  // a channel of x belongs to one place of the window
  roi_pool(s);
  s.linear({0});
}
void psroi_pool_grad(Spmd& s) {
  const int f = regions(s, s.has(3));
  if (f >= 0) s.reduces(f, ReduceKind::kSum).operand(2, 0, f);
  s.linear({2});
}
void roi_align(Spmd& s) {
  psroi_pool(s);
  passes(s, 1, 1);
}
void roi_align_grad(Spmd& s) {
  psroi_pool_grad(s);
  s.operand(2, 1, passes(s, 1, 1));
}

void box_coder(Spmd& s) {
  const bool encodes = s.ndim(2) == 2;
  const int64_t priors =
      encodes ? 1 : 1 - s.i(position(s, "axis"));  // their dimension in the result
  for (const int64_t d : {0, 1}) {
    const int f = s.factor(extent_of(s.out_shape(0), d).value());
    s.result(0, d, f);
    if (!encodes || d == 0) s.operand(2, d, f);
    if (d == priors) s.operand(0, 0, f).operand(1, 0, f);
  }
}

void merge_near_boxes(Spmd& s) {  // results [samples * boxes, classes, ...]
  const int samples = s.factor(extent_of(s.shape(0), 0).value());
  const int classes = s.factor(extent_of(s.shape(1), 1).value());
  s.even(samples).operand(0, 0, samples).operand(1, 0, samples).operand(1, 1, classes);
  for (const int r : {0, 1}) s.result(r, 0, samples).result(r, 1, classes);
}

}  // namespace paddle::ops::sharding
