// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions over the state of the process and of the thread, a table a file.
#pragma once

#include <memory>

#include "paddle_core/comm/job.h"
#include "python/bindings/base/errors.h"

namespace paddle::bindings {

// A job as Python holds it (distributed.cc).
PyObject* capsule_of(std::shared_ptr<Job> job);

extern PyMethodDef device_methods[];
extern PyMethodDef distributed_methods[];
extern PyMethodDef distributed_process_methods[];
extern PyMethodDef execution_context_methods[];
extern PyMethodDef extension_methods[];
extern PyMethodDef plugin_methods[];
extern PyMethodDef profile_methods[];
extern PyMethodDef state_methods[];
extern PyMethodDef stream_methods[];

// Waits for other ranks release the interpreter's lock.
void install_blocking_hooks();

// The function that prints tensors (state.cc), borrowed; null when set_printer was not called.
PyObject* printer();

}  // namespace paddle::bindings
