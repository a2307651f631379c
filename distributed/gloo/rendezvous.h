// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Connects the processes of a job with each other.
#pragma once

#include <gloo/transport/context.h>
#include <gloo/transport/device.h>

#include <memory>

#include "distributed/comm/processes.h"

namespace paddle::distributed {

struct Connections {
  std::shared_ptr<gloo::transport::Device> device;  // its thread reads and writes the sockets
  std::shared_ptr<gloo::transport::Context> context;
};

// RuntimeError that names the process which cannot be reached.
Connections meet(const Meeting& meeting);

}  // namespace paddle::distributed
