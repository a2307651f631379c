// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The sink of a thread and the places that ask it.
#include "paddle_core/dispatch/deferred.h"

#include "paddle_core/tensor/missing.h"

namespace paddle {
namespace {

__thread DeferredSink* installed __attribute__((tls_model("initial-exec"))) = nullptr;

void give_values(const Tensor& t, const char* what) { materialize(t, what); }

void share_detached(const Tensor& copy, const Tensor& source) {
  if (DeferredSink* sink = deferred_sink()) sink->share(copy, source, true);
}

}  // namespace

DeferredSink* deferred_sink() {
  return installed && capture_sink() == installed ? installed : nullptr;
}

void set_deferred_sink(DeferredSink* sink) {
  set_missing_values(give_values);
  set_detached(share_detached);
  installed = sink;
  set_capture_sink(sink);
}

void materialize_all(const char* why) {
  if (DeferredSink* sink = deferred_sink()) sink->materialize(why);
}

RunsNow::RunsNow(const char* why) : sink_(deferred_sink()) {
  if (!sink_) return;
  sink_->materialize(why);
  set_capture_sink(nullptr);
}

RunsNow::~RunsNow() {
  if (sink_) set_capture_sink(sink_);
}

}  // namespace paddle
