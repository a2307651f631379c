// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a `.pdmodel` file holds, also of programs that cannot run.
#pragma once

#include "pir/serialize/format/model_summary.h"
#include "pir/serialize/legacy_door/program_desc.h"

namespace paddle::pir {

void summarize(const ProgramDesc& desc, ModelSummary& out);

}  // namespace paddle::pir
