// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The watch of the thread.
#include "pir/interpreter/observe.h"

namespace paddle::pir {
namespace {

__thread OperationTimes* t_times __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

OperationWatch::OperationWatch(OperationTimes& times) : saved_(t_times) { t_times = &times; }
OperationWatch::~OperationWatch() { t_times = saved_; }
OperationTimes* OperationWatch::current() { return t_times; }

}  // namespace paddle::pir
