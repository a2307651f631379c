// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Repetition: expand and expand_as (views with stride 0), tile, repeat_interleave.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// -1 keeps an extent of x; new axes stand in front.
Shape expanded(const Shape& x, const Shape& target, const char* op) {
  PADDLE_CHECK_VALUE(target.size() >= x.size(), op, ": shape ", target,
                     " has fewer axes than x of shape ", x,
                     "; the result has at least as many; reshape x first.");
  Shape out = target;
  const size_t extra = target.size() - x.size();
  for (size_t d = 0; d < target.size(); ++d) {
    const bool keep = !target[d].is_symbolic() && target[d].value() == -1;
    PADDLE_CHECK_VALUE(keep ? d >= extra : decide_le(0, target[d], true), op, ": shape is ", target,
                       " and holds ", target[d], " at place ", d, " for x of shape ", x,
                       "; -1 is for axes that x has, others must be >= 0; write the extent.");
    if (d < extra) continue;
    const Dim from = x[d - extra];
    if (keep) {
      out[d] = from;
    } else {
      const bool stretched = !from.is_symbolic() && from.value() == 1;
      const bool fits = stretched || decide_eq(from, target[d], true) || decide_eq(from, 1, true);
      PADDLE_CHECK_VALUE(fits, op, ": x has shape ", x, " and shape is ", target,
                         "; an axis can be expanded only from 1 (axis ", d - extra, " has ", from,
                         "); reshape or tile x.");
    }
  }
  return out;
}

Tensor view_expanded(const Tensor& x, const Shape& target) {
  const size_t extra = target.size() - x.shape().size();
  Strides strides(target.size(), 0);
  for (size_t d = extra; d < target.size(); ++d) {
    const bool same = x.shape()[d - extra] == target[d];
    strides[d] = same ? x.strides()[d - extra] : 0;
  }
  return Tensor::alias(x, target, strides, 0);
}

Tensor refuse_scatter(Args& a, const Tensor&, const Tensor&) {
  throw_error(ErrorKind::kRuntime,
              str(a.op().name(),
                  ": the result is written in place, but several of its elements are one element "
                  "of x; such a write has no single meaning; call clone() on the result first."));
}

// Sums g over the axes that were repeated.
Tensor sum_to(const Tensor& g, const Shape& x) {
  const size_t extra = g.shape().size() - x.size();
  Shape axes;
  const auto is_one = [](const Dim& n) { return !n.is_symbolic() && n.value() == 1; };
  for (size_t d = 0; d < g.shape().size(); ++d) {
    // An extent of 1 may have grown: no need to know by how much.
    const bool grew =
        d < extra || (is_one(x[d - extra]) ? !is_one(g.shape()[d])
                                           : !decide_eq(x[d - extra], g.shape()[d], true));
    if (grew) axes.push_back(static_cast<int64_t>(d));
  }
  if (axes.empty()) return g;
  return reshape(sum(g, axes, g.dtype(), true), x);
}

void expand_vjp(Vjp& v) { v.set(0, sum_to(v.grad(), v.in(0).shape())); }

// Both to one rank: the shorter gets 1 in front.
void align(Shape& a, size_t rank) {
  while (a.size() < rank) a.insert(a.begin(), Dim(1));
}

struct Tiling {
  Shape x, times, interleaved, repeated, out;  // interleaved: [1, x0, 1, x1, ...]
};

Tiling tiling_of(const Shape& x, const Shape& times) {
  Tiling t{x, times, {}, {}, {}};
  const size_t rank = x.size() > times.size() ? x.size() : times.size();
  align(t.x, rank);
  align(t.times, rank);
  for (size_t d = 0; d < rank; ++d) {
    PADDLE_CHECK_VALUE(decide_le(0, t.times[d], true), "tile: repeat_times is ", times,
                       " and holds ", t.times[d],
                       "; a number of repetitions must be >= 0; pass such numbers.");
    t.interleaved.push_back(1);
    t.interleaved.push_back(t.x[d]);
    t.repeated.push_back(t.times[d]);
    t.repeated.push_back(t.x[d]);
    t.out.push_back(t.times[d] * t.x[d]);
  }
  return t;
}

struct Interleaving {
  size_t axis;
  Shape split, repeated, out;
};

Interleaving interleaving_of(const Shape& x, int64_t repeats, int64_t axis) {
  PADDLE_CHECK_VALUE(repeats >= 0, "repeat_interleave: repeats has value ", repeats,
                     "; a number of repetitions must be >= 0; pass such a number.");
  const auto rank = static_cast<int64_t>(x.size());
  PADDLE_CHECK_VALUE(rank > 0,
                     "repeat_interleave: x has shape []; it needs an axis; reshape x to [1].");
  Interleaving r{static_cast<size_t>(normalize_axis(axis, rank, "repeat_interleave")), {}, {}, x};
  for (size_t d = 0; d < x.size(); ++d) {
    r.split.push_back(x[d]);
    r.repeated.push_back(x[d]);
    if (d != r.axis) continue;
    r.split.push_back(1);
    r.repeated.push_back(repeats);
  }
  r.out[r.axis] = x[r.axis] * Dim(repeats);
  return r;
}

Shape expand_as_target(const Args& a) { return a.has(1) ? a.tensor(1).shape() : a.ints(2); }

void register_views(Registry& r) {
  r.op("expand")
      .schema("expand(Tensor x, IntArray@operand shape={}) -> (Tensor out)")
      .spmd(sharding::expand)
      .doc(
          "x repeated along its axes of extent 1, without a copy until the result or x is "
          "written.\n"
          "x: A Tensor of any dtype.\n"
          "shape: The extents of the result, a list of ints or a Tensor of them; -1 keeps that of "
          "x. It may have more axes, in front.\n"
          "Returns: A Tensor of that shape and of the dtype of x.\n"
          "Raises: ValueError: An axis of x that would change has another extent than 1.",
          "paddle.expand(paddle.to_tensor([1, 2]), shape=[2, 2]).tolist()  # [[1, 2], [1, 2]]")
      .python("paddle.expand(x, shape, name=None)")
      .python("Tensor.expand(x, shape, name=None)")
      .python("paddle.broadcast_to(x, shape, name=None)")
      .python("Tensor.broadcast_to(x, shape, name=None)")
      .alias("input", "x")
      .alias("size", "shape")
      .primitive("broadcasting as a view")
      .trait(kLeavesBase)
      .infer([](Infer& c) { c.out(0, expanded(c.shape(0), c.ints(1), "expand"), c.dtype(0)); })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            return view_expanded(x, expanded(x.shape(), a.ints(1), "expand"));
          },
          refuse_scatter)
      .vjp(expand_vjp);
  r.op("expand_as")
      .schema("expand_as(Tensor x, Tensor? y, int64[] target_shape={}) -> (Tensor out)")
      .doc(
          "x expanded to the shape of another Tensor, without a copy until one of both is "
          "written.\n"
          "x: A Tensor of any dtype.\n"
          "y: A Tensor, of which only the shape is read.\n"
          "Returns: A Tensor of the shape of y and the dtype of x.\n"
          "Raises: ValueError: An axis of x that would change has another extent than 1.",
          "paddle.expand_as(paddle.to_tensor([1, 2]), paddle.zeros([2, 2])).tolist()  # [[1, 2], "
          "[1, 2]]")
      .python("paddle.expand_as(x, y, name=None)")
      .python("Tensor.expand_as(x, y, name=None)")
      .alias("input", "x")
      .alias("other", "y")
      .trait(kLeavesBase)
      .saved_form([](SavedForm& f) {  // what the result is, -1 where that is open
        Shape target;
        for (const Dim d : f.shape(f.result())) target.push_back(d.is_symbolic() ? Dim(-1) : d);
        f.set_attribute("target_shape", int64s(target));
      })
      .infer([](Infer& c) {
        const Shape target = c.has(1) ? c.shape(1) : c.ints(2);
        c.out(0, expanded(c.shape(0), target, "expand_as"), c.dtype(0));
      })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            return view_expanded(x, expanded(x.shape(), expand_as_target(a), "expand_as"));
          },
          refuse_scatter)
      .vjp(expand_vjp)
      .rank(1)
      .decompose([](Args& a) -> TensorList { return {expand(a.tensor(0), expand_as_target(a))}; });
}

void register_copies(Registry& r) {
  r.op("tile")
      .schema("tile(Tensor x, IntArray@operand repeat_times={}) -> (Tensor out)")
      .doc(
          "x laid out several times along its axes.\n"
          "x: A Tensor of any dtype.\n"
          "repeat_times: How often along each axis, a list of ints or a Tensor of them; the last "
          "entry belongs to the last axis.\n"
          "Returns: A Tensor of the dtype of x whose extents are those of x times repeat_times.",
          "paddle.tile(paddle.to_tensor([1, 2]), repeat_times=[2, 2]).tolist()  # [[1, 2, 1, 2], "
          "[1, 2, 1, 2]]")
      .python("paddle.tile(x, repeat_times, name=None)")
      .python("Tensor.tile(x, repeat_times, name=None)")
      .alias("input", "x")
      .alias("dims", "repeat_times")
      .infer([](Infer& c) { c.out(0, tiling_of(c.shape(0), c.ints(1)).out, c.dtype(0)); })
      .vjp([](Vjp& v) {
        const Shape x = v.in(0).shape();
        const Tiling t = tiling_of(x, v.ints(1));
        Shape axes;
        for (size_t d = 0; d < t.x.size(); ++d) axes.push_back(static_cast<int64_t>(2 * d));
        Tensor g = v.grad();
        if (!axes.empty()) g = sum(reshape(g, t.repeated), axes, g.dtype(), false);
        v.set(0, reshape(g, x));
      })
      .decompose([](Args& a) -> TensorList {
        const Tiling t = tiling_of(a.tensor(0).shape(), a.ints(1));
        return {reshape(expand(reshape(a.tensor(0), t.interleaved), t.repeated), t.out)};
      });
  r.op("repeat_interleave")
      .schema(
          "repeat_interleave(Tensor x, int repeats, int axis, int64 output_size=-1) -> (Tensor "
          "out)")
      .doc("Every element repeated `repeats` times along axis, copies next to each other.",
           "paddle._C_ops.repeat_interleave(paddle.to_tensor([1, 2]), 2, 0, -1)")
      .since_version(3)
      .upgrade(
          "repeat_interleave", [](SavedForm& f) { f.set_attribute("output_size", int64_t{-1}); }, 2)
      .infer(
          [](Infer& c) { c.out(0, interleaving_of(c.shape(0), c.i(1), c.i(2)).out, c.dtype(0)); })
      .vjp([](Vjp& v) {
        const Interleaving t = interleaving_of(v.in(0).shape(), v.i(1), v.i(2));
        const Tensor g = reshape(v.grad(), t.repeated);
        v.set(0, sum(g, Shape{static_cast<int64_t>(t.axis) + 1}, g.dtype(), false));
      })
      .decompose([](Args& a) -> TensorList {
        const Interleaving t = interleaving_of(a.tensor(0).shape(), a.i(1), a.i(2));
        return {reshape(expand(reshape(a.tensor(0), t.split), t.repeated), t.out)};
      });
}

}  // namespace

void register_expand(Registry& r) {
  register_views(r);
  register_copies(r);
}

}  // namespace paddle::ops
