// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The device type "lagging", with two devices. The library is loaded by tests/device/lagging.py,
// which calls register_lagging_device() once.
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include "paddle_core/device/device.h"
#include "tests/device/kernels.h"
#include "tests/device/memory.h"
#include "tests/device/stream.h"

namespace paddle::lagging {
namespace {

constexpr int kDevices = 2;

LaggingStream& of(Stream& stream) { return static_cast<LaggingStream&>(stream); }

class LaggingDevice final : public Device {
 public:
  explicit LaggingDevice(Place place)
      : place_(place), stream_(1u + static_cast<uint32_t>(place.index)) {
    properties_.name = "lagging test device";
    properties_.total_memory = size_t{8} << 30;
    properties_.multiprocessors = 1;
    properties_.prefers_channels_last = place.index == 1;
  }
  Place place() const override { return place_; }
  const DeviceProperties& properties() const override { return properties_; }
  Allocator& allocator() override { return allocator_; }
  Allocator& pinned_allocator() override {  // of the first device alone
    return place_.index == 0 ? static_cast<Allocator&>(pinned_) : Device::pinned_allocator();
  }
  Stream& default_stream() override { return stream_; }
  Stream& new_stream(int) override {
    const std::lock_guard lock(mutex_);
    return streams_.emplace_back(100u + static_cast<uint32_t>(streams_.size()));
  }
  void copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
            Stream& stream) override {
    if (bytes == 0) return;
    void* to = dst_place.is_host() ? dst : translated(dst);
    const void* from = src_place.is_host() ? src : translated(src);
    of(stream).issue([=] { std::memmove(to, from, bytes); });
  }
  void memset(void* dst, int value, size_t bytes, Stream& stream) override {
    if (bytes == 0) return;
    void* to = translated(dst);
    of(stream).issue([=] { std::memset(to, value, bytes); });
  }
  void synchronize() override {
    stream_.synchronize();
    const std::lock_guard lock(mutex_);
    for (LaggingStream& stream : streams_) stream.synchronize();
  }

 private:
  Place place_;
  DeviceProperties properties_;
  LaggingAllocator allocator_;
  PinnedAllocator pinned_;
  LaggingStream stream_;
  std::mutex mutex_;
  std::deque<LaggingStream> streams_;
};

}  // namespace
}  // namespace paddle::lagging

extern "C" __attribute__((visibility("default"))) void register_lagging_device() {
  using namespace paddle::lagging;  // NOLINT(google-build-using-namespace)
  const paddle::Place place = paddle::register_device_type(
      {"lagging",
       [](paddle::Place p) -> std::unique_ptr<paddle::Device> {
         return p.index < kDevices ? std::make_unique<LaggingDevice>(p) : nullptr;
       },
       [] { return kDevices; }});
  register_kernels(place);
}
