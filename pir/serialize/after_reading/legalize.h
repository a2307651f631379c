// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a program read from a file needs before passes and interpreter see it.
#pragma once

#include "pir/dialect/dialect.h"

namespace paddle::pir {

// Brings operators that exist only in files into operators of the registry: in-place forms (`add_`,
// `relu_`) give a new value that stands for the old one from there on; forms that a record reads
// (upgrade.h) become what its rule says. `version`: that of the file. NotImplementedError that
// names the operator for forms that cannot be expressed.
PADDLE_API void legalize(Program& program, int version);
// Replaces unknown extents (-1) by symbols, as far as the shape rules carry them without assuming
// anything; where they do not, an extent is a symbol of its own. `through_values`: shapes that the
// program computes of the extents of its tensors become builtin.dims, which files do not have.
PADDLE_API void resolve_extents(Program& program, bool through_values);

}  // namespace paddle::pir
