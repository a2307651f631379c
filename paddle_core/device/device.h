// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a device is to the core: memory, copies, streams, events. The host device stands behind the
// same interface as any other. Devices are made on first use by a factory registered per kind.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>

#include "paddle_core/base/error.h"
#include "paddle_core/base/intrusive_ptr.h"

namespace paddle {

enum class DeviceKind : uint8_t { kUndefined = 0, kCpu = 1, kGpu = 2, kCustom = 3 };

// Where a tensor lives. Printed as Place(cpu), Place(gpu:0).
struct PADDLE_API Place {
  DeviceKind kind = DeviceKind::kCpu;
  uint8_t custom_type = 0;  // index of a plugin's registered name
  int16_t index = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
PADDLE_API std::ostream& operator<<(std::ostream& out, Place place);

struct MemoryStats {
  size_t allocated = 0;       // live bytes
  size_t peak_allocated = 0;  // since the last reset
  size_t cached = 0;          // free bytes kept for reuse
};

// Thread-safe. allocate() throws MemoryError with the size asked and the bytes live; a size above
// 2^47 is refused before it is tried.
class PADDLE_API Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes) = 0;  // aligned to 64 bytes; bytes == 0 gives nullptr
  virtual void free(void* data, size_t bytes) noexcept = 0;
  virtual MemoryStats stats() const = 0;
  virtual void reset_peak() = 0;
  virtual void release_cached() = 0;
};

class PADDLE_API Event {
 public:
  virtual ~Event() = default;
  virtual bool query() const = 0;
  virtual void synchronize() = 0;
};

class PADDLE_API Stream {
 public:
  virtual ~Stream() = default;
  virtual std::unique_ptr<Event> record() = 0;
  virtual void wait(const Event& event) = 0;
  virtual void synchronize() = 0;
};

class PADDLE_API Device {
 public:
  virtual ~Device() = default;
  virtual Place place() const = 0;
  virtual Allocator& allocator() = 0;
  virtual Stream& default_stream() = 0;
  virtual void copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
                    Stream& stream) = 0;
  virtual void synchronize() = 0;
};

using DeviceFactory = std::function<std::unique_ptr<Device>(Place)>;
PADDLE_API void register_device_kind(DeviceKind kind, DeviceFactory factory);
// Made on first use; ValueError when no such device exists in this build.
PADDLE_API Device& device_of(Place place);
PADDLE_API bool has_device_kind(DeviceKind kind);

// The host device's allocator, without the look-up.
PADDLE_API Allocator& host_allocator();

}  // namespace paddle
