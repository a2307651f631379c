// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Random tensors from distributions other than the uniform and the normal one, and the forms that
// fill a tensor in place.
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// Two elements share a counter; the last block of random_blocks.h is whole.
uint64_t one_each(const Slot*, const Tensor* outs) {
  return static_cast<uint64_t>(outs[0].numel() / 2 + 16);
}
uint64_t one_per_weight(const Slot* args, const Tensor* outs) {
  // `outs` are those of the whole also where rows are drawn in parts.
  const Shape& drawn = outs[0].shape();
  const int64_t rows = drawn.size() == 2 ? drawn[0].value() : 1;
  const int64_t weights = rows * args[0].tensor->shape.back().value();
  return static_cast<uint64_t>((weights + outs[0].numel()) / 2 + 16);
}

// What is overwritten has no influence.
void no_influence(Vjp& v) {
  v.set(0, full_like(v.grad(), Scalar(0.0), DType::kUndefined, v.grad().place()));
}

OpDef& drawn(OpDef& op) { return op.random(one_each).no_grad().opaque("draws from the generator"); }
OpDef& filled(OpDef& op) {
  return op.random(one_each)
      .infer(infer::same_as_x)
      .reads_shape_of({"x"})
      .vjp(no_influence)
      .spmd(sharding::every_dim)
      .opaque("draws from the generator");
}

void infer_multinomial(Infer& c) {
  c.require_floating(0);
  PADDLE_CHECK_VALUE(c.rank(0) == 1 || c.rank(0) == 2, "multinomial: x has shape ", c.shape(0),
                     "; it must be one or several rows of weights; reshape it.");
  PADDLE_CHECK_VALUE(!decide_eq(c.shape(0).back(), 0, false), "multinomial: x has shape ",
                     c.shape(0), "; nothing can be drawn from rows without weights.");
  Shape out(c.shape(0).begin(), c.shape(0).end() - 1);
  if (c.is_constant(1)) {
    PADDLE_CHECK_VALUE(c.scalar(1).to_int() > 0, "multinomial: num_samples has value ",
                       c.scalar(1).to_int(), "; it must be positive; ask for at least 1.");
    PADDLE_CHECK_VALUE(c.b(2) || decide_le(Dim(c.scalar(1).to_int()), c.shape(0).back(), true),
                       "multinomial: num_samples has value ", c.scalar(1).to_int(),
                       " and x has shape ", c.shape(0),
                       "; without replacement there must be as many weights; pass "
                       "replacement=True.");
    out.push_back(c.scalar(1).to_int());
  } else {
    out.push_back(c.data_dependent_size());
  }
  c.out(0, out, DType::kInt64);
}

}  // namespace

void register_distribution(Registry& r) {
  drawn(r.op("poisson").schema("poisson(Tensor x) -> (Tensor out)"))
      .spmd(sharding::every_dim)
      .doc("Numbers from Poisson distributions with the rates x.",
           "paddle.poisson(paddle.full([2], 4.0))")
      .python("paddle.poisson")
      .infer(infer::same_as_x_float);
  drawn(r.op("binomial").schema("binomial(Tensor count, Tensor prob) -> (Tensor out)"))
      .spmd(sharding::every_dim)
      .doc("Successes in count trials of probability prob, as int64.",
           "paddle.binomial(paddle.to_tensor([10.0]), paddle.to_tensor([0.5]))")
      .kernel_dtype_of("prob")
      .saved_form([](SavedForm& f) {  // counts of the dtype of the probabilities
        f.set_operand(0, f.cast(f.operand(0), f.dtype(f.operand(1))));
      })
      .infer([](Infer& c) {
        c.require_floating(1);
        bool same = c.rank(0) == c.rank(1);
        for (size_t d = 0; same && d < c.shape(0).size(); ++d) {
          same = decide_eq(c.shape(0)[d], c.shape(1)[d], true);
        }
        PADDLE_CHECK_VALUE(same, "binomial: count has shape ", c.shape(0), " and prob has shape ",
                           c.shape(1), "; the shapes must be equal; expand one of them.");
        c.out(0, c.shape(0), DType::kInt64);
      });
  drawn(r.op("standard_gamma").schema("standard_gamma(Tensor x) -> (Tensor out)"))
      .spmd(sharding::every_dim)
      .doc("Numbers from gamma distributions of shape x and scale 1.",
           "paddle.standard_gamma(paddle.full([2], 3.0))")
      .python("paddle.standard_gamma")
      .infer(infer::same_as_x_float);
  drawn(r.op("dirichlet").schema("dirichlet(Tensor alpha) -> (Tensor out)"))
      .spmd(sharding::drawn_rows)
      .doc("Rows from Dirichlet distributions with the concentrations in the rows of alpha.",
           "paddle._C_ops.dirichlet(paddle.full([3], 2.0))")
      .infer([](Infer& c) {
        c.require_rank_at_least(0, 1);
        infer::same_as_x_float(c);
      });
  r.op("multinomial")
      .schema(
          "multinomial(Tensor x, Scalar@operand num_samples=1, bool replacement=false) -> "
          "(Tensor out)")
      .doc("Positions drawn with the weights that the rows of x hold.",
           "paddle.multinomial(paddle.to_tensor([0.5, 0.5]))")
      .infer(infer_multinomial)
      .kernel_dtype_of("x")
      .random(one_per_weight)
      .no_grad()
      .spmd(sharding::drawn_rows)
      .opaque("draws from the generator");
  drawn(r.op("truncated_gaussian_random")
            .schema("truncated_gaussian_random(int[] shape, float mean, float std, int seed, float "
                    "a, float b, DType dtype=float32, Place place=cpu) -> (Tensor out)"))
      .doc("Numbers of the normal distribution with this mean and std, cut to [a, b].",
           "paddle._C_ops.truncated_gaussian_random([2], 0.0, 1.0, 0, -2.0, 2.0, 'float32')")
      .infer([](Infer& c) {
        PADDLE_CHECK_VALUE(c.f(4) < c.f(5), "truncated_gaussian_random: a is ", c.f(4),
                           " and b is ", c.f(5), "; a must be less than b; exchange them.");
        c.out(0, c.ints(0), c.dtype_attr(6));
      });
  filled(r.op("exponential").schema("exponential(Tensor x, float lam=1.0) -> (Tensor out)"))
      .doc("A tensor like x of numbers from the exponential distribution with rate lam.",
           "paddle.ones([2]).exponential_(2.0)")
      .inplace_python("Tensor.exponential_(x, lam=1.0, name=None)")
      .alias("lambd", "lam")
      .saved_as("exponential_");
  filled(r.op("uniform_inplace")
             .schema("uniform_inplace(Tensor x, float min=-1.0, float max=1.0, int seed=0, int "
                     "diag_num=0, int diag_step=0, float diag_val=1.0) -> (Tensor out)"))
      .spmd(sharding::drawn_evenly)
      .doc("A tensor like x of numbers drawn evenly from [min, max).",
           "paddle.ones([2]).uniform_()")
      .inplace_python("Tensor.uniform_(x, min=0, max=1.0, seed=0, name=None)")
      .alias("from", "min")
      .alias("to", "max");
  filled(r.op("gaussian_inplace")
             .schema("gaussian_inplace(Tensor x, float mean=0.0, float std=1.0, int seed=0) -> "
                     "(Tensor out)"))
      .doc("A tensor like x of numbers from the normal distribution.", "paddle.ones([2]).normal_()")
      .inplace_python("Tensor.normal_(x, mean=0.0, std=1.0, name=None)")
      .inplace_python("paddle.normal_(x, mean=0.0, std=1.0, name=None)");
}

}  // namespace paddle::ops
