// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Watching single operations of programs as they run, on the thread that runs them.
//
//   OperationTimes times;
//   { const OperationWatch watch(times); program.run(inputs); }
#pragma once

#include "paddle_core/base/export.h"
#include "pir/ir/operation_times.h"

namespace paddle::pir {

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
