// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout.
#include "phi_kernels/ops/elementwise/rules.h"

namespace paddle::ops {

void register_dropout(Registry& r) {
  r.op("dropout")
      .schema(
          "dropout(Tensor x, Tensor? seed_tensor, Scalar@operand p=0.5, bool is_test=false, str "
          "mode=\"upscale_in_train\", int seed=0, bool fix_seed=false) -> (Tensor out, Tensor "
          "mask)")
      .doc("Zeroes each element with probability p; upscale_in_train divides the others by 1 - p.",
           "paddle.nn.functional.dropout(paddle.ones([4]), 0.5)")
      .elementwise()
      .infer([](Infer& c) {
        c.require_floating(0);
        PADDLE_CHECK_VALUE(
            !c.is_constant(2) || (c.scalar(2).to_double() >= 0 && c.scalar(2).to_double() <= 1),
            "dropout: p is outside [0, 1]; it is a probability; use 0 <= p <= 1.");
        infer::same_as_x(c);
        c.out(1, c.shape(0), DType::kUInt8);
      })
      .no_grad_result("mask")
      .saves({"p", "mask"})
      .vjp([](Vjp& v) {
        const double keep = 1.0 - v.scalar(2).to_double();
        const bool upscale = v.text(4) == "upscale_in_train";
        if (v.b(3)) return v.set(0, upscale ? v.grad() : v.grad() * Scalar(keep));
        const double s = !upscale ? 1.0 : keep > 0 ? 1.0 / keep : 0.0;
        v.set(0, v.grad() * (cast(v.out(1), v.grad().dtype()) * Scalar(s)));
      })
      .random([](const Slot*, const Tensor* outs) {
        return static_cast<uint64_t>(outs[0].numel() / 4 + 1);
      })
      .primitive("draws from the generator");
}

}  // namespace paddle::ops
