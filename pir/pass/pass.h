// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Passes over programs and the manager that runs them in order, measures each, and prints the
// program after each one when FLAGS_print_ir is on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pir/ir/ir.h"

namespace paddle::pir {

struct Pass {
  std::string name;
  std::function<size_t(Program&)> run;  // number of changes
};

struct PassRecord {
  std::string name;
  size_t changes = 0;
  int64_t nanoseconds = 0;
};

class PADDLE_API PassManager {
 public:
  void add(Pass pass) { passes_.push_back(std::move(pass)); }
  std::vector<PassRecord> run(Program& program) const;

 private:
  std::vector<Pass> passes_;
};

}  // namespace paddle::pir
