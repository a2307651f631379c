// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs whose ranks are processes. Their transport is in libpaddle_gloo.so, which is opened when the
// first processes connect.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distributed/comm/transport.h"
#include "paddle_core/comm/job.h"

namespace paddle::distributed {

struct Meeting {
  int64_t rank = 0, size = 1;
  // Of the network interface on which this process is reached. The environment variable
  // GLOO_SOCKET_IFNAME names another one.
  std::string host = "127.0.0.1";
  // Of the connecting, and of each wait for another process later.
  double timeout_seconds = 900;
  // A dictionary that all processes of the job share, empty at first. `get` waits for its key. Both
  // are called on the thread that connects, and may throw.
  std::function<void(const std::string& key, const std::string& value)> set;
  std::function<std::string(const std::string& key)> get;
};

// RuntimeError when a process does not come.
PADDLE_API std::shared_ptr<Job> connect_processes(const Meeting& meeting);

// What libpaddle_gloo.so offers.
struct GlooLibrary {
  std::shared_ptr<Transport> (*connect)(const Meeting& meeting);
};

}  // namespace paddle::distributed

extern "C" PADDLE_API const paddle::distributed::GlooLibrary* paddle_gloo_library();
