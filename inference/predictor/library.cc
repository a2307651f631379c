// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What must happen once before an operator can be called, and the code that only that needed.
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "distributed/spmd/sharded_layer.h"
#include "inference/predictor/runner.h"
#include "paddle_core/amp/amp.h"
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"

namespace paddle_infer::detail {

namespace {

// A debugger keeps its breakpoints in private copies of code, which must stay.
bool is_debugged() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return std::atoi(line.c_str() + 10) != 0;
  }
  return true;
}

// And from here on pages come one by one: where the system keeps a file in huge pages, a few
// functions would make megabytes of others resident.
int unmap_code(dl_phdr_info* library, size_t, void*) {
  if (std::strstr(library->dlpi_name, "libpaddle_") == nullptr) return 0;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W)) continue;
    const uintptr_t begin = library->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
    if (first >= last) continue;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_NOHUGEPAGE);
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void forget_code() {
  if (!is_debugged()) dl_iterate_phdr(unmap_code, nullptr);
}

void start_library() {
  [[maybe_unused]] static const bool started = [] {
    paddle::register_all_ops(paddle::Registry::global());
    paddle::Registry::global().seal();
    paddle::ops::install_core_ops();
    paddle::cpu::install_copy_cpu();
    paddle::autograd::install_autograd();
    paddle::amp::install_amp();
    paddle::distributed::install_sharded();
    if (paddle::bool_flag("FLAGS_check_nan_inf")->load()) paddle::check_nan_inf(true);
    if (paddle::bool_flag("FLAGS_force_decompose")->load()) paddle::force_decompositions(true);
    forget_code();
    return true;
  }();
}

}  // namespace paddle_infer::detail
