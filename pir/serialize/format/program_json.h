// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs as PaddlePaddle 3 writes them: `.json`, version 4. The text is checked before it is
// believed; what is wrong with it is a ValueError that says where.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pir/ir/ir.h"

namespace paddle::pir {

// Whether the content of a program file is JSON: that begins with a brace, which no ProgramDesc
// does.
PADDLE_API bool is_json_program(std::string_view content);
// The operations that the file holds; not all of them run (legalize.h). `file_version`: where its
// version is put.
PADDLE_API std::unique_ptr<Program> program_from_json(std::string_view text,
                                                      int* file_version = nullptr);
PADDLE_API std::string program_to_json(const Program& program);

}  // namespace paddle::pir
