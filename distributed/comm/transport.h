// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Transport`: bytes from one rank of a job to another. A message belongs to a slot, a number that
// both sides name; messages of one slot between two ranks arrive in the order in which they were
// sent, those of different slots in any.
//
// Sending and receiving only begin here; `Transfer::wait` ends them. Any thread may begin one, and
// the memory must stay until the transfer is waited for or destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paddle_core/base/error.h"

namespace paddle::distributed {

// A peer is gone, does not answer, or the job was given up. The message names the rank.
class PADDLE_API TransportError : public Error {
 public:
  explicit TransportError(std::string message) : Error(ErrorKind::kRuntime, std::move(message)) {}
  TransportError(const TransportError&) = default;
  ~TransportError() override;
};

// The peer has not done its part within a time limit, and may still do so.
class PADDLE_API TransportTimeout final : public TransportError {
 public:
  using TransportError::TransportError;
  TransportTimeout(const TransportTimeout&) = default;
  ~TransportTimeout() override;
};

class PADDLE_API Transfer {
 public:
  virtual ~Transfer();
  // Until a message that is received is there, or the memory of one that is sent may be written
  // again. Once. TransportTimeout when that does not happen within the time limit of the transport.
  void wait() { wait_for(0); }
  // The same within `seconds`, which may be infinite; 0: the limit of the transport.
  virtual void wait_for(double seconds) = 0;
  // Ends the wait, which may be on another thread or yet to come, with a TransportError.
  virtual void cancel() noexcept = 0;
};

class PADDLE_API Transport {
 public:
  virtual ~Transport();
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  // Of a wait for a peer.
  virtual double limit_seconds() const = 0;
  // At least one byte. TransportError when the peer is known to be gone.
  virtual std::unique_ptr<Transfer> send(int64_t peer, uint64_t slot, const void* data,
                                         size_t bytes) = 0;
  // The message may be shorter than `bytes`.
  virtual std::unique_ptr<Transfer> receive(int64_t peer, uint64_t slot, void* data,
                                            size_t bytes) = 0;
  // Ends the job for this rank and tells the others why, so that none of them waits for it. What
  // waits on other threads ends, and later calls fail, with that reason; the first one counts.
  virtual void give_up(const std::string& reason) noexcept = 0;
};

}  // namespace paddle::distributed
