// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the operators of the registry are in program files.
#pragma once

#include "pir/dialect/dialect.h"

namespace paddle::pir {

// Operations whose records have a rule for their saved form (OpDef::saved_form) become what it
// says.
void to_file_forms(Block& block);

}  // namespace paddle::pir
