// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a `.pdmodel` file as plain structs, read as if they were hostile.
#pragma once

#include <string_view>

#include "pir/serialize/legacy_door/program_desc.h"

namespace paddle::pir {

// ValueError when the bytes are no ProgramDesc.
ProgramDesc parse_program_desc(std::string_view bytes);

}  // namespace paddle::pir
