// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Interpolation over one to three spatial axes. It is a linear map of x; interp_grad is its
// transpose, and each is the derivative of the other.
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/vision.h"
#include "phi_kernels/rules/resample.h"

namespace paddle::ops {
namespace {

int64_t rank_of(std::string_view op) {
  if (op.starts_with("linear")) return 3;
  return op.starts_with("trilinear") ? 5 : op.starts_with("nearest") ? 0 : 4;
}

// in * scale rounded down. The scale of a symbolic axis must be a ratio of small integers.
Dim scaled(const Infer& c, Dim in, double scale) {
  if (!in.is_symbolic()) {
    return static_cast<int64_t>(static_cast<float>(in.value()) * static_cast<float>(scale));
  }
  for (int64_t q = 1; q <= 64; ++q) {
    const double p = scale * static_cast<double>(q);
    if (p == std::floor(p)) return floordiv(in * Dim(static_cast<int64_t>(p)), q);
  }
  throw_error(ErrorKind::kValue,
              str(c.op_name(), ": scale is ", scale,
                  " and the size of x is not known before the program runs; the scale must then be "
                  "a ratio of small integers; pass the output size instead."));
}

Dim extent(const Infer& c, const InterpAttributes& a, const Shape& x, size_t axis, size_t axes) {
  if (!a.sizes.empty()) return a.sizes[axis];
  const Dim in = x[spatial_axis(a.channels_last(), axis)];
  if (!a.scales.empty()) return scaled(c, in, a.scale(axis));
  return a.constant_sizes[3 - axes + axis];
}

void check_interp(const Infer& c, const InterpAttributes& a, size_t axes) {
  const char* op = c.op_name();
  PADDLE_CHECK_VALUE(a.format.starts_with("N"), op, ": data_format is '", a.format,
                     "'; it must be one of NCW, NWC, NCHW, NHWC, NCDHW, NDHWC.");
  PADDLE_CHECK_VALUE(a.rule.align_mode == 0 || a.rule.align_mode == 1, op, ": align_mode is ",
                     a.rule.align_mode, "; it must be 0 or 1.");
  PADDLE_CHECK_VALUE(a.sizes.empty() || a.sizes.size() == axes, op, ": out_size is ", a.sizes,
                     "; one value per spatial axis is needed, ", axes, ".");
  PADDLE_CHECK_VALUE(a.scales.empty() || a.scales.size() == 1 || a.scales.size() == axes, op,
                     ": scale has ", a.scales.size(), " values; one per spatial axis is needed, ",
                     axes, ".");
  for (const double s : a.scales) {
    PADDLE_CHECK_VALUE(s > 0 && s < 1e9, op, ": scale has value ", s,
                       "; it must be greater than 0.");
  }
}

void infer_interp(Infer& c) {
  const InterpAttributes a = interp_attributes(c);
  const int64_t rank = rank_of(c.op_name());
  if (rank > 0) c.require_rank(0, rank);
  PADDLE_CHECK_VALUE(c.rank(0) >= 3 && c.rank(0) <= 5, c.op_name(), ": x has shape ", c.shape(0),
                     "; it must have 3, 4 or 5 dimensions.");
  if (a.rule.kernel != InterpRule::Kernel::kNearest) {
    c.require_floating(0);
    PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                      "; it must be a real floating type.");
  }
  PADDLE_CHECK_VALUE(!c.has(3), c.op_name(),
                     ": scale_tensor is given; the scale must be known before the operator runs; "
                     "pass its values as scale.");
  const Shape& x = c.shape(0);
  const size_t axes = x.size() - 2;
  check_interp(c, a, axes);
  Shape out = x;
  for (size_t axis = 0; axis < axes; ++axis) {
    const Dim in = x[spatial_axis(a.channels_last(), axis)], size = extent(c, a, x, axis, axes);
    PADDLE_CHECK_VALUE(decide_lt(0, size, true), c.op_name(), ": the output would have ", size,
                       " elements along spatial axis ", axis,
                       "; it must have at least one; give a size or a larger scale.");
    PADDLE_CHECK_VALUE(decide_lt(0, in, true), c.op_name(), ": x has shape ", x,
                       "; no spatial axis may be empty.");
    PADDLE_CHECK_VALUE(decide_le(size, int64_t{1} << 31, true), c.op_name(),
                       ": the output would have ", size, " elements along spatial axis ", axis,
                       "; at most 2^31 are possible.");
    out[spatial_axis(a.channels_last(), axis)] = size;
  }
  c.out(0, out, c.dtype(0));
}

// arguments: x (its shape), out_grad, ...
void infer_grad(Infer& c) {
  const InterpAttributes a = interp_attributes(c);
  c.require_rank_at_least(0, 3);
  c.require_rank(1, c.rank(0));
  c.require_same_dtype(1, 0);
  c.require_floating(1);
  PADDLE_CHECK_VALUE(c.rank(0) <= 5, c.op_name(), ": x has shape ", c.shape(0),
                     "; it must have 3, 4 or 5 dimensions.");
  const size_t axes = static_cast<size_t>(c.rank(0)) - 2;
  check_interp(c, a, axes);
  const size_t channel = channel_axis(a.channels_last(), axes + 2);
  bool fits = decide_eq(c.shape(0)[0], c.shape(1)[0], true) &&
              decide_eq(c.shape(0)[channel], c.shape(1)[channel], true);
  for (size_t k = 0; k < axes; ++k) {
    const size_t axis = spatial_axis(a.channels_last(), k);
    fits = fits && decide_lt(0, c.shape(0)[axis], true) && decide_lt(0, c.shape(1)[axis], true);
  }
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": x has shape ", c.shape(0), " and out_grad has shape ",
                     c.shape(1), "; they may differ only in spatial axes, which are not empty.");
  c.out(0, c.shape(0), c.dtype(0));
}

std::string_view method_of(const InterpAttributes& a) {
  if (a.rule.kernel == InterpRule::Kernel::kCubic) return "bicubic";
  return a.rule.kernel == InterpRule::Kernel::kNearest ? "nearest" : "linear";
}

void vjp_interp(Vjp& v) {
  const InterpAttributes a = interp_attributes(v.args());
  v.set(0, interp_grad(v.in(0), v.grad(), a.format, a.scales, method_of(a), a.rule.align_corners,
                       a.rule.align_mode, a.antialias));
}

void vjp_interp_grad(Vjp& v) {
  if (!v.needs(1)) return;
  const InterpAttributes a = interp_attributes(v.args());
  const Shape& g = v.in(1).shape();
  Shape sizes;
  for (size_t k = 0; k + 2 < g.size(); ++k) sizes.push_back(g[spatial_axis(a.channels_last(), k)]);
  const auto kind = a.rule.kernel;
  if (a.antialias) {
    v.set(1, interp_antialias(v.grad(), sizes, {}, {}, a.format, 0, 0, 0, a.scales, method_of(a),
                              a.rule.align_corners, a.rule.align_mode));
    return;
  }
  const auto fn = kind == InterpRule::Kernel::kNearest ? nearest_interp
                  : kind == InterpRule::Kernel::kCubic ? bicubic_interp
                  : sizes.size() == 1                  ? linear_interp
                  : sizes.size() == 2                  ? bilinear_interp
                                                       : trilinear_interp;
  v.set(1, fn(v.grad(), sizes, {}, {}, a.format, 0, 0, 0, a.scales, method_of(a),
              a.rule.align_corners, a.rule.align_mode));
}

// arguments: x, y, scale, data_format
void infer_add_nearest(Infer& c) {
  c.require_rank(0, 4);
  c.require_rank(1, 4);
  c.require_same_dtype(1, 0);
  const Slot& scale = c.slot(2);
  PADDLE_CHECK_VALUE(scale.count == 2 && scale.floats[0] > 0 && scale.floats[1] > 0, c.op_name(),
                     ": scale must be two numbers greater than 0, of rows and columns.");
  Shape finer = c.shape(1), out;
  for (size_t k = 0; k < 2; ++k) {
    Dim& extent = finer[spatial_axis(is_channels_last(c.text(3)), k)];
    extent = scaled(c, extent, scale.floats[k]);
  }
  broadcast_into(c.shape(0), finer, c.op_name(), "x", "the interpolated y", out);
  c.out(0, out, c.dtype(0));
}

TensorList decompose_add_nearest(Args& args) {
  const Slot& scale = args.slot(2);
  return {add(args.tensor(0), nearest_interp(args.tensor(1), {}, {}, {}, args.text(3), 0, 0, 0,
                                             {scale.floats, scale.floats + scale.count}, "nearest",
                                             /*align_corners=*/false))};
}

// Scales are double, the format is that of images, sizes are int32: one tensor, or a list of them.
void write_interp(SavedForm& f) {
  AttributeArray scale;
  for (const Attribute& a : f.attribute("scale").get<AttributeArray>()) {
    scale.emplace_back(a.to_double());
  }
  f.set_attribute("scale", scale);
  const bool last = is_channels_last(f.text("data_format"));
  f.set_attribute("data_format", std::string(last ? "NHWC" : "NCHW"));
  const auto narrow = [&](FormValue v) {
    return f.dtype(v) == DType::kInt64 ? f.cast(v, DType::kInt32) : v;
  };
  if (const FormValue size = f.operand(1)) f.set_operand(1, narrow(size));
  const FormOperation* list = f.made_by(f.operand(2), "builtin.combine");
  if (!list) return;
  FormValues sizes;
  for (const FormValue v : list->operands()) sizes.push_back(narrow(v));
  f.set_operand(2, f.combine(sizes));
}

OpDef& define(OpDef& op, const char* doc, const char* example) {
  op.doc(
        std::string(doc) +
            " The output size is size_tensor, out_size, x's size times scale, or out_d, out_h and "
            "out_w. Without align_corners, align_mode 0 puts values at the centres of pixels, 1 at "
            "their edges.",
        example)
      .spmd(sharding::channels_linear)
      .opaque("a sparse linear map along every axis")
      .amp_class(AmpClass::kHigh)
      .infer(infer_interp)
      .follows_layout({"x"}, {"out"}, "data_format")
      .saves({})
      .vjp(vjp_interp);
  return op;
}

}  // namespace

void register_interp(Registry& r) {
  define(r.op("nearest_interp")
             .schema("nearest_interp(Tensor x, IntArray?@int32 out_size={}, IntArray?@int32 "
                     "size_tensor={}, Tensor? scale_tensor, str data_format=\"NCHW\", int out_d=0, "
                     "int out_h=0, int out_w=0, float[] scale={}, str interp_method=\"bilinear\", "
                     "bool align_corners=true, int align_mode=1) -> (Tensor out)"),
         "The nearest element of x at every position of a finer or coarser grid.",
         "paddle._C_ops.nearest_interp(paddle.ones([1, 2, 4, 4]), [8, 8])")
      .saved_form(write_interp);
  define(r.op("linear_interp")
             .schema("linear_interp(Tensor x, IntArray?@int32 out_size={}, IntArray?@int32 "
                     "size_tensor={}, Tensor? scale_tensor, str data_format=\"NCHW\", int out_d=0, "
                     "int out_h=0, int out_w=0, float[] scale={}, str interp_method=\"bilinear\", "
                     "bool align_corners=true, int align_mode=1) -> (Tensor out)"),
         "Linear interpolation of sequences.",
         "paddle._C_ops.linear_interp(paddle.ones([1, 2, 4]), [8])")
      .saved_form(write_interp);
  define(r.op("bilinear_interp")
             .schema("bilinear_interp(Tensor x, IntArray?@int32 out_size={}, IntArray?@int32 "
                     "size_tensor={}, Tensor? scale_tensor, str data_format=\"NCHW\", int out_d=0, "
                     "int out_h=0, int out_w=0, float[] scale={}, str interp_method=\"bilinear\", "
                     "bool align_corners=true, int align_mode=1) -> (Tensor out)"),
         "Bilinear interpolation of images.",
         "paddle._C_ops.bilinear_interp(paddle.ones([1, 2, 4, 4]), [8, 8])")
      .saved_form(write_interp);
  define(r.op("trilinear_interp")
             .schema("trilinear_interp(Tensor x, IntArray?@int32 out_size={}, IntArray?@int32 "
                     "size_tensor={}, Tensor? scale_tensor, str data_format=\"NCHW\", int out_d=0, "
                     "int out_h=0, int out_w=0, float[] scale={}, str interp_method=\"bilinear\", "
                     "bool align_corners=true, int align_mode=1) -> (Tensor out)"),
         "Trilinear interpolation of volumes.",
         "paddle._C_ops.trilinear_interp(paddle.ones([1, 2, 4, 4, 4]), [8, 8, 8])")
      .saved_form(write_interp);
  define(r.op("bicubic_interp")
             .schema("bicubic_interp(Tensor x, IntArray?@int32 out_size={}, IntArray?@int32 "
                     "size_tensor={}, Tensor? scale_tensor, str data_format=\"NCHW\", int out_d=0, "
                     "int out_h=0, int out_w=0, float[] scale={}, str interp_method=\"bilinear\", "
                     "bool align_corners=true, int align_mode=1) -> (Tensor out)"),
         "Bicubic interpolation of images by cubic convolution (Keys, 1981) with a = -0.75.",
         "paddle._C_ops.bicubic_interp(paddle.ones([1, 2, 4, 4]), [8, 8])")
      .saved_form(write_interp);
  define(r.op("interp_antialias")
             .schema("interp_antialias(Tensor x, IntArray?@int32 out_size={}, IntArray?@int32 "
                     "size_tensor={}, Tensor? scale_tensor, str data_format=\"NCHW\", int out_d=0, "
                     "int out_h=0, int out_w=0, float[] scale={}, str interp_method=\"bilinear\", "
                     "bool align_corners=true, int align_mode=1) -> (Tensor out)"),
         "Bilinear or bicubic interpolation with kernels widened where the image shrinks.",
         "paddle._C_ops.interp_antialias(paddle.ones([1, 2, 8, 8]), [3, 3])");
  // Elementwise in x: y is repeated as if it were broadcast.
  r.op("add_nearest")
      .schema(
          "add_nearest(Tensor x, Tensor y, float[] scale, str data_format=\"NCHW\") -> (Tensor "
          "out)")
      .doc(
          "x plus the nearest element of y on a grid that is finer by `scale`, as pyramids of "
          "features add their levels. Passes make it of two operators "
          "(pir/transform/fuse_pyramid.cc).",
          "paddle._C_ops.add_nearest(paddle.ones([1, 2, 4, 4]), paddle.ones([1, 2, 2, 2]), [2, 2])")
      .elementwise()
      .spmd(sharding::channels)
      .infer(infer_add_nearest)
      .follows_layout({"x", "y"}, {"out"}, "data_format")
      .decompose(decompose_add_nearest);
  r.op("interp_grad")
      .schema(
          "interp_grad(Tensor x, Tensor out_grad, str data_format, float[] scale, str "
          "interp_method, bool align_corners, int align_mode, bool antialias) -> (Tensor x_grad)")
      .doc("Gradient of the interpolations by x, whose values are not read.",
           "paddle._C_ops.interp_grad(paddle.ones([1, 2, 4, 4]), paddle.ones([1, 2, 8, 8]), "
           "'NCHW', [], 'bilinear', False, 0, False)")
      .spmd(sharding::channels_linear)
      .opaque("the transpose of interpolation")
      .infer(infer_grad)
      .reads_shape_of({"x"})
      .saves({})
      .vjp(vjp_interp_grad);
}

}  // namespace paddle::ops
