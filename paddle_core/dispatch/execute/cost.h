// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of a call from its record. Bytes are those of one kernel: every operand read once, every
// result written once, nothing in between. Flops are those of the record's own rule (OpDef::cost),
// else of a composed operator the sum over its decomposition, one per element of the result of an
// elementwise operator, of the operand of a reduction and of the largest operand or result of an
// opaque operator; other primitive operators move elements and compute nothing. Views cost nothing.
#pragma once

#include "paddle_core/dispatch/meta_calls.h"
#include "paddle_core/op/cost.h"

namespace paddle {

// Operands may be meta tensors. RuntimeError where an extent is symbolic, or where a decomposition
// depends on values.
PADDLE_API OpCost cost_of(const OpDef& op, const Slot* args);

}  // namespace paddle
