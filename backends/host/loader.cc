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
#include "backends/host/library.h"
#include "backends/host/profiler.h"

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
  if (plugin->has_library) register_library(*plugin, place);
  if (plugin->has_profiler) add_to_trace(*plugin);
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

EventPtr record_timed(Stream& stream) {
  auto* const of_plugin = dynamic_cast<PluginStream*>(&stream);
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, of_plugin,
                    "record: streams of this device tell no time.");
  return of_plugin->record_timed();
}

double elapsed_ms(const Event& begin, const Event& end) { return elapsed(begin, end); }

MemoryInfo memory_info(Place place) {
  const auto* const device = dynamic_cast<const PluginDevice*>(&device_of(place));
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, device && device->plugin().device.memory_info,
                    "memory_info: ", place, " does not tell how much memory is free.");
  const Plugin& plugin = device->plugin();
  PdMemoryInfoArgs args{};
  args.device = device->raw();
  args.free = args.total = -1;
  plugin.call(plugin.device.memory_info, args, "device.memory_info");
  if (args.free < 0 || args.free > args.total) {
    plugin.lies("device.memory_info",
                str("gave free = ", args.free, " and total = ", args.total, "."));
  }
  return {args.free, args.total};
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
