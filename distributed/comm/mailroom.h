// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `Mailroom`: messages between pairs of ranks that a transport connects. A thread for each peer
// takes what comes, so sending never waits for a call of the receiver. A message belongs to a
// channel, a number that both sides name; messages of one channel arrive in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/comm/transport.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle::distributed {

class Mailroom {
 public:
  explicit Mailroom(std::shared_ptr<Transport> transport);
  ~Mailroom();
  Mailroom(const Mailroom&) = delete;
  Mailroom& operator=(const Mailroom&) = delete;

  // Of a contiguous tensor of the host, which may be changed when this returns. TransportError when
  // the peer is gone.
  void send(int64_t peer, uint64_t channel, const Tensor& x);
  // The next message of a channel. With `into`, a contiguous tensor of the host, its bytes are
  // written there if it fits, and the result has no memory; the caller compares dtype and shape.
  // TransportError when the peer is gone and has left no message, or nothing comes within `limit`
  // seconds, which may be infinite.
  Tensor receive(int64_t peer, uint64_t channel, double limit, const Tensor* into);
  // Ends all waits of receivers, also later ones.
  void close() noexcept;

 private:
  struct Message;
  struct Wanted;
  struct Box;
  struct Peer;
  void take_messages(Peer& peer);
  void take(Peer& peer, const char* packet);
  std::unique_ptr<Transfer> expect(Peer& peer, char* packet);

  std::shared_ptr<Transport> transport_;
  std::mutex mutex_;  // of boxes and of what follows
  std::condition_variable changed_;
  bool closed_ = false;
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank; null for this one
};

}  // namespace paddle::distributed
