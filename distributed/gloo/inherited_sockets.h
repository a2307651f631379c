// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sockets of the connections are closed in children of this process. Otherwise a child, a worker
// that loads data for instance, would keep them open when its parent is killed, and no peer would
// notice before its time limit.
#pragma once

#include <gloo/transport/context.h>

namespace paddle::distributed {

// Of a connected context.
void close_in_children(gloo::transport::Context& context);

}  // namespace paddle::distributed
