// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The best sequence of tags.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"

namespace paddle::ops {
namespace {

void infer(Infer& c) {
  c.require_floating(0);
  c.require_same_dtype(1, 0);
  c.require_index(2);
  const Shape &scores = c.shape(0), &moves = c.shape(1);
  PADDLE_CHECK_VALUE(scores.size() == 3 && moves.size() == 2 &&
                         decide_eq(moves[0], scores[2], true) &&
                         decide_eq(moves[1], scores[2], true) && c.rank(2) == 1 &&
                         decide_eq(c.shape(2)[0], scores[0], true),
                     "viterbi_decode: potentials has shape ", scores, ", transition_params ", moves,
                     " and lengths ", c.shape(2),
                     "; they must be [batch, length, tags], [tags, tags] and [batch].");
  c.out(0, Shape{scores[0]}, c.dtype(0));
  c.out(1, Shape{scores[0], c.data_dependent_size()}, DType::kInt64);
}

}  // namespace

void register_viterbi(Registry& r) {
  r.op("viterbi_decode")
      .schema(
          "viterbi_decode(Tensor potentials, Tensor transition_params, Tensor lengths, bool "
          "include_bos_eos_tag=true) -> (Tensor scores, Tensor path)")
      .doc(
          "The sequences of tags with the largest sums of potentials[b, t, tag] and "
          "transition_params[tag, next tag] (Viterbi 1967), 0 behind their ends. With "
          "include_bos_eos_tag the last row of transition_params leads to the first tag, and the "
          "last but one counts for the final tag.",
          "paddle._C_ops.viterbi_decode(paddle.ones([1, 2, 3]), paddle.ones([3, 3]), "
          "paddle.to_tensor([2]))")
      .trait(kDynamicOutput)
      .opaque("a search, whose length is that of the longest sequence")
      .infer(infer)
      .no_grad();
}

}  // namespace paddle::ops
