// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin's kernels as kernels of the registry, and calls of operators as they see them.
#pragma once

#include <string>
#include <vector>

#include "backends/host/plugin.h"
#include "paddle_core/device/place.h"

namespace paddle::plugin {

// What kernels may call.
const PdHost& host_functions();

// The plugin's answer for some dtypes of an operator.
struct FoundKernel {
  std::string op;
  PdKernelArgs answer;
};
// Asks the plugin for kernels of every operator and dtype that there are. RuntimeError when an
// answer makes no sense.
std::vector<FoundKernel> find_kernels(const Plugin& plugin);
// Registers them for the devices of the type of `place`.
void register_kernels(const Plugin& plugin, const std::vector<FoundKernel>& found, Place place);

}  // namespace paddle::plugin
