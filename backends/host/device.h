// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A device of a plugin behind the interface of paddle_core/device/device.h.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "backends/host/memory.h"
#include "backends/host/plugin.h"
#include "backends/host/stream.h"
#include "paddle_core/device/device.h"

namespace paddle::plugin {

class PluginDevice final : public Device {
 public:
  PluginDevice(const Plugin& plugin, Place place);

  Place place() const override { return place_; }
  const DeviceProperties& properties() const override { return properties_; }
  Allocator& allocator() override { return *allocator_; }
  Allocator& pinned_allocator() override;
  Stream& default_stream() override { return *default_stream_; }
  Stream& new_stream(int priority) override;
  void copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
            Stream& stream) override;
  void memset(void* dst, int value, size_t bytes, Stream& stream) override;
  void synchronize() override;
  MemoryHandle memory_handle(const void* address) const override;

  const Plugin& plugin() const { return plugin_; }
  PdDevice raw() const { return raw_; }
  MemoryAddress at(const void* address) const { return allocator_->addresses().at(address); }

 private:
  bool has(PdCapability capability) const;
  void read_properties();

  const Plugin& plugin_;
  Place place_;
  PdDevice raw_ = nullptr;
  DeviceProperties properties_;
  std::unique_ptr<PluginAllocator> allocator_;
  std::unique_ptr<PluginHostAllocator> pinned_;
  EventPool events_;
  std::unique_ptr<PluginStream> default_stream_;
  std::mutex mutex_;
  std::deque<PluginStream> streams_;
};

}  // namespace paddle::plugin
