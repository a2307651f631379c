// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors: slice and strided_slice (views), slice_scatter, flip, roll, pad, and crop.
#include <algorithm>
#include <span>

#include "paddle_core/op/integers.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/shape/slice_scatter_form.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/slice.h"

namespace paddle::ops {
namespace {

using Dims = std::span<const Dim>;

Dims dims_of(const Slot& slot) { return {slot.dims, slot.count}; }

// An integer list of a call, without a copy where it is constant.
class Ints {
 public:
  Ints(const Infer& c, int k) {
    if (c.slot(k).kind == SlotKind::kInts) {
      dims_ = dims_of(c.slot(k));
    } else {
      own_ = c.ints(k);
      dims_ = own_;
    }
  }
  Ints(const Ints&) = delete;
  operator Dims() const { return dims_; }  // NOLINT(google-explicit-constructor)

 private:
  Shape own_;
  Dims dims_;
};

// A bit per axis in `drop`.
uint64_t dropped_axes(Dims drop, size_t rank, const char* op) {
  uint64_t gone = 0;
  for (const Dim d : drop) {
    gone |=
        uint64_t{1} << normalize_axis(d.value(), static_cast<int64_t>(rank), op, "decrease_axis");
  }
  return gone;
}

template <typename List>
List without(const List& list, uint64_t gone) {
  List out;
  for (size_t d = 0; d < list.size(); ++d) {
    if (!((gone >> d) & 1u)) out.push_back(list[d]);
  }
  return out;
}

Shape ones(const Shape& like) { return Shape(like.size(), Dim(1)); }

[[noreturn, gnu::cold]] void throw_no_such_index(const Shape& x, Dims axes, Dims starts,
                                                 size_t axis) {
  Dim start = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (normalize_axis(axes[i].value(), int64_t(x.size()), "slice") == int64_t(axis))
      start = starts[i];
  }
  throw_error(ErrorKind::kIndex,
              str("slice: index ", start, " on axis ", axis, " is out of range for input of shape ",
                  x, "; an index must be in [-", x[axis], ", ", x[axis], ")."));
}

void infer_slice(Infer& c) {
  const Ints axes(c, 1), starts(c, 2), ends(c, 3), drop(c, 5);
  const Shape& x = c.shape(0);
  const Shape kept = sliced_shape(x, axes, starts, ends, {}, "slice");
  const uint64_t gone = dropped_axes(drop, x.size(), "slice");
  // The part that one index (decrease_axis) takes must exist.
  for (size_t d = 0; d < kept.size(); ++d) {
    if (((gone >> d) & 1u) && !decide_eq(kept[d], 1, true)) throw_no_such_index(x, axes, starts, d);
  }
  c.out(0, gone ? without(kept, gone) : kept, c.dtype(0));
}

Tensor alias_ranges(const Tensor& x, Dims axes, const SmallVector<Range, 5>& ranges,
                    const Shape& kept, uint64_t gone, const char* op) {
  int64_t offset = 0;
  Strides strides = x.strides();
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(normalize_axis(axes[i].value(), x.ndim(), op, "axes"));
    if (ranges[i].count.value() > 0) offset += ranges[i].start.value() * x.strides()[axis];
    strides[axis] = x.strides()[axis] * ranges[i].step;
  }
  offset *= static_cast<int64_t>(size_of(x.dtype()));
  if (!gone) return Tensor::alias(x, kept, strides, offset);
  return Tensor::alias(x, without(kept, gone), without(strides, gone), offset);
}

Tensor view_slice(Args& a) {
  const Tensor x = a.tensor(0);
  const Dims axes = dims_of(a.slot(1));
  SmallVector<Range, 5> ranges;
  const Shape kept =
      sliced_shape(x.shape(), axes, dims_of(a.slot(2)), dims_of(a.slot(3)), {}, "slice", &ranges);
  const uint64_t gone = dropped_axes(dims_of(a.slot(5)), kept.size(), "slice");
  return alias_ranges(x, axes, ranges, kept, gone, "slice");
}

Tensor scatter_slice(const Tensor& base, const Args& a, const Tensor& value) {
  const Shape axes = a.ints(1), starts = a.ints(2), ends = a.ints(3);
  const Shape kept = sliced_shape(base.shape(), axes, starts, ends, Shape(), "slice");
  return slice_scatter(base, reshape(value, kept), axes, starts, ends, ones(axes));
}

// Arguments `first` and after it: axes, starts, ends, strides.
Tensor alias_strided(Args& a, int first, const char* op) {
  const Tensor x = a.tensor(0);
  const Shape axes = a.ints(first), strides = a.ints(first + 3);
  for (const Dim s : strides) {
    if (s.value() < 0) return Tensor();
  }
  SmallVector<Range, 5> ranges;
  const Shape kept =
      sliced_shape(x.shape(), axes, a.ints(first + 1), a.ints(first + 2), strides, op, &ranges);
  return alias_ranges(x, axes, ranges, kept, 0, op);
}

Tensor view_strided(Args& a) { return alias_strided(a, 1, "strided_slice"); }
Tensor part_of_slice_scatter(Args& a) { return alias_strided(a, 2, "slice_scatter"); }

void infer_slice_scatter(Infer& c) {
  const Shape part =
      sliced_shape(c.shape(0), c.ints(2), c.ints(3), c.ints(4), c.ints(5), c.op_name());
  c.require_same_dtype(0, 1);
  const Shape& value = c.shape(1);
  bool fits = value.size() <= part.size();
  for (size_t d = 0; fits && d < value.size(); ++d) {
    const Dim extent = part[part.size() - value.size() + d];
    fits = decide_eq(value[d], 1, false) || decide_eq(extent, value[d], true);
  }
  PADDLE_CHECK_VALUE(fits, "slice_scatter: value has shape ", value, " and the part of x that it ",
                     "replaces has shape ", part,
                     "; value must broadcast to that part; expand or reshape it.");
  c.out(0, c.shape(0), c.dtype(0));
}

void infer_pad(Infer& c) {
  const Shape pads = c.ints(1);
  PADDLE_CHECK_VALUE(pads.size() == 2 * c.shape(0).size(), "pad: paddings has ", pads.size(),
                     " entries and x has shape ", c.shape(0),
                     "; there must be two entries (before, after) per axis; pass ",
                     2 * c.shape(0).size(), " of them.");
  Shape& out = c.out(0, c.dtype(0));
  out = c.shape(0);
  for (size_t d = 0; d < out.size(); ++d) {
    out[d] = out[d] + pads[2 * d] + pads[2 * d + 1];
    PADDLE_CHECK_VALUE(decide_le(0, out[d], true), "pad: paddings [", pads[2 * d], ", ",
                       pads[2 * d + 1], "] on axis ", d, " remove more than x of shape ",
                       c.shape(0),
                       " holds; the result must not be shorter than 0; pad with larger values.");
  }
}

Shape roll_axes(const Args& a) { return a.ints(2); }

void infer_roll(Infer& c) {
  const size_t axes = c.ints(2).size(), shifts = c.ints(1).size();
  PADDLE_CHECK_VALUE(axes == 0 ? shifts == 1 : axes == shifts, "roll: shifts has ", shifts,
                     " entries and axis has ", axes,
                     "; they must be equally many, or one shift without an axis; make them agree.");
  for (const Dim d : c.ints(2)) normalize_axis(d.value(), c.rank(0), "roll");
  c.out(0, c.shape(0), c.dtype(0));
}

// A window of a list.
Integers sliced_integers(const IntegerArgs& a) {
  const Integers x = a.integers(0), first = a.integers(2), last = a.integers(3);
  if (!x || !first || !last || first->size() != 1 || last->size() != 1) return std::nullopt;
  if (a.tensor(0).shape().size() != 1) return std::nullopt;
  if (!is_static(*first) || !is_static(*last)) return std::nullopt;
  const auto size = static_cast<int64_t>(x->size());
  const auto place = [size](Dim d) {
    const int64_t at = d.value() < 0 ? d.value() + size : d.value();
    return std::clamp<int64_t>(at, 0, size);
  };
  const int64_t begin = place((*first)[0]), end = std::max(begin, place((*last)[0]));
  return Shape(x->begin() + begin, x->begin() + end);
}

void register_parts(Registry& r) {
  r.op("slice")
      .schema(
          "slice(Tensor input, int64[] axes, IntArray@operand starts, IntArray@operand ends, "
          "int64[] infer_flags={}, int64[] decrease_axis={}) -> (Tensor out)")
      .spmd(sharding::slice)
      .doc(
          "A part of a Tensor, as a view.\n"
          "input: A Tensor of any dtype.\n"
          "axes: The axes that are cut.\n"
          "starts: Where the part begins on each; a negative number counts from the end. Bounds "
          "are clamped as Python's.\n"
          "ends: Where it ends, this element not included.\n"
          "Returns: A Tensor of the dtype of input.",
          "paddle.slice(paddle.arange(6), axes=[0], starts=[1], ends=[-2]).tolist()  # [1, 2, 3]")
      .python("paddle.slice(input, axes, starts, ends)")
      .python("Tensor.slice(input, axes, starts, ends)")
      .primitive("views are the memory operations that everything else is written with")
      .integers(sliced_integers)
      .infer(infer_slice)
      .view(view_slice, [](Args& a, const Tensor& base,
                           const Tensor& value) { return scatter_slice(base, a, value); })
      .vjp([](Vjp& v) {
        v.set(0, scatter_slice(zeros(v.in(0).shape(), v.grad()), v.args(), v.grad()));
      });
  r.op("strided_slice")
      .schema(
          "strided_slice(Tensor x, int[] axes, IntArray@operand starts, IntArray@operand ends, "
          "IntArray@operand strides) -> (Tensor out)")
      .doc(
          "Every stride-th element between starts and ends along axes: a view for positive "
          "strides, a copy for negative ones.",
          "paddle.strided_slice(paddle.arange(6), axes=[0], starts=[0], ends=[6], strides=[2])")
      .runtime("strides", RuntimeValue::kCount)
      .python("paddle.strided_slice(x, axes, starts, ends, strides, name=None)")
      .python("Tensor.strided_slice(x, axes, starts, ends, strides, name=None)")
      .alias("input", "x")
      .spmd(sharding::strided_slice)
      .primitive("views are the memory operations that everything else is written with")
      .infer([](Infer& c) {
        c.out(0, sliced_shape(c.shape(0), c.ints(1), c.ints(2), c.ints(3), c.ints(4), c.op_name()),
              c.dtype(0));
      })
      .view(view_strided,
            [](Args& a, const Tensor& base, const Tensor& value) {
              return slice_scatter(base, value, a.ints(1), a.ints(2), a.ints(3), a.ints(4));
            })
      .vjp([](Vjp& v) {
        v.set(0, slice_scatter(zeros(v.in(0).shape(), v.grad()), v.grad(), v.ints(1), v.ints(2),
                               v.ints(3), v.ints(4)));
      });
  r.op("slice_scatter")
      .schema(
          "slice_scatter(Tensor x, Tensor value, int64[] axes, IntArray starts, IntArray ends, "
          "IntArray strides) -> (Tensor out)")
      .doc("A copy of x in which the part x[starts:ends:strides] along axes is value, broadcast.",
           "paddle._C_ops.slice_scatter(paddle.zeros([4]), paddle.ones([2]), axes=[0], starts=[1], "
           "ends=[3], strides=[1])")
      .spmd(sharding::slice_scatter)
      .primitive("the write that belongs to the views slice and strided_slice")
      .partial_write(part_of_slice_scatter)
      .saved_form(write_slice_scatter)
      .upgrade("set_value", read_set_value)
      .upgrade("set_value_with_tensor", read_set_value)
      .infer(infer_slice_scatter)
      .vjp([](Vjp& v) {
        const Tensor& g = v.grad();
        if (v.needs(0)) {
          v.set(0, slice_scatter(g, zeros(v.in(1).shape(), g), v.ints(2), v.ints(3), v.ints(4),
                                 v.ints(5)));
        }
        if (v.needs(1)) v.set(1, strided_slice(g, v.ints(2), v.ints(3), v.ints(4), v.ints(5)));
      });
}

// reverse: flip along axes that a constant names.
void read_reverse(SavedForm& f) {
  f.require_tensors(2);
  const FormOperation* axes = f.made_by(f.operand(1), "full_int_array");
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, axes, f.name(),
                    ": its axes are no constant; paddle cannot run it.");
  f.become({f.make("flip", {f.operand(0)}, f.result(), {{"axis", int32s(axes->ints("value"))}})});
}

void register_moves(Registry& r) {
  r.op("flip")
      .schema("flip(Tensor x, int[] axis) -> (Tensor out)")
      .runtime("axis", RuntimeValue::kAxisOfSameShape)
      .doc(
          "The elements in reverse order along some axes.\n"
          "x: A Tensor of any dtype.\n"
          "axis: An axis or a list of axes.\n"
          "Returns: A Tensor of the shape and dtype of x, in memory of its own.",
          "paddle.flip(paddle.to_tensor([[1, 2], [3, 4]]), axis=[1]).tolist()  # [[2, 1], [4, 3]]")
      .upgrade("reverse", read_reverse)
      .python("paddle.flip(x, axis, name=None)")
      .python("Tensor.flip(x, axis, name=None)")
      .alias("input", "x")
      .alias("dims", "axis")
      .infer([](Infer& c) {
        for (const Dim d : c.ints(1)) normalize_axis(d.value(), c.rank(0), "flip");
        c.out(0, c.shape(0), c.dtype(0));
      })
      .vjp([](Vjp& v) { v.set(0, flip(v.grad(), v.ints(1))); })
      .decompose([](Args& a) -> TensorList {
        const size_t n = a.ints(1).size();
        constexpr int64_t kOpen = (int64_t{1} << 31) - 1;
        return {strided_slice(a.tensor(0), a.ints(1), Shape(n, Dim(kOpen)), Shape(n, Dim(-kOpen)),
                              Shape(n, Dim(-1)))};
      });
  r.op("roll")
      .schema("roll(Tensor x, IntArray@operand shifts={}, int64[] axis={}) -> (Tensor out)")
      .runtime("axis", RuntimeValue::kAxisOfSameShape)
      .doc(
          "The elements moved along axes, around the end.\n"
          "x: A Tensor of any dtype.\n"
          "shifts: How far, an int or one for each axis.\n"
          "axis: An axis or a list of axes; None: the elements move in row-major order.\n"
          "Returns: A Tensor of the shape and dtype of x.",
          "paddle.roll(paddle.arange(4), shifts=1).tolist()  # [3, 0, 1, 2]")
      .python("paddle.roll(x, shifts, axis=None, name=None)")
      .python("Tensor.roll(x, shifts, axis=None, name=None)")
      .alias("input", "x")
      .alias("dims", "axis")
      .infer(infer_roll)
      .vjp([](Vjp& v) {
        Shape back;
        for (const Dim s : v.ints(1)) back.push_back(Dim(0) - s);
        v.set(0, roll(v.grad(), back, v.ints(2)));
      })
      .decompose([](Args& a) -> TensorList {
        const Shape axes = roll_axes(a), shifts = a.ints(1);
        Tensor x = a.tensor(0);
        const Shape shape = x.shape();
        if (axes.empty()) x = reshape(x, Shape{numel_of(shape)});
        for (size_t i = 0; i < shifts.size(); ++i) {
          const int64_t axis = axes.empty() ? 0 : normalize_axis(axes[i].value(), x.ndim(), "roll");
          const Dim n = x.shape()[static_cast<size_t>(axis)];
          if (x.ndim() == 0 || decide_eq(n, 0, false)) continue;
          const Dim cut = n - mod(shifts[i], n);
          x = concat({slice(x, Shape{axis}, Shape{cut}, Shape{n}, Shape{1}, Shape()),
                      slice(x, Shape{axis}, Shape{0}, Shape{cut}, Shape{1}, Shape())},
                     Scalar(axis));
        }
        return {axes.empty() ? reshape(x, shape) : x};
      });
}

// The extents of the cut: -1 takes all that is left behind the offset.
Shape cropped(const Shape& x, const Shape& shape, const Shape& offsets) {
  PADDLE_CHECK_VALUE(shape.size() == x.size() && offsets.size() == x.size(), "crop: x has shape ",
                     x, ", shape is ", shape, " and offsets is ", offsets,
                     "; there must be one entry per axis; make them equally long.");
  Shape out = shape;
  for (size_t d = 0; d < x.size(); ++d) {
    if (!shape[d].is_symbolic() && shape[d].value() == -1) out[d] = x[d] - offsets[d];
    PADDLE_CHECK_VALUE(decide_le(0, offsets[d], true) && decide_le(0, out[d], true) &&
                           decide_le(offsets[d] + out[d], x[d], true),
                       "crop: x has shape ", x, ", shape is ", shape, " and offsets is ", offsets,
                       "; the part must lie in x, and on axis ", d, " it does not; change it.");
  }
  return out;
}

// Elements around x, or fewer of them.
void register_pad_and_crop(Registry& r) {
  r.op("pad")
      .schema("pad(Tensor x, int[] paddings, Scalar@operand pad_value=0.0) -> (Tensor out)")
      .doc(
          "x with pad_value around it; paddings holds the numbers of elements before and after, "
          "axis by axis. Negative numbers crop.",
          "paddle._C_ops.pad(paddle.to_tensor([1.0]), [1, 1], 0.0)")
      .infer(infer_pad)
      .vjp([](Vjp& v) {
        Shape back;
        for (const Dim p : v.ints(1)) back.push_back(Dim(0) - p);
        v.set(0, pad(v.grad(), back, Scalar(0.0)));
      })
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        const Shape pads = a.ints(1);
        Shape out = x.shape(), axes, from, to, begin, end;
        for (size_t d = 0; d < out.size(); ++d) {
          const Dim before = pads[2 * d], after = pads[2 * d + 1], n = x.shape()[d];
          out[d] = n + before + after;
          axes.push_back(static_cast<int64_t>(d));
          from.push_back(max(Dim(0) - before, 0));
          to.push_back(n - max(Dim(0) - after, 0));
          begin.push_back(max(before, 0));
          end.push_back(out[d] - max(after, 0));
        }
        const Tensor inside = slice(x, axes, from, to, Shape(axes.size(), Dim(1)), Shape());
        return {slice_scatter(full(out, a.scalar(2), x.dtype(), x.place()), inside, axes, begin,
                              end, ones(axes))};
      });
  r.op("crop")
      .schema(
          "crop(Tensor x, IntArray@operand shape={}, IntArray@operand offsets={}) -> (Tensor out)")
      .doc("The part of x of the given shape that starts at offsets; -1 takes what is left.",
           "paddle.crop(paddle.ones([3, 3]), [2, -1], [1, 0])")
      .infer([](Infer& c) { c.out(0, cropped(c.shape(0), c.ints(1), c.ints(2)), c.dtype(0)); })
      .decompose([](Args& a) -> TensorList {
        const Tensor x = a.tensor(0);
        const Shape begin = a.ints(2), size = cropped(x.shape(), a.ints(1), begin);
        if (x.ndim() == 0) return {assign(x)};
        Shape axes, end;
        for (size_t d = 0; d < size.size(); ++d) {
          axes.push_back(static_cast<int64_t>(d));
          end.push_back(begin[d] + size[d]);
        }
        return {assign(slice(x, axes, begin, end, Shape(axes.size(), Dim(1)), Shape()))};
      });
}

}  // namespace

void register_slice(Registry& r) {
  register_parts(r);
  register_moves(r);
  register_pad_and_crop(r);
}

}  // namespace paddle::ops
