// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of program files that are several operators here: what the table of old operators
// (translate.h) says of them holds in files of both formats. Tensor arrays are tensors (arrays.h).
#pragma once

#include <string>

namespace paddle::pir {

class Program;

// Whether pd_op.<...> has no record but a translation.
bool is_compound(const std::string& name);
// Replaces such operations, in nested blocks too, by what they do. Extents of their values are
// unknown (-1).
void expand_compounds(Program& program);

}  // namespace paddle::pir
