// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of PaddlePaddle 3: reading, and what loading does before the first run.
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return paddle::fuzz::read_input(data, size, [](std::string_view text) {
    if (paddle::pir::is_json_program(text)) paddle::pir::load_program_from_memory(text, {});
  });
}
