// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens libpaddle_gloo.so.
#include "distributed/comm/processes.h"

#include "distributed/comm/transport_job.h"
#include "paddle_core/base/own_library.h"

namespace paddle::distributed {
namespace {

const GlooLibrary& gloo_library() {
  static const GlooLibrary& table = []() -> const GlooLibrary& {
    const OwnLibrary library("libpaddle_gloo.so", "A job of several processes");
    return *reinterpret_cast<decltype(&paddle_gloo_library)>(library.find("paddle_gloo_library"))();
  }();
  return table;
}

}  // namespace

std::shared_ptr<Job> connect_processes(const Meeting& meeting) {
  PADDLE_CHECK_VALUE(meeting.size >= 1 && meeting.rank >= 0 && meeting.rank < meeting.size,
                     "connect_processes: rank ", meeting.rank, " of ", meeting.size,
                     " processes; ranks count from 0.");
  PADDLE_CHECK_VALUE(meeting.timeout_seconds > 0, "connect_processes: timeout_seconds has value ",
                     meeting.timeout_seconds, "; it must be positive.");
  return std::make_shared<TransportJob>(gloo_library().connect(meeting));
}

}  // namespace paddle::distributed
