// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What every use of oneDNN shares: the number of threads that the library sees.
#pragma once

#include <omp.h>

#include "paddle_core/device/parallel.h"

namespace paddle::cpu {

// The library sees the calling thread's limit: one thread inside a parallel region or a forked
// child, where starting a team would deadlock.
struct LibraryThreads {
  int before = omp_get_max_threads();
  int now = must_run_serially() ? 1 : num_threads();
  LibraryThreads() {
    if (now != before) omp_set_num_threads(now);
  }
  ~LibraryThreads() {
    if (omp_get_max_threads() != before) omp_set_num_threads(before);
  }
  LibraryThreads(const LibraryThreads&) = delete;
  LibraryThreads& operator=(const LibraryThreads&) = delete;
};

}  // namespace paddle::cpu
