// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A recording of named time spans, written as a Chrome trace (chrome://tracing, Perfetto).
// Thread-safe. Nothing is recorded until start().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_core/base/export.h"

namespace paddle::profile {

struct Span {
  std::string name;
  const char* category;  // "operator", "user"; a literal
  int64_t begin_ns = 0, end_ns = 0;
  uint64_t thread = 0;
};

PADDLE_API int64_t now_ns();
PADDLE_API void start();
// Ends the recording and returns its spans.
PADDLE_API std::vector<Span> stop();
PADDLE_API bool is_recording();
PADDLE_API void record(std::string name, const char* category, int64_t begin_ns, int64_t end_ns);
// OSError when the file can't be written.
PADDLE_API void write_chrome_trace(const std::vector<Span>& spans, const std::string& path);

}  // namespace paddle::profile
