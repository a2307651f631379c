// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the operators of the registry are in program files.
#pragma once

#include "pir/dialect/dialect.h"

namespace paddle::pir {

// Operations that PaddlePaddle's files do not have, or not in this form, become those that they do:
// slice_scatter is set_value_with_tensor, recurrence is rnn, pads of fewer axes are pad3d of five,
// gcd is a loop. Operands that broadcast only here are expanded.
// Attributes that have only one meaning here are written out.
void to_file_forms(Block& block);
// The same for an operator that is a loop there; false when it is none (loop_forms.cc).
bool to_loop(Operation& op);

}  // namespace paddle::pir
