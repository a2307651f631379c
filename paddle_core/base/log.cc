// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Log levels, the sink and the memory of warnings that went out.
#include "paddle_core/base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <unordered_set>

#include "paddle_core/base/flags.h"

namespace paddle {
namespace {

void write_to_stderr(LogLevel level, const std::string& message) {
  static constexpr const char* kNames[] = {"error", "warning", "info", "debug"};
  std::fprintf(stderr, "paddle %s: %s\n", kNames[static_cast<int>(level) + 1], message.c_str());
}

std::atomic<LogSink> g_sink{&write_to_stderr};

}  // namespace

LogSink set_log_sink(LogSink sink) { return g_sink.exchange(sink ? sink : &write_to_stderr); }

bool log_enabled(LogLevel level) {
  static const std::atomic<int64_t>* const limit = int_flag("FLAGS_log_level");
  return static_cast<int>(level) <= limit->load(std::memory_order_relaxed);
}

void log_message(LogLevel level, const std::string& message) {
  if (log_enabled(level)) g_sink.load()(level, message);
}

void warn(const std::string& message) { log_message(LogLevel::kWarning, message); }

bool warn_once(const std::string& key, const std::string& message) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const seen = new std::unordered_set<std::string>;
  {
    const std::lock_guard lock(*mutex);
    if (!seen->insert(key).second) return false;
  }
  warn(message);
  return true;
}

}  // namespace paddle
