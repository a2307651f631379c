// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes of a dense detector, merged with their neighbours in the list.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {

void register_merge_near_boxes(Registry& r) {
  r.op("merge_near_boxes")
      .schema(
          "merge_near_boxes(Tensor bboxes, Tensor scores, float threshold, bool normalized=true) "
          "-> "
          "(Tensor boxes, Tensor merged_scores)")
      .doc(
          "The first step of locality-aware suppression (Zhou et al., 2017): of bboxes [N, M, "
          "size] "
          "and scores [N, classes, M], [N M, classes, size] and [N M, classes], where every run of "
          "boxes that overlap the one before them by more than threshold is one: their mean, "
          "weighted by the scores, with the sum of the scores, at the place of the first. The "
          "score "
          "of the others is -inf. size is 4, or 8, 16, 24 or 32 for polygons.",
          "paddle._C_ops.merge_near_boxes(paddle.to_tensor([[[0., 0., 4., 4.], [0., 0., 4., "
          "3.]]]), "
          "paddle.to_tensor([[[0.5, 0.5]]]), 0.5)")
      .spmd(sharding::merge_near_boxes)
      .opaque("each box is compared with what those before it became")
      .kernel_dtype_of("bboxes")
      .no_grad()
      .infer([](Infer& c) {
        PADDLE_CHECK_TYPE(c.dtype(0) == DType::kFloat32 || c.dtype(0) == DType::kFloat64,
                          c.op_name(), ": bboxes has dtype ", c.dtype(0),
                          "; it must be float32 or float64.");
        c.require_same_dtype(1, 0);
        c.require_rank(0, 3);
        c.require_rank(1, 3);
        const Shape &boxes = c.shape(0), &scores = c.shape(1);
        bool known = false;
        for (const int size : {4, 8, 16, 24, 32}) {
          known = known || decide_eq(boxes[2], size, false);
        }
        PADDLE_CHECK_VALUE(
            known && decide_eq(boxes[0], scores[0], true) && decide_eq(boxes[1], scores[2], true),
            c.op_name(), ": bboxes has shape ", boxes, " and scores has shape ", scores,
            "; they must be [N, M, size] and [N, classes, M], size 4, 8, 16, 24 "
            "or 32.");
        const Dim rows = boxes[0] * boxes[1];
        c.out(0, Shape{rows, scores[1], boxes[2]}, c.dtype(0));
        c.out(1, Shape{rows, scores[1]}, c.dtype(0));
      });
}

}  // namespace paddle::ops
