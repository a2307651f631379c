// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divisions by a value that stays the same in a loop, such as the sum of a row, as multiplications
// by its reciprocal. The quotient is corrected by its remainder, so that it is the rounded one.
#pragma once

#include "cinn/loop/kernel.h"

namespace paddle::cinn {

// Rewrites float32 divisions in the innermost loops. A Check before the loop refuses divisors whose
// reciprocal is no normal number.
void multiply_by_reciprocals(Kernel& kernel);

}  // namespace paddle::cinn
