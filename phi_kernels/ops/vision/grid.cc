// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sampling of images at positions given by a grid, and grids of affine maps (Jaderberg et al.,
// 2015). Grid coordinates run from -1 to 1 along every axis.
#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/vision.h"
#include "phi_kernels/ops/vision/sampling.h"

namespace paddle::ops {
namespace {

// The shape of the result, of x and grid in front; `mode`, `padding`: where these texts stand.
Shape sampled_shape(Infer& c, int mode, int padding) {
  c.require_floating(0);
  c.require_same_dtype(1, 0);
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; it must be a real floating type.");
  const Shape &x = c.shape(0), &grid = c.shape(1);
  PADDLE_CHECK_VALUE((x.size() == 4 || x.size() == 5) && grid.size() == x.size(), c.op_name(),
                     ": x has shape ", x, " and grid has shape ", grid,
                     "; both must have 4 or both 5 dimensions.");
  const size_t axes = x.size() - 2;
  PADDLE_CHECK_VALUE(decide_eq(grid.back(), static_cast<int64_t>(axes), true), c.op_name(),
                     ": grid has shape ", grid, "; its last axis must have ", axes,
                     " elements, one per spatial axis of x.");
  PADDLE_CHECK_VALUE(decide_eq(x[0], grid[0], true), c.op_name(), ": x has shape ", x,
                     " and grid has shape ", grid, "; the first axes must be equal.");
  PADDLE_CHECK_VALUE(c.text(mode) == "bilinear" || c.text(mode) == "nearest", c.op_name(),
                     ": mode is '", c.text(mode), "'; it must be 'bilinear' or 'nearest'.");
  PADDLE_CHECK_VALUE(
      c.text(padding) == "zeros" || c.text(padding) == "border" || c.text(padding) == "reflection",
      c.op_name(), ": padding_mode is '", c.text(padding),
      "'; it must be 'zeros', 'border' or 'reflection'.");
  Shape out{x[0], x[1]};
  for (size_t a = 0; a < axes; ++a) {
    PADDLE_CHECK_VALUE(decide_lt(0, x[a + 2], true), c.op_name(), ": x has shape ", x,
                       "; no spatial axis may be empty.");
    out.push_back(grid[a + 1]);
  }
  return out;
}

// arguments: x, grid, mode, padding_mode, align_corners
void infer_grid_sample(Infer& c) { c.out(0, sampled_shape(c, 2, 3), c.dtype(0)); }

// Positions beyond the ends, folded back.
Tensor reflected(const Tensor& x, Dim n, bool align_corners) {
  const Dim span = align_corners ? n - Dim(1) : n;
  if (decide_eq(span, 0, false)) return x * Scalar(0.0);
  const Tensor shift = scalar_like(x, align_corners ? 0 : 0.5);
  const Tensor period = extent_number(span * Dim(2), x.dtype(), x.place());
  const Tensor distance = abs(x + shift);
  const Tensor rest = distance - floor(distance / period) * period;
  return minimum(rest, period - rest) - shift;
}

// Grid coordinates as positions of elements.
Tensor positions(const Tensor& g, Dim n, std::string_view padding, bool align_corners) {
  const Tensor size = extent_number(n, g.dtype(), g.place());
  const Tensor last = extent_number(n - Dim(1), g.dtype(), g.place());
  const Tensor from_start = times(g + Scalar(1.0), 0.5);
  Tensor x = align_corners ? from_start * last : from_start * size - Scalar(0.5);
  if (padding == "reflection") x = reflected(x, n, align_corners);
  if (padding == "zeros") return x;
  if (n.is_symbolic()) return minimum(maximum(x, scalar_like(x, 0)), last);
  return clip(x, Scalar(0.0), Scalar(static_cast<double>(n.value() - 1)));
}

TensorList sample_grid(Args& a) {
  const Tensor x = a.tensor(0), grid = a.tensor(1);
  const size_t axes = x.shape().size() - 2;
  const Dim batch = x.shape()[0], channels = x.shape()[1];
  Shape extents;
  Shape order{0}, out{batch, channels}, back{0, static_cast<int64_t>(axes) + 1};
  Dim points = 1;
  for (size_t k = 0; k < axes; ++k) {
    extents.push_back(x.shape()[k + 2]);
    order.push_back(static_cast<int64_t>(k) + 2);
    back.push_back(static_cast<int64_t>(k) + 1);
    out.push_back(grid.shape()[k + 1]);
    points = points * grid.shape()[k + 1];
  }
  order.push_back(1);
  const Tensor rows = reshape(transpose(x, order), Shape{-1, channels});
  TensorList at;  // outermost axis first; the grid names the innermost first
  for (size_t k = 0; k < axes; ++k) {
    const int64_t from = static_cast<int64_t>(axes - 1 - k);
    const Tensor g = slice(grid, Shape{static_cast<int64_t>(axes) + 1}, Shape{from},
                           Shape{from + 1}, Shape{1}, Shape());
    at.push_back(reshape(positions(g, extents[k], a.text(3), a.b(4)), Shape{batch, points}));
  }
  Tensor values;
  if (a.text(2) == "nearest") {
    for (Tensor& p : at) p = round(p);
    values = read_rows(rows, extents, at, batch, Tensor());
  } else {
    values = read_between(rows, extents, at, batch);
  }
  Shape folded{batch};
  for (size_t k = 0; k < axes; ++k) folded.push_back(grid.shape()[k + 1]);
  folded.push_back(channels);
  return {transpose(reshape(values, folded), back)};
}

// The derivatives of positions() by the coordinates: constant from bend to bend.
Tensor slopes(const Tensor& g, Dim n, std::string_view padding, bool align_corners) {
  const Dim span = align_corners ? n - Dim(1) : n;
  const Tensor half = times(extent_number(span, g.dtype(), g.place()), 0.5);
  const Tensor constant = expand(half, g.shape());
  if (padding == "zeros") return constant;
  Tensor x = positions(g, n, "zeros", align_corners), bend;
  if (padding == "reflection") {
    if (decide_eq(span, 0, false)) return constant * Scalar(0.0);
    const Tensor from = x + Scalar(align_corners ? 0 : 0.5), distance = abs(from);
    const Tensor whole = extent_number(span, g.dtype(), g.place()), period = whole + whole;
    const Tensor rest = distance - floor(distance / period) * period;
    bend = sign(from) * sign(whole - rest);
    x = reflected(x, n, align_corners);
  }
  const Tensor inside = constant * inside_flags(x, n);
  return bend.defined() ? inside * bend : inside;
}

// What a grid is to a tensor of channels per position.
struct Sampled {
  Shape extents;
  Dim batch, channels, points = 1;
  Shape to_rows{0}, from_rows{0};  // permutations between [N, C, ...] and [N, ..., C]

  Sampled(const Tensor& x, const Tensor& grid) : batch(x.shape()[0]), channels(x.shape()[1]) {
    const size_t axes = x.shape().size() - 2;
    from_rows.push_back(static_cast<int64_t>(axes) + 1);
    for (size_t k = 0; k < axes; ++k) {
      extents.push_back(x.shape()[k + 2]);
      points = points * grid.shape()[k + 1];
      to_rows.push_back(static_cast<int64_t>(k) + 2);
      from_rows.push_back(static_cast<int64_t>(k) + 1);
    }
    to_rows.push_back(1);
  }
  Tensor rows(const Tensor& x) const { return reshape(transpose(x, to_rows), Shape{-1, channels}); }
  // The coordinate of axis k of the grid, outermost first; the grid names the innermost first.
  Tensor coordinate(const Tensor& grid, size_t k) const {
    const auto axes = static_cast<int64_t>(extents.size()),
               from = axes - 1 - static_cast<int64_t>(k);
    const Tensor g = slice(grid, Shape{axes + 1}, Shape{from}, Shape{from + 1}, Shape{1}, Shape());
    return reshape(g, Shape{batch, points});
  }
};

// One of the elements around the positions: its weight along every axis, what a position that grows
// does to it, and where it stands among the rows. `exists`: it belongs to the image; the others
// have no gradients, whatever their weights are.
struct Corner {
  TensorList weight, change;
  Tensor row, exists;

  Tensor only(const Tensor& value) const { return where(exists, value, scalar_like(value, 0)); }
};

Corner corner_of(const Sampled& s, const TensorList& at, bool nearest, size_t sides) {
  const Shape stride = row_strides(s.extents);
  Corner c;
  c.row = row_starts(s.batch, stride[0] * s.extents[0], at[0].place());
  for (size_t a = 0; a < at.size(); ++a) {
    const bool high = ((sides >> a) & 1u) != 0;
    const Tensor low = nearest ? round(at[a]) : floor(at[a]);
    const Tensor element = high ? low + Scalar(1.0) : low;
    const Tensor inside = is_inside(element, s.extents[a]), flags = cast(inside, low.dtype());
    const Tensor part = at[a] - low;
    c.exists = a == 0 ? inside : logical_and(c.exists, inside);
    c.row = c.row + times_extent(index_of(element, s.extents[a]), stride[a]);
    c.weight.push_back(nearest ? flags : flags * (high ? part : Scalar(1.0) - part));
    c.change.push_back(high ? flags : -flags);
  }
  c.row = reshape(c.row, Shape{s.batch * s.points});
  return c;
}

Tensor product_without(const TensorList& weight, size_t left_out) {
  Tensor product;
  for (size_t a = 0; a < weight.size(); ++a) {
    if (a != left_out) product = product.defined() ? product * weight[a] : weight[a];
  }
  return product;
}

// arguments: x, grid, out_grad, mode, padding_mode, align_corners
TensorList sample_grid_grad(Args& a) {
  const Tensor x = a.tensor(0), grid = a.tensor(1);
  const Sampled s(x, grid);
  const size_t axes = s.extents.size();
  const bool nearest = a.text(3) == "nearest";
  const Tensor rows = s.rows(x), g = s.rows(a.tensor(2));
  TensorList at, grid_grad(axes);
  for (size_t k = 0; k < axes; ++k) {
    at.push_back(positions(s.coordinate(grid, k), s.extents[k], a.text(4), a.b(5)));
  }
  Tensor x_grad = full(rows.shape(), Scalar(0.0), x.dtype(), x.place());
  for (size_t sides = 0; sides < (nearest ? size_t{1} : size_t{1} << axes); ++sides) {
    const Corner c = corner_of(s, at, nearest, sides);
    const Tensor weight = product_without(c.weight, axes);
    const Tensor each = reshape(c.exists, Shape{-1, 1});
    const Tensor share = g * reshape(weight, Shape{-1, 1});
    x_grad = index_add(x_grad, c.row, where(each, share, scalar_like(share, 0)), 0);
    if (nearest) continue;
    const Tensor values = gather(rows, c.row, Scalar(int64_t{0}));
    const Tensor seen = reshape(sum(g * values, Shape{-1}, g.dtype(), false), weight.shape());
    for (size_t k = 0; k < axes; ++k) {
      const Tensor others = product_without(c.weight, k);
      const Tensor term = seen * c.change[k];
      grid_grad[k] = plus(grid_grad[k], c.only(others.defined() ? term * others : term));
    }
  }
  Shape folded{s.batch};
  for (const Dim n : s.extents) folded.push_back(n);
  folded.push_back(s.channels);
  const Tensor image = transpose(reshape(x_grad, folded), s.from_rows);
  if (nearest) return {image, full(grid.shape(), Scalar(0.0), grid.dtype(), grid.place())};
  TensorList columns;
  for (size_t k = axes; k-- > 0;) {
    columns.push_back(grid_grad[k] *
                      slopes(s.coordinate(grid, k), s.extents[k], a.text(4), a.b(5)));
  }
  return {image, reshape(stack(columns, -1), grid.shape())};
}

// arguments: x, grid, out_grad, mode, padding_mode, align_corners
void infer_grid_sample_grad(Infer& c) {
  c.require_same_dtype(1, 0);
  c.require_same_dtype(2, 0);
  c.require_shape(2, sampled_shape(c, 3, 4));
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(1), c.dtype(1));
}

// arguments: input, output_shape, align_corners
void infer_affine_grid(Infer& c) {
  c.require_floating(0);
  c.require_rank(0, 3);
  const Shape sizes = c.ints(1);
  PADDLE_CHECK_VALUE(sizes.size() == 4 || sizes.size() == 5, c.op_name(), ": output_shape is ",
                     sizes, "; it must have 4 or 5 values, [N, C, H, W] or [N, C, D, H, W].");
  const int64_t axes = static_cast<int64_t>(sizes.size()) - 2;
  const Shape& theta = c.shape(0);
  PADDLE_CHECK_VALUE(decide_eq(theta[1], axes, true) && decide_eq(theta[2], axes + 1, true),
                     c.op_name(), ": theta has shape ", theta, " and output_shape is ", sizes,
                     "; theta must have shape [N, ", axes, ", ", axes + 1, "].");
  Shape out{theta[0]};
  for (size_t k = 2; k < sizes.size(); ++k) {
    PADDLE_CHECK_VALUE(decide_le(0, sizes[k], true), c.op_name(), ": output_shape is ", sizes,
                       "; no value may be negative.");
    out.push_back(sizes[k]);
  }
  out.push_back(axes);
  c.out(0, out, c.dtype(0));
}

// n coordinates from -1 to 1: centres of elements (the outer ones at the ends, or half an element
// inside).
Tensor coordinates(int64_t n, bool align_corners, const Tensor& like) {
  const DType dtype = like.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const Tensor i =
      cast(arange(Scalar(int64_t{0}), Scalar(n), Scalar(int64_t{1}), DType::kInt64, like.place()),
           dtype);
  const double size = static_cast<double>(n);
  const Tensor x = align_corners ? times(i, n > 1 ? 2 / (size - 1) : 0) - Scalar(n > 1 ? 1.0 : 0.0)
                                 : times(i * Scalar(2.0) + Scalar(1.0), 1 / size) - Scalar(1.0);
  return as_dtype(x, like.dtype());
}

TensorList make_affine_grid(Args& a) {
  const Tensor theta = a.tensor(0);
  const Shape sizes = a.ints(1);
  const size_t axes = sizes.size() - 2;
  Shape plane, out{theta.shape()[0]};
  Dim points = 1;
  for (size_t k = 0; k < axes; ++k) {
    plane.push_back(sizes[k + 2]);
    out.push_back(sizes[k + 2]);
    points = points * sizes[k + 2];
  }
  out.push_back(static_cast<int64_t>(axes));
  TensorList columns;
  for (size_t k = axes; k-- > 0;) {
    Shape line(axes, Dim(1));
    line[k] = sizes[k + 2];
    const Tensor x = coordinates(sizes[k + 2].value(), a.b(2), theta);
    columns.push_back(reshape(expand(reshape(x, line), plane), Shape{points}));
  }
  columns.push_back(full(Shape{points}, Scalar(1.0), theta.dtype(), theta.place()));
  const Tensor base = stack(columns, -1);  // [points, axes + 1]
  return {reshape(matmul(base, theta, false, true), out)};
}

// The maps that pass one coordinate (or the 1) through give the points that all maps are linear in:
// the rule needs no extent of the grid as a number.
void affine_grid_vjp(Vjp& v) {
  const Tensor theta = v.in(0), &g = v.grad();
  const Dim axes = theta.shape()[1], inputs = axes + 1, one = 1, any = -1;
  const Scalar size(inputs.value());
  const Tensor passing =
      reshape(eye(size, size, theta.dtype(), theta.place()), Shape{inputs, one, inputs});
  const Tensor maps =
      concat({passing, zeros(Shape{inputs, axes - 1, inputs}, theta)}, Scalar(int64_t{1}));
  const Slot slots[] = {Slot::of(maps), v.args().slot(1), v.args().slot(2)};
  Outputs grid;
  call(v.args().op(), slots, grid);
  const Shape last{Dim(grid[0].ndim() - 1)};
  const Tensor first = slice(grid[0], last, Shape{Dim(0)}, Shape{one}, Shape{one}, Shape());
  const Tensor points = reshape(first, Shape{inputs, any});
  v.set(0, matmul(reshape(g, Shape{theta.shape()[0], any, axes}), points, true, true));
}

}  // namespace

void register_grid_sample(Registry& r) {
  r.op("grid_sample")
      .schema(
          "grid_sample(Tensor x, Tensor grid, str mode=\"bilinear\", str padding_mode=\"zeros\", "
          "bool align_corners=true) -> (Tensor out)")
      .doc(
          "x read at the positions of grid, whose last axis holds (x, y) or (x, y, z) with -1 and "
          "1 at the ends of the axes.",
          "paddle._C_ops.grid_sample(paddle.ones([1, 2, 4, 4]), paddle.zeros([1, 3, 3, 2]))")
      .infer(infer_grid_sample)
      .saves({"x", "grid"})
      .vjp([](Vjp& v) {
        const auto [x, grid] =
            grid_sample_grad(v.in(0), v.in(1), v.grad(), v.text(2), v.text(3), v.b(4));
        if (v.needs(0)) v.set(0, x);
        if (v.needs(1)) v.set(1, grid);
      })
      .decompose(sample_grid);
  r.op("grid_sample_grad")
      .schema(
          "grid_sample_grad(Tensor x, Tensor grid, Tensor out_grad, str mode=\"bilinear\", str "
          "padding_mode=\"zeros\", bool align_corners=true) -> (Tensor x_grad, Tensor grid_grad)")
      .doc("Gradients of grid_sample by x and by grid.",
           "paddle._C_ops.grid_sample_grad(paddle.ones([1, 2, 4, 4]), paddle.zeros([1, 3, 3, 2]), "
           "paddle.ones([1, 2, 3, 3]))")
      .infer(infer_grid_sample_grad)
      .decompose(sample_grid_grad);
  r.op("affine_grid")
      .schema(
          "affine_grid(Tensor input, IntArray@operand output_shape={}, bool align_corners=true) -> "
          "(Tensor output)")
      .doc("The grid for grid_sample of the affine maps [N, 2, 3] or [N, 3, 4].",
           "paddle._C_ops.affine_grid(paddle.ones([1, 2, 3]), [1, 1, 2, 2])")
      .infer(infer_affine_grid)
      .saves({"output_shape"})
      .vjp(affine_grid_vjp)
      .decompose(make_affine_grid);
}

}  // namespace paddle::ops
