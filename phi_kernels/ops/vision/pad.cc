// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Padding of the spatial axes of images. border_pad copies elements of the axis itself; it is
// linear, border_pad_grad is its transpose, and each is the derivative of the other.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/vision.h"
#include "phi_kernels/rules/window.h"

namespace paddle::ops {
namespace {

// paddings holds (before, after) from the last spatial axis to the first.
Shape padded_shape(const Infer& c, const Shape& x, const Shape& paddings, std::string_view mode,
                   std::string_view format) {
  const char* op = c.op_name();
  PADDLE_CHECK_VALUE(x.size() >= 3 && x.size() <= 5, op, ": x has shape ", x,
                     "; it must have 3, 4 or 5 dimensions.");
  const size_t axes = x.size() - 2;
  PADDLE_CHECK_VALUE(format.starts_with("N"), op, ": data_format is '", format,
                     "'; it must be one of NCL, NLC, NCHW, NHWC, NCDHW, NDHWC.");
  PADDLE_CHECK_VALUE(paddings.size() == 2 * axes, op, ": paddings is ", paddings,
                     " and x has shape ", x, "; two values per spatial axis are needed, ", 2 * axes,
                     ".");
  Shape out = x;
  for (size_t k = 0; k < axes; ++k) {
    const size_t axis = spatial_axis(is_channels_last(format), k);
    const Dim before = paddings[2 * (axes - 1 - k)], after = paddings[2 * (axes - 1 - k) + 1];
    if (mode == "reflect") {
      PADDLE_CHECK_VALUE(decide_lt(max(before, after), x[axis], true), op, ": x has shape ", x,
                         " and paddings is ", paddings, "; an axis of ", x[axis],
                         " elements can be reflected by at most one element fewer.");
    }
    out[axis] = x[axis] + before + after;
    const bool grows = decide_lt(0, before, true) || decide_lt(0, after, true);
    PADDLE_CHECK_VALUE(mode == "constant" || !grows || decide_lt(0, x[axis], true), op,
                       ": x has shape ", x, "; an empty axis has no elements to pad with.");
    PADDLE_CHECK_VALUE(decide_le(0, out[axis], true), op, ": x has shape ", x, " and paddings is ",
                       paddings, "; more elements are cropped than there are.");
  }
  return out;
}

void check_mode(const Infer& c, std::string_view mode, bool constant) {
  PADDLE_CHECK_VALUE(mode == "reflect" || mode == "replicate" || mode == "circular" ||
                         (constant && mode == "constant"),
                     c.op_name(), ": mode is '", mode, "'; it must be ",
                     constant ? "'constant', " : "", "'reflect', 'replicate' or 'circular'.");
}

// arguments: x, paddings, mode, pad_value, data_format
void infer_pad3d(Infer& c) {
  check_mode(c, c.text(2), true);
  c.out(0, padded_shape(c, c.shape(0), c.ints(1), c.text(2), c.text(4)), c.dtype(0));
}

// arguments: x, paddings, mode, data_format
void infer_border(Infer& c) {
  check_mode(c, c.text(2), false);
  c.out(0, padded_shape(c, c.shape(0), c.ints(1), c.text(2), c.text(3)), c.dtype(0));
}

// arguments: x (its shape), out_grad, paddings, mode, data_format
void infer_border_grad(Infer& c) {
  check_mode(c, c.text(3), false);
  c.require_floating(1);
  c.require_shape(1, padded_shape(c, c.shape(0), c.ints(2), c.text(3), c.text(4)));
  c.out(0, c.shape(0), c.dtype(1));
}

// A vector and `count` zeros behind it.
FormValue with_zeros(SavedForm& f, FormValue x, size_t count) {
  const Dim more(static_cast<int64_t>(count));
  const FormValue list = f.combine({x, f.full(Shape{more}, 0, f.dtype(x))});
  return f.make("concat", {list, f.full(Shape{Dim(1)}, 0, DType::kInt32)},
                {f.dtype(x), {f.shape(x)[0] + more}});
}

// pad3d of files takes five axes: those that are missing have extent 1 and stand first.
FormValue pad_volume(SavedForm& f, FormValue amounts, std::vector<NamedAttribute> attributes) {
  const FormValue x = f.operand(0);
  const size_t rank = f.shape(x).size();
  if (rank < 3 || rank > 4) return f.make("pad3d", {x, amounts}, f.result(), attributes);
  const bool last = is_channels_last(f.text("data_format"));
  const FormOperation* known = f.made_by(amounts, "full_int_array");
  Shape axes, wide = f.shape(x), out = f.shape(f.result()), paddings;
  if (known) paddings = known->ints("value");
  for (size_t k = rank; k < 5; ++k) {
    axes.push_back(Dim(static_cast<int64_t>(last ? 1 : 2) + static_cast<int64_t>(k - rank)));
  }
  for (const Dim axis : axes) {
    wide.insert(wide.begin() + axis.value(), Dim(1));
    out.insert(out.begin() + axis.value(), Dim(1));
    paddings.push_back(Dim(0));
    paddings.push_back(Dim(0));
  }
  const FormValue around = known ? f.ints_value(paddings) : with_zeros(f, amounts, paddings.size());
  const FormValue volume = f.make("unsqueeze", {x, f.ints_value(axes)}, {f.dtype(x), wide});
  for (auto& [name, value] : attributes) {
    if (name == "data_format") value = std::string(last ? "NDHWC" : "NCDHW");
  }
  const FormValue padded = f.make("pad3d", {volume, around}, {f.dtype(x), out}, attributes);
  return f.make("squeeze", {padded, f.ints_value(axes)}, f.result());
}

void write_pad3d(SavedForm& f) {
  const int64_t rank = f.rank(f.operand(0));
  if ((rank == 3 || rank == 4) && f.operand(1)) {
    f.become({pad_volume(f, f.operand(1), f.attributes())});
  }
}

void write_border_pad(SavedForm& f) {
  f.become({pad_volume(f, f.ints_value(f.ints("paddings")),
                       {{"mode", f.attribute("mode")},
                        {"pad_value", 0.0},
                        {"data_format", f.attribute("data_format")}})});
}

TensorList decompose_pad3d(Args& a) {
  const Tensor x = a.tensor(0);
  const Shape paddings = a.ints(1);
  if (a.text(2) != "constant") return {border_pad(x, paddings, a.text(2), a.text(4))};
  const size_t axes = x.shape().size() - 2;
  Shape all(2 * x.shape().size(), Dim(0));
  for (size_t k = 0; k < axes; ++k) {
    const size_t axis = spatial_axis(is_channels_last(a.text(4)), k);
    all[2 * axis] = paddings[2 * (axes - 1 - k)];
    all[2 * axis + 1] = paddings[2 * (axes - 1 - k) + 1];
  }
  return {pad(x, all, Scalar(a.f(3)))};
}

}  // namespace

void register_pad3d(Registry& r) {
  r.op("pad3d")
      .schema(
          "pad3d(Tensor x, IntArray@operand paddings, str mode=\"constant\", double pad_value=0.0, "
          "str data_format=\"NCDHW\") -> (Tensor out)")
      .doc(
          "x with its spatial axes padded; paddings holds the numbers of elements before and "
          "after, from the last spatial axis to the first. The elements are pad_value, or those of "
          "the axis reflected, replicated or repeated.",
          "paddle._C_ops.pad3d(paddle.ones([1, 2, 4, 4]), [1, 1, 2, 0], 'reflect', 0.0, 'NCHW')")
      .infer(infer_pad3d)
      .saved_form(write_pad3d)
      .decompose(decompose_pad3d);
  r.op("border_pad")
      .schema("border_pad(Tensor x, IntArray paddings, str mode, str data_format) -> (Tensor out)")
      .doc("x with its spatial axes continued by their own elements.",
           "paddle._C_ops.border_pad(paddle.ones([1, 2, 4]), [1, 1], 'circular', 'NCL')")
      .spmd(sharding::channels_linear)
      .opaque("a selection of elements along every axis")
      .infer(infer_border)
      .saved_form(write_border_pad)
      .saves({})
      .vjp([](Vjp& v) {
        const auto back = [&](const Tensor& g) {
          return border_pad_grad(v.in(0), g, v.ints(1), v.text(2), v.text(3));
        };
        const Tensor& g = v.grad();
        v.set(0, is_complex(g.dtype()) ? complex(back(real(g)), back(imag(g))) : back(g));
      });
  r.op("border_pad_grad")
      .schema(
          "border_pad_grad(Tensor x, Tensor out_grad, IntArray paddings, str mode, str "
          "data_format) -> (Tensor x_grad)")
      .doc("Gradient of border_pad by x, whose values are not read.",
           "paddle._C_ops.border_pad_grad(paddle.ones([1, 2, 4]), paddle.ones([1, 2, 6]), [1, 1], "
           "'circular', 'NCL')")
      .spmd(sharding::channels_linear)
      .opaque("the transpose of border_pad")
      .infer(infer_border_grad)
      .reads_shape_of({"x"})
      .saves({})
      .vjp([](Vjp& v) {
        if (v.needs(1)) v.set(1, border_pad(v.grad(), v.ints(2), v.text(3), v.text(4)));
      });
}

}  // namespace paddle::ops
