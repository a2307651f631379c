// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Selection and search along one axis: kthvalue, mode, cummax and cummin (values are
// differentiable), searchsorted, is_empty.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/ops/sort.h"

namespace paddle::ops {
namespace {

void refuse_complex(const Infer& c) {
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), c.op_name(), ": x has dtype ", c.dtype(0),
                    "; complex numbers have no order; use abs(x) or real(x).");
}

// One value per lane, and its position.
void infer_one(Infer& c, int axis_arg, int keepdim_arg) {
  refuse_complex(c);
  const int64_t axis = c.axis(axis_arg, c.rank(0));
  Shape shape = c.shape(0);
  if (!shape.empty()) {
    PADDLE_CHECK_VALUE(decide_lt(0, shape[static_cast<size_t>(axis)], true), c.op_name(),
                       ": x has shape ", c.shape(0), " and axis ", axis,
                       " has no element; at least one is needed; pass such a tensor.");
    if (c.b(keepdim_arg)) {
      shape[static_cast<size_t>(axis)] = 1;
    } else {
      shape.erase(shape.begin() + axis);
    }
  }
  c.out(0, shape, c.dtype(0));
  c.out(1, shape, DType::kInt64);
}

void infer_kthvalue(Infer& c) {
  infer_one(c, 2, 3);
  const Dim length =
      c.rank(0) == 0 ? Dim(1) : c.shape(0)[static_cast<size_t>(c.axis(2, c.rank(0)))];
  PADDLE_CHECK_VALUE(c.i(1) >= 1 && decide_le(c.i(1), length, true), "kthvalue: k has value ",
                     c.i(1), " and x has shape ", c.shape(0), "; k must lie in [1, ", length,
                     "], the extent of the axis; change k.");
}

// Each gradient goes to the position its value came from.
void one_vjp(Vjp& v, int64_t axis, bool keepdim) {
  if (!v.has_grad(0)) return;
  const Tensor x = v.in(0), g = v.grad(0);
  if (x.ndim() == 0) return v.set(0, g);
  const int64_t at = normalize_axis(axis, x.ndim(), "kthvalue");
  const Tensor wide = keepdim ? g : unsqueeze(g, Shape{at});
  const Tensor index = keepdim ? v.out(1) : unsqueeze(v.out(1), Shape{at});
  const Tensor zeros = full(x.shape(), Scalar(0.0), g.dtype(), g.place());
  v.set(0, put_along_axis(zeros, index, wide, at, "add", true));
}

void infer_running(Infer& c) {
  refuse_complex(c);
  c.axis(1, c.rank(0));
  const DType index = c.dtype_attr(2);
  PADDLE_CHECK_VALUE(index == DType::kInt32 || index == DType::kInt64, c.op_name(),
                     ": dtype has value ", index, "; positions are int32 or int64; pass one.");
  c.out(0, c.shape(0), c.dtype(0));
  c.out(1, c.shape(0), index);
}

void running_vjp(Vjp& v) {
  if (!v.has_grad(0)) return;
  const Tensor x = v.in(0), g = v.grad(0);
  if (x.ndim() == 0) return v.set(0, g);
  const Tensor zeros = full(x.shape(), Scalar(0.0), g.dtype(), g.place());
  v.set(0, put_along_axis(zeros, v.out(1), g, normalize_axis(v.i(1), x.ndim(), "cummax"), "add",
                          true));
}

void infer_searchsorted(Infer& c) {
  refuse_complex(c);
  c.require_rank_at_least(0, 1);
  const Shape &rows = c.shape(0), &values = c.shape(1);
  bool fits = rows.size() == 1 || rows.size() == values.size();
  for (size_t d = 0; fits && d + 1 < rows.size(); ++d) fits = decide_eq(rows[d], values[d], true);
  PADDLE_CHECK_RUNTIME(fits, "searchsorted: sorted_sequence has shape ", rows,
                       " and values has shape ", values,
                       "; sorted_sequence must have one axis, or the axes of values but for the "
                       "last; reshape one of them.");
  c.out(0, values, c.b(2) ? DType::kInt32 : DType::kInt64);
}

}  // namespace

void register_search(Registry& r) {
  r.op("kthvalue")
      .schema(
          "kthvalue(Tensor x, int64 k=1, int axis=-1, bool keepdim=false) -> (Tensor out, Tensor "
          "indices)")
      .doc("The k-th smallest value along axis and its position. NaN counts as the largest.",
           "paddle.kthvalue(paddle.to_tensor([3.0, 1.0, 2.0]), 2)")
      .python("paddle.kthvalue(x, k, axis=None, keepdim=False, name=None)")
      .python("Tensor.kthvalue(k, axis=None, keepdim=False, name=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .spmd(sharding::one_axis)
      .opaque("a search in the order of elements")
      .infer(infer_kthvalue)
      .no_grad_result("indices")
      .saves({"indices"})
      .vjp([](Vjp& v) { one_vjp(v, v.i(2), v.b(3)); });
  r.op("mode")
      .schema("mode(Tensor x, int axis=-1, bool keepdim=false) -> (Tensor out, Tensor indices)")
      .doc("The most frequent value along axis, the smallest of several, and its last position.",
           "paddle.mode(paddle.to_tensor([2.0, 1.0, 2.0]))")
      .python("paddle.mode(x, axis=-1, keepdim=False, name=None)")
      .python("Tensor.mode(axis=-1, keepdim=False, name=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .spmd(sharding::one_axis)
      .opaque("a search in the order of elements")
      .infer([](Infer& c) { infer_one(c, 1, 2); })
      .no_grad_result("indices")
      .saves({"indices"})
      .vjp([](Vjp& v) { one_vjp(v, v.i(1), v.b(2)); });
  r.op("cummax")
      .schema("cummax(Tensor x, int axis=-1, DType dtype=int64) -> (Tensor out, Tensor indices)")
      .doc("The largest value so far along axis and its last position; NaN is the largest.",
           "paddle.cummax(paddle.to_tensor([1.0, 3.0, 2.0]))")
      .spmd(sharding::one_axis)
      .opaque("a search in the order of elements")
      .infer(infer_running)
      .no_grad_result("indices")
      .saves({"indices"})
      .vjp(running_vjp);
  r.op("cummin")
      .schema("cummin(Tensor x, int axis=-1, DType dtype=int64) -> (Tensor out, Tensor indices)")
      .doc("The smallest value so far along axis and its last position; NaN is the smallest.",
           "paddle.cummin(paddle.to_tensor([3.0, 1.0, 2.0]))")
      .spmd(sharding::one_axis)
      .opaque("a search in the order of elements")
      .infer(infer_running)
      .no_grad_result("indices")
      .saves({"indices"})
      .vjp(running_vjp);
  r.op("searchsorted")
      .schema(
          "searchsorted(Tensor sorted_sequence, Tensor values, bool out_int32=false, bool "
          "right=false) -> (Tensor out)")
      .doc(
          "Positions at which values would keep the rows of sorted_sequence sorted: before equal "
          "elements, or behind them with right=True.",
          "paddle.searchsorted(paddle.to_tensor([1.0, 3.0, 5.0]), paddle.to_tensor([3.0]))")
      .trait(kPromote)
      .kernel_dtype_of("sorted_sequence")
      .infer(infer_searchsorted)
      .no_grad()
      .spmd(sharding::searchsorted)
      .opaque("a binary search");
  r.op("is_empty")
      .schema("is_empty(Tensor x) -> (Tensor out)")
      .doc("Whether x has no element, as a 0-d bool.", "paddle.is_empty(paddle.zeros([0]))")
      .python("paddle.is_empty(x, name=None)")
      .python("Tensor.is_empty(x, name=None)")
      .infer([](Infer& c) { c.out(0, Shape(), DType::kBool); })
      .no_grad()
      .decompose([](Args& a) -> TensorList {
        const Tensor zero = full(Shape(), Scalar(int64_t{0}), DType::kInt64, a.tensor(0).place());
        return {equal(numel(a.tensor(0)), zero)};
      });
}

}  // namespace paddle::ops
