// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the process by what they compute. Groups of equal structure share them, also when they
// ask at once. One thread of low priority compiles; whoever cannot wait for it compiles itself.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "cinn/codegen/cpu.h"
#include "cinn/loop/size_code.h"
#include "cinn/schedule/schedule.h"
#include "pir/compiler_door/compiler_library.h"

namespace paddle::cinn {

// What a launch needs to know of the sizes: how many tasks each stage has and how many of them are
// worth a thread, and how many elements each buffer has.
class LaunchNumbers {
 public:
  LaunchNumbers() = default;
  explicit LaunchNumbers(const Kernel& kernel);
  using Values = SmallVector<int64_t, 32>;
  void compute(const int64_t* sizes, Values& values) const { code_.run(sizes, values); }
  static int64_t tasks(const Values& v, size_t stage) { return v[2 * stage]; }
  static int64_t grain(const Values& v, size_t stage) { return v[2 * stage + 1]; }
  int64_t elements(const Values& v, size_t buffer) const { return v[2 * stages_ + buffer]; }

 private:
  size_t stages_ = 0;
  SizeCode code_;
};

// A kernel that is made, being made, or could not be.
class CachedKernel {
 public:
  enum class State : uint8_t { kWaiting, kReady, kFailed };
  State state() const { return state_.load(std::memory_order_acquire); }
  // Of a kernel that is ready.
  const Kernel& kernel() const { return kernel_; }
  StageFunction stage(size_t i) const { return code_->stage(i); }
  int level(size_t i) const { return levels_[i]; }
  int num_levels() const { return num_levels_; }
  const LaunchNumbers& numbers() const { return numbers_; }
  double milliseconds() const { return milliseconds_; }
  bool came_from_disk() const { return from_disk_; }
  // Of one that failed.
  const std::string& problem() const { return problem_; }

 private:
  friend class KernelCache;
  std::shared_ptr<const GroupForm> form_;  // until it is made
  Variant variant_ = kRows;
  std::string key_;
  Kernel kernel_;
  std::unique_ptr<LoadedCode> code_;
  std::vector<int> levels_;  // of the stages
  int num_levels_ = 0;
  LaunchNumbers numbers_;
  double milliseconds_ = 0;
  bool from_disk_ = false;
  std::string problem_;
  std::atomic<State> state_{State::kWaiting};
};

class KernelCache {
 public:
  static KernelCache& global();
  // The kernel for a variant of a group; it is queued when it is new.
  std::shared_ptr<CachedKernel> get(const std::shared_ptr<const GroupForm>& form, Variant variant);
  // Compiles it now, or waits for whoever does.
  void finish(CachedKernel& kernel);
  // At most so long; whether it is done.
  bool wait(CachedKernel& kernel, int64_t milliseconds);
  // The stages of compiling a variant, as text; nothing is kept.
  Dumps stages_of(const GroupForm& form, Variant variant, std::string& loops);
  // All that were asked for.
  void finish_all();
  pir::CompilerStatistics statistics() const;
  void count_launch() { launches_.fetch_add(1, std::memory_order_relaxed); }

 private:
  KernelCache();
  class Queue;
  void make(CachedKernel& kernel);
  void start_thread();

  std::shared_ptr<Queue> queue_;
  std::atomic<int64_t> compiled_{0}, from_disk_{0}, shared_{0}, failed_{0}, launches_{0};
  std::atomic<double> milliseconds_{0};
};

}  // namespace paddle::cinn
