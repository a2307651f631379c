// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin's kernels as kernels of the registry, and calls of operators as they see them.
#pragma once

#include "backends/host/plugin.h"
#include "paddle_core/device/place.h"

namespace paddle::plugin {

// What kernels may call.
const PdHost& host_functions();

// Asks the plugin for a kernel of every operator and dtype that there are, and registers its
// answers for the devices of the type of `place`. RuntimeError when an answer makes no sense.
void register_kernels(const Plugin& plugin, Place place);

}  // namespace paddle::plugin
