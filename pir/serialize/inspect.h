// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a program file holds, also of programs that paddle cannot run.
#pragma once

#include <string>
#include <string_view>

#include "paddle_core/base/export.h"
#include "pir/serialize/format/model_summary.h"

namespace paddle::pir {

// ValueError when the file is no program.
PADDLE_API ModelSummary inspect_model(const std::string& path);
// The content of such a file.
PADDLE_API ModelSummary inspect_program(std::string_view content);

}  // namespace paddle::pir
