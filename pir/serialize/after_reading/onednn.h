// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that PaddlePaddle 3 wrote after its passes for oneDNN.
#pragma once

namespace paddle::pir {

class Program;

// onednn_op.<...> becomes pd_op.<...>, which has the same operands; an activation that an attribute
// names becomes an operator of its own. What those operators add to pd_op is a compound
// (compounds.h).
void adopt_onednn(Program& program);

}  // namespace paddle::pir
