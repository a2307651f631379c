// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that PaddlePaddle 3 writes where it has passes for oneDNN behind it, or a program of
// PaddlePaddle 2 before it.
#pragma once

namespace paddle::pir {

class Program;

// onednn_op.<...> becomes pd_op.<...>, which has the same operands; an activation that an attribute
// names becomes an operator of its own. What those operators add to pd_op is a compound
// (compounds.h). pd_op.feed, pd_op.assign_value, pd_op.select_input, builtin.slice and their like,
// which are no operators, become what the IR of today has for them; forms that a record reads
// (upgrade.h) become what its rule says. `version`: that of the file.
void adopt_operators(Program& program, int version);

}  // namespace paddle::pir
