// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Watching single operations of programs as they run, on the thread that runs them.
//
//   OperationTimes times;
//   { const OperationWatch watch(times); program.run(inputs); }
#pragma once

#include <functional>

#include "paddle_core/base/export.h"
#include "paddle_core/tensor/tensor.h"
#include "pir/ir/operation_times.h"

namespace paddle::pir {

// While one lives, runs of this thread add to `times`.
class PADDLE_API OperationWatch {
 public:
  explicit OperationWatch(OperationTimes& times);
  ~OperationWatch();
  OperationWatch(const OperationWatch&) = delete;
  OperationWatch& operator=(const OperationWatch&) = delete;
  // Of this thread; null when there is no watch.
  static OperationTimes* current();

 private:
  OperationTimes* saved_;
};

class Value;

// A tensor that an operation reads or has made.
struct SeenValue {
  const Operation& op;
  size_t number;  // of the operation, among those of its block that run
  const Value& value;
  bool result;
  Tensor& tensor;  // what is written into it, later operations read
};

// While one lives, runs of this thread show the tensors of each operation: those that it reads
// before it runs, those that it has made after it. Lists of tensors are shown where they are put
// together and taken apart. While `see` runs, nothing is shown.
class PADDLE_API ValueWatch {
 public:
  using See = std::function<void(const SeenValue&)>;
  explicit ValueWatch(See see);
  ~ValueWatch();
  ValueWatch(const ValueWatch&) = delete;
  ValueWatch& operator=(const ValueWatch&) = delete;
  // Of this thread; null when there is no watch.
  static const ValueWatch* current();
  void show(const SeenValue& seen) const;

 private:
  See see_;
  const ValueWatch* saved_;
};

}  // namespace paddle::pir
