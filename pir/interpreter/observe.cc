// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The watches of the thread.
#include "pir/interpreter/observe.h"

namespace paddle::pir {
namespace {

__thread OperationTimes* t_times __attribute__((tls_model("initial-exec"))) = nullptr;
__thread const ValueWatch* t_values __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

OperationWatch::OperationWatch(OperationTimes& times) : saved_(t_times) { t_times = &times; }
OperationWatch::~OperationWatch() { t_times = saved_; }
OperationTimes* OperationWatch::current() { return t_times; }

ValueWatch::ValueWatch(See see) : see_(std::move(see)), saved_(t_values) { t_values = this; }
ValueWatch::~ValueWatch() { t_values = saved_; }
const ValueWatch* ValueWatch::current() { return t_values; }

void ValueWatch::show(const SeenValue& seen) const {
  struct Unwatched {
    const ValueWatch* before = t_values;
    Unwatched() { t_values = nullptr; }
    ~Unwatched() { t_values = before; }
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;
  } const unwatched;
  see_(seen);
}

}  // namespace paddle::pir
