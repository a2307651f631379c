// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host device, its stream and its events.
#include "paddle_core/device/host_device.h"

#include <unistd.h>

#include <cstring>

namespace paddle {
namespace {

class HostEvent final : public Event {
 public:
  bool query() const override { return true; }
  void synchronize() override {}
};

class HostStream final : public Stream {
 public:
  EventPtr record() override { return EventPtr(new HostEvent); }
  void wait(const Event& event) override {
    // An event of another device may be pending; the host waits for it by blocking.
    const_cast<Event&>(event).synchronize();
  }
  bool query() const override { return true; }
  void synchronize() override {}
};

DeviceProperties host_properties() {
  DeviceProperties p;
  p.name = "cpu";
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  p.total_memory =
      pages > 0 && page > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page) : 0;
  p.multiprocessors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  p.host_may_access = true;
  p.prefers_channels_last = true;
  return p;
}

class HostDevice final : public Device {
 public:
  Place place() const override { return {}; }
  const DeviceProperties& properties() const override { return properties_; }
  Allocator& allocator() override { return host_allocator(); }
  Stream& default_stream() override { return stream_; }
  // What is issued on the host is done at once: all its streams are one.
  Stream& new_stream(int) override { return stream_; }
  void copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
            Stream&) override {
    PADDLE_CHECK_VALUE(dst_place.kind == DeviceKind::kCpu && src_place.kind == DeviceKind::kCpu,
                       "copy: source is on ", src_place, " and destination on ", dst_place,
                       "; the host copies only within Place(cpu); ask the other device to copy.");
    if (bytes != 0) std::memmove(dst, src, bytes);
  }
  void memset(void* dst, int value, size_t bytes, Stream&) override {
    if (bytes != 0) std::memset(dst, value, bytes);
  }
  void synchronize() override {}

 private:
  HostStream stream_;
  const DeviceProperties properties_ = host_properties();
};

}  // namespace

Device& host_device() {
  static HostDevice* device = new HostDevice;
  return *device;
}

}  // namespace paddle
