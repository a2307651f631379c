// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The thread's current stream of each device, and what a kernel receives of the
// device that it runs on. Both cost nothing on the host, which has one stream.
#pragma once

#include "paddle_core/device/device.h"

namespace paddle {

// The stream of the innermost CurrentStream scope of this thread for the device, else the one set
// by set_current_stream, else the device's default stream.
PADDLE_API Stream& current_stream(Place place);
PADDLE_API void set_current_stream(Place place, Stream& stream);

// Makes a stream the thread's current one for a scope.
class PADDLE_API CurrentStream {
 public:
  CurrentStream(Place place, Stream& stream);
  ~CurrentStream();
  CurrentStream(const CurrentStream&) = delete;
  CurrentStream& operator=(const CurrentStream&) = delete;
  Place place() const { return place_; }
  Stream& stream() const { return *stream_; }
  const CurrentStream* outer() const { return outer_; }

 private:
  Place place_;
  Stream* stream_;
  CurrentStream* outer_;
};

// The device and stream of a kernel call.
class PADDLE_API DeviceContext {
 public:
  DeviceContext(Device& device, Stream& stream) : device_(&device), stream_(&stream) {}
  Device& device() const { return *device_; }
  Stream& stream() const { return *stream_; }
  template <typename T>
  T& handle(const std::function<std::shared_ptr<T>()>& make) const {
    return device_->handle<T>(*stream_, make);
  }

 private:
  Device* device_;
  Stream* stream_;
};

// Of the host, without a look-up.
PADDLE_API const DeviceContext& host_context();

// Memory for the length of a kernel call, given back on the same stream.
class PADDLE_API Scratch {
 public:
  Scratch(const DeviceContext& context, size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  const DeviceContext& context_;
  void* data_;
  size_t bytes_;
};

}  // namespace paddle
