// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Default places, current streams, and memory for the length of a kernel call.
#include "paddle_core/device/context.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "paddle_core/device/host_device.h"

namespace paddle {
namespace {

std::atomic<Place> g_default_place{Place()};
__thread Place t_place __attribute__((tls_model("initial-exec"))) = {DeviceKind::kUndefined, 0, 0};

__thread CurrentStream* t_innermost __attribute__((tls_model("initial-exec"))) = nullptr;

// Null while the thread has set none; a pointer, as thread-local room is scarce.
using SetStreams = std::vector<std::pair<Place, Stream*>>;
std::unique_ptr<SetStreams>& set_streams() {
  static thread_local std::unique_ptr<SetStreams> streams;
  return streams;
}

}  // namespace

Place default_place() {
  if (t_place.kind != DeviceKind::kUndefined) return t_place;
  return g_default_place.load(std::memory_order_relaxed);
}

void set_default_place(Place place) {
  device_of(place);  // raises when there is none
  g_default_place.store(place, std::memory_order_relaxed);
}

Place swap_thread_place(Place place) { return std::exchange(t_place, place); }

PlaceScope::PlaceScope(Place place) : outer_(swap_thread_place(place)) {}
PlaceScope::~PlaceScope() { swap_thread_place(outer_); }

CurrentStream::CurrentStream(Place place, Stream& stream)
    : place_(place), stream_(&stream), outer_(t_innermost) {
  t_innermost = this;
}

CurrentStream::~CurrentStream() { t_innermost = outer_; }

Stream& current_stream(Place place) {
  Device& device = device_of(place);
  if (place.is_host()) return device.default_stream();
  for (const CurrentStream* scope = t_innermost; scope != nullptr; scope = scope->outer()) {
    if (scope->place() == place) return scope->stream();
  }
  if (const SetStreams* const streams = set_streams().get()) {
    for (const auto& [where, stream] : *streams) {
      if (where == place) return *stream;
    }
  }
  return device.default_stream();
}

void set_current_stream(Place place, Stream& stream) {
  device_of(place);  // raises when there is none
  std::unique_ptr<SetStreams>& streams = set_streams();
  if (!streams) streams = std::make_unique<SetStreams>();
  for (auto& [where, current] : *streams) {
    if (where == place) {
      current = &stream;
      return;
    }
  }
  streams->emplace_back(place, &stream);
}

const DeviceContext& host_context() {
  static const DeviceContext context(host_device(), host_device().default_stream());
  return context;
}

Scratch::Scratch(const DeviceContext& context, size_t bytes)
    : context_(context),
      data_(context.device().allocator().allocate(bytes, &context.stream())),
      bytes_(bytes) {}

Scratch::~Scratch() { context_.device().allocator().free(data_, bytes_, &context_.stream()); }

}  // namespace paddle
