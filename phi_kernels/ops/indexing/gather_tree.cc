// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// gather_tree: the sequences of a beam search from what each step chose.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {

void register_gather_tree(Registry& r) {
  r.op("gather_tree")
      .schema("gather_tree(Tensor ids, Tensor parents) -> (Tensor out)")
      .doc(
          "The whole sequences of a beam search, [steps, batch, beams]: from each beam of the last "
          "step back, out[t] = ids[t] at the beam that parents[t + 1] names.",
          "paddle.nn.functional.gather_tree(paddle.to_tensor([[[2, 3]], [[4, 5]]]), "
          "paddle.to_tensor([[[0, 0]], [[1, 0]]]))")
      .python("paddle.nn.functional.gather_tree(ids, parents)")
      .no_grad()
      .spmd(sharding::batch_of_sequences)
      .opaque("each step names the beam of the one before")
      .infer([](Infer& c) {
        const Shape &ids = c.shape(0), &parents = c.shape(1);
        bool fits = ids.size() == 3 && parents.size() == 3;
        for (size_t d = 0; fits && d < 3; ++d) fits = decide_eq(ids[d], parents[d], true);
        PADDLE_CHECK_VALUE(fits, "gather_tree: ids has shape ", ids, " and parents ", parents,
                           "; both must be [steps, batch, beams].");
        const auto is_index = [](DType t) { return t == DType::kInt32 || t == DType::kInt64; };
        PADDLE_CHECK_TYPE(is_index(c.dtype(0)) && c.dtype(1) == c.dtype(0),
                          "gather_tree: ids has dtype ", c.dtype(0), " and parents ", c.dtype(1),
                          "; both must be int32 or both int64.");
        c.out(0, ids, c.dtype(0));
      });
}

}  // namespace paddle::ops
