// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whoever knows spans that the host's threads do not: devices, whose work runs when nobody looks.
#pragma once

#include <functional>
#include <vector>

#include "paddle_core/profile/trace.h"

namespace paddle::profile {

struct Source {
  std::function<void()> start;
  std::function<void(std::vector<Span>& spans)> stop;  // appends what happened since start()
};
// From the next start() on, for the rest of the process. Neither function lets an exception out.
PADDLE_API void add_source(Source source);

}  // namespace paddle::profile
