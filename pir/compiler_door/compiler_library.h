// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The door to libpaddle_cinn.so. It is opened when the first program is to be compiled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_core/dispatch/compile_hook.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

// Of the process so far.
struct CompilerStatistics {
  int64_t compiled = 0;   // kernels that were made
  int64_t from_disk = 0;  // kernels that the cache on disk had
  int64_t shared = 0;     // groups that found the kernel of an equal one
  int64_t failed = 0;     // groups that could not be compiled and run as they are
  int64_t launches = 0;
  double milliseconds = 0;  // of compiling
};

struct Grouping {
  size_t groups = 0;
  // For people: what was decided of operations that are in no larger group, a line for each.
  std::string decisions;
};

struct CompilerLibrary {
  // Forms groups in the block.
  Grouping (*partition)(Block& block);
  // Puts the operations of all groups back.
  size_t (*inline_groups)(Block& block);
  // The groups of a block for people: what each does, why it is no larger, its kernels.
  std::string (*describe)(const Block& block);
  CompilerStatistics (*statistics)();
  // Waits until everything that was asked for is compiled.
  void (*finish)();
  // What compiles eager calls of composed operators.
  CompileHook& (*eager_calls)();
};

// Loads the library at the first call, whichever thread it is on. RuntimeError when it cannot be
// opened.
const CompilerLibrary& compiler_library();
// Null as long as nothing was to be compiled.
const CompilerLibrary* loaded_compiler_library();

// Defines FLAGS_use_cinn and the FLAGS_cinn_*; idempotent.
PADDLE_API void define_compiler_flags();

// Whether programs that are made on this thread are compiled: FLAGS_use_cinn, unless a scope says
// otherwise.
PADDLE_API bool compiler_wanted();
class PADDLE_API CompilerScope {
 public:
  explicit CompilerScope(bool wanted);
  ~CompilerScope();
  CompilerScope(const CompilerScope&) = delete;
  CompilerScope& operator=(const CompilerScope&) = delete;

 private:
  int8_t before_;
};

// Forms groups in a program that is otherwise finished, if that is wanted.
PADDLE_API Grouping form_groups(Block& block);
PADDLE_API std::string describe_groups(const Block& block);
PADDLE_API CompilerStatistics compiler_statistics();
PADDLE_API void finish_compiling();

}  // namespace paddle::pir

// What the library exports.
extern "C" PADDLE_API const paddle::pir::CompilerLibrary* paddle_cinn_library();
