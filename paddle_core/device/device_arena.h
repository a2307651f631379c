// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One range of a device's memory for the large blocks of a run whose sizes are known beforehand, as
// arena.h is for the host. It belongs to the stream that is current where it is made: work of that
// stream is in order, so a place in it is given out again as soon as its block is freed, except
// while work of other streams uses it. A block may outlive the run: the range is freed with the
// last of them.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "paddle_core/base/intrusive_ptr.h"
#include "paddle_core/device/arena.h"
#include "paddle_core/device/device.h"

namespace paddle {

class PADDLE_API DeviceArena : public RefCounted<DeviceArena> {
 public:
  using Block = host_memory::Arena::Block;

  // On the thread's current stream; null when the device has not so much memory left.
  static IntrusivePtr<DeviceArena> open(size_t bytes, Place place);
  ~DeviceArena();
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  // The blocks that this thread allocates during a step: the first of the size of an expected block
  // lies there, unless that place is still in use.
  class PADDLE_API Step {
   public:
    Step(DeviceArena& arena, std::span<const Block> expected);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    DeviceArena* before_;
  };

  // Memory for `bytes` at `place` that work on `stream` may use, in the arena of the thread's step;
  // null: none is expected there. Whoever takes it holds a reference until it gives it back.
  static void* take(size_t bytes, Place place, const Stream& stream, DeviceArena*& from);
  void give(void* data) noexcept;
  void record_stream(void* data, Stream& stream);
  void* allocation() const { return data_; }

 private:
  DeviceArena(size_t bytes, Place place, Stream& stream);
  // A block that is given out, or was and is still used by work of other streams.
  struct Used {
    Block block;
    bool live = true;
    std::vector<Stream*> users = {};
    std::vector<EventPtr> pending = {};
  };
  bool is_free(const Block& block);
  void* take(size_t bytes, const Stream& stream);

  Place place_;
  Stream& stream_;
  size_t bytes_;
  void* data_;
  std::mutex mutex_;
  std::span<const Block> expected_;
  std::vector<bool> given_;  // of those expected
  std::vector<Used> used_;
};

}  // namespace paddle
