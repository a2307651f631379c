// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The recording behind the profiler, and the Chrome trace writer.

#include "paddle_core/profile/trace.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "paddle_core/base/error.h"
#include "paddle_core/profile/source.h"

namespace paddle::profile {
namespace {

std::atomic<bool> recording{false};
std::mutex mutex;
std::vector<Span>& spans() {
  static auto* all = new std::vector<Span>;
  return *all;
}

std::vector<Source>& sources() {
  static auto* all = new std::vector<Source>;
  return *all;
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void start() {
  const std::lock_guard lock(mutex);
  spans().clear();
  for (const Source& source : sources()) source.start();
  recording = true;
}

void add_source(Source source) {
  const std::lock_guard lock(mutex);
  sources().push_back(std::move(source));
}

std::vector<Span> stop() {
  const std::lock_guard lock(mutex);
  if (recording.exchange(false)) {
    for (const Source& source : sources()) source.stop(spans());
  }
  return std::exchange(spans(), {});
}

bool is_recording() { return recording.load(std::memory_order_relaxed); }

void record(std::string name, const char* category, int64_t begin_ns, int64_t end_ns) {
  if (!is_recording()) return;
  const uint64_t thread = std::hash<std::thread::id>()(std::this_thread::get_id());
  const std::lock_guard lock(mutex);
  spans().push_back({std::move(name), category, begin_ns, end_ns, thread});
}

namespace {

// With all digits: spans of a process that has run for long differ in the last ones.
std::string microseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

}  // namespace

void write_chrome_trace(const std::vector<Span>& recorded, const std::string& path) {
  std::ofstream out(path);
  out << "{\"traceEvents\":[";
  const char* separator = "\n";
  for (const Span& s : recorded) {
    out << separator << "{\"ph\":\"X\",\"name\":" << json_string(s.name) << ",\"cat\":\""
        << s.category << "\",\"pid\":" << getpid() << ",\"tid\":" << s.thread % 1000000
        << ",\"ts\":" << microseconds(s.begin_ns)
        << ",\"dur\":" << microseconds(s.end_ns - s.begin_ns) << "}";
    separator = ",\n";
  }
  out << "\n]}\n";
  out.close();
  PADDLE_CHECK_KIND(ErrorKind::kOs, !out.fail(), "profiler: can't write the trace to ", path, ".");
}

}  // namespace paddle::profile
