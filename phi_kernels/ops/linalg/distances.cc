// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Distances of the rows of matrices, and the sum that their gradient is made of.
#include <limits>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/linalg/matrices.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"

namespace paddle::ops {
namespace {

// Arguments i, [..., m, d], and j, [..., n, d]: real, of one dtype, alike but for their rows.
Shape pairs_of(Infer& c, int i, int j) {
  for (const int k : {i, j}) {
    c.require_rank_at_least(k, 2);
    PADDLE_CHECK_TYPE(is_floating(c.dtype(k)), c.op_name(), ": ", c.arg_name(k), " has dtype ",
                      c.dtype(k), "; it must be a real floating-point type; cast it.");
  }
  c.require_same_dtype(i, j);
  const Shape &x = c.shape(i), &y = c.shape(j);
  bool same = x.size() == y.size();
  for (size_t d = 0; same && d < x.size(); ++d) {
    same = d + 2 == x.size() || decide_eq(x[d], y[d], true);
  }
  PADDLE_CHECK_VALUE(same, c.op_name(), ": ", c.arg_name(i), " has shape ", x, " and ",
                     c.arg_name(j), " has shape ", y,
                     "; all extents but the last but one must be equal; expand one.");
  Shape pairs = x;
  pairs.back() = y[y.size() - 2];
  return pairs;
}

TensorList norms_of_differences(Args& a, double order) {
  return {p_norm(unsqueeze(a.tensor(0), Shape{Dim(-2)}) - unsqueeze(a.tensor(1), Shape{Dim(-3)}),
                 order, -1)};
}

Tensor signs_of_differences(const Tensor& x, const Tensor& y) {
  return sign(unsqueeze(x, Shape{Dim(-2)}) - unsqueeze(y, Shape{Dim(-3)}));
}

}  // namespace

void register_distances(Registry& r) {
  r.op("manhattan_distances")
      .schema("manhattan_distances(Tensor x, Tensor y) -> (Tensor out)")
      .doc("The distances of the rows of x to those of y: sums of the sizes of differences.",
           "paddle._C_ops.manhattan_distances(paddle.zeros([1, 2]), paddle.to_tensor([[3.0, 4.0], "
           "[0.0, 1.0]]))")
      .infer([](Infer& c) { c.out(0, pairs_of(c, 0, 1), c.dtype(0)); })
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), y = v.in(1), g = v.grad();
        if (v.needs(0)) v.set(0, weighted_signs(g, x, y));
        if (v.needs(1)) v.set(1, weighted_signs(swap_last(g), y, x));
      })
      .decompose([](Args& a) { return norms_of_differences(a, 1); });
  r.op("chebyshev_distances")
      .schema("chebyshev_distances(Tensor x, Tensor y) -> (Tensor out)")
      .doc("The distances of the rows of x to those of y: the greatest sizes of differences.",
           "paddle._C_ops.chebyshev_distances(paddle.zeros([1, 2]), paddle.to_tensor([[3.0, 4.0], "
           "[0.0, 1.0]]))")
      .infer([](Infer& c) { c.out(0, pairs_of(c, 0, 1), c.dtype(0)); })
      .decompose(
          [](Args& a) { return norms_of_differences(a, std::numeric_limits<double>::infinity()); });
  r.op("euclidean_distances")
      .schema("euclidean_distances(Tensor x, Tensor y) -> (Tensor out)")
      .doc("The Euclidean distances of the rows of x to those of y.",
           "paddle._C_ops.euclidean_distances(paddle.zeros([1, 2]), paddle.to_tensor([[3.0, 4.0], "
           "[0.0, 1.0]]))")
      .infer([](Infer& c) { c.out(0, pairs_of(c, 0, 1), c.dtype(0)); })
      .saves({"x", "y", "out"})
      .vjp([](Vjp& v) {
        const Tensor x = v.in(0), y = v.in(1), out = v.out(0), g = v.grad();
        const Tensor one = full(Shape(), Scalar(1.0), out.dtype(), out.place());
        const Tensor apart = not_equal(out, zeros(Shape(), out));
        const Tensor w = where(apart, g / where(apart, out, one), zeros(Shape(), out));
        if (v.needs(0)) v.set(0, weighted_differences(w, x, y));
        if (v.needs(1)) v.set(1, weighted_differences(swap_last(w), y, x));
      })
      .decompose([](Args& a) { return norms_of_differences(a, 2); });
  r.op("weighted_signs")
      .schema("weighted_signs(Tensor w, Tensor x, Tensor y) -> (Tensor out)")
      .doc("For each row of x the sum of the signs of its differences from the rows of y, times w.",
           "paddle._C_ops.weighted_signs(paddle.to_tensor([[1.0, 2.0]]), paddle.ones([1, 2]), "
           "paddle.zeros([2, 2]))")
      .infer([](Infer& c) {
        c.require_same_dtype(0, 1);
        c.require_shape(0, pairs_of(c, 1, 2));
        c.out(0, c.shape(1), c.dtype(1));
      })
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        if (!v.needs(0)) return;
        const Tensor signs = signs_of_differences(v.in(1), v.in(2));
        v.set(0, sum(unsqueeze(v.grad(), Shape{Dim(-2)}) * signs, Shape{Dim(-1)}, DType::kUndefined,
                     false));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor signs = signs_of_differences(a.tensor(1), a.tensor(2));
        return {sum(unsqueeze(a.tensor(0), Shape{Dim(-1)}) * signs, Shape{Dim(-2)},
                    DType::kUndefined, false)};
      });
  r.op("weighted_differences")
      .schema("weighted_differences(Tensor w, Tensor x, Tensor y) -> (Tensor out)")
      .doc("For each row of x the sum of its differences from the rows of y, times w.",
           "paddle._C_ops.weighted_differences(paddle.to_tensor([[1.0, 2.0]]), paddle.ones([1, "
           "2]), paddle.zeros([2, 2]))")
      .infer([](Infer& c) {
        c.require_same_dtype(0, 1);
        c.require_shape(0, pairs_of(c, 1, 2));
        c.out(0, c.shape(1), c.dtype(1));
      })
      .saves({"w", "x", "y"})
      .vjp([](Vjp& v) {
        const Tensor w = v.in(0), x = v.in(1), y = v.in(2), g = v.grad();
        const Shape last{Dim(-1)};
        if (v.needs(0)) {
          v.set(0, sum(g * x, last, DType::kUndefined, true) - matmul(g, y, false, true));
        }
        if (v.needs(1)) v.set(1, g * sum(w, last, DType::kUndefined, true));
        if (v.needs(2)) v.set(2, -matmul(w, g, true, false));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor w = a.tensor(0), x = a.tensor(1);
        return {x * sum(w, Shape{Dim(-1)}, DType::kUndefined, true) - matmul(w, a.tensor(2))};
      });
}

}  // namespace paddle::ops
