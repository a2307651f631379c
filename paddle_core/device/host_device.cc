// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host device, its stream and its events.
#include "paddle_core/device/host_device.h"

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
  std::unique_ptr<Event> record() override { return std::make_unique<HostEvent>(); }
  void wait(const Event& event) override {
    // An event of another device may be pending; the host waits for it by blocking.
    const_cast<Event&>(event).synchronize();
  }
  void synchronize() override {}
};

class HostDevice final : public Device {
 public:
  Place place() const override { return {}; }
  Allocator& allocator() override { return host_allocator(); }
  Stream& default_stream() override { return stream_; }
  void copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
            Stream&) override {
    PADDLE_CHECK_VALUE(dst_place.kind == DeviceKind::kCpu && src_place.kind == DeviceKind::kCpu,
                       "copy: source is on ", src_place, " and destination on ", dst_place,
                       "; the host copies only within Place(cpu); ask the other device to copy.");
    if (bytes != 0) std::memmove(dst, src, bytes);
  }
  void synchronize() override {}

 private:
  HostStream stream_;
};

}  // namespace

Device& host_device() {
  static HostDevice* device = new HostDevice;
  return *device;
}

}  // namespace paddle
