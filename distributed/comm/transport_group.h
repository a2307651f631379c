// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// `TransportGroup`: the collectives of some ranks of a job over messages between pairs of them.
//
// Every call begins with an exchange: each member sends each other one its label (call_label.h)
// and, behind it, what it has for this one if that is small. So a small call takes one message each
// way, and all members know of all calls before they touch a tensor: calls that do not belong
// together are the same RuntimeError everywhere, after which the group can still be used. A peer
// that is gone or does not answer ends the job instead (Transport::give_up). Where the group has a
// time limit of its own, a member that does not come to a call within it ends the group alone.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "distributed/comm/call_label.h"
#include "distributed/comm/mailroom.h"
#include "distributed/comm/transport.h"
#include "paddle_core/comm/process_group.h"

namespace paddle::distributed {

class PADDLE_API TransportGroup final : public ProcessGroup {
 public:
  // `ranks` are those of the transport. Members find one another's messages by their ranks and the
  // number, so a transport has one group of the same in the same order. The mailroom may be null,
  // without which the group has no messages. A limit of 0 is that of the transport.
  TransportGroup(std::shared_ptr<Transport> transport, std::shared_ptr<Mailroom> mailroom,
                 Ranks ranks, int64_t index, int64_t number, double limit);
  ~TransportGroup() override;

  void all_reduce(const Tensor& x, const Tensor& out, ReduceKind kind) override;
  void all_gather(const Tensor& x, const TensorList& outs) override;
  void reduce_scatter(const TensorList& parts, const Tensor& out, ReduceKind kind) override;
  void all_to_all(const TensorList& parts, const TensorList& outs) override;
  void broadcast(const Tensor& x, int64_t root) override;
  void barrier() override;
  void reduce(const Tensor& x, const Tensor& out, ReduceKind kind, int64_t root) override;
  void gather(const Tensor& x, const TensorList& outs, int64_t root) override;
  void scatter(const TensorList& parts, const Tensor& out, int64_t root) override;
  void send(const Tensor& x, int64_t member) override;
  void recv(const Tensor& out, int64_t member) override;
  Tensor recv_any(int64_t member) override;

 private:
  struct Memory {
    const char* data = nullptr;
    size_t bytes = 0;
  };
  struct Peer;
  class Pending;
  using Give = std::function<Memory(size_t member)>;

  // Calls `check`, which fills in the label or throws, exchanges labels, then calls `body`.
  void run(Collective collective, const std::function<void(CallLabel&)>& check, const Give& give,
           const std::function<void()>& body);
  void expect_label(Peer& peer, size_t turn);
  void exchange(CallLabel& label, const Give& give);
  void give_group_up(const std::string& why);
  void compare(const std::vector<char>& own);
  void finish_exchange();

  size_t members() const { return peers_.size(); }
  size_t own() const { return static_cast<size_t>(index()); }
  bool is_inline(size_t bytes) const { return bytes <= inline_limit_; }
  // What a member has put behind its label.
  const char* inlined(size_t member) const;
  // Sends or receives by the messages that are too large to go with labels.
  void send_large(size_t member, Memory memory, Pending& pending);
  void receive_large(size_t member, char* out, size_t bytes, Pending& pending);
  // Reduces what everybody gives of one chunk to this member, in blocks; calls `done` after each.
  void reduce_blocks(const char* mine, char* out, int64_t count, DType dtype, ReduceKind kind,
                     const std::function<void(int64_t begin, int64_t count)>& done);
  void send_blocks(const std::vector<Memory>& parts, DType dtype, Pending& pending);
  void reduce_large(const Tensor& x, const Tensor& out, ReduceKind kind);
  // Reductions to one or all members, and exchanges, under the name of the collective that is
  // called. `check` throws where the arguments of that are wrong.
  void reduce_parts(Collective collective, const std::function<void()>& check,
                    const TensorList& parts, const Tensor& out, ReduceKind kind, int64_t root);
  void exchange_parts(Collective collective, const std::function<void()>& check,
                      const TensorList& parts, const TensorList& outs, int64_t root);
  template <typename Call>
  void message(const char* name, int64_t member, Call&& call);

  std::shared_ptr<Transport> transport_;
  std::shared_ptr<Mailroom> mailroom_;
  const double limit_, message_limit_;
  std::string given_up_;  // why, when the group was
  std::mutex mutex_;      // one call at a time
  uint64_t slot_;         // of labels; the next ones are for data
  uint64_t call_ = 0;
  size_t inline_limit_;  // bytes for one member that go with the label
  size_t packet_bytes_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by member; null for this one
  std::vector<char> scratch_, last_word_;
  std::vector<std::unique_ptr<Transfer>> last_words_;
};

}  // namespace paddle::distributed
