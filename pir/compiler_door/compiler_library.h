// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The door to libpaddle_cinn.so. It is opened when the first program is to be compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "paddle_core/dispatch/compile_hook.h"
#include "pir/compiler_door/reported_group.h"
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

// An argument of an entry: "buffer" and "shared" (bytes of it, OpenCL) with a number of the
// group's buffers, "size" with a number of its sizes, "failed".
struct SourceArgument {
  std::string kind;
  int64_t number = 0;
};
// A kernel to launch. Expressions are of the sizes n0, n1, ... with // as floor division.
struct SourceEntry {
  std::string name;
  int64_t threads = 0;       // of a block
  std::string blocks;        // an expression
  std::string shared_bytes;  // to give at the launch, an expression
  std::vector<SourceArgument> arguments;
};
struct SourceBuffer {
  std::string space;  // input, output, temporary, scratch, shared
  DType dtype = DType::kUndefined;
  std::string elements;   // an expression; of scratch: for each block
  int64_t argument = -1;  // among the inputs or the results of the group
};
// A group, or a part of one that others do not depend on, as text for another compiler; its entries
// are run in order.
struct GroupSource {
  std::string name, text, loops;   // loops: the loop IR, for people
  std::vector<std::string> sizes;  // numbers, or what they are called in the program
  std::vector<SourceBuffer> buffers;
  std::vector<SourceEntry> entries;
  std::vector<std::string> inputs;  // by input: what the program's input is called, or nothing
  std::vector<int> results;   // by result: which of the group, or -1: it only replaces an input
  std::vector<int> replaces;  // by result: the input that it is to be copied to in the end, or -1
  int64_t multiple = 1;       // of what number the rows' extents are multiples
};

struct CompilerLibrary {
  // Forms groups in the block.
  Grouping (*partition)(Block& block);
  // Puts the operations of all groups back.
  size_t (*inline_groups)(Block& block);
  // The groups of a block and the regions in it, for people.
  std::vector<std::shared_ptr<ReportedGroup>> (*groups)(const Block& block);
  // Bytes a second that copying moves, read and written, measured once.
  double (*copy_rate)();
  // The groups of a block for "opencl-c", "ptx-sm_80" or "ptx-sm_90". ValueError for another
  // target.
  std::vector<GroupSource> (*sources)(const Block& block, const std::string& target);
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
// None before the compiler was needed.
PADDLE_API std::vector<std::shared_ptr<ReportedGroup>> reported_groups(const Block& block);
// What memory allows at most, in bytes a second, read and written: 128 MiB are copied to another
// 128 MiB on all threads of the host, and the shortest of five times counts. Measured once.
PADDLE_API double copy_rate();
// Loads the compiler where it is not. Of a program that has groups; for extents that are symbols
// the kernels are for any size of one class.
PADDLE_API std::vector<GroupSource> group_sources(const Block& block, const std::string& target);
PADDLE_API CompilerStatistics compiler_statistics();
PADDLE_API void finish_compiling();

}  // namespace paddle::pir

// What the library exports.
extern "C" PADDLE_API const paddle::pir::CompilerLibrary* paddle_cinn_library();
