// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// put_along_axis_reduce: put_along_axis with a reduction whose gradient needs the values.
#include <limits>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/indexing/along_axis.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

enum class Mode { kAdd, kMultiply, kMean, kExtreme };

Mode mode_of(std::string_view reduce) {
  if (reduce == "add") return Mode::kAdd;
  if (reduce == "mean") return Mode::kMean;
  return reduce == "amin" || reduce == "amax" ? Mode::kExtreme : Mode::kMultiply;
}

// Sums at the indices, over a tensor like arr; reads them back.
struct Along {
  Tensor index;
  int64_t axis;
  Tensor add(const Tensor& to, const Tensor& values) const {
    return put_along_axis(to, index, values, axis, "add", true);
  }
  Tensor assign_at(const Tensor& to, double value) const {
    const Tensor values = full(index.shape(), Scalar(value), to.dtype(), to.place());
    return put_along_axis(to, index, values, axis, "assign", true);
  }
  Tensor read(const Tensor& from) const { return take_along_axis(from, index, axis); }
};

struct Gradients {
  Tensor arr, values;
};

// d (product) / d v is the product of all others. With no zero among them it is out / v, with one
// zero it is the product of the rest at that zero and 0 elsewhere, with more it is 0.
Gradients product_gradients(const Along& along, const Tensor& arr, const Tensor& values,
                            const Tensor& g) {
  const auto without_zero = [](const Tensor& t) {
    const Tensor one = full(Shape(), Scalar(1.0), t.dtype(), t.place());
    return where(equal(t, constant_like(t, 0)), one, t);
  };
  const auto zero_flags = [](const Tensor& t) {
    return cast(equal(t, constant_like(t, 0)), t.dtype());
  };
  const Tensor zeros = along.add(zero_flags(arr), zero_flags(values));
  const Tensor rest = put_along_axis_reduce(without_zero(arr), along.index, without_zero(values),
                                            along.axis, "mul", true);
  const auto share = [](const Tensor& v, const Tensor& safe, const Tensor& count,
                        const Tensor& product) {
    const Tensor none = full(Shape(), Scalar(0.0), v.dtype(), v.place());
    const Tensor here = where(equal(v, constant_like(v, 0)), product, product / safe);
    const Tensor others = count - cast(equal(v, constant_like(v, 0)), v.dtype());
    return where(equal(others, constant_like(others, 0)), here, none);
  };
  return {g * share(arr, without_zero(arr), zeros, rest),
          along.read(g) * share(values, without_zero(values), along.read(zeros), along.read(rest))};
}

// Ties share the gradient evenly.
Gradients extreme_gradients(const Along& along, const Tensor& arr, const Tensor& values,
                            const Tensor& out, const Tensor& g) {
  const Tensor own = cast(equal(arr, out), g.dtype());
  const Tensor theirs = cast(equal(values, along.read(out)), g.dtype());
  const Tensor share = g / maximum(along.add(own, theirs), constant_like(own, 1));
  return {own * share, theirs * along.read(share)};
}

double neutral(std::string_view reduce) {
  if (mode_of(reduce) == Mode::kMultiply) return 1;
  if (mode_of(reduce) != Mode::kExtreme) return 0;
  const double inf = std::numeric_limits<double>::infinity();
  return reduce == "amin" ? inf : -inf;
}

void reduce_vjp(Vjp& v) {
  const Along along{v.in(1), v.i(3)};
  const std::string_view reduce = v.text(4);
  const bool self = v.b(5);
  const Tensor g = v.grad();
  // Without include_self the old value counts as the neutral one.
  const Tensor arr = self ? v.in(0) : along.assign_at(v.in(0), neutral(reduce));
  Gradients result;
  if (mode_of(reduce) == Mode::kMultiply) {
    result = product_gradients(along, arr, v.in(2), g);
  } else if (mode_of(reduce) == Mode::kExtreme) {
    result = extreme_gradients(along, arr, v.in(2), v.out(), g);
  } else {
    Tensor share = g;
    if (mode_of(reduce) == Mode::kMean) {
      Tensor count = along.add(constant_like(g, self ? 1 : 0), constant_like(along.read(g), 1));
      if (!self) count = maximum(count, constant_like(count, 1));
      share = g / count;
    }
    result = {share, along.read(share)};
  }
  if (v.needs(0)) v.set(0, self ? result.arr : along.assign_at(result.arr, 0));
  if (v.needs(2)) v.set(2, result.values);
}

void infer_reduce(Infer& c) {
  c.require_index(1);
  c.require_same_dtype(0, 2);
  const int64_t axis = c.axis(3, c.rank(0));
  bool fits = c.rank(0) == c.rank(1) && c.rank(1) == c.rank(2);
  for (int64_t d = 0; fits && d < c.rank(0); ++d) {
    const auto at = static_cast<size_t>(d);
    fits = decide_eq(c.shape(1)[at], c.shape(2)[at], true) &&
           (d == axis || decide_le(c.shape(1)[at], c.shape(0)[at], true));
  }
  PADDLE_CHECK_VALUE(fits, "put_along_axis: arr has shape ", c.shape(0), ", indices has shape ",
                     c.shape(1), " and values has shape ", c.shape(2),
                     "; all must have equally many axes, indices and values one shape that is not "
                     "longer than arr except on axis ",
                     axis, "; expand or slice them.");
  const std::string_view how = c.text(4);
  bool known = false;
  for (const char* name : {"add", "mul", "multiply", "mean", "amin", "amax"}) known |= how == name;
  PADDLE_CHECK_VALUE(known, "put_along_axis: reduce has value '", how,
                     "'; it must be 'assign', 'add', 'mul', 'multiply', 'mean', 'amin' or 'amax'; "
                     "pass one of them.");
  c.out(0, c.shape(0), c.dtype(0));
}

}  // namespace

void write_along_axis(SavedForm& f) {
  const int64_t axis = f.i("axis"), rank = f.rank(f.operand(0));
  f.set_attribute("axis", static_cast<int32_t>(axis < 0 ? axis + rank : axis));
}

void register_along_axis(Registry& r) {
  r.op("put_along_axis_reduce")
      .schema(
          "put_along_axis_reduce(Tensor arr, Tensor indices, Tensor values, int axis, str "
          "reduce=\"add\", bool include_self=true) -> (Tensor out)")
      .doc(
          "arr with values added, multiplied, averaged or their extreme taken at the positions "
          "that take_along_axis reads; include_self says whether the old element takes part.",
          "paddle.put_along_axis(paddle.ones([1, 2]), paddle.to_tensor([[1]]), "
          "paddle.to_tensor([[3.0]]), 1, 'mul')")
      .spmd(sharding::put_along_axis)
      .primitive("reduces by position along one axis")
      .saved_form([](SavedForm& f) {  // one operator there: see put_along_axis
        write_along_axis(f);
        f.become({f.make("put_along_axis", f.operands(), f.result(), f.attributes())});
      })
      .infer(infer_reduce)
      .saves({"arr", "indices", "values", "out"})
      .vjp(reduce_vjp);
}

}  // namespace paddle::ops
