// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Random tensors.
#include "phi_kernels/ops/creation/given_shape.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// How far a call moves the generator: 64 of the 128 bits of a counter for each element.
uint64_t half_a_counter_each(const Slot*, const Tensor* outs) {
  return static_cast<uint64_t>(outs[0].numel() / 2 + 16);
}

}  // namespace

void register_uniform(Registry& r) {
  r.op("uniform")
      .schema(
          "uniform(IntArray@operand shape, DType dtype=float32, Scalar@operand min=-1.0, "
          "Scalar@operand max=1.0, int seed=0, Place place=cpu) -> (Tensor out)")
      .doc("Numbers drawn evenly from [min, max).", "paddle.uniform([2, 2])")
      .python("paddle.uniform(shape, dtype=None, min=-1.0, max=1.0, seed=0, name=None)")
      .infer([](Infer& c) { c.out(0, given_shape(c, 0), c.dtype_attr(1)); })
      .random(half_a_counter_each)
      .primitive("draws from the generator")
      .no_grad();
  r.op("gaussian")
      .schema(
          "gaussian(IntArray@operand shape, float mean=0.0, float std=1.0, int seed=0, DType "
          "dtype=float32, Place place=cpu) -> (Tensor out)")
      .doc("Numbers drawn from the normal distribution.", "paddle.randn([2, 2])")
      .infer([](Infer& c) { c.out(0, given_shape(c, 0), c.dtype_attr(4)); })
      .random([](const Slot*, const Tensor* outs) {
        return static_cast<uint64_t>(outs[0].numel() + 16);
      })
      .primitive("draws from the generator")
      .no_grad();
  r.op("randint")
      .schema(
          "randint(int low, int high, IntArray@operand shape, DType dtype=int64, Place place=cpu) "
          "-> (Tensor out)")
      .doc("Integers drawn evenly from [low, high).", "paddle.randint(0, 10, [3])")
      .infer([](Infer& c) { c.out(0, given_shape(c, 2), c.dtype_attr(3)); })
      .random(half_a_counter_each)
      .opaque("draws from the generator")
      .no_grad();
  r.op("bernoulli")
      .schema("bernoulli(Tensor x) -> (Tensor out)")
      .doc("1 with probability x, else 0, elementwise.", "paddle.bernoulli(paddle.full([2], 0.5))")
      .python("paddle.bernoulli")
      .infer(infer::same_as_x_float)
      .random(half_a_counter_each)
      .spmd(sharding::every_dim)
      .primitive("draws from the generator")
      .no_grad();
  r.op("randperm")
      .schema("randperm(int n, DType dtype=int64, Place place=cpu) -> (Tensor out)")
      .doc("A random order of 0 ... n - 1.", "paddle.randperm(4)")
      .python("paddle.randperm")
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.i(0) >= 0, "randperm: n has value ", c.i(0),
                           "; it must be >= 0; use n >= 0.");
        c.out(0, Shape{Dim(c.i(0))}, c.dtype_attr(1));
      })
      .random(half_a_counter_each)
      .opaque("draws from the generator")
      .no_grad();
}

}  // namespace paddle::ops
