// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The textual form of programs, and the verifier on what was read.
#include "pir/dialect/dialect.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return paddle::fuzz::read_input(data, size, [](std::string_view text) {
    const auto program = paddle::pir::parse(text);
    paddle::pir::print(*program);
    paddle::pir::verify(*program);
  });
}
