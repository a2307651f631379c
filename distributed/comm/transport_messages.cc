// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Messages between two members of a TransportGroup.
#include "distributed/comm/arguments.h"
#include "distributed/comm/transport_group.h"
#include "paddle_core/comm/blocking.h"

namespace paddle::distributed {

template <typename Call>
void TransportGroup::message(const char* name, int64_t member, Call&& call) {
  named(name, [&] {
    PADDLE_CHECK_RUNTIME(mailroom_ != nullptr, "the job has no messages between members");
    check_member("member", member, size());
    PADDLE_CHECK_VALUE(member != index(), "member ", member, " is this one, which is no peer");
  });
  const Blocking blocking;
  try {
    call(ranks()[static_cast<size_t>(member)]);
  } catch (const TransportError& error) {
    throw TransportError(str(name, ": ", error.message(), "."));
  }
}

void TransportGroup::send(const Tensor& x, int64_t member) {
  named("send", [&] { check_host_tensor("x", x); });
  message("send", member, [&](int64_t rank) { mailroom_->send(rank, slot_, x); });
  count_bytes(bytes_of(x));
}

void TransportGroup::recv(const Tensor& out, int64_t member) {
  named("recv", [&] { check_host_tensor("out", out); });
  message("recv", member, [&](int64_t rank) {
    const Tensor got = mailroom_->receive(rank, slot_, message_limit_, &out);
    PADDLE_CHECK_RUNTIME(got.dtype() == out.dtype() && got.numel() == out.numel(), "recv: rank ",
                         rank, " sent ", got.dtype(), " ", got.shape(), " where ", out.dtype(), " ",
                         out.shape(), " is expected.");
  });
}

Tensor TransportGroup::recv_any(int64_t member) {
  Tensor got;
  message("recv", member,
          [&](int64_t rank) { got = mailroom_->receive(rank, slot_, message_limit_, nullptr); });
  return got;
}

}  // namespace paddle::distributed
