// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Beam search over sequences of beams that offsets tell apart: one step, and the way back.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"

namespace paddle::ops {
namespace {

void require_scores(Infer& c, int i) {
  PADDLE_CHECK_TYPE(c.dtype(i) == DType::kFloat32 || c.dtype(i) == DType::kFloat64, c.op_name(),
                    ": ", c.arg_name(i), " has dtype ", c.dtype(i),
                    "; it must be float32 or float64.");
}

void require_int64(Infer& c, int i) {
  PADDLE_CHECK_TYPE(c.dtype(i) == DType::kInt64, c.op_name(), ": ", c.arg_name(i), " has dtype ",
                    c.dtype(i), "; it must be int64; cast it.");
}

// arguments: pre_ids, pre_scores, ids, scores, sources, ...
void infer_select(Infer& c) {
  require_scores(c, 3);
  c.require_same_dtype(1, 3);
  c.require_rank(3, 2);
  require_int64(c, 0);
  require_int64(c, 4);
  c.require_rank(4, 1);
  const Shape& scores = c.shape(3);
  c.require_shape(0, Shape{scores[0], 1});
  c.require_shape(1, Shape{scores[0], 1});
  if (c.has(2)) {
    require_int64(c, 2);
    c.require_shape(2, scores);
  }
  PADDLE_CHECK_VALUE(c.i(5) > 0, c.op_name(), ": beam_size has value ", c.i(5),
                     "; it must be positive.");
  const Dim kept = c.data_dependent_size();
  c.out(0, Shape{kept, 1}, DType::kInt64);
  c.out(1, Shape{kept, 1}, c.dtype(3));
  c.out(2, Shape{kept}, DType::kInt32);
  c.out(3, Shape{scores[0] + Dim(1)}, DType::kInt64);
}

// arguments: ids, scores, sources, source_counts, beams, beam_counts, end_id
void infer_trace(Infer& c) {
  require_scores(c, 1);
  for (const int i : {0, 2, 3, 4, 5}) require_int64(c, i);
  for (const int i : {0, 1, 2, 3, 4, 5}) c.require_rank(i, 1);
  c.require_shape(1, c.shape(0));
  c.require_shape(5, c.shape(3));
  const Dim tokens = c.data_dependent_size();
  c.out(0, Shape{tokens}, DType::kInt64);
  c.out(1, Shape{tokens}, c.dtype(1));
  c.out(2, Shape{c.data_dependent_size()}, DType::kInt64);
  c.out(3, Shape{c.data_dependent_size()}, DType::kInt64);
}

}  // namespace

void register_beams(Registry& r) {
  r.op("select_beams")
      .schema(
          "select_beams(Tensor pre_ids, Tensor pre_scores, Tensor? ids, Tensor scores, Tensor "
          "sources, int beam_size, int end_id, bool is_accumulated=true) -> (Tensor selected_ids, "
          "Tensor selected_scores, Tensor parents, Tensor offsets)")
      .doc(
          "One step of a beam search. Rows are beams, [n, 1] in pre_ids and pre_scores, with their "
          "candidates [n, k] in scores (logarithms that already hold those of the beam, or without "
          "is_accumulated probabilities) and ids (columns without them); the beams of source i are "
          "rows sources[i] to sources[i + 1]. Of each source the beam_size best candidates remain, "
          "in the order of their beams; a beam that ended has only itself, and a source all of "
          "whose "
          "beams ended before has none. parents are the rows that they continue, offsets where "
          "those "
          "of each row begin.",
          "paddle._C_ops.select_beams(paddle.to_tensor([[3]]), paddle.to_tensor([[0.5]]), None, "
          "paddle.to_tensor([[0.1, 0.9, 0.4]]), paddle.to_tensor([0, 1]), 2, 0)")
      .trait(kDynamicOutput)
      .opaque("the number of beams is known only from the values")
      .kernel_dtype_of("scores")
      .no_grad()
      .infer(infer_select);
  r.op("trace_beams")
      .schema(
          "trace_beams(Tensor ids, Tensor scores, Tensor sources, Tensor source_counts, Tensor "
          "beams, Tensor beam_counts, int end_id) -> (Tensor sentence_ids, Tensor sentence_scores, "
          "Tensor sentences, Tensor tokens)")
      .doc(
          "The sentences of a beam search, each from its last step back to the first, the best of "
          "a "
          "source first. ids and scores hold what select_beams chose, step after step; sources and "
          "beams the offsets of every step (of the beams of a source, of what continues a beam) "
          "and "
          "source_counts and beam_counts how many offsets a step has. sentences are the offsets of "
          "the sentences of each source, tokens those of the tokens of each sentence.",
          "paddle._C_ops.trace_beams(paddle.to_tensor([1, 5, 6]), paddle.to_tensor([0., 1., 2.]), "
          "paddle.to_tensor([0, 1, 0, 1]), paddle.to_tensor([2, 2]), paddle.to_tensor([0, 1, 0, "
          "2]), "
          "paddle.to_tensor([2, 2]), 0)")
      .trait(kDynamicOutput)
      .opaque("the number of sentences is known only from the values")
      .kernel_dtype_of("scores")
      .no_grad()
      .infer(infer_trace);
}

}  // namespace paddle::ops
