// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// argsort (values and positions) and topk along one axis. Values are differentiable.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/sort.h"

namespace paddle::ops {
namespace {

void refuse_complex(const Infer& c) {
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; sort abs(x) or real(x).");
}

void infer_argsort(Infer& c) {
  refuse_complex(c);
  c.axis(1, c.rank(0));
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(0), DType::kInt64);
}

// arguments: x, k, axis, largest, sorted
void infer_topk(Infer& c) {
  refuse_complex(c);
  const size_t axis = static_cast<size_t>(c.axis(2, c.rank(0)));
  Shape shape = c.shape(0);
  if (!c.is_constant(1)) {
    if (!shape.empty()) shape[axis] = c.data_dependent_size();
  } else {
    const int64_t k = c.scalar(1).to_int();
    const Dim length = shape.empty() ? Dim(1) : shape[axis];
    PADDLE_CHECK_VALUE(k >= 1 && decide_le(k, length, true), c.op_name(), ": k is ", k,
                       " and x has shape ", c.shape(0), "; k must lie in [1, ", length,
                       "], the extent of axis ", axis, ".");
    if (!shape.empty()) shape[axis] = k;
  }
  c.out(0, shape, c.dtype(0));
  c.out(1, shape, DType::kInt64);
}

// Puts each gradient at the position its value came from.
void scatter_back(Vjp& v, int64_t axis) {
  if (!v.has_grad(0)) return;
  const Tensor x = v.in(0), g = v.grad(0);
  if (x.ndim() == 0) {
    v.set(0, g);
    return;
  }
  const Tensor zeros = full(x.shape(), Scalar(0.0), g.dtype(), g.place());
  v.set(0, put_along_axis(zeros, v.out(1), g, axis, "assign", true));
}

}  // namespace

void register_topk(Registry& r) {
  r.op("argsort")
      .schema(
          "argsort(Tensor x, int axis=-1, bool descending=false, bool stable=false) -> (Tensor "
          "out, Tensor indices)")
      .doc(
          "x sorted along axis, and the positions its values came from. NaN counts as the largest; "
          "with stable, equal values keep their order.",
          "paddle.argsort(paddle.to_tensor([3.0, 1.0, 2.0]))")
      .cost(cost::sort<1>)
      .spmd(sharding::one_axis)
      .opaque("an order of elements")
      .infer(infer_argsort)
      .no_grad_result("indices")
      .saves({"indices"})
      .vjp([](Vjp& v) { scatter_back(v, v.i(1)); });

  r.op("topk")
      .schema(
          "topk(Tensor x, Scalar@int32 k=1, int axis=-1, bool largest=true, bool sorted=true) -> "
          "(Tensor out, Tensor indices)")
      .doc(
          "The k largest (or smallest) values along an axis, and their positions.\n"
          "x: A Tensor of any dtype that has an order.\n"
          "k: How many, an int or a Tensor of one; at most the extent along axis.\n"
          "axis: An axis; None stands for the last.\n"
          "largest: False: the smallest ones.\n"
          "sorted: Whether they come in order; they do in either case.\n"
          "Returns: (values, indices) with extent k along axis; indices are int64.\n"
          "Raises: ValueError: k is larger than the extent along axis.",
          "[t.tolist() for t in paddle.topk(paddle.to_tensor([3.0, 1.0, 2.0]), k=2)]  # [[3.0, "
          "2.0], [0, 2]]")
      .python(
          "paddle.topk(x, k, axis=None, largest=True, sorted=True, name=None, *, out=None) -> "
          "TopKRetType(values, indices)")
      .python(
          "Tensor.topk(k, axis=None, largest=True, sorted=True, name=None, *, out=None) -> "
          "TopKRetType(values, indices)")
      .cost(cost::sort<2>)
      .spmd(sharding::one_axis)
      .opaque("an order of elements")
      .infer(infer_topk)
      .no_grad_result("indices")
      .saves({"indices"})
      .vjp([](Vjp& v) { scatter_back(v, v.i(2)); });
}

}  // namespace paddle::ops
