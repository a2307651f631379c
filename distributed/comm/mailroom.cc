// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/mailroom.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "distributed/comm/arguments.h"

namespace paddle::distributed {
namespace {

// Slots of groups are multiples of 16.
constexpr uint64_t kHeadSlot = 14, kDataSlot = 13;
// Up to this a message is one with its head.
constexpr size_t kInlineBytes = size_t{16} << 10;
constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr const char* kLeft = "this process has left the job";

struct Head {
  uint64_t channel, bytes;
  uint32_t dtype, dims;
};
constexpr size_t kPacketBytes = sizeof(Head) + kMaxRank * sizeof(int64_t) + kInlineBytes;

}  // namespace

struct Mailroom::Message {
  Tensor value;  // without memory when the bytes go to that of a receiver
  std::unique_ptr<Transfer> coming;
};

// What a receiver waits for: its tensor, until a message is there.
struct Mailroom::Wanted {
  const Tensor* into;
  std::optional<Message> message;
};

struct Mailroom::Box {
  std::deque<Message> arrived;
  std::deque<Wanted*> wanted;
};

struct Mailroom::Peer {
  int64_t rank = 0;
  std::map<uint64_t, Box> boxes;
  std::string end;  // why nothing comes any more
  std::mutex sending;
  // The next message is expected before the last one is taken, which saves a round trip.
  std::array<std::unique_ptr<char[]>, 2> packets;
  std::array<std::unique_ptr<Transfer>, 2> coming;
  std::thread thread;
};

Mailroom::Mailroom(std::shared_ptr<Transport> transport) : transport_(std::move(transport)) {
  peers_.resize(static_cast<size_t>(transport_->size()));
  for (int64_t rank = 0; rank < transport_->size(); ++rank) {
    if (rank == transport_->rank()) continue;
    auto& peer = peers_[static_cast<size_t>(rank)] = std::make_unique<Peer>();
    peer->rank = rank;
    for (auto& packet : peer->packets) packet.reset(new char[kPacketBytes]);
  }
  try {
    for (const auto& peer : peers_) {
      if (peer) peer->thread = std::thread([this, p = peer.get()] { take_messages(*p); });
    }
  } catch (...) {
    close();
    for (const auto& peer : peers_) {
      if (peer && peer->thread.joinable()) peer->thread.join();
    }
    throw;
  }
}

Mailroom::~Mailroom() {
  close();
  for (const auto& peer : peers_) {
    if (peer) peer->thread.join();
  }
}

void Mailroom::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& peer : peers_) {
    if (!peer) continue;
    if (peer->end.empty()) peer->end = kLeft;
    for (const auto& transfer : peer->coming) {
      if (transfer) transfer->cancel();
    }
  }
  changed_.notify_all();
}

void Mailroom::send(int64_t rank, uint64_t channel, const Tensor& x) {
  Peer& peer = *peers_[static_cast<size_t>(rank)];
  const size_t bytes = bytes_of(x);
  const bool is_inline = bytes <= kInlineBytes;
  const Head head{channel, bytes, static_cast<uint32_t>(x.dtype()),
                  static_cast<uint32_t>(x.shape().size())};
  std::vector<int64_t> extents;
  for (const Dim& dim : x.shape()) extents.push_back(dim.value());
  const size_t begin = sizeof head + extents.size() * sizeof(int64_t);
  std::vector<char> packet(begin + (is_inline ? bytes : 0));
  std::memcpy(packet.data(), &head, sizeof head);
  if (!extents.empty()) {
    std::memcpy(packet.data() + sizeof head, extents.data(), begin - sizeof head);
  }
  if (is_inline && bytes) std::memcpy(packet.data() + begin, data_of(x), bytes);
  std::unique_ptr<Transfer> first, second;
  {
    // Heads and data come in one order.
    const std::lock_guard lock(peer.sending);
    first = transport_->send(rank, kHeadSlot, packet.data(), packet.size());
    if (!is_inline) second = transport_->send(rank, kDataSlot, data_of(x), bytes);
  }
  first->wait();
  if (second) second->wait();
}

Tensor Mailroom::receive(int64_t rank, uint64_t channel, double limit, const Tensor* into) {
  Peer& peer = *peers_[static_cast<size_t>(rank)];
  Wanted wanted{into, std::nullopt};
  std::unique_lock lock(mutex_);
  Box& box = peer.boxes[channel];
  if (!box.arrived.empty()) {
    wanted.message.emplace(std::move(box.arrived.front()));
    box.arrived.pop_front();
  } else {
    box.wanted.push_back(&wanted);
    const auto is_over = [&] { return wanted.message || !peer.end.empty(); };
    if (std::isinf(limit)) {
      changed_.wait(lock, is_over);
    } else {
      changed_.wait_for(lock, std::chrono::duration<double>(limit), is_over);
    }
    if (!wanted.message) {
      std::erase(box.wanted, &wanted);
      if (!peer.end.empty()) throw TransportError(peer.end);
      throw TransportTimeout(str("rank ", rank, " sent nothing within ", limit, " s"));
    }
  }
  lock.unlock();
  Message& message = *wanted.message;
  if (message.coming) message.coming->wait();
  if (into && message.value.has_storage() && message.value.dtype() == into->dtype() &&
      message.value.numel() == into->numel()) {
    std::memcpy(data_of(*into), data_of(message.value), bytes_of(*into));
    return Tensor::meta(message.value.shape(), message.value.dtype());
  }
  return message.value;
}

std::unique_ptr<Transfer> Mailroom::expect(Peer& peer, char* packet) {
  return transport_->receive(peer.rank, kHeadSlot, packet, kPacketBytes);
}

void Mailroom::take_messages(Peer& peer) {
  const auto expect_in = [&](size_t turn) {
    auto next = expect(peer, peer.packets[turn].get());
    const std::lock_guard lock(mutex_);
    peer.coming[turn] = std::move(next);
    if (closed_) peer.coming[turn]->cancel();
  };
  std::string why;
  try {
    expect_in(0);
    expect_in(1);
    for (size_t turn = 0;; turn = 1 - turn) {
      peer.coming[turn]->wait_for(kForever);
      take(peer, peer.packets[turn].get());
      expect_in(turn);
    }
  } catch (const std::bad_alloc&) {
    why = str("a message of rank ", peer.rank, " does not fit into memory");
  } catch (const std::exception& error) {
    why = error.what();
  }
  const std::lock_guard lock(mutex_);
  if (peer.end.empty()) peer.end = why;
  changed_.notify_all();
}

void Mailroom::take(Peer& peer, const char* packet) {
  Head head;
  std::memcpy(&head, packet, sizeof head);
  PADDLE_CHECK_RUNTIME(head.dtype < kNumDTypes && head.dims <= kMaxRank, "a message of rank ",
                       peer.rank, " is not readable; do all processes have the same version?");
  Shape shape;
  for (uint32_t d = 0; d < head.dims; ++d) {
    int64_t extent = 0;
    std::memcpy(&extent, packet + sizeof head + d * sizeof extent, sizeof extent);
    shape.push_back(Dim(extent));
  }
  const DType dtype = static_cast<DType>(head.dtype);
  Message message{Tensor::meta(shape, dtype), nullptr};
  PADDLE_CHECK_RUNTIME(bytes_of(message.value) == head.bytes, "a message of rank ", peer.rank,
                       " has ", head.bytes, " bytes, and ", dtype, " ", shape, " as its contents.");
  const std::lock_guard lock(mutex_);
  Box& box = peer.boxes[head.channel];
  Wanted* const wanted = box.wanted.empty() ? nullptr : box.wanted.front();
  const Tensor* const into = wanted ? wanted->into : nullptr;
  const bool fits = into && into->dtype() == dtype && into->numel() == message.value.numel();
  if (!fits) message.value = Tensor::empty(shape, dtype);
  char* const to = data_of(fits ? *into : message.value);
  if (head.bytes > kInlineBytes) {
    message.coming = transport_->receive(peer.rank, kDataSlot, to, head.bytes);
  } else if (head.bytes) {
    std::memcpy(to, packet + sizeof head + head.dims * sizeof(int64_t), head.bytes);
  }
  if (wanted) {
    wanted->message.emplace(std::move(message));
    box.wanted.pop_front();
    changed_.notify_all();
  } else {
    box.arrived.push_back(std::move(message));
  }
}

}  // namespace paddle::distributed
