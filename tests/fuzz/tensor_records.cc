// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parameter files. How many tensors are asked for follows from the size, so that both too few and
// too many occur.
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const size_t count : {size_t{1}, size % 7}) {
    paddle::fuzz::read_input(data, size, [count](std::string_view bytes) {
      paddle::pir::tensors_from_records(bytes, count);
    });
  }
  return 0;
}
