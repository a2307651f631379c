// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From logits to tokens, by the operators adjust_logits and sample_logits.
#pragma once

#include "inference/engine/batch.h"
#include "inference/engine/constraint.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::engine {

// Row i of `logits` belongs to batch.rows[i]; the logits may be changed. make_masks is called where
// answers have a constraint.
Chosen choose(const Batch& batch, const Tensor& logits, const MaskMaker& make_masks);

}  // namespace paddle::engine
