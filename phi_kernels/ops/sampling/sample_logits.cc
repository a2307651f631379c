// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The next tokens of sequences from their logits.
#include <limits>

#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

// arguments: logits, temperature, top_k, top_p, min_p, seeds, positions, num_best, want_log_probs
void infer_sample(Infer& c) {
  const DType dtype = c.dtype(0);
  PADDLE_CHECK_TYPE(
      dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16,
      c.op_name(), ": logits has dtype ", dtype,
      "; it must be float32, float16 or bfloat16; cast it with astype().");
  c.require_rank(0, 2);
  const Shape& logits = c.shape(0);
  PADDLE_CHECK_VALUE(decide_le(1, logits[1], true) &&
                         decide_le(logits[1], std::numeric_limits<int32_t>::max(), true),
                     c.op_name(), ": logits has shape ", logits,
                     "; it must be [rows, vocab] with a vocab of 1 to 2^31 - 1 tokens.");
  const Shape rows{logits[0]};
  constexpr DType kDTypes[] = {DType::kFloat32, DType::kInt32, DType::kFloat32,
                               DType::kFloat32, DType::kInt64, DType::kInt64};
  for (int k = 1; k <= 6; ++k) {
    c.require_dtype(k, kDTypes[k - 1]);
    c.require_shape(k, rows);
  }
  const int64_t best = c.i(7);
  PADDLE_CHECK_VALUE(best >= 0 && decide_le(best, logits[1], true), c.op_name(),
                     ": num_best has value ", best, " and logits shape ", logits,
                     "; it must lie in [0, ", logits[1], "].");
  c.out(0, rows, DType::kInt32);
  c.out(1, c.b(8) ? rows : Shape{Dim(0)}, DType::kFloat32);
  c.out(2, Shape{logits[0], Dim(best)}, DType::kInt32);
  c.out(3, Shape{logits[0], Dim(best)}, DType::kFloat32);
}

}  // namespace

void register_sample_logits(Registry& r) {
  r.op("sample_logits")
      .schema(
          "sample_logits(Tensor logits, Tensor temperature, Tensor top_k, Tensor top_p, Tensor "
          "min_p, Tensor seeds, Tensor positions, int num_best=0, bool want_log_probs=true) -> "
          "(Tensor tokens, Tensor log_probs, Tensor best, Tensor best_log_probs)")
      .doc(
          "A token for each row of logits, and log-probabilities. The logits are divided by the "
          "temperature. Of the tokens, ordered by falling logits and equal ones by rising token, "
          "the first top_k are kept; of these the fewest first ones whose probabilities add up to "
          "top_p or more (Holtzman et al. 2020); of these the ones at least min_p times as likely "
          "as the first (Nguyen et al. 2024); probabilities are those among the tokens kept so "
          "far. One of the rest is drawn: the first token, in rising order, up to which the "
          "probabilities add up to more than u, where u in [0, 1) has the bits that Philox4x32-10 "
          "gives for the key `seed` and the counter `position`. So a row's result depends on that "
          "row alone, whatever the other rows and the number of threads are. A row with NaN or "
          "+inf, or of -inf alone, has the token -1 and the log-probability NaN.\n"
          "logits: [rows, vocab] in float32, float16 or bfloat16.\n"
          "temperature: float32 [rows]; below 1e-5 the largest logit is taken, of equal ones the "
          "lowest token, and the cuts do not matter.\n"
          "top_k: int32 [rows]; 0 keeps all.\n"
          "top_p: float32 [rows] in (0, 1]; 1 keeps all.\n"
          "min_p: float32 [rows] in [0, 1]; 0 keeps all.\n"
          "seeds: int64 [rows].\n"
          "positions: int64 [rows]: of the token in its sequence.\n"
          "num_best: How many of the most likely tokens of a row are wanted as well.\n"
          "want_log_probs: False spares the sum over the row; log_probs has no elements then.\n"
          "Returns: tokens int32 [rows]; log_probs float32 [rows], of softmax(logits) without "
          "temperature and cuts; best int32 [rows, num_best], the most likely tokens first; "
          "best_log_probs float32 [rows, num_best].\n"
          "Raises: ValueError: A row's temperature, top_k, top_p or min_p is out of range.",
          "each = lambda value, dtype='float32': paddle.full([2], value, dtype)\n"
          "cuts = each(40, 'int32'), each(0.9), each(0.0)\n"
          "where = each(7, 'int64'), each(0, 'int64')\n"
          "paddle.incubate.nn.functional.sample_logits(paddle.rand([2, 100]), each(0.8), *cuts, "
          "*where, 3)")
      .python(
          "paddle.incubate.nn.functional.sample_logits(logits, temperature, top_k, top_p, min_p, "
          "seeds, positions, num_best=0, want_log_probs=True, name=None)")
      .spmd(sharding::samples)
      .opaque("draws from sets of tokens that a run selects")
      .kernel_dtype_of("logits")
      .no_grad()
      .infer(infer_sample);
}

}  // namespace paddle::ops
