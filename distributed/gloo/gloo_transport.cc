// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/gloo/gloo_transport.h"

#include <atomic>
#include <thread>

#include "paddle_core/base/error.h"

namespace paddle::distributed {
namespace {

// For telling peers why this process leaves, and for the network to deliver it: closing a pair
// drops what is still on its way.
constexpr std::chrono::milliseconds kFarewellLimit(1000), kDelivery(50);

}  // namespace

class GlooTransport::GlooTransfer final : public Transfer {
 public:
  GlooTransfer(GlooTransport& transport, int64_t peer, bool sends,
               std::unique_ptr<gloo::transport::UnboundBuffer> buffer)
      : transport_(transport), peer_(peer), sends_(sends), buffer_(std::move(buffer)) {}

  void wait_for(double seconds) override {
    bool done = false;
    try {
      done = transport_.watch_.wait(*buffer_, sends_, seconds);
    } catch (const std::exception& error) {
      transport_.fail(peer_, error.what());
    }
    if (done) return;
    if (transport_.watch_.ended()) transport_.fail(peer_, "the connection was closed");
    if (cancelled_) throw TransportError("this process has left the job");
    throw TransportTimeout(str("rank ", peer_, " does not answer within ",
                               seconds > 0 ? seconds : transport_.watch_.limit_seconds(),
                               " s; is it still running?"));
  }

  void cancel() noexcept override {
    cancelled_ = true;
    if (sends_) {
      buffer_->abortWaitSend();
    } else {
      buffer_->abortWaitRecv();
    }
  }

 private:
  GlooTransport& transport_;
  int64_t peer_;
  bool sends_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  std::atomic<bool> cancelled_{false};
};

GlooTransport::GlooTransport(const Meeting& meeting)
    : connections_(meet(meeting)),
      farewells_(*connections_.context),
      watch_(std::chrono::duration<double>(meeting.timeout_seconds)) {}

GlooTransport::~GlooTransport() {
  if (reason().empty()) farewells_.say("left the job", kFarewellLimit);
  // Connections end as the context is destroyed, after what was sent.
}

std::string GlooTransport::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void GlooTransport::fail(int64_t peer, const std::string& what) const {
  const std::string why = reason();
  if (!why.empty()) throw TransportError("this process has given the job up before: " + why);
  const std::string said = farewells_.heard(static_cast<int>(peer));
  if (!said.empty()) throw TransportError(str("rank ", peer, " ", said));
  throw TransportError(str("rank ", peer, " is gone (", what, ")"));
}

std::unique_ptr<Transfer> GlooTransport::begin(int64_t peer, uint64_t slot, void* data,
                                               size_t bytes, bool sends) {
  if (watch_.ended()) fail(peer, "the connection was closed");
  try {
    auto buffer = connections_.context->createUnboundBuffer(data, bytes);
    if (sends) {
      buffer->send(static_cast<int>(peer), slot);
    } else {
      buffer->recv(static_cast<int>(peer), slot);
    }
    return std::make_unique<GlooTransfer>(*this, peer, sends, std::move(buffer));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(peer, error.what());
  }
}

std::unique_ptr<Transfer> GlooTransport::send(int64_t peer, uint64_t slot, const void* data,
                                              size_t bytes) {
  return begin(peer, slot, const_cast<void*>(data), bytes, true);
}

std::unique_ptr<Transfer> GlooTransport::receive(int64_t peer, uint64_t slot, void* data,
                                                 size_t bytes) {
  return begin(peer, slot, data, bytes, false);
}

void GlooTransport::give_up(const std::string& reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!reason_.empty()) return;
    reason_ = reason;
  }
  watch_.end();
  farewells_.say("gave the job up: " + reason, kFarewellLimit);
  std::this_thread::sleep_for(kDelivery);
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != rank()) connections_.context->getPair(peer)->close();
  }
}

}  // namespace paddle::distributed
