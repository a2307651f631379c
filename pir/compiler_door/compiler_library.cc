// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens libpaddle_cinn.so.
#include "pir/compiler_door/compiler_library.h"

#include <atomic>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/own_library.h"
#include "pir/compiler_door/eager_calls.h"

namespace paddle::pir {
namespace {

std::atomic<const CompilerLibrary*> loaded{nullptr};

// 1, 0: a scope says so; -1: the flag does.
thread_local int8_t scope_says = -1;

}  // namespace

const CompilerLibrary& compiler_library() {
  static const CompilerLibrary& table = []() -> const CompilerLibrary& {
    define_compiler_flags();
    const OwnLibrary library("libpaddle_cinn.so", "the compiler");
    const auto entry =
        reinterpret_cast<decltype(&paddle_cinn_library)>(library.find("paddle_cinn_library"));
    const CompilerLibrary* made = entry();
    loaded.store(made, std::memory_order_release);
    return *made;
  }();
  return table;
}

const CompilerLibrary* loaded_compiler_library() { return loaded.load(std::memory_order_acquire); }

void define_compiler_flags() {
  [[maybe_unused]] static const bool defined = [] {
    define_flag(
        "FLAGS_use_cinn", false,
        "Captured programs are compiled where they do not say otherwise (to_static, predictor).");
    define_flag("FLAGS_cinn_eager", false,
                "Eager calls of composed operators that have no kernel are compiled.");
    define_flag("FLAGS_cinn_async", true,
                "Kernels are compiled beside the program, which uses them from call "
                "FLAGS_cinn_swap_call on; off: at the first call, which waits.");
    define_flag("FLAGS_cinn_swap_call", int64_t{3},
                "The call of a group at which its kernel takes over, the same in every run.");
    define_flag("FLAGS_cinn_wait_ms", int64_t{-1},
                "How long that call waits for a kernel that is not ready; -1: until it is. A bound "
                "makes runs differ where it is reached.");
    define_flag("FLAGS_cinn_autotune", false,
                "After kernels take over, each group is timed compiled and uncompiled for a few "
                "calls, and the faster stays, also in later processes with this flag. Runs are not "
                "equal to the bit then.");
    define_flag("FLAGS_cinn_debug_dir", std::string(),
                "A folder for the loop IR, MLIR, LLVM IR and assembly of each kernel.");
    define_flag(
        "FLAGS_cinn_interpret", std::string(),
        "For tests: groups run statement by statement in a checking interpreter, as kernels "
        "of the CPU (cpu) or of blocks of threads (blocks); empty: they are compiled.");
    define_flag("FLAGS_cinn_cache_dir", std::string("default"),
                "The folder of compiled kernels; default: paddle/cinn in XDG_CACHE_HOME or "
                "~/.cache; empty: none.");
    define_flag("FLAGS_cinn_cache_mb", int64_t{256}, "The most that folder may hold.");
    offer_eager_calls();
    return true;
  }();
}

bool compiler_wanted() {
  static const std::atomic<bool>* const flag = [] {
    define_compiler_flags();
    return bool_flag("FLAGS_use_cinn");
  }();
  return scope_says >= 0 ? scope_says != 0 : flag->load(std::memory_order_relaxed);
}

CompilerScope::CompilerScope(bool wanted) : before_(scope_says) { scope_says = wanted; }
CompilerScope::~CompilerScope() { scope_says = before_; }

Grouping form_groups(Block& block) {
  return compiler_wanted() ? compiler_library().partition(block) : Grouping();
}

std::vector<std::shared_ptr<ReportedGroup>> reported_groups(const Block& block) {
  const CompilerLibrary* library = loaded_compiler_library();
  return library ? library->groups(block) : std::vector<std::shared_ptr<ReportedGroup>>();
}

double copy_rate() { return compiler_library().copy_rate(); }

std::vector<GroupSource> group_sources(const Block& block, const std::string& target) {
  return compiler_library().sources(block, target);
}

CompilerStatistics compiler_statistics() {
  const CompilerLibrary* library = loaded_compiler_library();
  return library ? library->statistics() : CompilerStatistics();
}

void finish_compiling() {
  if (const CompilerLibrary* library = loaded_compiler_library()) library->finish();
}

}  // namespace paddle::pir
