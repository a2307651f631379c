// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin under test, called directly: without the framework's host, which would hide what it
// gets wrong. Devices, memory, streams and events as objects that clean up behind themselves.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "paddle_device.h"

namespace paddle::conformance {

// Prints how the case ended, and ends the process: work that a plugin calls done may still write to
// the memory of whoever waited for it, so nothing is taken down.
[[noreturn]] void fail(const std::string& what);
inline void expect(bool holds, const std::string& otherwise) {
  if (!holds) fail(otherwise);
}

// The case says nothing of a plugin that lacks what it looks at.
struct NotThere {
  std::string what;
};

class Subject {
 public:
  // Fails when the library is no plugin.
  explicit Subject(const std::string& path);

  const PdPlugin& plugin() const { return *plugin_; }
  const PdDeviceGroup& device() const { return *plugin_->device; }
  // NotThere when the plugin lacks the group.
  const PdMemoryGroup& memory() const;
  const PdStreamGroup& streams() const;
  const PdEventGroup& events() const;
  const PdKernelGroup& kernels() const;

  // Calls a function that must not fail.
  template <typename Args>
  void call(PdError* (*function)(Args*), Args& args, const char* name) const {
    if (PdError* error = attempt(function, args)) fail(std::string(name) + ": " + told(error));
  }
  template <typename Args>
  PdError* attempt(PdError* (*function)(Args*), Args& args) const {
    args.struct_size = sizeof(Args);
    args.context = plugin_->context;
    return function(&args);
  }
  // What an error says, after checking and releasing it. Fails when it says nothing.
  std::string told(PdError* error, int32_t* kind = nullptr) const;
  // Calls a function that has to fail with an error that says why; its kind.
  template <typename Args>
  int32_t call_wrongly(PdError* (*function)(Args*), Args& args, const char* name) const {
    PdError* const error = attempt(function, args);
    expect(error, std::string(name) + " gave no error");
    int32_t kind = 0;
    told(error, &kind);
    return kind;
  }

  int32_t count() const;

 private:
  const PdPlugin* plugin_ = nullptr;
};

class Device {
 public:
  Device(const Subject& subject, int32_t index);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  void close();
  bool has(int32_t capability) const;
  PdPropertiesArgs properties() const;
  void synchronize() const;

  const Subject& subject;
  PdDevice raw = nullptr;
};

class Stream {
 public:
  explicit Stream(const Device& device, int32_t priority = 0);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void destroy();
  void synchronize() const;
  bool query() const;

  const Device& device;
  PdStream raw = nullptr;  // null without the group: work is done when a call returns
};

class Event {
 public:
  // Timed ones need a host and a plugin of version 1.1.
  explicit Event(const Device& device, int32_t timed = 0);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(const Stream& stream) const;
  void wait(const Stream& stream) const;  // the stream waits
  bool query() const;
  void synchronize() const;

  const Device& device;
  PdEvent raw = nullptr;

 private:
  PdEventArgs arguments(PdStream stream) const;
};

class Block {
 public:
  Block(const Device& device, int64_t bytes);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void free();

  const Device& device;
  PdMemory raw = nullptr;
  int64_t bytes;
};

// Issued on the stream.
void write(const Stream& stream, const Block& to, int64_t offset, const void* from, int64_t bytes);
void read(const Stream& stream, void* to, const Block& from, int64_t offset, int64_t bytes);
void copy(const Stream& stream, const Block& to, int64_t to_offset, const Block& from,
          int64_t from_offset, int64_t bytes);
void fill(const Stream& stream, const Block& to, int64_t offset, int64_t bytes, int32_t value);
// The values of a block when the stream is done.
std::vector<uint8_t> values(const Stream& stream, const Block& block);

// The plugin's kernel for adding two float32 tensors without gaps. NotThere when it has none.
class Add {
 public:
  explicit Add(const Subject& subject);
  // Of `count` elements, which begin at offsets in bytes.
  void operator()(const Stream& stream, const Block& out, const Block& x, const Block& y,
                  int64_t count) const;

 private:
  const Subject& subject_;
  PdKernelArgs found_{};
};

// Numbers that repeat for the same seed.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2654435769u + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(limit));
  }
  std::vector<uint8_t> bytes(int64_t count);

 private:
  uint64_t state_;
};

}  // namespace paddle::conformance
