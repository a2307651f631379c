// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions over two and three axes. Three bilinear maps are closed under differentiation:
//   conv(x, w) -> y,   conv_grad_input(w, g) -> x,   conv_grad_filter(x, g) -> w,
// for <conv(x, w), g> is the same number seen from y, x and w; the derivative of each one is
// written with the other two. A transposed convolution is conv_grad_input with its own size rule.
#include "phi_kernels/ops/conv.h"

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/conv/shape.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/conv.h"

namespace paddle::ops {
namespace {

void check_attributes(const Infer& c, const ConvAttributes& a) {
  const char* op = c.op_name();
  check_per_axis(op, "strides", {a.strides.data(), a.strides.size()}, a.axes, 1);
  check_per_axis(op, "dilations", {a.dilations.data(), a.dilations.size()}, a.axes, 1);
  check_padding(op, a.algorithm, {a.paddings.data(), a.paddings.size()}, a.axes);
  PADDLE_CHECK_VALUE(a.groups >= 1, op, ": groups has value ", a.groups,
                     "; it must be at least 1.");
  PADDLE_CHECK_VALUE(!a.format.empty() && a.format.front() == 'N', op, ": data_format is '",
                     a.format, "'; it must be one of NCHW, NHWC, NCDHW, NDHWC.");
}

void check_operands(const Infer& c, int x, int filter, const ConvAttributes& a) {
  const int64_t rank = static_cast<int64_t>(a.axes) + 2;
  c.require_floating(x);
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(x)), c.op_name(), ": ", c.arg_name(x), " has dtype ",
                    c.dtype(x), "; it must be a real floating type; convolve real() and imag().");
  c.require_same_dtype(filter, x);
  c.require_rank(x, rank);
  c.require_rank(filter, rank);
}

// Extent of filter axis `a`, dilated.
Dim window_extent(const Infer& c, const ConvAttributes& at, const Shape& filter, size_t a) {
  const Dim kernel = filter[a + 2];
  PADDLE_CHECK_VALUE(decide_le(1, kernel, true), c.op_name(), ": filter has shape ", filter,
                     "; every spatial extent must be at least 1.");
  const Dim dilation = at.algorithm == "SAME" ? Dim(1) : at.dilations[a];
  return dilation * (kernel - Dim(1)) + Dim(1);
}

// Number of windows along axis `a`.
Dim conv_extent(const Infer& c, const ConvAttributes& at, const Shape& x, const Shape& filter,
                size_t a) {
  const Dim in = x[spatial_axis(at.channels_last(), a)];
  const Dim window = window_extent(c, at, filter, a);
  const Dim stride = at.strides[a];
  if (at.algorithm == "SAME") return floordiv(in + stride - Dim(1), stride);
  const Dim padded = in + at.added(a);
  if (!in.is_symbolic() && in == Dim(0)) return max(floordiv(padded - window, stride) + 1, 0);
  PADDLE_CHECK_VALUE(decide_le(window, padded, true), c.op_name(), ": input has shape ", x,
                     " and filter has shape ", filter, "; along spatial axis ", a,
                     " the dilated filter covers ", window, " elements and the padded input has ",
                     padded, "; enlarge paddings or use a smaller filter.");
  return floordiv(padded - window, stride) + Dim(1);
}

Shape conv_shape(const Infer& c, const ConvAttributes& at, const Shape& x, const Shape& filter) {
  const bool last = at.channels_last();
  const size_t channel = channel_axis(last, x.size());
  PADDLE_CHECK_VALUE(decide_eq(x[channel], filter[1] * Dim(at.groups), true), c.op_name(),
                     ": input has shape ", x, " (data_format ", at.format,
                     ") and filter has shape ", filter, " with groups ", at.groups,
                     "; the input's channels (", x[channel],
                     ") must equal filter.shape[1] * groups (", filter[1] * Dim(at.groups), ").");
  PADDLE_CHECK_VALUE(decide_eq(mod(filter[0], at.groups), 0, true), c.op_name(),
                     ": filter has shape ", filter, " and groups is ", at.groups,
                     "; the number of filters (", filter[0], ") must be a multiple of groups.");
  Shape out = x;
  out[channel] = filter[0];
  for (size_t a = 0; a < at.axes; ++a) {
    out[spatial_axis(last, a)] = conv_extent(c, at, x, filter, a);
  }
  return out;
}

}  // namespace

Shape conv_result_shape(const Infer& c) {
  const ConvAttributes at = conv_attributes(c);
  check_operands(c, 0, 1, at);
  check_attributes(c, at);
  return conv_shape(c, at, c.shape(0), c.shape(1));
}

namespace {

void infer_conv(Infer& c) { c.out(0, conv_result_shape(c), c.dtype(0)); }

// arguments: input, filter, out_grad, ...; the result has the shape of argument `of`.
void infer_grad(Infer& c, int of) {
  const ConvAttributes at = conv_attributes(c);
  check_operands(c, 0, 1, at);
  c.require_same_dtype(2, 0);
  check_attributes(c, at);
  const Shape expected = conv_shape(c, at, c.shape(0), c.shape(1));
  const Shape& g = c.shape(2);
  bool fits = g.size() == expected.size();
  for (size_t i = 0; fits && i < g.size(); ++i) fits = decide_eq(g[i], expected[i], true);
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": out_grad has shape ", g,
                     "; the convolution of an input of shape ", c.shape(0),
                     " with a filter of shape ", c.shape(1), " has shape ", expected, ".");
  c.out(0, c.shape(of), c.dtype(0));
}

void check_output_extent(const Infer& c, const ConvAttributes& at, size_t a, Dim least,
                         const Dim given) {
  const Dim stride = at.strides[a];
  PADDLE_CHECK_VALUE(decide_le(least, given, true) && decide_lt(given, least + stride, true),
                     c.op_name(), ": output_size has value ", given, " along spatial axis ", a,
                     "; it must lie in [", least, ", ", least + stride,
                     "): what stride leaves open, not more.");
}

// What a transposed convolution takes off axis `a` of its result, on both sides together.
Dim transposed_padding(const ConvAttributes& at, size_t a, Dim in, Dim kernel) {
  if (at.algorithm != "SAME") return at.added(a);
  const Dim stride = at.strides[a];
  const Dim windows = floordiv(in + stride - Dim(1), stride);
  return max((windows - Dim(1)) * stride + kernel - in, 0);
}

// arguments: x, filter, ...
void infer_transpose(Infer& c) {
  const ConvAttributes at = conv_attributes(c);
  check_operands(c, 0, 1, at);
  check_attributes(c, at);
  const Shape &x = c.shape(0), &filter = c.shape(1);
  const bool last = at.channels_last();
  const size_t channel = channel_axis(last, x.size());
  PADDLE_CHECK_VALUE(decide_eq(x[channel], filter[0], true), c.op_name(), ": x has shape ", x,
                     " (data_format ", at.format, ") and filter has shape ", filter,
                     "; the channels of x (", x[channel], ") must equal filter.shape[0] (",
                     filter[0], ").");
  PADDLE_CHECK_VALUE(decide_eq(mod(filter[0], at.groups), 0, true), c.op_name(), ": x has ",
                     x[channel], " channels and groups is ", at.groups,
                     "; the channels must be a multiple of groups.");
  const int sizes_arg = c.op().schema().arg_index("output_size");
  const Shape sizes = c.has(sizes_arg) ? c.ints(sizes_arg) : Shape();
  if (!at.output_padding.empty()) {
    check_per_axis(c.op_name(), "output_padding",
                   {at.output_padding.data(), at.output_padding.size()}, at.axes, 0);
  }
  PADDLE_CHECK_VALUE(sizes.empty() || sizes.size() == at.axes, c.op_name(), ": output_size is ",
                     sizes, "; one value per spatial axis is needed, ", at.axes, ".");
  Shape out = x;
  out[channel] = filter[1] * Dim(at.groups);
  for (size_t a = 0; a < at.axes; ++a) {
    const size_t axis = spatial_axis(last, a);
    const Dim window = window_extent(c, at, filter, a);
    const Dim stride = at.strides[a];
    const Dim padding = transposed_padding(at, a, x[axis], filter[a + 2]);
    const Dim least = (x[axis] - Dim(1)) * stride + window - padding;
    Dim extent = least;
    if (!sizes.empty()) {
      extent = sizes[a];
      if (!extent.is_symbolic()) check_output_extent(c, at, a, least, extent);
    } else if (!at.output_padding.empty()) {
      const Dim more = at.output_padding[a];
      PADDLE_CHECK_VALUE(decide_lt(more, stride, true), c.op_name(), ": output_padding is ",
                         at.output_padding, " and strides is ", at.strides,
                         "; every value must be below the stride.");
      extent = least + more;
    }
    PADDLE_CHECK_VALUE(decide_lt(0, extent, true) || (!x[axis].is_symbolic() && x[axis] == Dim(0)),
                       c.op_name(), ": x has shape ", x, " and filter has shape ", filter,
                       "; the output would have ", extent, " elements along spatial axis ", a,
                       "; use smaller paddings.");
    out[axis] = max(extent, 0);
  }
  c.out(0, out, c.dtype(0));
}

// -- the three maps over 2 or 3 axes --------------------------------------------------------------

Tensor conv(const ConvAttributes& a, const Tensor& x, const Tensor& w) {
  return a.axes == 3
             ? conv3d(x, w, a.strides, a.paddings, a.algorithm, a.groups, a.dilations, a.format)
             : conv2d(x, w, a.strides, a.paddings, a.algorithm, a.dilations, a.groups, a.format);
}
Tensor grad_input(const ConvAttributes& a, const Tensor& x, const Tensor& w, const Tensor& g) {
  const auto fn = a.axes == 3 ? conv3d_grad_input : conv2d_grad_input;
  return fn(x, w, g, a.strides, a.paddings, a.algorithm, a.dilations, a.groups, a.format);
}
Tensor grad_filter(const ConvAttributes& a, const Tensor& x, const Tensor& w, const Tensor& g) {
  const auto fn = a.axes == 3 ? conv3d_grad_filter : conv2d_grad_filter;
  return fn(x, w, g, a.strides, a.paddings, a.algorithm, a.dilations, a.groups, a.format);
}

void vjp_conv(Vjp& v) {
  const ConvAttributes a = conv_attributes(v.args());
  if (v.needs(0)) v.set(0, grad_input(a, v.in(0), v.in(1), v.grad()));
  if (v.needs(1)) v.set(1, grad_filter(a, v.in(0), v.in(1), v.grad()));
}

void vjp_grad_input(Vjp& v) {
  const ConvAttributes a = conv_attributes(v.args());
  if (v.needs(1)) v.set(1, grad_filter(a, v.grad(), v.in(1), v.in(2)));
  if (v.needs(2)) v.set(2, conv(a, v.grad(), v.in(1)));
}

void vjp_grad_filter(Vjp& v) {
  const ConvAttributes a = conv_attributes(v.args());
  if (v.needs(0)) v.set(0, grad_input(a, v.in(0), v.grad(), v.in(2)));
  if (v.needs(2)) v.set(2, conv(a, v.in(0), v.grad()));
}

void vjp_transpose(Vjp& v) {
  ConvAttributes a = conv_attributes(v.args());
  const Tensor x = v.in(0), w = v.in(1);
  const Dim elements = numel_of(x.shape());
  if (!elements.is_symbolic() && elements == Dim(0)) {
    v.set(0, zeros(x.shape(), x));
    if (v.needs(1)) v.set(1, zeros(w.shape(), w));
    return;
  }
  // "SAME" is a rule of this operator's own input; the other maps get the numbers.
  Shape paddings;
  for (size_t k = 0; k < a.axes; ++k) {
    if (a.algorithm == "SAME") {
      const Dim extent = x.shape()[spatial_axis(a.channels_last(), k)];
      const Dim both = transposed_padding(a, k, extent, w.shape()[k + 2]);
      paddings.push_back(floordiv(both, 2));
      paddings.push_back(both - floordiv(both, 2));
    } else {
      const bool pairs = a.paddings.size() == 2 * a.axes, none = a.algorithm == "VALID";
      paddings.push_back(none ? Dim(0) : a.paddings[pairs ? 2 * k : k]);
      paddings.push_back(none ? Dim(0) : a.paddings[pairs ? 2 * k + 1 : k]);
    }
    if (a.algorithm == "SAME") a.dilations[k] = 1;
  }
  a.paddings = paddings;
  a.algorithm = "EXPLICIT";
  if (v.needs(0)) v.set(0, conv(a, v.grad(), w));
  if (v.needs(1)) v.set(1, grad_filter(a, v.grad(), w, x));
}

Tensor along_channels(const Tensor& bias, const ConvAttributes& a, const Tensor& out) {
  Shape shape(static_cast<size_t>(out.ndim()), Dim(1));
  shape[channel_axis(a.channels_last(), shape.size())] = -1;
  return reshape(bias, shape);
}

// The gradient of a bias is the sum over everything but the channels.
Tensor bias_grad(const ConvAttributes& a, const Tensor& g) {
  const size_t channel = channel_axis(a.channels_last(), g.shape().size());
  Shape others;
  for (size_t i = 0; i < g.shape().size(); ++i) {
    if (i != channel) others.push_back(static_cast<int64_t>(i));
  }
  return sum_axes(g, others, false);
}

void vjp_conv_bias(Vjp& v) {
  vjp_conv(v);
  if (v.needs(2)) v.set(2, bias_grad(conv_attributes(v.args()), v.grad()));
}

// As layers are saved: a convolution, by channel where it is one, and an addition.
TensorList decompose_conv_bias(Args& args) {
  const ConvAttributes a = conv_attributes(args);
  const Tensor x = args.tensor(0), filter = args.tensor(1);
  const bool by_channel = a.axes == 2 && a.groups > 1 && filter.shape()[1] == Dim(1);
  const Tensor out = by_channel ? depthwise_conv2d(x, filter, a.strides, a.paddings, a.algorithm,
                                                   a.groups, a.dilations, a.format)
                                : conv(a, x, filter);
  return {out + along_channels(args.tensor(2), a, out)};
}

TensorList decompose_depthwise(Args& a) {
  return {conv(conv_attributes(a), a.tensor(0), a.tensor(1))};
}

TensorList decompose_depthwise_bias(Args& args) {
  const ConvAttributes a = conv_attributes(args);
  const Tensor out = conv(a, args.tensor(0), args.tensor(1));
  if (!args.has(2)) return {out};
  return {out + along_channels(args.tensor(2), a, out)};
}

void infer_conv_bias(Infer& c) {
  infer_conv(c);
  if (!c.has(2)) return;
  c.require_rank(2, 1);
  c.require_same_dtype(2, 0);
  PADDLE_CHECK_VALUE(decide_eq(c.shape(2)[0], c.shape(1)[0], true), c.op_name(),
                     ": bias has shape ", c.shape(2), " and filter has shape ", c.shape(1),
                     "; bias must have one value per filter.");
}

constexpr const char* kConvDoc =
    "Cross-correlation of input with filter [out_channels, in_channels / groups, kernel...], for "
    "each group of channels on its own. paddings holds one value per axis or pairs [before, "
    "after].";
constexpr const char* kTransposeDoc =
    "Transposed convolution of x with filter [in_channels, out_channels / groups, kernel...]: the "
    "gradient of the convolution by its input. output_padding or output_size choose among the "
    "extents that stride leaves open.";

void define_conv(OpDef& op) {
  op.primitive("convolution, which libraries compute at the machine's limit")
      .cost(cost::conv)
      .spmd(sharding::conv)
      .amp_class(AmpClass::kLow)
      .infer(infer_conv)
      .follows_layout({"input"}, {"out"}, "data_format")
      .trait(kBilinear)
      .saves({"input", "filter"})
      .vjp(vjp_conv);
}
void define_conv_bias(OpDef& op) {
  op.amp_class(AmpClass::kParts)
      .infer(infer_conv_bias)
      .follows_layout({"input"}, {"out"}, "data_format")
      .trait(kBilinear | kUnsaved)
      .saves({"input", "filter"})
      .vjp(vjp_conv_bias)
      .decompose(decompose_conv_bias);
}
void define_grad_input(OpDef& op, const char* example) {
  op.doc("Gradient of the convolution by its input, whose values are not read.", example)
      .primitive("one of three maps that are closed under differentiation")
      .cost(cost::conv_grad)
      .spmd(sharding::conv_grad_input)
      .amp_class(AmpClass::kLow)
      .infer([](Infer& c) { infer_grad(c, 0); })
      .follows_layout({"input", "out_grad"}, {"input_grad"}, "data_format")
      .reads_shape_of({"input"})
      .trait(kBilinear)
      .saves({"filter", "out_grad"})
      .vjp(vjp_grad_input);
}
void define_grad_filter(OpDef& op, const char* example) {
  op.doc("Gradient of the convolution by its filter, whose values are not read.", example)
      .primitive("one of three maps that are closed under differentiation")
      .cost(cost::conv_grad)
      .spmd(sharding::conv_grad_filter)
      .amp_class(AmpClass::kLow)
      .infer([](Infer& c) { infer_grad(c, 1); })
      .follows_layout({"input", "out_grad"}, {}, "data_format")
      .reads_shape_of({"filter"})
      .trait(kBilinear)
      .saves({"input", "out_grad"})
      .vjp(vjp_grad_filter);
}
void define_transpose(OpDef& op) {
  op.primitive("convolution, which libraries compute at the machine's limit")
      .cost(cost::conv_transpose)
      .spmd(sharding::conv_transpose)
      .amp_class(AmpClass::kLow)
      .infer(infer_transpose)
      .follows_layout({"x"}, {"out"}, "data_format")
      .trait(kBilinear)
      .saves({"x", "filter"})
      .vjp(vjp_transpose);
}

}  // namespace

void register_conv(Registry& r) {
  define_conv(r.op("conv2d")
                  .schema("conv2d(Tensor input, Tensor filter, int[] strides={1, 1}, int[] "
                          "paddings={0, 0}, str padding_algorithm=\"EXPLICIT\", int[] "
                          "dilations={1, 1}, int groups=1, str data_format=\"NCHW\") -> (Tensor "
                          "out)")
                  .doc(kConvDoc,
                       "paddle._C_ops.conv2d(paddle.ones([1, 2, 4, 4]), paddle.ones([3, 2, 3, "
                       "3]))"));
  define_conv(r.op("conv3d")
                  .schema("conv3d(Tensor input, Tensor filter, int[] strides={1, 1, 1}, int[] "
                          "paddings={0, 0, 0}, str padding_algorithm=\"EXPLICIT\", int groups=1, "
                          "int[] dilations={1, 1, 1}, str data_format=\"NCDHW\") -> (Tensor out)")
                  .doc(kConvDoc,
                       "paddle._C_ops.conv3d(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([3, 2, 3, "
                       "3, 3]))"));
  define_grad_input(
      r.op("conv2d_grad_input")
          .schema("conv2d_grad_input(Tensor input, Tensor filter, Tensor out_grad, int[] strides, "
                  "int[] paddings, str padding_algorithm, int[] dilations, int groups, str "
                  "data_format) -> (Tensor input_grad)"),
      "paddle._C_ops.conv2d_grad_input(paddle.ones([1, 2, 4, 4]), paddle.ones([3, 2, 3, 3]), "
      "paddle.ones([1, 3, 2, 2]), [1, 1], [0, 0], 'EXPLICIT', [1, 1], 1, 'NCHW')");
  define_grad_input(
      r.op("conv3d_grad_input")
          .schema("conv3d_grad_input(Tensor input, Tensor filter, Tensor out_grad, int[] strides, "
                  "int[] paddings, str padding_algorithm, int[] dilations, int groups, str "
                  "data_format) -> (Tensor input_grad)"),
      "paddle._C_ops.conv3d_grad_input(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([3, 2, 3, 3, 3]), "
      "paddle.ones([1, 3, 2, 2, 2]), [1, 1, 1], [0, 0, 0], 'EXPLICIT', [1, 1, 1], 1, 'NCDHW')");
  define_grad_filter(
      r.op("conv2d_grad_filter")
          .schema("conv2d_grad_filter(Tensor input, Tensor filter, Tensor out_grad, int[] strides, "
                  "int[] paddings, str padding_algorithm, int[] dilations, int groups, str "
                  "data_format) -> (Tensor filter_grad)"),
      "paddle._C_ops.conv2d_grad_filter(paddle.ones([1, 2, 4, 4]), paddle.ones([3, 2, 3, 3]), "
      "paddle.ones([1, 3, 2, 2]), [1, 1], [0, 0], 'EXPLICIT', [1, 1], 1, 'NCHW')");
  define_grad_filter(
      r.op("conv3d_grad_filter")
          .schema("conv3d_grad_filter(Tensor input, Tensor filter, Tensor out_grad, int[] strides, "
                  "int[] paddings, str padding_algorithm, int[] dilations, int groups, str "
                  "data_format) -> (Tensor filter_grad)"),
      "paddle._C_ops.conv3d_grad_filter(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([3, 2, 3, 3, "
      "3]), paddle.ones([1, 3, 2, 2, 2]), [1, 1, 1], [0, 0, 0], 'EXPLICIT', [1, 1, 1], 1, "
      "'NCDHW')");
  define_transpose(
      r.op("conv2d_transpose")
          .schema("conv2d_transpose(Tensor x, Tensor filter, int[] strides={1, 1}, int[] "
                  "paddings={0, 0}, int[] output_padding={}, IntArray@operand output_size={}, str "
                  "padding_algorithm=\"EXPLICIT\", int groups=1, int[] dilations={1, 1}, str "
                  "data_format=\"NCHW\") -> (Tensor out)")
          .doc(kTransposeDoc,
               "paddle._C_ops.conv2d_transpose(paddle.ones([1, 2, 4, 4]), paddle.ones([2, 3, 3, "
               "3]))"));
  define_transpose(
      r.op("conv3d_transpose")
          .schema("conv3d_transpose(Tensor x, Tensor filter, int[] strides={1, 1, 1}, int[] "
                  "paddings={0, 0, 0}, int[] output_padding={}, int[] output_size={}, str "
                  "padding_algorithm=\"EXPLICIT\", int groups=1, int[] dilations={1, 1, 1}, str "
                  "data_format=\"NCHW\") -> (Tensor out)")
          .doc(kTransposeDoc,
               "paddle._C_ops.conv3d_transpose(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([2, 3, "
               "3, 3, 3]))"));
}

void register_depthwise_conv(Registry& r) {
  r.op("depthwise_conv2d")
      .schema(
          "depthwise_conv2d(Tensor input, Tensor filter, int[] strides={1, 1}, int[] "
          "paddings={0, 0}, str padding_algorithm=\"EXPLICIT\", int groups=1, int[] "
          "dilations={1, 1}, str data_format=\"NCHW\") -> (Tensor out)")
      .doc("conv2d with as many groups as input channels.",
           "paddle._C_ops.depthwise_conv2d(paddle.ones([1, 2, 4, 4]), paddle.ones([2, 1, 3, 3]), "
           "groups=2)")
      .amp_class(AmpClass::kLow)
      .infer(infer_conv)
      .rank(1)
      .decompose(decompose_depthwise);
  define_conv_bias(
      r.op("conv2d_bias")
          .schema("conv2d_bias(Tensor input, Tensor filter, Tensor bias, int[] strides={1, 1}, "
                  "int[] paddings={0, 0}, str padding_algorithm=\"EXPLICIT\", int[] dilations={1, "
                  "1}, int groups=1, str data_format=\"NCHW\") -> (Tensor out)")
          .doc("conv2d plus a bias per channel, in one call of the library.",
               "paddle._C_ops.conv2d_bias(paddle.ones([1, 2, 4, 4]), paddle.ones([3, 2, 3, 3]), "
               "paddle.ones([3]))"));
  define_conv_bias(
      r.op("conv3d_bias")
          .schema("conv3d_bias(Tensor input, Tensor filter, Tensor bias, int[] strides={1, 1, 1}, "
                  "int[] paddings={0, 0, 0}, str padding_algorithm=\"EXPLICIT\", int groups=1, "
                  "int[] dilations={1, 1, 1}, str data_format=\"NCDHW\") -> (Tensor out)")
          .doc("conv3d plus a bias per channel, in one call of the library.",
               "paddle._C_ops.conv3d_bias(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([3, 2, 3, 3, "
               "3]), paddle.ones([3]))"));
  r.op("depthwise_conv2d_bias")
      .schema(
          "depthwise_conv2d_bias(Tensor input, Tensor filter, Tensor? bias, int[] strides={1, "
          "1}, int[] paddings={0, 0}, str padding_algorithm=\"EXPLICIT\", int groups=1, int[] "
          "dilations={1, 1}, str data_format=\"NCHW\") -> (Tensor out)")
      .doc("depthwise_conv2d plus a bias per channel.",
           "paddle._C_ops.depthwise_conv2d_bias(paddle.ones([1, 2, 4, 4]), paddle.ones([2, 1, 3, "
           "3]), paddle.ones([2]), groups=2)")
      .amp_class(AmpClass::kLow)
      .infer(infer_conv_bias)
      .decompose(decompose_depthwise_bias);
  r.op("depthwise_conv3d_bias")
      .schema(
          "depthwise_conv3d_bias(Tensor input, Tensor filter, Tensor? bias, int[] strides={1, 1, "
          "1}, int[] paddings={0, 0, 0}, str padding_algorithm=\"EXPLICIT\", int groups=1, int[] "
          "dilations={1, 1, 1}, str data_format=\"NCDHW\") -> (Tensor out)")
      .doc("conv3d with as many groups as input channels, plus a bias per channel.",
           "paddle._C_ops.depthwise_conv3d_bias(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([2, 1, "
           "3, 3, 3]), paddle.ones([2]), groups=2)")
      .amp_class(AmpClass::kLow)
      .infer(infer_conv_bias)
      .decompose(decompose_depthwise_bias);
  r.op("depthwise_conv2d_transpose")
      .schema(
          "depthwise_conv2d_transpose(Tensor x, Tensor filter, int[] strides={1, 1}, int[] "
          "paddings={0, 0}, int[] output_padding={}, IntArray@operand output_size={}, str "
          "padding_algorithm=\"EXPLICIT\", int groups=1, int[] dilations={1, 1}, str "
          "data_format=\"NCHW\") -> (Tensor out)")
      .doc("conv2d_transpose with as many groups as channels of x.",
           "paddle._C_ops.depthwise_conv2d_transpose(paddle.ones([1, 2, 4, 4]), paddle.ones([2, "
           "1, 3, 3]), groups=2)")
      .amp_class(AmpClass::kLow)
      .infer(infer_transpose)
      .decompose([](Args& args) -> TensorList {
        const ConvAttributes a = conv_attributes(args);
        return {conv2d_transpose(args.tensor(0), args.tensor(1), a.strides, a.paddings,
                                 a.output_padding, a.output_size, a.algorithm, a.groups,
                                 a.dilations, a.format)};
      });
}

}  // namespace paddle::ops
