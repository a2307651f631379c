// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that the host makes of a plugin's library: products of matrices.
#pragma once

#include "backends/host/plugin.h"
#include "paddle_core/device/place.h"

namespace paddle::plugin {

// Registers the kernels of matmul that the library offers and the plugin has none of its own for.
void register_library(const Plugin& plugin, Place place);

}  // namespace paddle::plugin
