// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The random state that a call of an operator draws from.
#pragma once

#include "paddle_core/op/op_def.h"

namespace paddle {

// Moves the thread's generator for `place` on by what the call needs. Where an ElementMap is bound
// to the thread, by what the whole tensor needs; ValueError when the result is not of the part's
// shape.
PhiloxState draw_for(const OpDef& op, const Slot* args, const Tensor* outs, Place place);

}  // namespace paddle
