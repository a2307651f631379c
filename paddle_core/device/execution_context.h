// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What belongs to one rank of a job and not to the process: its generator, its place in the job and
// what the host language keeps for it. A thread reaches it through one pointer; threads to which
// nothing is bound share the context of the process, so that several ranks can live in one process.
//
//   ExecutionContext mine(seed);
//   const ExecutionContextScope scope(mine);  // this thread, until the end of the block
//
// Modes such as no_grad() belong to the thread (dispatch/state.h).
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "paddle_core/device/element_map.h"
#include "paddle_core/device/generator.h"

namespace paddle {

class DeviceArena;
class Job;  // comm/job.h

struct PADDLE_API ExecutionContext {
  explicit ExecutionContext(uint64_t seed) : generator(seed) {}

  // That of the host itself; any other device's is made on first use, with the seed of the host's.
  Generator& generator_of(Place place);
  // Of all devices.
  void manual_seed(uint64_t seed);

  Generator generator;  // of the host
  // Of the job; -1: as the environment of the process says.
  int rank = -1, world_size = -1;
  // How it reaches the other ranks; null in no job.
  std::shared_ptr<Job> job;
  // What the host language keeps for the rank, its default group for instance; not owned.
  void* host_data = nullptr;

 private:
  std::mutex mutex_;
  std::vector<std::pair<Place, std::unique_ptr<Generator>>> of_devices_;
};

// The states that a run drew from, so that a second run draws the same numbers whatever other
// threads draw in between.
class PADDLE_API DrawLog {
 public:
  // What is drawn, from `generator` or by an outer log, is noted.
  PhiloxState record(Generator& generator, uint64_t counters);
  // What was noted, in order. RuntimeError when the second run draws anything else.
  PhiloxState next(uint64_t counters);
  bool replays() const { return replays_; }
  bool empty() const { return draws_.empty(); }
  // What a second run that ended early did not draw, unless others have drawn since.
  void give_back_rest();

 private:
  friend class DrawLogScope;
  struct Draw {
    PhiloxState state;
    uint64_t counters;
    Generator* generator;
  };
  std::vector<Draw> draws_;
  size_t at_ = 0;
  bool replays_ = false;
  DrawLog* outer_ = nullptr;
};

// What is bound to a thread; null: the process's context, no log, whole tensors, no arena. A random
// kernel reads `elements` when it begins, on the thread that calls it: element i of its result is
// drawn as element (*elements)(i) of the whole.
struct ThreadBinding {
  ExecutionContext* context = nullptr;
  DrawLog* log = nullptr;
  const ElementMap* elements = nullptr;
  Generator* generator = nullptr;  // draws whatever is drawn; null: that of the place
  DeviceArena* arena = nullptr;    // of the step that the thread is in (device_arena.h)
};
extern PADDLE_API __thread ThreadBinding thread_binding __attribute__((tls_model("initial-exec")));

PADDLE_API ExecutionContext& process_context();  // seeded at random
inline ExecutionContext& execution_context() {
  return thread_binding.context ? *thread_binding.context : process_context();
}

class ExecutionContextScope {
 public:
  explicit ExecutionContextScope(ExecutionContext& context) : before_(thread_binding.context) {
    thread_binding.context = &context;
  }
  ~ExecutionContextScope() { thread_binding.context = before_; }
  ExecutionContextScope(const ExecutionContextScope&) = delete;
  ExecutionContextScope& operator=(const ExecutionContextScope&) = delete;

 private:
  ExecutionContext* before_;
};

// The thread's draws are noted in the log, or repeated from it.
class PADDLE_API DrawLogScope {
 public:
  enum class Mode : uint8_t { kRecord, kReplay };
  DrawLogScope(DrawLog& log, Mode mode);
  ~DrawLogScope() { thread_binding.log = before_; }
  DrawLogScope(const DrawLogScope&) = delete;
  DrawLogScope& operator=(const DrawLogScope&) = delete;

 private:
  DrawLog* before_;
};

// Results of random operators that the thread calls are parts of larger tensors.
class ElementMapScope {
 public:
  explicit ElementMapScope(const ElementMap& map) : before_(thread_binding.elements) {
    thread_binding.elements = &map;
  }
  ~ElementMapScope() { thread_binding.elements = before_; }
  ElementMapScope(const ElementMapScope&) = delete;
  ElementMapScope& operator=(const ElementMapScope&) = delete;

 private:
  const ElementMap* before_;
};

// The thread draws from one generator wherever its calls run.
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator& generator) : before_(thread_binding.generator) {
    thread_binding.generator = &generator;
  }
  ~GeneratorScope() { thread_binding.generator = before_; }
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator* before_;
};

// The state that an operator at `place` which needs so many counters draws from.
PADDLE_API PhiloxState draw_state(uint64_t counters, Place place = Place());

}  // namespace paddle
