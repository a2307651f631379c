// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parallel ranges on OpenMP or the workers of the thread: how many threads there are, when a range
// must run serially, and how an exception gets from a worker to the caller.
#include "paddle_core/device/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "paddle_core/base/error.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/device/thread_count.h"
#include "paddle_core/device/worker_pool.h"

namespace paddle {
namespace {

// OpenMP's worker threads do not exist in the child of a fork().
std::atomic<bool> g_forked_child{false};
[[maybe_unused]] const int g_fork_handler =
    pthread_atfork(nullptr, nullptr, [] { g_forked_child = true; });

// Of a ThreadCountScope; 0: none.
__thread int t_thread_count __attribute__((tls_model("initial-exec"))) = 0;

int affinity_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// The processors that the control group may use (rounded up); 0 when it sets no bound.
int quota_count() {
  std::string quota;
  double period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
    if (quota == "max" || period <= 0) return 0;
    return static_cast<int>(std::ceil(std::strtod(quota.c_str(), nullptr) / period));
  }
  double amount = 0;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (!(v1_quota >> amount) || !(v1_period >> period) || amount <= 0 || period <= 0) return 0;
  return static_cast<int>(std::ceil(amount / period));
}

int default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    const long n = std::strtol(text, nullptr, 10);  // the outermost level of a list
    if (n >= 1 && n <= 4096) return static_cast<int>(n);
  }
  const int quota = quota_count();
  return quota > 0 ? std::min(affinity_count(), quota) : affinity_count();
}

}  // namespace

int num_threads() {
  if (t_thread_count > 0) return t_thread_count;
  static const std::atomic<int64_t>* const flag = int_flag("FLAGS_paddle_num_threads");
  static const int otherwise = default_threads();
  const int64_t n = flag->load(std::memory_order_relaxed);
  return n > 0 ? static_cast<int>(std::min<int64_t>(n, 4096)) : otherwise;
}

void set_num_threads(int n) {
  PADDLE_CHECK_VALUE(n >= 1, "set_num_threads: n has value ", n,
                     "; there must be at least one thread; use n >= 1.");
  set_flag("FLAGS_paddle_num_threads", int64_t{n});
}

ThreadCountScope::ThreadCountScope(int n) : saved_(t_thread_count) {
  if (n > 0) t_thread_count = n;
}

ThreadCountScope::~ThreadCountScope() { t_thread_count = saved_; }

bool must_run_serially() {
  return g_forked_child.load(std::memory_order_relaxed) || omp_in_parallel() != 0 ||
         detail::in_worker_chunk();
}

namespace detail {

void parallel_for_impl(int64_t begin, int64_t end, int64_t grain, void* context, RangeFn fn) {
  if (end <= begin) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t length = end - begin;
  const int64_t grains = length / grain + (length % grain != 0);
  const int64_t threads = std::min<int64_t>(num_threads(), grains);
  if (threads <= 1 || must_run_serially()) return fn(context, begin, end);
  const int64_t chunk = (grains / threads + (grains % threads != 0)) * grain;
  const int64_t chunks = length / chunk + (length % chunk != 0);
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  auto run_chunk = [&](int64_t i) {
    if (failed.load(std::memory_order_relaxed)) return;
    const int64_t from = begin + i * chunk;
    try {
      fn(context, from, end - from > chunk ? from + chunk : end);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  };
  if (WorkerPool* const pool = worker_pool()) {
    using Run = decltype(run_chunk);
    pool->run(chunks, &run_chunk, [](void* run, int64_t i) { (*static_cast<Run*>(run))(i); });
  } else {
#pragma omp parallel for num_threads(static_cast <int>(chunks)) schedule(static, 1)
    for (int64_t i = 0; i < chunks; ++i) run_chunk(i);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace detail
}  // namespace paddle
