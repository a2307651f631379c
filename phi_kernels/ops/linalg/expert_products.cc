// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with the matrices that are chosen for them, as layers with experts have them.
// Each is made of the other in its gradient.
#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/reduce.h"

namespace paddle::ops {
namespace {

// The gradient rules have no conjugates.
void require_real(const Infer& c, int k) {
  PADDLE_CHECK_TYPE(is_floating(c.dtype(k)), c.op_name(), ": ", c.arg_name(k), " has dtype ",
                    c.dtype(k), "; it must be a real floating-point type; cast it with astype().");
}

// That argument k has a row for each token, or for each choice of `ids`.
void require_rows(const Infer& c, int k, int ids) {
  const Shape &rows = c.shape(k), &chosen = c.shape(ids);
  const bool fits = (rows.size() == 2 || rows.size() == 3) && decide_eq(rows[0], chosen[0], true) &&
                    (rows.size() == 2 || decide_eq(rows[1], chosen[1], true));
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": ", c.arg_name(k), " has shape ", rows, " and ",
                     c.arg_name(ids), " ", chosen, "; there must be a row for each token, [",
                     chosen[0], ", width], or for each choice, [", chosen[0], ", ", chosen[1],
                     ", width].");
}

void require_choices(const Infer& c, int ids) {
  c.require_dtype(ids, DType::kInt64);
  c.require_rank(ids, 2);
}

// arguments: x, weight, ids, transpose_weight
void infer_product(Infer& c) {
  require_real(c, 0);
  c.require_same_dtype(0, 1);
  c.require_rank(1, 3);
  require_choices(c, 2);
  require_rows(c, 0, 2);
  const Shape& weight = c.shape(1);
  const Dim inputs = weight[c.b(3) ? 2 : 1], outputs = weight[c.b(3) ? 1 : 2];
  PADDLE_CHECK_VALUE(decide_eq(c.shape(0).back(), inputs, true), c.op_name(), ": x has shape ",
                     c.shape(0), " and weight ", weight, "; rows of x must have ", inputs,
                     " numbers, the ", c.b(3) ? "last" : "second", " extent of weight.");
  c.out(0, Shape{c.shape(2)[0], c.shape(2)[1], outputs}, c.dtype(0));
}

// arguments: x, y, ids, experts
void infer_outer(Infer& c) {
  require_real(c, 0);
  c.require_same_dtype(0, 1);
  require_choices(c, 2);
  require_rows(c, 0, 2);
  require_rows(c, 1, 2);
  PADDLE_CHECK_VALUE(c.i(3) >= 0, c.op_name(), ": experts has value ", c.i(3),
                     "; it must be their number.");
  c.out(0, Shape{Dim(c.i(3)), c.shape(0).back(), c.shape(1).back()}, c.dtype(0));
}

// What belongs to `like` of what belongs to its choices.
Tensor as_rows_of(const Tensor& like, const Tensor& by_choice) {
  return like.ndim() == 2 ? sum(by_choice, Shape{Dim(1)}, by_choice.dtype(), false) : by_choice;
}

// A row for each choice; of extent 1 where the choices share it.
Tensor by_choice(const Tensor& rows) {
  return rows.ndim() == 2 ? unsqueeze(rows, Shape{Dim(1)}) : rows;
}

TensorList decompose_product(Args& a) {
  const Tensor weight = a.tensor(1), ids = a.tensor(2);
  const Tensor flat = gather(weight, reshape(ids, Shape{-1}), Scalar(0));
  const Tensor chosen =
      reshape(flat, Shape{ids.shape()[0], ids.shape()[1], weight.shape()[1], weight.shape()[2]});
  const Tensor columns = unsqueeze(by_choice(a.tensor(0)), Shape{Dim(-1)});
  return {squeeze(matmul(chosen, columns, !a.b(3), false), Shape{Dim(-1)})};
}

TensorList decompose_outer(Args& a) {
  const Tensor x = a.tensor(0), y = a.tensor(1), ids = a.tensor(2);
  const Dim m = x.shape().back(), n = y.shape().back();
  const Tensor outer =
      unsqueeze(by_choice(x), Shape{Dim(-1)}) * unsqueeze(by_choice(y), Shape{Dim(-2)});
  const Tensor all = expand(outer, Shape{ids.shape()[0], ids.shape()[1], m, n});
  const Tensor none = full(Shape{Dim(a.i(3)), m, n}, Scalar(0.0), x.dtype(), x.place());
  return {index_add(none, reshape(ids, Shape{-1}), reshape(all, Shape{-1, m, n}), 0)};
}

void vjp_product(Vjp& v) {
  const Tensor x = v.in(0), weight = v.in(1), ids = v.in(2), g = v.grad();
  const bool swapped = v.b(3);
  if (v.needs(0)) v.set(0, as_rows_of(x, expert_matmul(g, weight, ids, !swapped)));
  if (v.needs(1)) {
    v.set(1, swapped ? expert_outer(g, x, ids, weight.size(0))
                     : expert_outer(x, g, ids, weight.size(0)));
  }
}

void vjp_outer(Vjp& v) {
  const Tensor x = v.in(0), y = v.in(1), ids = v.in(2), g = v.grad();
  if (v.needs(0)) v.set(0, as_rows_of(x, expert_matmul(y, g, ids, true)));
  if (v.needs(1)) v.set(1, as_rows_of(y, expert_matmul(x, g, ids, false)));
}

// Two operations for each number of the rows and each of the results.
void product_cost(Args& a, const Tensor* outs, OpCost& c) {
  c.flops = 2 * cost::elements(outs[0]) * cost::extent(a.tensor(0), -1);
}
void outer_cost(Args& a, const Tensor*, OpCost& c) {
  c.flops = 2 * cost::elements(a.tensor(2)) * cost::extent(a.tensor(0), -1) *
            cost::extent(a.tensor(1), -1);
}

}  // namespace

void register_expert_products(Registry& r) {
  r.op("expert_matmul")
      .schema(
          "expert_matmul(Tensor x, Tensor weight, Tensor ids, bool transpose_weight=true) -> "
          "(Tensor out)")
      .doc(
          "out[t, c] = W x[t] or W x[t, c] for the matrix W = weight[ids[t, c]], the one that is "
          "chosen for it. Matrices that none chooses are not read.\n"
          "x: A floating Tensor [tokens, in], or [tokens, choices, in].\n"
          "weight: A Tensor [experts, out, in], or [experts, in, out] without transpose_weight.\n"
          "ids: int64 [tokens, choices].\n"
          "Returns: A Tensor [tokens, choices, out].\n"
          "Raises: IndexError: ids holds a number outside of [0, experts).",
          "paddle._C_ops.expert_matmul(paddle.ones([2, 3]), paddle.ones([4, 5, 3]), "
          "paddle.to_tensor([[0, 3], [1, 2]]))")
      .cost(product_cost)
      .amp_class(AmpClass::kLow)
      .infer(infer_product)
      .saves({"x", "weight", "ids"})
      .rank(2)
      .vjp(vjp_product)
      .decompose(decompose_product);
  r.op("expert_outer")
      .schema("expert_outer(Tensor x, Tensor y, Tensor ids, int64 experts) -> (Tensor out)")
      .doc(
          "out[e] = the sum of x[t, c] y[t, c]' over all t, c with ids[t, c] = e; the gradient of "
          "a "
          "weight of expert_matmul.\n"
          "x: A floating Tensor [tokens, choices, m], or [tokens, m] for all choices of a token.\n"
          "y: A Tensor [tokens, choices, n], or [tokens, n].\n"
          "ids: int64 [tokens, choices].\n"
          "Returns: A Tensor [experts, m, n].\n"
          "Raises: IndexError: ids holds a number outside of [0, experts).",
          "paddle._C_ops.expert_outer(paddle.ones([2, 3]), paddle.ones([2, 5]), "
          "paddle.to_tensor([[0, 3], [1, 2]]), 4)")
      .cost(outer_cost)
      .amp_class(AmpClass::kLow)
      .infer(infer_outer)
      .saves({"x", "y", "ids"})
      .vjp(vjp_outer)
      .decompose(decompose_outer);
}

}  // namespace paddle::ops
