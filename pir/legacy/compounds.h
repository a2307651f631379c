// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of program files that are several operators here: what the table of old operators
// (translate.h) says of them holds in files of both formats. Tensor arrays are tensors (arrays.h).
#pragma once

namespace paddle::pir {

class Operation;
class Program;

// See LegacyLibrary.
bool is_compound(const Operation& op);
void expand_compounds(Program& program);

}  // namespace paddle::pir
