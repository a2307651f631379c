// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Views beyond slices: view_shape, view_dtype, as_strided, tensor_unfold, diagonal; and the write
// that belongs to diagonals, fill_diagonal_tensor.
#include <algorithm>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/creation/counted.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/shape/view_form.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/signal.h"

namespace paddle::ops {
namespace {

// -- view_dtype
// ------------------------------------------------------------------------------------

Shape shape_as_dtype(const Shape& x, DType from, DType to) {
  const auto a = static_cast<int64_t>(size_of(from)), b = static_cast<int64_t>(size_of(to));
  if (a == b) return x;
  Shape out = x;
  PADDLE_CHECK_VALUE(
      !x.empty(), "view: x is a 0-d ", from, " tensor and dtype is ", to,
      "; a 0-d tensor can only be seen as a dtype of equal size; reshape it to [1].");
  if (a > b) {
    out.back() = out.back() * Dim(a / b);
    return out;
  }
  PADDLE_CHECK_VALUE(decide_eq(mod(x.back(), b / a), 0, true), "view: x has shape ", x,
                     " and dtype ", from, ", which cannot be seen as ", to,
                     "; the last extent must be a multiple of ", b / a, "; pad or reshape x.");
  out.back() = floordiv(out.back(), b / a);
  return out;
}

Tensor alias_as_dtype(Args& a) {
  const Tensor x = a.tensor(0);
  const DType to = a.dtype(1);
  const Shape shape = shape_as_dtype(x.shape(), x.dtype(), to);
  Strides strides = x.strides();
  if (size_of(to) != size_of(x.dtype())) {
    PADDLE_CHECK_VALUE(x.is_contiguous(),
                       "view: x is not contiguous and dtype has another size; call contiguous() "
                       "first.");
    strides = contiguous_strides(shape);
  }
  // Made as bytes of the old dtype, then renamed: the memory is the same.
  Tensor out = Tensor::alias(x, shape, strides, 0);
  out->dtype = to;
  return out;
}

// -- as_strided
// ------------------------------------------------------------------------------------

// Positions, in elements from the start of the memory, of every element of the view.
Tensor strided_positions(const Shape& dims, const Shape& strides, int64_t first,
                         const Tensor& like) {
  Tensor at = full(Shape(), Scalar(first), DType::kInt64, like.place());
  for (size_t d = 0; d < dims.size(); ++d) {
    Shape column(dims.size(), Dim(1));
    column[d] = dims[d];
    at = at + reshape(times_extent(counted(dims[d], like.place()), strides[d]), column);
  }
  return reshape(at, Shape{numel_of(dims)});
}

int64_t first_element(int64_t offset, DType t) { return offset / static_cast<int64_t>(size_of(t)); }

void infer_as_strided(Infer& c) {
  const Shape dims = c.ints(1), strides = c.ints(2);
  PADDLE_CHECK_VALUE(dims.size() == strides.size(), "as_strided: shape is ", dims,
                     " and stride is ", strides, "; there must be one stride per axis; make them ",
                     "equally long.");
  const auto size = static_cast<int64_t>(size_of(c.dtype(0)));
  PADDLE_CHECK_VALUE(c.i(3) >= 0 && c.i(3) % size == 0, "as_strided: offset has value ", c.i(3),
                     "; it counts bytes from the start of the memory and must be a multiple of ",
                     size, ", the size of an element.");
  for (size_t d = 0; d < dims.size(); ++d) {
    PADDLE_CHECK_VALUE(decide_le(0, dims[d], true) && decide_le(0, strides[d], true),
                       "as_strided: shape is ", dims, " and stride is ", strides,
                       "; extents and strides must be >= 0.");
  }
  c.out(0, dims, c.dtype(0));
}

Tensor alias_strided(Args& a) {
  const Tensor x = a.tensor(0);
  const Shape dims = a.ints(1);
  Strides strides;
  Dim last = first_element(a.i(3), x.dtype());
  bool empty = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    strides.push_back(a.ints(2)[d].value());
    last = last + Dim(strides[d]) * Dim(std::max<int64_t>(dims[d].value() - 1, 0));
    empty |= dims[d].value() == 0;
  }
  const auto size = static_cast<int64_t>(size_of(x.dtype()));
  PADDLE_CHECK_VALUE(empty || last.value() < static_cast<int64_t>(x->storage->bytes()) / size,
                     "as_strided: shape ", dims, " with stride ", a.ints(2), " and offset ", a.i(3),
                     " reaches element ", last, " but the memory of x holds ",
                     static_cast<int64_t>(x->storage->bytes()) / size,
                     " elements; use smaller extents or strides.");
  PADDLE_CHECK_RUNTIME(x->stop_gradient || (x->offset == 0 && x.is_contiguous()),
                       "as_strided: x needs a gradient and is itself a view; its positions in "
                       "memory have no gradient rule; call x.clone() first.");
  return Tensor::alias(x, dims, strides, empty ? 0 : a.i(3) - x->offset);
}

// -- tensor_unfold
// ---------------------------------------------------------------------------------

struct Windows {
  int64_t axis, size, step;
  Dim count;
};
Windows windows_of(const Shape& x, int64_t axis, int64_t size, int64_t step) {
  const auto rank = static_cast<int64_t>(x.size());
  const int64_t at = normalize_axis(axis, rank, "unfold");
  const Dim n = x.empty() ? Dim(1) : x[static_cast<size_t>(at)];
  PADDLE_CHECK_VALUE(step > 0, "unfold: step has value ", step,
                     "; windows must move on; pass a positive step.");
  PADDLE_CHECK_VALUE(size >= 0 && decide_le(size, n, true), "unfold: size has value ", size,
                     " and the axis has extent ", n,
                     "; a window must lie in the axis; use a smaller size.");
  return {at, size, step, floordiv(n - Dim(size), step) + Dim(1)};
}
Windows windows_of(const Args& a) {
  return windows_of(a.tensor(0).shape(), a.i(1), a.i(2), a.i(3));
}

Shape unfolded(const Shape& x, const Windows& w) {
  Shape out = x;
  if (!x.empty()) out[static_cast<size_t>(w.axis)] = w.count;
  out.push_back(w.size);
  return out;
}

Tensor window_positions(const Windows& w, const Tensor& like) {
  const Tensor starts = reshape(counted(w.count, like.place()) * Scalar(w.step), Shape{w.count, 1});
  return reshape(starts + counted(w.size, like.place()), Shape{w.count * Dim(w.size)});
}

// [..., count, ..., size] as [..., count * size, ...].
Tensor windows_in_line(const Tensor& t, const Windows& w) {
  Shape order;
  for (int64_t d = 0; d + 1 < t.ndim(); ++d) {
    order.push_back(d);
    if (d == w.axis) order.push_back(t.ndim() - 1);
  }
  const Tensor moved = transpose(t, order);
  Shape shape(t.shape().begin(), t.shape().end() - 1);
  shape[static_cast<size_t>(w.axis)] = w.count * Dim(w.size);
  return reshape(moved, shape);
}

// The axis in front, and back again.
Shape front_order(int64_t rank, int64_t axis, bool inverse) {
  Shape order{axis};
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) order.push_back(d);
  }
  if (!inverse) return order;
  Shape back(order.size(), Dim(0));
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i].value())] = static_cast<int64_t>(i);
  }
  return back;
}

Tensor scatter_windows(Args& a, const Tensor& base, const Tensor& value) {
  const Windows w = windows_of(a);
  if (base.ndim() == 0) return reshape(value, Shape());
  const Shape front = front_order(base.ndim(), w.axis, false);
  const Tensor lines = transpose(windows_in_line(value, w), front);
  const Tensor out = index_put(transpose(base, front), {window_positions(w, base)}, lines, false);
  return transpose(out, front_order(base.ndim(), w.axis, true));
}

// -- diagonals
// -------------------------------------------------------------------------------------

struct Diagonal {
  size_t first, second;
  Dim row, column, length;  // where it starts in the plane, and how long it is
};
Diagonal diagonal_of(const Shape& x, int64_t offset, int64_t axis1, int64_t axis2, const char* op) {
  const auto rank = static_cast<int64_t>(x.size());
  PADDLE_CHECK_VALUE(rank >= 2, op, ": x has shape ", x,
                     "; a diagonal needs at least two axes; reshape x.");
  Diagonal d{static_cast<size_t>(normalize_axis(axis1, rank, op, "axis1")),
             static_cast<size_t>(normalize_axis(axis2, rank, op, "axis2")), 0, 0, 0};
  PADDLE_CHECK_VALUE(d.first != d.second, op, ": axis1 and axis2 are both ", d.first,
                     "; a diagonal lies in the plane of two axes; pass different ones.");
  constexpr int64_t kFar = int64_t{1} << 62;  // beyond every extent; differences still fit 64 bits
  const int64_t near = std::clamp(offset, -kFar, kFar);
  d.row = std::max<int64_t>(-near, 0);
  d.column = std::max<int64_t>(near, 0);
  d.length = max(min(x[d.first] - d.row, x[d.second] - d.column), 0);
  return d;
}

Shape diagonal_shape(const Shape& x, const Diagonal& d) {
  Shape out;
  for (size_t k = 0; k < x.size(); ++k) {
    if (k != d.first && k != d.second) out.push_back(x[k]);
  }
  out.push_back(d.length);
  return out;
}

// Arguments `first` and after it: offset and the two axes.
Tensor alias_diagonal_of(Args& a, int first, const char* op) {
  const Tensor x = a.tensor(0);
  const Diagonal d = diagonal_of(x.shape(), a.i(first), a.i(first + 1), a.i(first + 2), op);
  Strides strides;
  for (size_t k = 0; k < x.shape().size(); ++k) {
    if (k != d.first && k != d.second) strides.push_back(x.strides()[k]);
  }
  strides.push_back(x.strides()[d.first] + x.strides()[d.second]);
  int64_t start = 0;
  if (d.length.value() > 0) {
    start = d.row.value() * x.strides()[d.first] + d.column.value() * x.strides()[d.second];
  }
  return Tensor::alias(x, diagonal_shape(x.shape(), d), strides,
                       start * static_cast<int64_t>(size_of(x.dtype())));
}

Tensor alias_diagonal(Args& a) { return alias_diagonal_of(a, 1, "diagonal"); }
Tensor part_of_fill_diagonal(Args& a) { return alias_diagonal_of(a, 2, "fill_diagonal_tensor"); }

void infer_fill_diagonal_tensor(Infer& c) {
  c.require_same_dtype(0, 1);
  const Shape wanted = diagonal_shape(
      c.shape(0), diagonal_of(c.shape(0), c.i(2), c.i(3), c.i(4), "fill_diagonal_tensor"));
  bool fits = wanted.size() == c.shape(1).size();
  for (size_t d = 0; fits && d < wanted.size(); ++d)
    fits = decide_eq(wanted[d], c.shape(1)[d], true);
  PADDLE_CHECK_VALUE(fits, "fill_diagonal_tensor: y has shape ", c.shape(1),
                     " and the diagonal has shape ", wanted, "; they must be equal; reshape y.");
  c.out(0, c.shape(0), c.dtype(0));
}

void register_diagonals(Registry& r) {
  r.op("diagonal")
      .schema("diagonal(Tensor x, int offset=0, int axis1=0, int axis2=1) -> (Tensor out)")
      .doc("The diagonals of the planes of two axes as a new last axis, as a view.",
           "paddle.diagonal(paddle.ones([2, 3]), offset=1)")
      .python("paddle.diagonal(x, offset=0, axis1=0, axis2=1, name=None)")
      .python("Tensor.diagonal(x, offset=0, axis1=0, axis2=1, name=None)")
      .alias("input", "x")
      .alias("dim1", "axis1")
      .alias("dim2", "axis2")
      .spmd(sharding::diagonal)
      .primitive("views are the memory operations that everything else is written with")
      .infer([](Infer& c) {
        const Diagonal d = diagonal_of(c.shape(0), c.i(1), c.i(2), c.i(3), "diagonal");
        c.out(0, diagonal_shape(c.shape(0), d), c.dtype(0));
      })
      .view(alias_diagonal,
            [](Args& a, const Tensor& base, const Tensor& value) {
              return fill_diagonal_tensor(base, value, a.i(1), a.i(2), a.i(3));
            })
      .vjp([](Vjp& v) {
        v.set(0, fill_diagonal_tensor(zeros(v.in(0).shape(), v.grad()), v.grad(), v.i(1), v.i(2),
                                      v.i(3)));
      });
  r.op("fill_diagonal_tensor")
      .schema(
          "fill_diagonal_tensor(Tensor x, Tensor y, int64 offset=0, int dim1=0, int dim2=1) -> "
          "(Tensor out)")
      .doc("A copy of x whose diagonals in the plane of two axes are y.",
           "paddle.zeros([2, 2]).fill_diagonal_tensor(paddle.ones([2]))")
      .python("Tensor.fill_diagonal_tensor(x, y, offset=0, dim1=0, dim2=1, name=None)")
      .inplace_python("Tensor.fill_diagonal_tensor_(x, y, offset=0, dim1=0, dim2=1, name=None)")
      .spmd(sharding::fill_diagonal_tensor)
      .primitive("the write that belongs to the view diagonal")
      .partial_write(part_of_fill_diagonal)
      .upgrade("fill_diagonal_tensor", read_fill_diagonal)
      .infer(infer_fill_diagonal_tensor)
      .vjp([](Vjp& v) {
        const Tensor& g = v.grad();
        if (v.needs(0)) {
          v.set(0, fill_diagonal_tensor(g, zeros(v.in(1).shape(), g), v.i(2), v.i(3), v.i(4)));
        }
        if (v.needs(1)) v.set(1, assign(diagonal(g, v.i(2), v.i(3), v.i(4))));
      });
}

// Windows [..., count, size] of the last axis added up where they were read.
Tensor windows_added(const Tensor& g, const Windows& w, const Shape& x) {
  Shape exchanged;
  for (int64_t d = 0; d < g.ndim() - 2; ++d) exchanged.push_back(d);
  exchanged.push_back(g.ndim() - 1);
  exchanged.push_back(g.ndim() - 2);
  const Tensor covered = overlap_add(transpose(g, exchanged), w.step, -1);
  const Dim rest = x.back() - covered.shape().back();
  if (decide_eq(rest, 0, true)) return covered;
  Shape behind = x;
  behind.back() = rest;
  return concat({covered, zeros(behind, g)}, Scalar(int64_t{-1}));
}

void register_reinterpretations(Registry& r) {
  r.op("view_shape")
      .schema("view_shape(Tensor input, int64[] dims={}) -> (Tensor out)")
      .doc("The memory of input under another shape; ValueError where that needs a copy.",
           "paddle.view(paddle.arange(6), [2, 3])")
      .saved_form(write_view_shape)
      .spmd(sharding::reshape)
      .primitive("views are the memory operations that everything else is written with")
      .infer([](Infer& c) { c.out(0, infer_reshape(c.shape(0), c.ints(1), "view"), c.dtype(0)); })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            const Shape target = infer_reshape(x.shape(), a.ints(1), "view");
            Strides strides;
            PADDLE_CHECK_VALUE(view_strides(x.shape(), x.strides(), target, strides),
                               "view: the memory of x of shape ", x.shape(),
                               " and strides cannot be seen in shape ", target,
                               " without a copy; call reshape().");
            return Tensor::alias(x, target, strides, 0);
          },
          [](Args&, const Tensor& base, const Tensor& value) {
            return reshape(value, base.shape());
          })
      .vjp([](Vjp& v) { v.set(0, reshape(v.grad(), v.in(0).shape())); });
  r.op("view_dtype")
      .schema("view_dtype(Tensor input, DType dtype) -> (Tensor out)")
      .doc("The bytes of input as another dtype; the last axis grows or shrinks with its size.",
           "paddle.view(paddle.to_tensor([1.0]), 'int32')")
      .saved_form(write_view_dtype)
      .spmd(sharding::bytes_as_dtype)
      .primitive("views are the memory operations that everything else is written with")
      .infer([](Infer& c) {
        c.out(0, shape_as_dtype(c.shape(0), c.dtype(0), c.dtype_attr(1)), c.dtype_attr(1));
      })
      .view(alias_as_dtype, [](Args&, const Tensor& base,
                               const Tensor& value) { return view_dtype(value, base.dtype()); })
      .vjp([](Vjp& v) {
        const Tensor g = v.grad();
        const Tensor like = g.dtype() == v.dtype(1) ? g : cast(g, v.dtype(1));
        v.set(0, view_dtype(assign(like), v.in(0).dtype()));
      });
}

void register_strided_views(Registry& r) {
  r.op("as_strided")
      .schema(
          "as_strided(Tensor input, int64[] dims={}, int64[] stride={}, int64 offset=0) -> (Tensor "
          "out)")
      .alias("size", "dims")
      .doc(
          "The memory of input with the given extents and strides (in elements), offset bytes from "
          "its start, as a view.",
          "paddle.as_strided(paddle.arange(6), [2, 2], [3, 1])")
      .python("paddle.as_strided(x, shape, stride, offset=0, name=None)")
      .python("Tensor.as_strided(x, shape, stride, offset=0, name=None)")
      .alias("x", "input")
      .alias("shape", "dims")
      .primitive("views are the memory operations that everything else is written with")
      .infer(infer_as_strided)
      .saved_form(write_as_strided)
      .view(alias_strided,
            [](Args& a, const Tensor& base, const Tensor& value) {
              const Tensor at = strided_positions(a.ints(1), a.ints(2),
                                                  first_element(a.i(3), base.dtype()), base);
              const Dim n = numel_of(base.shape());
              const Tensor flat =
                  index_put(reshape(base, Shape{n}), {at}, reshape(value, at.shape()), false);
              return reshape(flat, base.shape());
            })
      .vjp([](Vjp& v) {
        const Tensor g = v.grad();
        const Shape x = v.in(0).shape();
        const Tensor at =
            strided_positions(v.ints(1), v.ints(2), first_element(v.i(3), v.in(0).dtype()), g);
        const Tensor flat = index_add(zeros(Shape{numel_of(x)}, g), at, reshape(g, at.shape()), 0);
        v.set(0, reshape(flat, x));
      });
}

void register_windows(Registry& r) {
  r.op("tensor_unfold")
      .schema("tensor_unfold(Tensor input, int64 axis, int64 size, int64 step) -> (Tensor out)")
      .doc("Windows of `size` elements along axis, `step` apart, as a new last axis; a view.",
           "paddle.unfold(paddle.arange(6), 0, 3, 2)")
      .saved_form(write_tensor_unfold)
      .python("paddle.unfold(x, axis, size, step, name=None)")
      .python("Tensor.unfold(x, axis, size, step, name=None)")
      .alias("x", "input")
      .alias("dimension", "axis")
      .spmd(sharding::windows_of_axis)
      .primitive("views are the memory operations that everything else is written with")
      .infer([](Infer& c) {
        c.out(0, unfolded(c.shape(0), windows_of(c.shape(0), c.i(1), c.i(2), c.i(3))), c.dtype(0));
      })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            const Windows w = windows_of(a);
            Strides strides = x.strides();
            const int64_t along = strides.empty() ? 1 : strides[static_cast<size_t>(w.axis)];
            if (!strides.empty())
              strides[static_cast<size_t>(w.axis)] = (Dim(along) * Dim(w.step)).value();
            strides.push_back(along);
            return Tensor::alias(x, unfolded(x.shape(), w), strides, 0);
          },
          scatter_windows)
      .vjp([](Vjp& v) {
        const Shape x = v.in(0).shape();
        const Tensor g = v.grad();
        if (x.empty()) return v.set(0, reshape(g, x));
        const Windows w = windows_of(v.args());
        if (w.axis + 1 == static_cast<int64_t>(x.size()) && w.size > 0 &&
            decide_lt(0, w.count, true)) {
          return v.set(0, windows_added(g, w, x));
        }
        v.set(0, index_add(zeros(x, g), window_positions(w, g), windows_in_line(g, w), w.axis));
      });
}

}  // namespace

void register_view(Registry& r) {
  register_diagonals(r);
  register_reinterpretations(r);
  register_strided_views(r);
  register_windows(r);
}

}  // namespace paddle::ops
