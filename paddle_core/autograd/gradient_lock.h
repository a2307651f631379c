// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The .grad of a leaf is read and written by every thread that runs a backward over it: whoever
// touches Meta::grad holds the tensor's lock. Nothing that may run Python happens under it, because
// a thread that waits for it may hold the interpreter.
#pragma once

#include <mutex>

#include "paddle_core/tensor/tensor.h"

namespace paddle::autograd {

// One of a few locks, by the tensor's address. None while calls are captured or deferred: these may
// run Python anywhere, and what they record belongs to one thread.
std::unique_lock<std::mutex> hold_gradient(const Tensor& t);

}  // namespace paddle::autograd
