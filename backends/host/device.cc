// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Devices of plugins: opened when they are first used, open until the process ends.
#include "backends/host/device.h"

#include <cstring>

namespace paddle::plugin {

PluginDevice::PluginDevice(const Plugin& plugin, Place place) : plugin_(plugin), place_(place) {
  PdOpenArgs args{};
  args.index = place.index;
  plugin.call(plugin.device.open, args, "device.open");
  if (!args.device) plugin.lies("device.open", "gave a null device and no error.");
  raw_ = args.device;
  read_properties();
  allocator_ = std::make_unique<PluginAllocator>(plugin, raw_, place, properties_.total_memory);
  if (plugin.has_memory && has(PD_CAPABILITY_PINNED_MEMORY)) {
    if (!plugin.memory.allocate_host || !plugin.memory.free_host) {
      plugin.lies("device.has",
                  "says that there is pinned memory; memory.allocate_host or "
                  "memory.free_host is null.");
    }
    pinned_ = std::make_unique<PluginHostAllocator>(plugin, raw_);
  }
  default_stream_ = std::make_unique<PluginStream>(plugin, raw_, events_, 0);
}

bool PluginDevice::has(PdCapability capability) const {
  PdCapabilityArgs args{};
  args.device = raw_;
  args.capability = capability;
  args.has = -1;
  plugin_.call(plugin_.device.has, args, "device.has");
  if (args.has != 0 && args.has != 1) {
    plugin_.lies("device.has", str("gave has = ", args.has, "; 1 or 0 is meant."));
  }
  return args.has == 1;
}

void PluginDevice::read_properties() {
  PdPropertiesArgs args{};
  args.device = raw_;
  std::memset(args.name, 1, sizeof args.name);
  plugin_.call(plugin_.device.properties, args, "device.properties");
  const size_t length = strnlen(args.name, sizeof args.name);
  if (length == sizeof args.name) {
    plugin_.lies("device.properties", "gave a name without a zero byte at its end.");
  }
  if (args.total_memory < 0 || args.total_memory > int64_t{1} << 46) {
    plugin_.lies("device.properties", str("gave total_memory = ", args.total_memory, "."));
  }
  properties_.name.assign(args.name, length);
  properties_.total_memory = static_cast<size_t>(args.total_memory);
  properties_.multiprocessors = args.multiprocessors;
  properties_.major = args.major;
  properties_.minor = args.minor;
  properties_.prefers_channels_last = has(PD_CAPABILITY_CHANNELS_LAST);
}

Allocator& PluginDevice::pinned_allocator() {
  return pinned_ ? *pinned_ : Device::pinned_allocator();
}

Stream& PluginDevice::new_stream(int priority) {
  const std::lock_guard lock(mutex_);
  return streams_.emplace_back(plugin_, raw_, events_, priority);
}

void PluginDevice::copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
                        Stream& stream) {
  if (bytes == 0) return;
  PdCopyArgs args{};
  args.device = raw_;
  args.stream = static_cast<PluginStream&>(stream).raw();
  args.bytes = static_cast<int64_t>(bytes);
  // A device of another plugin, which this one cannot reach, gives its bytes to the host first.
  const auto* const from = dynamic_cast<PluginDevice*>(&device_of(src_place));
  const auto* const to = dynamic_cast<PluginDevice*>(&device_of(dst_place));
  if ((!src_place.is_host() && (!from || &from->plugin_ != &plugin_)) ||
      (!dst_place.is_host() && (!to || &to->plugin_ != &plugin_))) {
    const std::unique_ptr<char[]> staged(new char[bytes]);
    Stream& reading = device_of(src_place).default_stream();
    reading.wait(*stream.record());
    device_of(src_place).copy(staged.get(), src, bytes, Place(), src_place, reading);
    reading.synchronize();
    Stream& writing = dst_place == place_ ? stream : device_of(dst_place).default_stream();
    device_of(dst_place).copy(dst, staged.get(), bytes, dst_place, Place(), writing);
    return writing.synchronize();
  }
  if (from) {
    const MemoryAddress at = from->at(src);
    args.source_device = from->raw_;
    args.source = at.memory;
    args.source_offset = at.offset;
  } else {
    args.source_host = src;
  }
  if (to) {
    const MemoryAddress at = to->at(dst);
    args.target_device = to->raw_;
    args.target = at.memory;
    args.target_offset = at.offset;
  } else {
    args.target_host = dst;
  }
  plugin_.call(plugin_.memory.copy, args, "memory.copy");
}

void PluginDevice::memset(void* dst, int value, size_t bytes, Stream& stream) {
  if (bytes == 0) return;
  const MemoryAddress address = at(dst);
  PdFillArgs args{};
  args.device = raw_;
  args.stream = static_cast<PluginStream&>(stream).raw();
  args.memory = address.memory;
  args.offset = address.offset;
  args.bytes = static_cast<int64_t>(bytes);
  args.value = value & 0xff;
  plugin_.call(plugin_.memory.fill, args, "memory.fill");
}

void PluginDevice::synchronize() {
  PdDeviceArgs args{};
  args.device = raw_;
  plugin_.call(plugin_.device.synchronize, args, "device.synchronize");
}

Device::MemoryHandle PluginDevice::memory_handle(const void* address) const {
  if (!address) return {};
  const MemoryAddress found = at(address);
  return {found.memory, found.offset};
}

}  // namespace paddle::plugin
