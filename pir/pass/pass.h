// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Passes over programs, the table of passes by name, and the manager that runs a list of them.
//   FLAGS_pir_apply_passes      off: programs run as they were captured or read
//   FLAGS_print_ir              prints the program before the first and after each pass that
//                               changed it
//   FLAGS_pir_pass_timing       logs a table of times and changes after each run
//   FLAGS_pir_pass_pages        a folder: each pass that changes a program writes a page there that
//                               draws it before and after
//   FLAGS_pir_verify_passes     verifies the program after each pass; the error names the pass
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pir/ir/ir.h"

namespace paddle::pir {

struct Pass {
  std::string name;
  std::function<size_t(Program&)> run;  // number of changes
  std::string doc;
};

struct PassRecord {
  std::string name;
  size_t changes = 0;
  int64_t nanoseconds = 0;
};

// All passes of the process. A library of a higher layer adds its own here; pipelines name them.
class PADDLE_API PassRegistry {
 public:
  static PassRegistry& global();
  // ValueError when the name is taken.
  void add(Pass pass);
  bool has(const std::string& name) const;
  // ValueError that lists the known names when there is none.
  const Pass& at(const std::string& name) const;
  std::vector<std::string> names() const;  // sorted

 private:
  std::vector<Pass> passes_;
};

class PADDLE_API PassManager {
 public:
  PassManager() = default;
  explicit PassManager(const std::vector<std::string>& names);
  void add(Pass pass) { passes_.push_back(std::move(pass)); }
  std::vector<PassRecord> run(Program& program) const;

 private:
  std::vector<Pass> passes_;
};

// Defines the flags above; idempotent.
PADDLE_API void define_pass_flags();
PADDLE_API bool passes_enabled();  // FLAGS_pir_apply_passes

}  // namespace paddle::pir
