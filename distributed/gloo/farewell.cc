// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/gloo/farewell.h"

#include <algorithm>
#include <cstring>

namespace paddle::distributed {
namespace {

// Slots of groups are multiples of 16; 13 and 14 are those of messages.
constexpr uint64_t kSlot = 15;
constexpr char kWhole = 1;

}  // namespace

Farewells::Farewells(gloo::transport::Context& context) : context_(context) {
  for (int rank = 0; rank < context.size; ++rank) {
    if (rank == context.rank) continue;
    Peer peer{rank, std::make_unique<Message>(), nullptr};
    peer.message->fill(0);
    peer.buffer = context.createUnboundBuffer(peer.message->data(), kBytes);
    peer.buffer->recv(rank, kSlot);
    peers_.push_back(std::move(peer));
  }
}

void Farewells::say(const std::string& text, std::chrono::milliseconds limit) noexcept {
  Message message{};
  std::memcpy(message.data(), text.data(), std::min(text.size(), kBytes - 2));
  message.back() = kWhole;
  std::vector<std::unique_ptr<gloo::transport::UnboundBuffer>> sends;
  for (const Peer& peer : peers_) {
    try {
      auto buffer = context_.createUnboundBuffer(message.data(), kBytes);
      buffer->send(peer.rank, kSlot);
      sends.push_back(std::move(buffer));
    } catch (const std::exception&) {
      continue;  // Its connection has ended.
    }
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  for (const auto& send : sends) {
    try {
      send->waitSend(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(
                                  end - std::chrono::steady_clock::now()),
                              std::chrono::milliseconds(1)));
    } catch (const std::exception&) {
      continue;
    }
  }
}

std::string Farewells::heard(int peer) const {
  for (const Peer& one : peers_) {
    if (one.rank == peer && one.message->back() == kWhole) return one.message->data();
  }
  return {};
}

}  // namespace paddle::distributed
