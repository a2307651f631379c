// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loading of device plugins: shared libraries with the interface of
// backends/include/paddle_device.h. A plugin adds a device type, whose devices are opened when they
// are first used, and kernels for it. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_core/base/export.h"
#include "paddle_core/device/device.h"

namespace paddle::plugin {

// The place of device 0 of the plugin's type; that of before when the same file is loaded again.
// OSError when it is no plugin, RuntimeError when it does not keep the interface, ValueError when
// its device type has a name that is taken; each names the plugin and the function.
PADDLE_API Place load(const std::string& path);

struct Statistics {
  int64_t kernels, allocations, blocks, block_bytes, streams, events;
};
// Of all devices of a plugin since it was loaded. ValueError when no plugin made the type.
PADDLE_API Statistics statistics(Place place);

// An event that tells its time, of a plugin's stream. NotImplementedError of others, and where the
// plugin has no such events.
PADDLE_API EventPtr record_timed(Stream& stream);
// Milliseconds between two of them that have happened. ValueError when they have not.
PADDLE_API double elapsed_ms(const Event& begin, const Event& end);

struct MemoryInfo {
  int64_t free, total;  // bytes
};
// NotImplementedError when the device tells none.
PADDLE_API MemoryInfo memory_info(Place place);

struct Loaded {
  std::string device_type, path, version;
  uint32_t major, minor;  // of the interface
};
PADDLE_API std::vector<Loaded> loaded();

}  // namespace paddle::plugin
