// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/transport_group.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>

#include "distributed/comm/arguments.h"
#include "distributed/comm/reduce.h"
#include "paddle_core/comm/blocking.h"

namespace paddle::distributed {
namespace {

// What a member sends with its labels at most: above it, the data goes by itself and reductions are
// divided among the members.
constexpr size_t kInlineBytes = size_t{128} << 10;
constexpr size_t kAlignment = 64;
// Of the blocks of a large reduction that a member holds at a time, one of each; a few of each peer
// are on their way.
constexpr size_t kHeldBytes = size_t{2} << 20, kSmallestBlock = size_t{1} << 17;
constexpr size_t kBlocksAhead = 3;

// In front of a label.
struct PacketHead {
  uint64_t label_bytes, data_bytes;
};

int64_t block_elements(size_t members, DType dtype) {
  return static_cast<int64_t>(std::max(kHeldBytes / members, kSmallestBlock) / size_of(dtype));
}

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Every member computes the same from the same ranks, without asking. Other lists of ranks have
// other numbers, but for one chance in 2^60.
uint64_t slot_of(const Ranks& ranks, int64_t number) {
  uint64_t hash = 0x9e3779b97f4a7c15ull + ranks.size();
  const auto mix = [&hash](int64_t next) {
    hash ^= static_cast<uint64_t>(next);
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
    hash ^= hash >> 31;
  };
  for (const int64_t rank : ranks) mix(rank);
  mix(number);
  return hash << 4;
}

const char* data_of_const(const Tensor& x) { return data_of(x); }

void copy(char* out, const char* from, size_t bytes) {
  if (bytes && out != from) std::memmove(out, from, bytes);
}

}  // namespace

struct TransportGroup::Peer {
  int64_t rank = 0;
  // Calls take turns with two packets: a fast peer sends the next label while this one is read.
  std::array<std::unique_ptr<char[]>, 2> received;
  std::array<std::unique_ptr<Transfer>, 2> receiving;
  std::unique_ptr<char[]> sent;
  std::unique_ptr<Transfer> sending;
};

// Transfers that the end of a call waits for.
class TransportGroup::Pending {
 public:
  void add(std::unique_ptr<Transfer> transfer) { transfers_.push_back(std::move(transfer)); }
  void wait() {
    while (!transfers_.empty()) {
      transfers_.front()->wait();
      transfers_.pop_front();
    }
  }

 private:
  std::deque<std::unique_ptr<Transfer>> transfers_;
};

TransportGroup::TransportGroup(std::shared_ptr<Transport> transport,
                               std::shared_ptr<Mailroom> mailroom, Ranks ranks, int64_t index,
                               int64_t number, double limit)
    : ProcessGroup(std::move(ranks), index),
      transport_(std::move(transport)),
      mailroom_(std::move(mailroom)),
      limit_(std::isinf(limit) ? 0 : limit),
      message_limit_(limit > 0 ? limit : transport_->limit_seconds()),
      slot_(slot_of(this->ranks(), number)),
      inline_limit_(kInlineBytes / static_cast<size_t>(std::max<int64_t>(size() - 1, 1))),
      packet_bytes_(aligned(sizeof(PacketHead) + CallLabel::max_bytes(size())) + inline_limit_),
      peers_(static_cast<size_t>(size())) {
  for (size_t i = 0; i < members(); ++i) {
    if (i == own()) continue;
    peers_[i] = std::make_unique<Peer>();
    Peer& peer = *peers_[i];
    peer.rank = this->ranks()[i];
    peer.sent.reset(new char[packet_bytes_]);
    for (size_t turn = 0; turn < 2; ++turn) {
      // The transport knows where labels go before they are sent, which saves a message each.
      peer.received[turn].reset(new char[packet_bytes_]);
      expect_label(peer, turn);
    }
  }
}

TransportGroup::~TransportGroup() = default;

void TransportGroup::expect_label(Peer& peer, size_t turn) {
  peer.receiving[turn].reset();
  try {
    peer.receiving[turn] =
        transport_->receive(peer.rank, slot_, peer.received[turn].get(), packet_bytes_);
  } catch (const TransportError&) {
    // The peer has gone after a call that was complete; the next one finds that out.
  }
}

void TransportGroup::run(Collective collective, const std::function<void(CallLabel&)>& check,
                         const Give& give, const std::function<void()>& body) {
  // The lock of the host language is given back before that of the group is asked for: another
  // thread may hold this one and wait for the former.
  const Blocking blocking;
  const std::lock_guard lock(mutex_);
  PADDLE_CHECK_RUNTIME(given_up_.empty(), name_of(collective), " among ranks ", text_of(ranks()),
                       ": the group was given up before: ", given_up_);
  CallLabel label;
  label.collective = collective;
  label.call = call_;
  std::exception_ptr refused;
  try {
    check(label);
  } catch (const Error& error) {
    refused = std::make_exception_ptr(
        Error(error.kind(), str(name_of(collective), ": ", error.message(), ".")));
    label = CallLabel();
    label.collective = Collective::kRefused;
    label.call = call_;
    label.refusal = str(name_of(collective), ": ", error.message());
  }
  try {
    exchange(label, refused ? Give() : give);
    if (refused) {
      finish_exchange();
      std::rethrow_exception(refused);
    }
    body();
    finish_exchange();
  } catch (const TransportError& error) {
    const std::string text =
        str(label.describe(ranks()), " among ranks ", text_of(ranks()), ": ", error.message());
    if (given_up_.empty()) {
      transport_->give_up(text);
    } else {
      give_group_up(text);
    }
    throw TransportError(text);
  } catch (const std::bad_alloc&) {
    transport_->give_up(str(name_of(collective), ": there is not enough memory"));
    throw;
  }
}

void TransportGroup::exchange(CallLabel& label, const Give& give) {
  const std::vector<char> code = label.encode();
  const size_t turn = call_ % 2;
  ++call_;
  for (size_t i = 0; i < members(); ++i) {
    if (i == own()) continue;
    Peer& peer = *peers_[i];
    const Memory memory = give ? give(i) : Memory();
    const PacketHead head{code.size(), is_inline(memory.bytes) ? memory.bytes : 0};
    const size_t begin = aligned(sizeof head + code.size());
    std::memcpy(peer.sent.get(), &head, sizeof head);
    std::memcpy(peer.sent.get() + sizeof head, code.data(), code.size());
    if (head.data_bytes) {
      std::memcpy(peer.sent.get() + begin, memory.data, head.data_bytes);
      count_bytes(head.data_bytes);
    }
    peer.sending = transport_->send(peer.rank, slot_, peer.sent.get(), begin + head.data_bytes);
  }
  for (const auto& peer : peers_) {
    if (!peer) continue;
    if (!peer->receiving[turn]) {
      throw TransportError(str("rank ", peer->rank, " left after the last call"));
    }
    try {
      peer->receiving[turn]->wait_for(limit_);
    } catch (const TransportTimeout& late) {
      if (limit_ > 0) given_up_ = late.message();
      throw;
    }
  }
  compare(code);
}

// What is under way stays so until the job ends: a member may come later. It learns by the label of
// the next call that this one does not.
void TransportGroup::give_group_up(const std::string& why) {
  given_up_ = why;
  CallLabel label;
  label.collective = Collective::kGivenUp;
  label.call = call_;
  label.refusal = why;
  const std::vector<char> code = label.encode();
  const PacketHead head{code.size(), 0};
  last_word_.resize(sizeof head + code.size());
  std::memcpy(last_word_.data(), &head, sizeof head);
  std::memcpy(last_word_.data() + sizeof head, code.data(), code.size());
  for (const auto& peer : peers_) {
    if (!peer) continue;
    try {
      last_words_.push_back(
          transport_->send(peer->rank, slot_, last_word_.data(), last_word_.size()));
    } catch (const TransportError&) {
      // It has gone, and needs no word.
    }
  }
}

void TransportGroup::compare(const std::vector<char>& code) {
  const size_t turn = (call_ - 1) % 2;
  const auto head_of = [&](size_t i) {
    PacketHead head;
    std::memcpy(&head, peers_[i]->received[turn].get(), sizeof head);
    return head;
  };
  const auto label_at = [&](size_t i) {
    return peers_[i]->received[turn].get() + sizeof(PacketHead);
  };
  CallLabel mine = CallLabel::decode(code.data(), code.size());
  bool equal = mine.collective != Collective::kRefused && is_uniform(mine.collective);
  for (size_t i = 0; equal && i < members(); ++i) {
    if (i == own()) continue;
    equal = head_of(i).label_bytes == code.size() &&
            std::memcmp(label_at(i), code.data(), code.size()) == 0;
  }
  if (equal) return;
  std::vector<CallLabel> labels;
  for (size_t i = 0; i < members(); ++i) {
    labels.push_back(i == own() ? mine : CallLabel::decode(label_at(i), head_of(i).label_bytes));
  }
  const std::string found = disagreement(labels, ranks());
  if (found.empty() || mine.collective == Collective::kRefused) return;
  for (size_t i = 0; i < members(); ++i) {
    if (labels[i].collective != Collective::kGivenUp) continue;
    given_up_ = str("rank ", ranks()[i], " has given the group up: ", labels[i].refusal);
    throw TransportError(str("rank ", ranks()[i], " has given the group up: ", labels[i].refusal));
  }
  const std::string text = str(
      mine.describe(ranks()), ": the calls of the group do not belong together: ", found,
      "; every member must call the same collectives in the same order, with tensors that fit.");
  finish_exchange();
  throw_error(ErrorKind::kRuntime, text);
}

void TransportGroup::finish_exchange() {
  const size_t turn = (call_ - 1) % 2;
  for (const auto& peer : peers_) {
    if (!peer) continue;
    peer->sending->wait();
    expect_label(*peer, turn);
  }
}

const char* TransportGroup::inlined(size_t member) const {
  const char* const packet = peers_[member]->received[(call_ - 1) % 2].get();
  PacketHead head;
  std::memcpy(&head, packet, sizeof head);
  return packet + aligned(sizeof head + head.label_bytes);
}

void TransportGroup::send_large(size_t member, Memory memory, Pending& pending) {
  if (is_inline(memory.bytes)) return;
  pending.add(transport_->send(ranks()[member], slot_ + 1, memory.data, memory.bytes));
  count_bytes(memory.bytes);
}

void TransportGroup::receive_large(size_t member, char* out, size_t bytes, Pending& pending) {
  if (!is_inline(bytes)) {
    pending.add(transport_->receive(ranks()[member], slot_ + 1, out, bytes));
  }
}

void TransportGroup::send_blocks(const std::vector<Memory>& parts, DType dtype, Pending& pending) {
  const size_t block = static_cast<size_t>(block_elements(members(), dtype)) * size_of(dtype);
  size_t longest = 0;
  for (const Memory& part : parts) longest = std::max(longest, part.bytes);
  for (size_t begin = 0; begin < longest; begin += block) {
    // Not everybody sends to the first member first.
    for (size_t step = 1; step < members(); ++step) {
      const size_t member = (own() + step) % members();
      const Memory& part = parts[member];
      if (begin >= part.bytes) continue;
      const size_t bytes = std::min(block, part.bytes - begin);
      pending.add(transport_->send(ranks()[member], slot_ + 1, part.data + begin, bytes));
      count_bytes(bytes);
    }
  }
}

void TransportGroup::reduce_blocks(const char* mine, char* out, int64_t count, DType dtype,
                                   ReduceKind kind,
                                   const std::function<void(int64_t, int64_t)>& done) {
  const size_t size = size_of(dtype);
  const int64_t block = block_elements(members(), dtype);
  const int64_t blocks = (count + block - 1) / block;
  const auto count_of = [&](int64_t b) { return std::min(block, count - b * block); };
  const size_t ahead = std::min(kBlocksAhead, static_cast<size_t>(blocks));
  const size_t stride = aligned(static_cast<size_t>(std::min(block, count)) * size);
  scratch_.resize(std::max(scratch_.size(), ahead * members() * stride + kAlignment));
  char* const base = scratch_.data() + aligned(reinterpret_cast<uintptr_t>(scratch_.data())) -
                     reinterpret_cast<uintptr_t>(scratch_.data());
  const auto place_of = [&](int64_t b, size_t member) {
    return base + (static_cast<size_t>(b) % ahead * members() + member) * stride;
  };
  std::vector<std::unique_ptr<Transfer>> coming(ahead * members());
  const auto expect = [&](int64_t b) {
    for (size_t i = 0; i < members(); ++i) {
      if (i == own()) continue;
      coming[static_cast<size_t>(b) % ahead * members() + i] = transport_->receive(
          ranks()[i], slot_ + 1, place_of(b, i), static_cast<size_t>(count_of(b)) * size);
    }
  };
  for (size_t b = 0; b < ahead; ++b) expect(static_cast<int64_t>(b));
  std::vector<const void*> parts(members());
  for (int64_t b = 0; b < blocks; ++b) {
    const size_t at = static_cast<size_t>(b * block) * size;
    for (size_t i = 0; i < members(); ++i) {
      if (i == own()) {
        parts[i] = mine + at;
      } else {
        coming[static_cast<size_t>(b) % ahead * members() + i]->wait();
        parts[i] = place_of(b, i);
      }
    }
    reduce_in_order(parts.data(), members(), out + at, count_of(b), dtype, kind);
    if (b + static_cast<int64_t>(ahead) < blocks) expect(b + static_cast<int64_t>(ahead));
    done(b * block, count_of(b));
  }
}

void TransportGroup::reduce_large(const Tensor& x, const Tensor& out, ReduceKind kind) {
  const size_t size = size_of(x.dtype());
  const char* const from = data_of(x);
  char* const to = data_of(out);
  const auto chunk_of = [&](size_t member) {
    return part_of({0, x.numel()}, this->size(), static_cast<int64_t>(member));
  };
  const auto bytes_at = [&](int64_t elements) { return static_cast<size_t>(elements) * size; };
  // Finished blocks of the others' chunks arrive in `out` while they are still reduced elsewhere.
  // That may be x: its owner has received a block of it before it sends the block's sum.
  const int64_t block = block_elements(members(), x.dtype());
  Pending sends, sums;
  std::vector<Memory> parts(members());
  for (size_t i = 0; i < members(); ++i) {
    const IndexRange chunk = chunk_of(i);
    if (i == own()) continue;
    parts[i] = {from + bytes_at(chunk.begin), bytes_at(chunk.count)};
    for (int64_t at = 0; at < chunk.count; at += block) {
      sums.add(transport_->receive(ranks()[i], slot_ + 2, to + bytes_at(chunk.begin + at),
                                   bytes_at(std::min(block, chunk.count - at))));
    }
  }
  send_blocks(parts, x.dtype(), sends);
  const IndexRange mine = chunk_of(own());
  reduce_blocks(from + bytes_at(mine.begin), to + bytes_at(mine.begin), mine.count, x.dtype(), kind,
                [&](int64_t begin, int64_t count) {
                  const char* const sum = to + bytes_at(mine.begin + begin);
                  for (size_t step = 1; step < members(); ++step) {
                    const size_t member = (own() + step) % members();
                    sends.add(transport_->send(ranks()[member], slot_ + 2, sum, bytes_at(count)));
                    count_bytes(bytes_at(count));
                  }
                });
  sums.wait();
  sends.wait();
}

void TransportGroup::all_reduce(const Tensor& x, const Tensor& out, ReduceKind kind) {
  const auto check = [&](CallLabel& label) {
    check_host_tensor("x", x);
    check_result(out, x.dtype(), x.numel());
    check_host("out", out);
    check_reduction("x", x.dtype(), kind);
    PADDLE_CHECK_VALUE(data_of(x) == data_of(out) || !overlap(x, out),
                       "out overlaps with x; give x itself or other memory");
    label.dtype = x.dtype();
    label.kind = kind;
    label.give(x);
  };
  const auto give = [&](size_t) {
    const Memory whole{data_of(x), bytes_of(x)};
    return is_inline(whole.bytes) ? whole : Memory();
  };
  run(Collective::kAllReduce, check, give, [&] {
    if (!is_inline(bytes_of(x))) return reduce_large(x, out, kind);
    std::vector<const void*> parts(members());
    for (size_t i = 0; i < members(); ++i) parts[i] = i == own() ? data_of_const(x) : inlined(i);
    reduce_in_order(parts.data(), members(), data_of(out), x.numel(), x.dtype(), kind);
  });
}

void TransportGroup::all_gather(const Tensor& x, const TensorList& outs) {
  const auto check = [&](CallLabel& label) {
    check_host_tensor("x", x);
    check_host_tensor("outs", outs, members(), x.dtype());
    for (size_t i = 0; i < members(); ++i) {
      PADDLE_CHECK_VALUE((i == own() && data_of(x) == data_of(outs[i])) || !overlap(x, outs[i]),
                         "outs[", i, "] overlaps with x; give other memory");
    }
    label.dtype = x.dtype();
    label.give(x);
    for (const Tensor& out : outs) label.take(out);
  };
  const Memory whole = x.defined() && x.has_storage() ? Memory{data_of(x), bytes_of(x)} : Memory();
  run(
      Collective::kAllGather, check, [&](size_t) { return whole; },
      [&] {
        Pending pending;
        for (size_t i = 0; i < members(); ++i) {
          if (i != own()) receive_large(i, data_of(outs[i]), bytes_of(outs[i]), pending);
        }
        for (size_t step = 1; step < members(); ++step) {
          send_large((own() + step) % members(), whole, pending);
        }
        for (size_t i = 0; i < members(); ++i) {
          const size_t bytes = bytes_of(outs[i]);
          if (i == own() || is_inline(bytes)) {
            copy(data_of(outs[i]), i == own() ? whole.data : inlined(i), bytes);
          }
        }
        pending.wait();
      });
}

void TransportGroup::reduce_parts(Collective collective, const std::function<void()>& check,
                                  const TensorList& parts, const Tensor& out, ReduceKind kind,
                                  int64_t root) {
  const auto check_all = [&](CallLabel& label) {
    check();
    check_host_tensor("out", out);
    check_host_tensor("parts", parts, members(), out.dtype());
    check_result(out, out.dtype(), parts[own()].numel());
    check_reduction("parts", out.dtype(), kind);
    for (size_t i = 0; i < members(); ++i) {
      PADDLE_CHECK_VALUE(
          (i == own() && data_of(parts[i]) == data_of(out)) || !overlap(parts[i], out),
          "out overlaps with parts[", i, "]; give other memory");
    }
    label.dtype = out.dtype();
    label.kind = kind;
    label.root = static_cast<int32_t>(root);
    for (const Tensor& part : parts) label.give(part);
  };
  const auto give = [&](size_t i) {
    const Memory part{data_of(parts[i]), bytes_of(parts[i])};
    return is_inline(part.bytes) ? part : Memory();
  };
  run(collective, check_all, give, [&] {
    Pending pending;
    std::vector<Memory> large(members());
    for (size_t i = 0; i < members(); ++i) {
      if (i != own() && !is_inline(bytes_of(parts[i]))) {
        large[i] = {data_of(parts[i]), bytes_of(parts[i])};
      }
    }
    send_blocks(large, out.dtype(), pending);
    if (is_inline(bytes_of(out))) {
      std::vector<const void*> mine(members());
      for (size_t i = 0; i < members(); ++i) {
        mine[i] = i == own() ? data_of_const(parts[i]) : inlined(i);
      }
      reduce_in_order(mine.data(), members(), data_of(out), out.numel(), out.dtype(), kind);
    } else {
      reduce_blocks(data_of(parts[own()]), data_of(out), out.numel(), out.dtype(), kind,
                    [](int64_t, int64_t) {});
    }
    pending.wait();
  });
}

void TransportGroup::reduce_scatter(const TensorList& parts, const Tensor& out, ReduceKind kind) {
  reduce_parts(
      Collective::kReduceScatter, [] {}, parts, out, kind, 0);
}

void TransportGroup::reduce(const Tensor& x, const Tensor& out, ReduceKind kind, int64_t root) {
  const bool takes = root == index();
  const auto check = [&] {
    check_host_tensor("x", x);
    check_member("root", root, size());
    if (takes) check_result(out, x.dtype(), x.numel());
  };
  const Tensor nothing = x.defined() ? no_elements(x) : Tensor();
  reduce_parts(Collective::kReduce, check,
               at_member(members(), static_cast<size_t>(root), x, nothing), takes ? out : nothing,
               kind, root);
}

void TransportGroup::exchange_parts(Collective collective, const std::function<void()>& check,
                                    const TensorList& parts, const TensorList& outs, int64_t root) {
  const auto check_all = [&](CallLabel& label) {
    check();
    PADDLE_CHECK_VALUE(!parts.empty() && parts[0].defined(), "parts has no tensor");
    const DType dtype = parts[0].dtype();
    check_host_tensor("parts", parts, members(), dtype);
    check_host_tensor("outs", outs, members(), dtype);
    for (size_t i = 0; i < members(); ++i) {
      for (size_t k = 0; k < members(); ++k) {
        const bool stays = i == own() && k == own() && data_of(parts[i]) == data_of(outs[k]);
        PADDLE_CHECK_VALUE(stays || !overlap(parts[i], outs[k]), "outs[", k,
                           "] overlaps with parts[", i, "]; give other memory");
      }
    }
    label.dtype = dtype;
    label.root = static_cast<int32_t>(root);
    for (const Tensor& part : parts) label.give(part);
    for (const Tensor& out : outs) label.take(out);
  };
  const auto give = [&](size_t i) { return Memory{data_of(parts[i]), bytes_of(parts[i])}; };
  run(collective, check_all, give, [&] {
    Pending pending;
    for (size_t i = 0; i < members(); ++i) {
      if (i != own()) receive_large(i, data_of(outs[i]), bytes_of(outs[i]), pending);
    }
    for (size_t step = 1; step < members(); ++step) {
      const size_t i = (own() + step) % members();
      send_large(i, give(i), pending);
    }
    for (size_t i = 0; i < members(); ++i) {
      const size_t bytes = bytes_of(outs[i]);
      if (i == own() || is_inline(bytes)) {
        copy(data_of(outs[i]), i == own() ? data_of(parts[i]) : inlined(i), bytes);
      }
    }
    pending.wait();
  });
}

void TransportGroup::all_to_all(const TensorList& parts, const TensorList& outs) {
  exchange_parts(
      Collective::kAllToAll, [] {}, parts, outs, 0);
}

void TransportGroup::gather(const Tensor& x, const TensorList& outs, int64_t root) {
  const auto check = [&] {
    check_host_tensor("x", x);
    check_member("root", root, size());
  };
  const Tensor nothing = x.defined() ? no_elements(x) : Tensor();
  exchange_parts(Collective::kGather, check,
                 at_member(members(), static_cast<size_t>(root), x, nothing),
                 root == index() ? outs : TensorList(members(), nothing), root);
}

void TransportGroup::scatter(const TensorList& parts, const Tensor& out, int64_t root) {
  const auto check = [&] {
    check_host_tensor("out", out);
    check_member("root", root, size());
  };
  const Tensor nothing = out.defined() ? no_elements(out) : Tensor();
  exchange_parts(Collective::kScatter, check,
                 root == index() ? parts : TensorList(members(), nothing),
                 at_member(members(), static_cast<size_t>(root), out, nothing), root);
}

void TransportGroup::broadcast(const Tensor& x, int64_t root) {
  const bool gives = root == index();
  const auto check = [&](CallLabel& label) {
    check_host_tensor("x", x);
    check_member("root", root, size());
    label.dtype = x.dtype();
    label.root = static_cast<int32_t>(root);
    label.give(x);
  };
  const auto give = [&](size_t) { return gives ? Memory{data_of(x), bytes_of(x)} : Memory(); };
  run(Collective::kBroadcast, check, give, [&] {
    Pending pending;
    if (!gives && is_inline(bytes_of(x))) {
      copy(data_of(x), inlined(static_cast<size_t>(root)), bytes_of(x));
    } else if (!gives) {
      receive_large(static_cast<size_t>(root), data_of(x), bytes_of(x), pending);
    } else {
      for (size_t i = 0; i < members(); ++i) {
        if (i != own()) send_large(i, give(i), pending);
      }
    }
    pending.wait();
  });
}

void TransportGroup::barrier() {
  run(
      Collective::kBarrier, [](CallLabel&) {}, Give(), [] {});
}

}  // namespace paddle::distributed
