// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Starting and stopping a plugin's profiler with the host's.
#include "backends/host/profiler.h"

#include <functional>

#include "paddle_core/base/log.h"
#include "paddle_core/profile/source.h"

namespace paddle::plugin {
namespace {

struct Receiver {
  std::vector<profile::Span>* spans;
  std::string wrong;  // of the first span that makes no sense
};

void emit(const PdSpanArgs* span) {
  auto& receiver = *static_cast<Receiver*>(span->receiver);
  if (!span->name || !span->lane || span->begin_ns > span->end_ns) {
    if (receiver.wrong.empty()) {
      receiver.wrong = str("told a span from ", span->begin_ns, " to ", span->end_ns, " ns",
                           span->name && span->lane ? "." : " without a name or a lane.");
    }
    return;
  }
  receiver.spans->push_back(
      {span->name, "device", span->begin_ns, span->end_ns, std::hash<std::string>()(span->lane)});
}

}  // namespace

void add_to_trace(const Plugin& plugin) {
  const auto call = [&plugin](PdError* (*function)(PdProfilerArgs*), const char* name,
                              Receiver* receiver) {
    try {
      PdProfilerArgs args{};
      args.now_ns = profile::now_ns();
      args.emit = emit;
      args.receiver = receiver;
      plugin.call(function, args, name);
      if (receiver && !receiver->wrong.empty()) plugin.lies(name, receiver->wrong);
    } catch (const Error& e) {
      warn(e.message());
    }
  };
  profile::add_source({[=, &plugin] { call(plugin.profiler.start, "profiler.start", nullptr); },
                       [=, &plugin](std::vector<profile::Span>& spans) {
                         Receiver receiver{&spans, {}};
                         call(plugin.profiler.stop, "profiler.stop", &receiver);
                       }});
}

}  // namespace paddle::plugin
