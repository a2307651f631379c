// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The plugins of the process.
#include "backends/host/loader.h"

#include <climits>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "backends/host/crash.h"
#include "backends/host/device.h"
#include "backends/host/kernels.h"
#include "paddle_core/device/device.h"

namespace paddle::plugin {
namespace {

struct Entry {
  const Plugin* plugin;
  std::string path;  // without links
  Place place;
};

struct Plugins {
  std::mutex mutex;
  std::vector<Entry> all;
  static Plugins& instance() {
    static auto* const plugins = new Plugins;  // devices outlive every static object
    return *plugins;
  }
};

int count_of(const Plugin& plugin) {
  PdCountArgs args{};
  args.count = -1;
  plugin.call(plugin.device.count, args, "device.count");
  if (args.count < 0 || args.count > SHRT_MAX) {
    plugin.lies("device.count", str("gave count = ", args.count, "."));
  }
  return args.count;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         std::free);
  return real ? real.get() : path;
}

}  // namespace

Place load(const std::string& path) {
  Plugins& plugins = Plugins::instance();
  const std::lock_guard lock(plugins.mutex);
  const std::string real = real_path(path);
  for (const Entry& entry : plugins.all) {
    if (entry.path == real) return entry.place;
  }
  install_crash_handler();
  define_memory_flags();
  const Plugin* const plugin =
      Plugin::open(real);  // a bare name is no name of a library of the system
  PADDLE_CHECK_VALUE(custom_type_of(plugin->name) < 0, plugin->title(), ": the device type ",
                     plugin->name, " is there already.");
  // Before the type is there, so that a plugin that lies leaves nothing behind.
  const std::vector<FoundKernel> kernels =
      plugin->has_kernels ? find_kernels(*plugin) : std::vector<FoundKernel>();
  const Place place = register_device_type({plugin->name,
                                            [plugin](Place p) -> std::unique_ptr<Device> {
                                              if (p.index >= count_of(*plugin)) return nullptr;
                                              return std::make_unique<PluginDevice>(*plugin, p);
                                            },
                                            [plugin] { return count_of(*plugin); }});
  if (plugin->has_kernels) register_kernels(*plugin, kernels, place);
  plugins.all.push_back({plugin, real, place});
  return place;
}

Statistics statistics(Place place) {
  Plugins& plugins = Plugins::instance();
  const std::lock_guard lock(plugins.mutex);
  for (const Entry& entry : plugins.all) {
    if (device_type_of(entry.place) != device_type_of(place)) continue;
    const Counts& c = entry.plugin->counts;
    return {c.kernels, c.allocations, c.blocks, c.block_bytes, c.streams, c.events};
  }
  throw_error(ErrorKind::kValue, str("statistics: ", place, " is no device of a plugin."));
}

std::vector<Loaded> loaded() {
  Plugins& plugins = Plugins::instance();
  const std::lock_guard lock(plugins.mutex);
  std::vector<Loaded> all;
  for (const Entry& entry : plugins.all) {
    const PdPlugin& table = entry.plugin->table;
    all.push_back({entry.plugin->name, entry.plugin->path, table.version ? table.version : "",
                   table.major, table.minor});
  }
  return all;
}

}  // namespace paddle::plugin
