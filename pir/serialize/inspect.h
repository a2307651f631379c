// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a program file holds, also of programs that paddle cannot run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pir/ir/type.h"

namespace paddle::pir {

struct ModelSummary {
  struct Entry {
    std::string name;
    DType dtype = DType::kUndefined;
    std::vector<int64_t> shape;  // -1: unknown
  };
  std::string format;   // "PaddlePaddle 3 (.json)" or "PaddlePaddle 2 (.pdmodel)"
  int64_t version = 0;  // of the format; of the writing program in an old file
  std::vector<Entry> inputs, outputs, parameters;
  std::map<std::string, int64_t> operators;  // name: how often, constants and boundaries left out
  std::vector<std::string> missing;          // operators that paddle cannot run, sorted
};

// ValueError when the file is no program.
PADDLE_API ModelSummary inspect_model(const std::string& path);
// The content of such a file.
PADDLE_API ModelSummary inspect_program(std::string_view content);

}  // namespace paddle::pir
