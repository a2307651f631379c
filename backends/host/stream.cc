// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Streams and events, asked of the plugin.
#include "backends/host/stream.h"

#include <memory>

#include "paddle_core/base/log.h"

namespace paddle::plugin {
namespace {

bool answer(const Plugin& plugin, const char* function, int32_t done) {
  if (done != 0 && done != 1)
    plugin.lies(function, str("gave done = ", done, "; 1 or 0 is meant."));
  return done == 1;
}

PdEventArgs arguments(const PluginStream& stream, PdEvent event) {
  PdEventArgs args{};
  args.device = stream.device();
  args.stream = stream.raw();
  args.event = event;
  return args;
}

}  // namespace

bool PluginEvent::query() const {
  if (!raw_) return stream_->query();
  const Plugin& plugin = stream_->plugin();
  PdEventArgs args = arguments(*stream_, raw_);
  args.done = -1;
  plugin.call(plugin.events.query, args, "events.query");
  return answer(plugin, "events.query", args.done);
}

void PluginEvent::synchronize() {
  if (!raw_) return const_cast<PluginStream*>(stream_)->synchronize();
  const Plugin& plugin = stream_->plugin();
  PdEventArgs args = arguments(*stream_, raw_);
  plugin.call(plugin.events.synchronize, args, "events.synchronize");
}

void PluginEvent::release() noexcept { stream_->events().give(this); }

PluginEvent* EventPool::take(const PluginStream& stream, bool timed) {
  {
    const std::lock_guard lock(mutex_);
    if (std::vector<PluginEvent*>& idle = idle_[timed]; !idle.empty()) {
      PluginEvent* const event = idle.back();
      idle.pop_back();
      event->stream_ = &stream;
      return event;
    }
  }
  const Plugin& plugin = stream.plugin();
  PdEvent raw = nullptr;
  if (plugin.has_events) {
    PdEventArgs args = arguments(stream, nullptr);
    args.timed = timed;
    plugin.call(plugin.events.create, args, "events.create");
    if (!args.event) plugin.lies("events.create", "gave a null event and no error.");
    plugin.counts.events.fetch_add(1);
    raw = args.event;
  }
  return new PluginEvent(stream, raw, timed);
}

void EventPool::give(PluginEvent* event) noexcept {
  const std::lock_guard lock(mutex_);
  idle_[event->timed_].push_back(event);
}

PluginStream::PluginStream(const Plugin& plugin, PdDevice device, EventPool& events, int priority)
    : plugin_(plugin), device_(device), events_(events) {
  if (!plugin.has_streams) return;
  PdStreamArgs args = arguments();
  args.priority = priority;
  plugin.call(plugin.streams.create, args, "streams.create");
  if (!args.stream) plugin.lies("streams.create", "gave a null stream and no error.");
  raw_ = args.stream;
  plugin.counts.streams.fetch_add(1);
}

PluginStream::~PluginStream() {
  if (!raw_) return;
  PdStreamArgs args = arguments();
  try {
    plugin_.call(plugin_.streams.synchronize, args, "streams.synchronize");
    plugin_.call(plugin_.streams.destroy, args, "streams.destroy");
    plugin_.counts.streams.fetch_sub(1);
  } catch (const Error& e) {
    warn(e.message());
  }
}

EventPtr PluginStream::record(bool timed) {
  EventPtr event(events_.take(*this, timed));
  if (plugin_.has_events) {
    PdEventArgs args = plugin::arguments(*this, static_cast<PluginEvent&>(*event).raw());
    plugin_.call(plugin_.events.record, args, "events.record");
  }
  return event;
}

EventPtr PluginStream::record_timed() {
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, plugin_.events.elapsed, plugin_.title(),
                    ": events.elapsed is null, so its events tell no time.");
  return record(/*timed=*/true);
}

double elapsed(const Event& begin, const Event& end) {
  const auto* const a = dynamic_cast<const PluginEvent*>(&begin);
  const auto* const b = dynamic_cast<const PluginEvent*>(&end);
  PADDLE_CHECK_VALUE(
      a && b && a->timed() && b->timed() && &a->stream().events() == &b->stream().events(),
      "elapsed_time: both events must be of one device, and made with "
      "enable_timing=True.");
  PADDLE_CHECK_VALUE(a->query() && b->query(),
                     "elapsed_time: both events must have happened; "
                     "synchronize with the second first.");
  const Plugin& plugin = a->stream().plugin();
  PdElapsedArgs args{};
  args.device = a->stream().device();
  args.begin = a->raw();
  args.end = b->raw();
  plugin.call(plugin.events.elapsed, args, "events.elapsed");
  return args.milliseconds;
}

void PluginStream::wait(const Event& event) {
  const auto* mine = dynamic_cast<const PluginEvent*>(&event);
  if (!mine || &mine->stream().plugin() != &plugin_ || !mine->raw()) {
    return const_cast<Event&>(event).synchronize();
  }
  if (&mine->stream() == this) return;
  PdEventArgs args = plugin::arguments(*this, mine->raw());
  plugin_.call(plugin_.events.wait, args, "events.wait");
}

bool PluginStream::query() const {
  if (!raw_) return true;
  PdStreamArgs args = arguments();
  args.done = -1;
  plugin_.call(plugin_.streams.query, args, "streams.query");
  return answer(plugin_, "streams.query", args.done);
}

void PluginStream::synchronize() {
  if (!raw_) return;
  PdStreamArgs args = arguments();
  plugin_.call(plugin_.streams.synchronize, args, "streams.synchronize");
}

}  // namespace paddle::plugin
