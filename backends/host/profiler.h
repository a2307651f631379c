// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a plugin's devices did, in the host's trace.
#pragma once

#include "backends/host/plugin.h"

namespace paddle::plugin {

// From the next recording on (paddle_core/profile/trace.h), spans of the plugin are in the trace,
// of the category "device". What the plugin gets wrong there is a warning: recordings go on.
void add_to_trace(const Plugin& plugin);

}  // namespace paddle::plugin
