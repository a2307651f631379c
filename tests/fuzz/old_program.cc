// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs of PaddlePaddle 2: reading, translation, and what loading does before the first run.
#include "pir/serialize/inspect.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddle::pir;  // NOLINT
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  if (is_json_program(all)) return 0;
  for (const bool as_stored : {false, true}) {
    LoadOptions options;
    options.as_stored = as_stored;
    paddle::fuzz::read_input(
        data, size, [&](std::string_view bytes) { load_program_from_memory(bytes, {}, options); });
  }
  return paddle::fuzz::read_input(data, size,
                                  [](std::string_view bytes) { inspect_program(bytes); });
}
