// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Deferred execution: calls are recorded while the program goes on, and run together when a reader
// needs a value. A deferred tensor has shape and dtype, no memory, and gets its memory when the
// calls run; writes to tensors that have memory are pending until then. In contrast to a capture
// everything that a program can see is as if the calls had run at once.
#pragma once

#include "paddle_core/dispatch/call.h"

namespace paddle {

// CaptureHandle::program of a tensor that was deferred and has its memory now; CaptureHandle::value
// holds the Storage::inplace_version that the memory had then.
inline constexpr uint64_t kWasDeferred = ~uint64_t{0};

class PADDLE_API DeferredSink : public CaptureSink {
 public:
  // Runs what was recorded; `why` is for reports.
  virtual void materialize(const char* why) = 0;
  // Whether the memory of `t` is not what it will be after materialize().
  virtual bool is_pending(const Tensor& t) const = 0;
  // `copy` stands for the value of `source` too; with `aliased`, writes to one show in the other.
  virtual void share(const Tensor& copy, const Tensor& source, bool aliased) = 0;
  // Whether a write to the deferred tensor `t` shows in other tensors.
  virtual bool has_aliases(const Tensor& t) const = 0;
  // `t`, or a copy of it where `t` will be in the memory of the deferred tensor `other`.
  virtual Tensor without_alias(const Tensor& t, const Tensor& other) = 0;
  // Records a copy of what `t` holds behind the writes that are recorded.
  virtual Tensor copy(const Tensor& t) = 0;
  // How often materialize() will raise the inplace_version of this memory.
  virtual uint32_t pending_writes(const Storage* storage) const = 0;
};

// The one that is recording on this thread, or null.
PADDLE_API DeferredSink* deferred_sink();
PADDLE_API void set_deferred_sink(DeferredSink* sink);  // also sets the capture sink

// Gives `t` its values if calls that compute or write it are deferred. Every reader of memory
// outside of an operator calls it first.
inline void materialize(const Tensor& t, const char* why) {
  if (!capture_sink()) [[likely]]
    return;
  if (DeferredSink* sink = deferred_sink(); sink && sink->is_pending(t)) sink->materialize(why);
}
// The same for everything that is deferred on this thread.
PADDLE_API void materialize_all(const char* why);

// Calls run at once while one is alive, as without deferred execution.
class PADDLE_API RunsNow {
 public:
  explicit RunsNow(const char* why);
  ~RunsNow();
  RunsNow(const RunsNow&) = delete;
  RunsNow& operator=(const RunsNow&) = delete;

 private:
  DeferredSink* sink_;
};

}  // namespace paddle
