// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a device is to the core: memory, copies, streams, events, properties. The host device stands
// behind the same interface as any other. A device type is registered by name with a factory;
// its devices are made on first use and live until the process ends.
//
// Streams run their work in order, and apart from each other. Work on a device is issued on the
// thread's current stream of that device; a read of the memory from the host synchronises
// with that stream first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <typeindex>

#include "paddle_core/base/error.h"
#include "paddle_core/base/intrusive_ptr.h"
#include "paddle_core/device/place.h"

namespace paddle {

struct MemoryStats {
  size_t allocated = 0;       // live bytes
  size_t peak_allocated = 0;  // since the last reset
  size_t cached = 0;          // free bytes kept for reuse
};

// Something that has happened when everything issued on a stream before it is done.
class PADDLE_API Event {
 public:
  virtual ~Event() = default;
  virtual bool query() const = 0;
  virtual void synchronize() = 0;
  // Called when its holder is done with it: devices that keep a pool of events take it back.
  virtual void release() noexcept { delete this; }
};
struct ReleaseEvent {
  void operator()(Event* event) const noexcept { event->release(); }
};
using EventPtr = std::unique_ptr<Event, ReleaseEvent>;

// Belongs to its device and lives as long.
class PADDLE_API Stream {
 public:
  virtual ~Stream() = default;
  virtual EventPtr record() = 0;
  // What is issued later starts after the event, which may be of another stream or device.
  virtual void wait(const Event& event) = 0;
  virtual bool query() const = 0;  // whether everything issued is done
  virtual void synchronize() = 0;
  virtual void* handle() const { return nullptr; }  // of the device's own interface
};

// Thread-safe. allocate() throws MemoryError with the size asked and the bytes live; a size above
// 2^47 is refused before it is tried.
class PADDLE_API Allocator {
 public:
  virtual ~Allocator() = default;
  // Aligned to 64 bytes; bytes == 0 gives nullptr. Work issued on `stream` from now on may use the
  // memory; null: work anywhere may (the host, or after a synchronisation).
  virtual void* allocate(size_t bytes, Stream* stream = nullptr) = 0;
  // `stream` is that of allocate(). Work issued there before may still use the memory.
  virtual void free(void* data, size_t bytes, Stream* stream = nullptr) noexcept = 0;
  // Work issued on `stream` so far uses the memory, which belongs to another stream: it is not
  // given out again before that work is done.
  virtual void record_stream(void* /*data*/, Stream& /*stream*/) {}
  virtual MemoryStats stats() const = 0;
  virtual void reset_peak() = 0;
  virtual void release_cached() = 0;
};

struct DeviceProperties {
  std::string name;         // of the model, as its vendor spells it
  size_t total_memory = 0;  // bytes
  int multiprocessors = 0;
  int major = 0, minor = 0;      // of the compute capability, or of the driver
  bool host_may_access = false;  // whether host code may dereference its addresses
  // Whether calls of operators with a data_format, channels in front, reach its kernels with
  // channels last. It is private: only the memory of results has that order.
  bool prefers_channels_last = false;
};

class PADDLE_API Device {
 public:
  virtual ~Device() = default;
  virtual Place place() const = 0;
  virtual const DeviceProperties& properties() const = 0;
  virtual Allocator& allocator() = 0;
  // Host memory from and to which copies need no staging buffer; host_allocator() when the device
  // has none.
  virtual Allocator& pinned_allocator();
  virtual Stream& default_stream() = 0;
  // A further stream; a larger priority may be served first.
  virtual Stream& new_stream(int priority) = 0;
  // Issued on `stream`: when it is done, and when host memory may be reused, the stream tells.
  virtual void copy(void* dst, const void* src, size_t bytes, Place dst_place, Place src_place,
                    Stream& stream) = 0;
  virtual void memset(void* dst, int value, size_t bytes, Stream& stream) = 0;
  // Waits for all streams.
  virtual void synchronize() = 0;
  // Memory as the device itself names it: what stands behind an address in memory of its allocator,
  // and how many bytes the address lies behind the beginning of that.
  struct MemoryHandle {
    void* memory = nullptr;
    int64_t offset = 0;
  };
  virtual MemoryHandle memory_handle(const void* address) const {
    return {const_cast<void*>(address), 0};
  }

  // The library handle of type T of a stream (a BLAS handle, ...), made by `make` on first use.
  template <typename T>
  T& handle(Stream& stream, const std::function<std::shared_ptr<T>()>& make) {
    return *std::static_pointer_cast<T>(
        find_handle(typeid(T), stream, [&] { return std::shared_ptr<void>(make()); }));
  }

 private:
  std::shared_ptr<void> find_handle(std::type_index type, Stream& stream,
                                    const std::function<std::shared_ptr<void>()>& make);
  struct Handles;
  std::shared_ptr<Handles> handles_;
};

// Makes the device of an index; null when there is none. May throw.
using DeviceFactory = std::function<std::unique_ptr<Device>(Place)>;
// `count` says how many devices of the type this machine has. ValueError when the name is taken or
// is not [a-z][a-z0-9_]*.
struct DeviceType {
  std::string name;
  DeviceFactory make;
  std::function<int()> count;
};
// The place of its device 0. The name "gpu" makes the devices of DeviceKind::kGpu.
PADDLE_API Place register_device_type(DeviceType type);
// Calls `then` with the place of device 0 of the type that has this name: at once, or when it is
// registered. For libraries of kernels that may be loaded before the device's.
PADDLE_API void when_device_type_is_registered(const std::string& name,
                                               std::function<void(Place)> then);
// Made on first use; ValueError when no such device exists.
PADDLE_API Device& device_of(Place place);
PADDLE_API bool has_device_kind(DeviceKind kind);
PADDLE_API int device_count(Place place);  // of the type of `place`

// The host device's allocator, without the look-up.
PADDLE_API Allocator& host_allocator();

// Waits until the host may read what work on the thread's current stream wrote at `place`. Counted:
// see host_reads().
PADDLE_API void synchronize_for_host(Place place);
// How often values of devices were read by the host, process-wide.
PADDLE_API int64_t host_reads();

}  // namespace paddle
