// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rarer reads and writes by position: index_sample, multiplex, shard_index, fill_diagonal,
// repeat_interleave_with_tensor_index.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/creation/counted.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// Rows of the stacked inputs: the candidate that index names, at the row's own place.
TensorList multiplex_decompose(Args& a) {
  const TensorList inputs = a.list(0);
  const Dim rows = a.tensor(1).shape()[0];
  const Tensor index = as_dtype(reshape(a.tensor(1), Shape{rows}), DType::kInt64);
  return {gather_nd(stack(inputs, 0), stack({index, counted(rows, index.place())}, 1))};
}

void infer_multiplex(Infer& c) {
  const auto inputs = c.list(0);
  PADDLE_CHECK_VALUE(inputs.size() > 1, "multiplex: inputs holds ", inputs.size(),
                     " tensors; there must be at least two to choose from; pass more.");
  c.require_index(1);
  const Shape& shape = inputs[0].shape();
  PADDLE_CHECK_VALUE(shape.size() >= 2, "multiplex: inputs[0] has shape ", shape,
                     "; at least two axes are needed; unsqueeze it.");
  for (size_t i = 1; i < inputs.size(); ++i) {
    bool same = inputs[i].shape().size() == shape.size();
    for (size_t d = 0; same && d < shape.size(); ++d) {
      same = decide_eq(inputs[i].shape()[d], shape[d], true);
    }
    PADDLE_CHECK_VALUE(same && inputs[i].dtype() == inputs[0].dtype(), "multiplex: inputs[", i,
                       "] has shape ", inputs[i].shape(), " and dtype ", inputs[i].dtype(),
                       " where inputs[0] has ", shape, " and ", inputs[0].dtype(),
                       "; all must be alike; cast or reshape them.");
  }
  PADDLE_CHECK_VALUE(c.rank(1) == 2 && decide_le(c.shape(1)[0], shape[0], true) &&
                         decide_eq(c.shape(1)[1], 1, true),
                     "multiplex: index has shape ", c.shape(1), "; it must have shape [n, 1], a ",
                     "number per row of the result, and the inputs have ", shape[0],
                     " rows; reshape or shorten it.");
  Shape out = shape;
  out[0] = c.shape(1)[0];
  c.out(0, out, inputs[0].dtype());
}

void infer_repeat(Infer& c) {
  c.require_index(1);
  c.require_rank(1, 1);
  c.require_rank_at_least(0, 1);
  const auto axis = static_cast<size_t>(c.axis(2, c.rank(0)));
  PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[axis], c.shape(1)[0], true),
                     "repeat_interleave: repeats has shape ", c.shape(1), " and axis ", axis,
                     " of x has extent ", c.shape(0)[axis],
                     "; there must be one number per element; reshape repeats.");
  Shape out = c.shape(0);
  out[axis] = c.i(3) >= 0 ? Dim(c.i(3)) : c.data_dependent_size();
  c.out(0, out, c.dtype(0));
}

// Every copy's gradient is added to the element it is a copy of.
void repeat_vjp(Vjp& v) {
  const Tensor g = v.grad();
  const Shape x = v.in(0).shape();
  const int64_t axis = normalize_axis(v.i(2), v.in(0).ndim(), "repeat_interleave");
  const Tensor own = counted(x[static_cast<size_t>(axis)], g.place());
  const Tensor from = repeat_interleave_with_tensor_index(own, v.in(1), 0, v.i(3));
  v.set(0, index_add(full(x, Scalar(0.0), g.dtype(), g.place()), from, g, axis));
}

}  // namespace

void register_select(Registry& r) {
  r.op("index_sample")
      .schema("index_sample(Tensor x, Tensor index) -> (Tensor out)")
      .doc("out[i][j] = x[i][index[i][j]] for matrices.",
           "paddle.index_sample(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1], [0]]))")
      .python("paddle.index_sample(x, index)")
      .python("Tensor.index_sample(x, index)")
      .infer([](Infer& c) {
        c.require_index(1);
        c.require_rank(0, 2);
        c.require_rank(1, 2);
        PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[0], c.shape(1)[0], true),
                           "index_sample: x has shape ", c.shape(0), " and index has shape ",
                           c.shape(1), "; they must have equally many rows; slice one of them.");
        c.out(0, c.shape(1), c.dtype(0));
      })
      .decompose(
          [](Args& a) -> TensorList { return {take_along_axis(a.tensor(0), a.tensor(1), 1)}; });
  r.op("multiplex")
      .schema("multiplex(Tensor[] inputs, Tensor index) -> (Tensor out)")
      .doc("Row i of the result, one for each of index, is row i of inputs[index[i]].",
           "paddle.multiplex([paddle.zeros([2, 1]), paddle.ones([2, 1])], paddle.to_tensor([[1], "
           "[0]]))")
      .python("paddle.multiplex(inputs, index, name=None)")
      .infer(infer_multiplex)
      .decompose(multiplex_decompose);
  r.op("shard_index")
      .schema(
          "shard_index(Tensor input, int index_num, int nshards, int shard_id, int "
          "ignore_value=-1) -> (Tensor out)")
      .doc("Positions inside shard_id of equal shards of [0, index_num); ignore_value elsewhere.",
           "paddle.shard_index(paddle.to_tensor([[16], [1]]), 20, 2, 0)")
      .python("paddle.shard_index(input, index_num, nshards, shard_id, ignore_value=-1)")
      .python("Tensor.shard_index(input, index_num, nshards, shard_id, ignore_value=-1)")
      .infer([](Infer& c) {
        c.require_index(0);
        PADDLE_CHECK_VALUE(c.i(1) > 0 && c.i(2) > 0, "shard_index: index_num has value ", c.i(1),
                           " and nshards has value ", c.i(2),
                           "; both must be positive; change them.");
        PADDLE_CHECK_VALUE(c.i(3) >= 0 && c.i(3) < c.i(2), "shard_index: shard_id is ", c.i(3),
                           " and nshards has value ", c.i(2),
                           "; shard_id must be in [0, nshards).");
        infer::same_as_x(c);
      })
      .no_grad()
      .spmd(sharding::every_dim)
      .opaque("checks the range of every index");
  r.op("fill_diagonal")
      .schema(
          "fill_diagonal(Tensor x, float value=0, int offset=0, bool wrap=false) -> (Tensor out)")
      .doc(
          "x with value on the diagonal that starts `offset` columns to the right; with wrap=True "
          "it starts again below the last column of a tall matrix.",
          "paddle.zeros([2, 2]).fill_diagonal_(1.0)")
      .inplace_python("Tensor.fill_diagonal_(x, value, offset=0, wrap=False, name=None)")
      .spmd(sharding::fill_diagonal)
      .primitive("writes by position")
      .trait(kPartialWrite)
      .infer([](Infer& c) {
        c.require_rank_at_least(0, 2);
        infer::same_as_x(c);
      })
      .vjp([](Vjp& v) { v.set(0, fill_diagonal(v.grad(), 0.0, v.i(2), v.b(3))); });
  r.op("repeat_interleave_with_tensor_index")
      .schema(
          "repeat_interleave_with_tensor_index(Tensor x, Tensor repeats, int axis, int64 "
          "output_size=-1) -> (Tensor out)")
      .doc("Element i along axis repeated repeats[i] times.",
           "paddle.repeat_interleave(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 1]), axis=0)")
      .since_version(3)
      .upgrade(
          "repeat_interleave_with_tensor_index",
          [](SavedForm& f) { f.set_attribute("output_size", int64_t{-1}); }, 2)
      .trait(kDynamicOutput)
      .opaque("the size of the result is known only from the values")
      .infer(infer_repeat)
      .saves({"repeats"})
      .vjp(repeat_vjp);
}

}  // namespace paddle::ops
