// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A loaded plugin: its tables, checked and copied, and the one way in which its functions are
// called. Whatever a function returns is checked; what is wrong is an exception that names plugin
// and function. A plugin is never unloaded.
#pragma once

#include <atomic>
#include <string>

#include "backends/include/paddle_device.h"
#include "paddle_core/base/error.h"

namespace paddle::plugin {

class Plugin;

// A call of a plugin that a thread is in: what the crash handler prints (crash.h).
class CallScope {
 public:
  // `function`, "memory.copy", is a literal; `op`, of a kernel, lives as long as the process.
  CallScope(const Plugin& plugin, const char* function, const char* op = nullptr)
      : plugin(plugin), function(function), op(op), outer_(innermost_call) {
    innermost_call = this;
  }
  ~CallScope() { innermost_call = outer_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  const Plugin& plugin;
  const char* const function;
  const char* const op;

  static __thread const CallScope* innermost_call __attribute__((tls_model("initial-exec")));

 private:
  const CallScope* outer_;
};

// What the host did with a plugin since it was loaded, over all of its devices.
struct Counts {
  std::atomic<int64_t> kernels{0};      // calls of kernels
  std::atomic<int64_t> allocations{0};  // of tensors' memory, out of what the host keeps or new
  std::atomic<int64_t> blocks{0};       // live, of memory.allocate
  std::atomic<int64_t> block_bytes{0};  // of these
  std::atomic<int64_t> streams{0};      // live, of streams.create
  std::atomic<int64_t> events{0};       // live, of events.create
};

class Plugin {
 public:
  // Opens the library and calls its entry point. OSError when it cannot be opened or has none;
  // RuntimeError when versions or tables do not fit, or the entry point gives an error.
  static Plugin* open(const std::string& path);

  // Calls a function; its error becomes an exception. `name` is "group.function".
  template <typename Args>
  void call(PdError* (*function)(Args*), Args& args, const char* name) const {
    args.struct_size = sizeof(Args);
    args.context = table.context;
    const CallScope scope(*this, name);
    if (PdError* error = function(&args)) [[unlikely]]
      raise(error, name);
  }
  // Throws what an error object says, and releases it.
  [[noreturn]] void raise(PdError* error, const char* function, const char* op = nullptr) const;
  // Throws that a function gave something that it must not.
  [[noreturn]] void lies(const char* function, const std::string& what) const;

  // "plugin skeleton (libpaddle_skeleton.so)".
  std::string title() const;

  std::string path, name;
  PdPlugin table{};
  PdDeviceGroup device{};
  PdMemoryGroup memory{};
  PdStreamGroup streams{};
  PdEventGroup events{};
  PdKernelGroup kernels{};
  PdLibraryGroup library{};
  PdProfilerGroup profiler{};
  bool has_memory = false, has_streams = false, has_events = false, has_kernels = false,
       has_library = false, has_profiler = false;
  mutable Counts counts;

 private:
  Plugin() = default;
  void read(const PdPlugin* given);
};

}  // namespace paddle::plugin
