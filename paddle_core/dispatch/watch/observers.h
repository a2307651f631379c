// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What watches executed operators: the profiler's spans and the check for NaN and infinity.
// Both are switched on for all threads.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "paddle_core/dispatch/call.h"

namespace paddle {

// Records a span per operator while a profile is being taken.
PADDLE_API void watch_operators(bool on);
// RuntimeError that names the operator, the result, the first bad position and the user's line;
// with FLAGS_check_nan_inf_level above 0 a warning.
PADDLE_API void check_nan_inf(bool on);
PADDLE_API bool checks_nan_inf();
// Whether the results of every operator are looked at: by that check, or to be counted.
PADDLE_API bool observes_results();

// Counts the calls of each operator by the dtype of its first result, from zero when switched on.
using OperatorCounts = std::map<std::pair<std::string, DType>, int64_t>;
PADDLE_API void count_operators(bool on);
PADDLE_API OperatorCounts operator_counts();

// The line of the user's program that is running: "file:line", or "". Installed by the bindings.
using LocationFn = std::string (*)();
PADDLE_API void set_location_source(LocationFn fn);
PADDLE_API std::string running_location();

// Says on this thread where the calls of a scope come from, when it is not the running line: the
// line that recorded an operation of a program, or the forward call of a gradient. Borrows `text`.
class PADDLE_API OriginScope {
 public:
  explicit OriginScope(const std::string& text);
  ~OriginScope();
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  const std::string* previous_;
};

}  // namespace paddle
