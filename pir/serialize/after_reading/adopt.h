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
// (compounds.h). pd_op.feed, pd_op.shape, pd_op.assign_value, pd_op.select_input, builtin.slice and
// their like become the operators of today.
void adopt_operators(Program& program);

}  // namespace paddle::pir
