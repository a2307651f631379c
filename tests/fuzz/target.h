// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets share: a reader may refuse its input with paddle::Error and nothing else,
// and takes no more tensor memory than a small multiple of the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "inference/predictor/runner.h"

namespace paddle::fuzz {

inline constexpr size_t kMemoryPerByte = 64, kMemoryForAll = size_t{8} << 20;

template <typename Read>
int read_input(const uint8_t* data, size_t size, Read&& read) {
  paddle_infer::detail::start_library();
  Allocator& allocator = host_allocator();
  allocator.reset_peak();
  const size_t before = allocator.stats().allocated;
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& refused) {
    if (refused.message().empty() ||
        refused.message().find("internal error") != std::string::npos) {
      std::fprintf(stderr, "refused without a reason: %s\n", refused.what());
      std::abort();
    }
  }
  const size_t peak = allocator.stats().peak_allocated;
  if (peak > before + size * kMemoryPerByte + kMemoryForAll) {
    std::fprintf(stderr, "%zu bytes of input took %zu bytes of tensors\n", size, peak - before);
    std::abort();
  }
  return 0;
}

}  // namespace paddle::fuzz
