// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a process tells each peer when it leaves the job, in a slot of its own that the peer listens
// to from the beginning.
#pragma once

#include <gloo/transport/context.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace paddle::distributed {

class Farewells {
 public:
  // Of a connected context.
  explicit Farewells(gloo::transport::Context& context);
  // Sends the text to all peers and waits for `limit` at most. Once.
  void say(const std::string& text, std::chrono::milliseconds limit) noexcept;
  // What a peer said whose connection has ended; empty when it said nothing.
  std::string heard(int peer) const;

 private:
  static constexpr size_t kBytes = 1024;
  using Message = std::array<char, kBytes>;  // ends with a mark that it is whole
  struct Peer {
    int rank;
    std::unique_ptr<Message> message;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
  };
  gloo::transport::Context& context_;
  std::vector<Peer> peers_;
};

}  // namespace paddle::distributed
