// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Compiling in the background.
#include "cinn/runtime/kernel_cache.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "cinn/runtime/disk_cache.h"
#include "paddle_core/base/flags.h"

namespace paddle::cinn {

// What the threads share. Lives as long as the process: the thread may outlast static objects.
class KernelCache::Queue {
 public:
  // One kernel is made at a time; fork() waits for it, so that a child finds LLVM's locks free.
  std::mutex making;
  std::mutex mutex;
  std::condition_variable done, news;
  std::deque<std::shared_ptr<CachedKernel>> waiting;
  std::unordered_map<std::string, std::shared_ptr<CachedKernel>> kernels;
  bool has_thread = false;
};

namespace {

KernelCache* instance = nullptr;

void dump(const std::string& folder, const std::string& key, const std::string& signature,
          Variant variant, const Kernel& kernel, const Dumps& dumps) {
  std::error_code error;  // what cannot be made cannot be written to, which is said below
  std::filesystem::create_directories(folder, error);
  const std::string base = str(folder, "/kernel_", std::hex, std::hash<std::string>()(key));
  const auto write = [&](const char* suffix, const std::string& text) {
    std::ofstream out(base + suffix);
    out << text;
    PADDLE_CHECK_KIND(ErrorKind::kOs, out.flush(), "FLAGS_cinn_debug_dir: ", base, suffix,
                      " cannot be written.");
  };
  write(".group.txt", str(signature, "\nvariant ", name_of_variant(variant), "\n"));
  write(".loops.txt", print(kernel));
  write(".mlir", dumps.mlir);
  write(".lowered.mlir", dumps.lowered);
  write(".ll", dumps.llvm);
  write(".s", dumps.assembly);
}

}  // namespace

KernelCache& KernelCache::global() {
  static auto* cache = [] {
    instance = new KernelCache;
    return instance;
  }();
  return *cache;
}

KernelCache::KernelCache() : queue_(std::make_shared<Queue>()) {
  DiskCache::global();  // which may warn, as the thread below may not
  // Nobody holds a lock in the child; its thread is another process's.
  static Queue* queue = nullptr;
  queue = queue_.get();
  pthread_atfork(
      [] {
        queue->making.lock();
        queue->mutex.lock();
      },
      [] {
        queue->mutex.unlock();
        queue->making.unlock();
      },
      [] {
        queue->has_thread = false;
        // Threads of the parent may wait on these; here they would be waited for.
        new (&queue->done) std::condition_variable();
        new (&queue->news) std::condition_variable();
        queue->mutex.unlock();
        queue->making.unlock();
      });
}

void KernelCache::start_thread() {
  queue_->has_thread = true;
  std::thread([queue = queue_] {
    // Not the lowest: on a busy machine a call that waits for a kernel would wait for very long.
    constexpr int kNice = 5;
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
    for (;;) {
      std::shared_ptr<CachedKernel> next;
      {
        std::unique_lock lock(queue->mutex);
        queue->news.wait(lock, [&] { return !queue->waiting.empty(); });
        next = std::move(queue->waiting.front());
        queue->waiting.pop_front();
      }
      instance->finish(*next);
    }
  }).detach();
}

LaunchNumbers::LaunchNumbers(const Kernel& kernel) : stages_(kernel.stages.size()) {
  const Expr one = kernel.pool->integer(1);
  for (const Stage& stage : kernel.stages) {
    code_.add(stage.tasks);
    code_.add(stage.grain ? stage.grain : one);
  }
  for (const Buffer& buffer : kernel.buffers) code_.add(buffer.elements);
}

std::shared_ptr<CachedKernel> KernelCache::get(const std::shared_ptr<const GroupForm>& form,
                                               Variant variant) {
  static const CpuTarget target = CpuTarget::host();
  std::string key = str(name_of_variant(variant), "\n", target.cpu, " ", target.features, "\n",
                        form->signature());
  static const auto* const is_async = bool_flag("FLAGS_cinn_async");
  const std::lock_guard lock(queue_->mutex);
  auto& entry = queue_->kernels[key];
  if (entry) {
    shared_.fetch_add(1, std::memory_order_relaxed);
    return entry;
  }
  entry = std::make_shared<CachedKernel>();
  entry->form_ = form;
  entry->variant_ = variant;
  entry->key_ = std::move(key);
  if (is_async->load(std::memory_order_relaxed)) {
    queue_->waiting.push_back(entry);
    if (!queue_->has_thread) start_thread();
    queue_->news.notify_one();
  }
  return entry;
}

void KernelCache::make(CachedKernel& k) {
  static const CpuTarget target = CpuTarget::host();
  const std::string folder = std::get<std::string>(get_flag("FLAGS_cinn_debug_dir"));
  try {
    const auto begin = std::chrono::steady_clock::now();
    k.kernel_ = schedule_for_cpu(*k.form_, k.variant_, target.lanes());
    verify(k.kernel_);
    k.levels_ = levels_of(k.kernel_);
    k.numbers_ = LaunchNumbers(k.kernel_);
    for (const int level : k.levels_) k.num_levels_ = std::max(k.num_levels_, level + 1);
    DiskCache& disk = DiskCache::global();
    std::optional<std::string> object;
    if (folder.empty()) object = disk.find(k.key_);
    k.from_disk_ = object.has_value();
    if (!object) {
      Dumps dumps;
      // First without code, which is missing where it cannot be made.
      if (!folder.empty()) dump(folder, k.key_, k.form_->signature(), k.variant_, k.kernel_, dumps);
      object = compile_for_cpu(k.kernel_, target, folder.empty() ? nullptr : &dumps).bytes;
      if (!folder.empty()) dump(folder, k.key_, k.form_->signature(), k.variant_, k.kernel_, dumps);
    }
    k.code_ = load_object(*object, k.kernel_.stages.size());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    k.milliseconds_ = took.count();
    if (k.from_disk_) {
      from_disk_.fetch_add(1);
    } else {
      compiled_.fetch_add(1);
      disk.add(k.key_, *object);
    }
    milliseconds_.store(milliseconds_.load() + k.milliseconds_);
    k.state_.store(CachedKernel::State::kReady, std::memory_order_release);
  } catch (const std::exception& e) {
    k.problem_ = e.what();
    failed_.fetch_add(1);
    k.state_.store(CachedKernel::State::kFailed, std::memory_order_release);
  }
  k.form_.reset();
}

void KernelCache::finish(CachedKernel& kernel) {
  if (kernel.state() != CachedKernel::State::kWaiting) return;
  {
    const std::lock_guard lock(queue_->making);
    if (kernel.state() == CachedKernel::State::kWaiting) make(kernel);
  }
  const std::lock_guard lock(queue_->mutex);
  queue_->done.notify_all();
}

bool KernelCache::wait(CachedKernel& kernel, int64_t milliseconds) {
  std::unique_lock lock(queue_->mutex);
  return queue_->done.wait_for(lock, std::chrono::milliseconds(milliseconds),
                               [&] { return kernel.state() != CachedKernel::State::kWaiting; });
}

Dumps KernelCache::stages_of(const GroupForm& form, Variant variant, std::string& loops) {
  static const CpuTarget target = CpuTarget::host();
  const Kernel kernel = schedule_for_cpu(form, variant, target.lanes());
  loops = print(kernel);
  Dumps dumps;
  const std::lock_guard lock(queue_->making);
  compile_for_cpu(kernel, target, &dumps);
  return dumps;
}

void KernelCache::finish_all() {
  std::vector<std::shared_ptr<CachedKernel>> all;
  {
    const std::lock_guard lock(queue_->mutex);
    for (const auto& [key, kernel] : queue_->kernels) all.push_back(kernel);
  }
  for (const auto& kernel : all) finish(*kernel);
}

pir::CompilerStatistics KernelCache::statistics() const {
  return {compiled_.load(), from_disk_.load(), shared_.load(),
          failed_.load(),   launches_.load(),  milliseconds_.load()};
}

}  // namespace paddle::cinn
