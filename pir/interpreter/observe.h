// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Watching single operations of programs as they run, on the thread that runs them.
//
//   OperationTimes times;
//   { const OperationWatch watch(times); program.run(inputs); }
#pragma once

#include <unordered_map>

#include "pir/ir/ir.h"

namespace paddle::pir {

struct OperationTime {
  int64_t calls = 0, ns = 0;
  int64_t bytes = 0;  // that its operands and results hold, summed over the calls
};
using OperationTimes = std::unordered_map<const Operation*, OperationTime>;

// While one lives, runs of this thread add to `times`.
class PADDLE_API OperationWatch {
 public:
  explicit OperationWatch(OperationTimes& times);
  ~OperationWatch();
  OperationWatch(const OperationWatch&) = delete;
  OperationWatch& operator=(const OperationWatch&) = delete;
  // Of this thread; null when nobody watches.
  static OperationTimes* current();

 private:
  OperationTimes* saved_;
};

}  // namespace paddle::pir
