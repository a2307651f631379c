// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// embedding: rows of a table by id; and the operator of its gradient, whose own gradient is an
// embedding again.
#include <limits>

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"

namespace paddle::ops {
namespace {

void require_ids(Infer& c) {
  PADDLE_CHECK_TYPE(c.dtype(0) == DType::kInt32 || c.dtype(0) == DType::kInt64, c.op_name(),
                    ": x has dtype ", c.dtype(0), "; ids must be int32 or int64; cast it.");
  c.require_rank(1, 2);
}

TensorList decompose_embedding(Args& a) {
  const Tensor ids = a.tensor(0), weight = a.tensor(1);
  Shape out = ids.shape();
  out.push_back(weight.shape()[1]);
  // gather counts negative positions from the end; no id is negative.
  const int64_t none = ids.dtype() == DType::kInt32 ? std::numeric_limits<int32_t>::max()
                                                    : std::numeric_limits<int64_t>::max();
  const auto number = [&](int64_t v) { return full(Shape(), Scalar(v), ids.dtype(), ids.place()); };
  const Tensor safe = where(less_than(ids, number(0)), number(none), ids);
  const Tensor rows = reshape(gather(weight, reshape(safe, Shape{-1}), Scalar(int64_t{0})), out);
  if (a.i(2) < 0) return {rows};
  const Tensor padding = equal(ids, full(Shape(), Scalar(a.i(2)), ids.dtype(), ids.place()));
  return {where(unsqueeze(padding, Shape{-1}),
                full(Shape(), Scalar(0), weight.dtype(), weight.place()), rows)};
}

// Each id's share of its row's gradient: 1 / the number of times that it is taken, [*x.shape, 1].
Tensor shares(const Tensor& x, const Tensor& weight) {
  const Shape column{weight.shape()[0], Dim(1)};
  Shape taken = x.shape();
  taken.push_back(1);
  const Tensor one = full(taken, Scalar(1.0), DType::kFloat32, weight.place());
  const Tensor none = full(column, Scalar(0.0), DType::kFloat32, weight.place());
  const Tensor counts = embedding(x, embedding_grad_dense(x, none, one, -1), -1, false);
  return cast(reciprocal(counts), weight.dtype());
}

}  // namespace

void register_embedding(Registry& r) {
  r.op("embedding")
      .schema(
          "embedding(Tensor x, Tensor weight, int64 padding_idx=-1, bool sparse=false) -> (Tensor "
          "out)")
      .spmd("..., * d -> ... d")
      .doc(
          "The rows of weight that the ids in x name. The row padding_idx reads as 0 and receives "
          "no gradient; -1 means no such row.",
          "paddle.nn.functional.embedding(paddle.to_tensor([2, 0]), paddle.ones([3, 4]))")
      .python(
          "paddle.nn.functional.embedding(x, weight, padding_idx=None, sparse=False, name=None)")
      .alias("input", "x")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_ids(c);
        Shape out = c.shape(0);
        out.push_back(c.shape(1)[1]);
        c.out(0, out, c.dtype(1));
      })
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (v.needs(1)) v.set(1, embedding_grad_dense(v.in(0), v.in(1), v.grad(), v.i(2)));
      })
      .rank(2)
      .decompose(decompose_embedding);
  r.op("embedding_with_scaled_gradient")
      .schema(
          "embedding_with_scaled_gradient(Tensor x, Tensor weight, int64 padding_idx=-1) -> "
          "(Tensor out)")
      .doc(
          "The rows of weight that the ids in x name, as of embedding. The gradient of a row is "
          "divided by the number of times that it is taken.",
          "paddle._C_ops.embedding_with_scaled_gradient(paddle.to_tensor([2, 0]), "
          "paddle.ones([3, 4]))")
      .amp_class(AmpClass::kHigh)
      .infer([](Infer& c) {
        require_ids(c);
        Shape out = c.shape(0);
        out.push_back(c.shape(1)[1]);
        c.out(0, out, c.dtype(1));
      })
      .decompose([](Args& a) -> TensorList {
        return {embedding(a.tensor(0), a.tensor(1), a.i(2), false)};
      })
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (!v.needs(1)) return;
        const Tensor g = v.grad() * shares(v.in(0), v.in(1));
        v.set(1, embedding_grad_dense(v.in(0), v.in(1), g, v.i(2)));
      });
  r.op("embedding_grad_dense")
      .schema(
          "embedding_grad_dense(Tensor x, Tensor weight, Tensor out_grad, int64 padding_idx=-1) -> "
          "(Tensor weight_grad)")
      .spmd("..., * d, ... d -> * d")
      .doc(
          "Sums the rows of out_grad into a table of weight's shape at the ids in x. Only the "
          "shape of weight is used.",
          "paddle._C_ops.embedding_grad_dense(paddle.to_tensor([2, 0]), paddle.ones([3, 4]), "
          "paddle.ones([2, 4]), -1)")
      .primitive("the scatter-add that belongs to embedding")
      .infer([](Infer& c) {
        require_ids(c);
        Shape wanted = c.shape(0);
        wanted.push_back(c.shape(1)[1]);
        bool fits = wanted.size() == c.shape(2).size();
        for (size_t d = 0; fits && d < wanted.size(); ++d)
          fits = decide_eq(wanted[d], c.shape(2)[d], true);
        PADDLE_CHECK_VALUE(fits, "embedding_grad_dense: out_grad has shape ", c.shape(2), " where ",
                           wanted, " is needed; it holds one row per id; reshape it.");
        c.out(0, c.shape(1), c.dtype(2));
      })
      .reads_shape_of({"weight"})
      .saves({"x"})
      .vjp([](Vjp& v) {
        if (v.needs(2)) v.set(2, embedding(v.in(0), v.grad(), v.i(3), false));
      });
}

}  // namespace paddle::ops
