// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of a plugin's device. Without the group of streams everything is done when a
// call returns; without that of events the host waits for streams where it would wait for events.
#pragma once

#include <mutex>
#include <vector>

#include "backends/host/plugin.h"
#include "paddle_core/device/device.h"

namespace paddle::plugin {

class PluginStream;

class PluginEvent final : public Event {
 public:
  PluginEvent(const PluginStream& stream, PdEvent raw, bool timed)
      : stream_(&stream), raw_(raw), timed_(timed) {}
  bool query() const override;
  void synchronize() override;
  void release() noexcept override;  // back to the pool of its stream's device

  const PluginStream& stream() const { return *stream_; }
  PdEvent raw() const { return raw_; }
  bool timed() const { return timed_; }

 private:
  friend class EventPool;
  const PluginStream* stream_;
  PdEvent raw_;  // null: the stream stands for it
  bool timed_;
};

// Milliseconds between two events of record_timed(), which have happened. ValueError otherwise.
double elapsed(const Event& begin, const Event& end);

// The events of a device that nobody holds.
class EventPool {
 public:
  PluginEvent* take(const PluginStream& stream, bool timed);
  void give(PluginEvent* event) noexcept;

 private:
  std::mutex mutex_;
  std::vector<PluginEvent*> idle_[2];  // plain ones, timed ones
};

class PluginStream final : public Stream {
 public:
  PluginStream(const Plugin& plugin, PdDevice device, EventPool& events, int priority);
  ~PluginStream() override;
  PluginStream(const PluginStream&) = delete;
  PluginStream& operator=(const PluginStream&) = delete;

  EventPtr record() override { return record(/*timed=*/false); }
  // An event that elapsed() may be asked of. NotImplementedError when the plugin tells no time.
  EventPtr record_timed();
  void wait(const Event& event) override;
  bool query() const override;
  void synchronize() override;
  void* handle() const override { return raw_; }

  PdStream raw() const { return raw_; }
  const Plugin& plugin() const { return plugin_; }
  PdDevice device() const { return device_; }
  EventPool& events() const { return events_; }

 private:
  EventPtr record(bool timed);
  PdStreamArgs arguments() const {
    PdStreamArgs args{};
    args.device = device_;
    args.stream = raw_;
    return args;
  }
  const Plugin& plugin_;
  PdDevice device_;
  EventPool& events_;
  PdStream raw_ = nullptr;
};

}  // namespace paddle::plugin
