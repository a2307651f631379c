// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/thread_job.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "distributed/comm/arguments.h"
#include "distributed/comm/reduce.h"
#include "paddle_core/comm/blocking.h"

namespace paddle::distributed {
namespace {

// What one member brings to a collective.
struct Post {
  std::string call;  // equal for all members
  std::string with;  // what may differ, for messages
  TensorList tensors;
};

// Where the members of one group meet, one collective after the other.
struct Board {
  explicit Board(size_t members) : posts(members), here(members, false) {}
  std::vector<Post> posts;
  std::vector<bool> here;
  size_t arrived = 0, done = 0;
  uint64_t round = 0;
  bool complete() const { return arrived == posts.size(); }
};

// A group, for all of its members.
using GroupKey = std::pair<Ranks, int64_t>;

std::string described(const TensorList& tensors) {
  std::string text;
  for (const Tensor& t : tensors) text += str(text.empty() ? "" : ", ", t.dtype(), " ", t.shape());
  return text;
}

}  // namespace

class ThreadJobState {
 public:
  explicit ThreadJobState(int64_t size) : size_(size), threads_(size) {
    for (int64_t r = 0; r < size; ++r) live_.insert(r);
  }
  int64_t size() const { return size_; }

  // Brings all members together, lets each of them compute with what the others brought, and holds
  // their memory until all have.
  template <typename Compute>
  void meet(const GroupKey& group, int64_t index, Post post, Compute&& compute) {
    const Blocking blocking;
    const Ranks& ranks = group.first;
    std::unique_lock lock(mutex_);
    Board& board = boards_.try_emplace(group, ranks.size()).first->second;
    fail_if_told();
    const size_t own = static_cast<size_t>(index);
    board.posts[own] = std::move(post);
    board.here[own] = true;
    const uint64_t round = board.round;
    if (++board.arrived == ranks.size()) {
      waiting_.erase(&board);
      check_same(ranks, board);
      changed_.notify_all();
    } else {
      wait_for(&board, ranks[own], [&] { return waits_in(ranks, own, board); });
      changed_.wait(lock, [&] { return !failure_.empty() || board.complete(); });
    }
    fail_if_told();
    lock.unlock();
    std::string wrong;
    try {
      compute(board.posts);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    lock.lock();
    if (!wrong.empty()) fail(str("rank ", ranks[own], " failed: ", wrong));
    if (++board.done == ranks.size()) {
      board.arrived = board.done = 0;
      board.here.assign(ranks.size(), false);
      ++board.round;
      changed_.notify_all();
    }
    // The others read this member's tensors until they are done.
    changed_.wait(lock, [&] { return !failure_.empty() || board.round != round; });
    fail_if_told();
  }

  void send(const GroupKey& group, int64_t from, int64_t to, Tensor message) {
    const std::lock_guard lock(mutex_);
    fail_if_told();
    Mailbox& box = boxes_[{group, from, to}];
    box.messages.push_back(std::move(message));
    if (box.taken.empty()) return;
    // The receiver goes on from here, whenever its thread runs.
    *box.taken.front() = std::move(box.messages.front());
    box.taken.pop_front();
    box.messages.pop_front();
    waiting_.erase(waiting_.find(&box));
    changed_.notify_all();
  }

  Tensor receive(const GroupKey& group, int64_t from, int64_t to) {
    const Blocking blocking;
    const Ranks& ranks = group.first;
    std::unique_lock lock(mutex_);
    fail_if_told();
    Mailbox& box = boxes_[{group, from, to}];
    Tensor message;
    if (!box.messages.empty()) {
      message = std::move(box.messages.front());
      box.messages.pop_front();
      return message;
    }
    const int64_t sender = ranks[static_cast<size_t>(from)];
    box.taken.push_back(&message);
    wait_for(&box, ranks[static_cast<size_t>(to)],
             [&] { return str("recv for rank ", sender, ended(sender)); });
    changed_.wait(lock, [&] { return !failure_.empty() || message.defined(); });
    if (!message.defined()) std::erase(box.taken, &message);
    fail_if_told();
    return message;
  }

  void leave(int64_t rank, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (live_.erase(rank) == 0) return;
    --threads_;
    if (!reason.empty()) fail(str("rank ", rank, " failed: ", reason));
    find_deadlock();
  }

  void add_threads(int64_t more) {
    const std::lock_guard lock(mutex_);
    threads_ += more;
    find_deadlock();
  }

 private:
  struct Mailbox {
    std::deque<Tensor> messages;
    std::deque<Tensor*> taken;  // of receivers that wait
  };
  struct Waiting {
    int64_t rank;
    std::function<std::string()> where;
  };

  // Called with the lock; the thread then waits for what makes another one erase the entry.
  void wait_for(const void* what, int64_t rank, std::function<std::string()> where) {
    waiting_.insert({what, {rank, std::move(where)}});
    find_deadlock();
  }

  void fail(const std::string& why) {
    if (failure_.empty()) failure_ = why;
    changed_.notify_all();
  }
  void fail_if_told() const { PADDLE_CHECK_RUNTIME(failure_.empty(), "collective: ", failure_); }

  void check_same(const Ranks& ranks, const Board& board) {
    for (size_t i = 1; i < ranks.size(); ++i) {
      const Post &first = board.posts[0], &other = board.posts[i];
      if (other.call == first.call) continue;
      return fail(str("the ranks ", text_of(ranks), " called different collectives: rank ",
                      ranks[0], " ", first.call, " with ", first.with, ", rank ", ranks[i], " ",
                      other.call, " with ", other.with, "."));
    }
  }

  const char* ended(int64_t rank) const { return live_.count(rank) ? "" : " (which has ended)"; }

  std::string waits_in(const Ranks& ranks, size_t own, const Board& board) const {
    const Post& post = board.posts[own];
    std::string text = str(post.call, " with ", post.with, " for");
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (!board.here[i]) text += str(" rank ", ranks[i], ended(ranks[i]), ",");
    }
    text.pop_back();
    return text;
  }

  // Every thread of a rank that is still there waits, and for nothing that has happened.
  void find_deadlock() {
    if (waiting_.empty() || static_cast<int64_t>(waiting_.size()) < threads_ || !failure_.empty()) {
      return;
    }
    std::multimap<int64_t, std::string> by_rank;
    for (const auto& [what, w] : waiting_) by_rank.insert({w.rank, w.where()});
    std::string text = "deadlock: no rank can go on.";
    for (const auto& [rank, where] : by_rank) text += str(" Rank ", rank, " waits in ", where, ".");
    fail(text);
  }

  const int64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<GroupKey, Board> boards_;
  std::map<std::tuple<GroupKey, int64_t, int64_t>, Mailbox> boxes_;
  std::multimap<const void*, Waiting> waiting_;  // threads, by the board or mailbox
  std::set<int64_t> live_;
  int64_t threads_;  // that may call something
  std::string failure_;
};

namespace {

class ThreadGroup final : public ProcessGroup {
 public:
  ThreadGroup(std::shared_ptr<ThreadJobState> state, Ranks ranks, int64_t index, int64_t number)
      : ProcessGroup(std::move(ranks), index),
        state_(std::move(state)),
        key_(this->ranks(), number) {}

  void all_reduce(const Tensor& x, const Tensor& out, ReduceKind kind) override {
    named("all_reduce", [&] {
      check_summand("x", x, kind);
      check_result(out, x.dtype(), x.numel());
    });
    // Members read x while this one writes.
    const Tensor source = x.shares_storage(out) ? copied(x) : x;
    run(str("all_reduce ", name_of(kind), " of ", x.dtype(), " ", x.shape()), {source},
        [&](const std::vector<Post>& posts) { combine(posts, 0, out, kind); });
    count_bytes(2 * bytes_of(x) * (static_cast<uint64_t>(size()) - 1) /
                static_cast<uint64_t>(size()));
  }
  void all_gather(const Tensor& x, const TensorList& outs) override {
    named("all_gather", [&] {
      check_tensor("x", x);
      check_list("outs", outs, members(), x.dtype());
    });
    run("all_gather", {x}, [&](const std::vector<Post>& posts) {
      for (size_t i = 0; i < posts.size(); ++i) take("all_gather", outs[i], posts[i], 0);
    });
    count_bytes(bytes_of(x) * (static_cast<uint64_t>(size()) - 1));
  }
  void reduce_scatter(const TensorList& parts, const Tensor& out, ReduceKind kind) override {
    named("reduce_scatter", [&] {
      check_summand("out", out, kind);
      check_list("parts", parts, members(), out.dtype());
      check_result(out, out.dtype(), parts[own()].numel());
    });
    run(str("reduce_scatter ", name_of(kind), " of ", described(parts)), parts,
        [&](const std::vector<Post>& posts) { combine(posts, own(), out, kind); });
    count_others(parts);
  }
  void all_to_all(const TensorList& parts, const TensorList& outs) override {
    named("all_to_all", [&] {
      PADDLE_CHECK_VALUE(!parts.empty() && parts[0].defined(), "parts has no tensor");
      check_list("parts", parts, members(), parts[0].dtype());
      check_list("outs", outs, members(), parts[0].dtype());
    });
    run("all_to_all", parts, [&](const std::vector<Post>& posts) {
      for (size_t i = 0; i < posts.size(); ++i) take("all_to_all", outs[i], posts[i], own());
    });
    count_others(parts);
  }
  void broadcast(const Tensor& x, int64_t root) override {
    check_rooted("broadcast", "x", x, root);
    run(str("broadcast from member ", root, " of ", x.dtype(), " ", x.shape()), {x},
        [&](const std::vector<Post>& posts) {
          if (root != index()) take("broadcast", x, posts[static_cast<size_t>(root)], 0);
        });
    if (root == index()) count_bytes(bytes_of(x) * (static_cast<uint64_t>(size()) - 1));
  }
  void barrier() override {
    run("barrier", {}, [](const std::vector<Post>&) {});
  }
  void reduce(const Tensor& x, const Tensor& out, ReduceKind kind, int64_t root) override {
    check_rooted("reduce", "x", x, root);
    named("reduce", [&] {
      check_summand("x", x, kind);
      if (root == index()) check_result(out, x.dtype(), x.numel());
    });
    const Tensor source = root == index() && x.shares_storage(out) ? copied(x) : x;
    run(str("reduce ", name_of(kind), " to member ", root, " of ", x.dtype(), " ", x.shape()),
        {source}, [&](const std::vector<Post>& posts) {
          if (root == index()) combine(posts, 0, out, kind);
        });
    if (root != index()) count_bytes(bytes_of(x));
  }
  void gather(const Tensor& x, const TensorList& outs, int64_t root) override {
    check_rooted("gather", "x", x, root);
    if (root == index()) named("gather", [&] { check_list("outs", outs, members(), x.dtype()); });
    run(str("gather to member ", root), {x}, [&](const std::vector<Post>& posts) {
      if (root != index()) return;
      for (size_t i = 0; i < posts.size(); ++i) take("gather", outs[i], posts[i], 0);
    });
    if (root != index()) count_bytes(bytes_of(x));
  }
  void scatter(const TensorList& parts, const Tensor& out, int64_t root) override {
    check_rooted("scatter", "out", out, root);
    const bool gives = root == index();
    if (gives) named("scatter", [&] { check_list("parts", parts, members(), out.dtype()); });
    run(str("scatter from member ", root), gives ? parts : TensorList(),
        [&](const std::vector<Post>& posts) {
          take("scatter", out, posts[static_cast<size_t>(root)], own());
        });
    if (gives) count_others(parts);
  }

  void send(const Tensor& x, int64_t member) override {
    named("send", [&] { check_tensor("x", x); });
    check_peer("send", member);
    state_->send(key_, index(), member, copied(x));
    count_bytes(bytes_of(x));
  }
  void recv(const Tensor& out, int64_t member) override {
    named("recv", [&] { check_tensor("out", out); });
    const Tensor got = recv_any(member);
    PADDLE_CHECK_RUNTIME(got.dtype() == out.dtype() && got.numel() == out.numel(), "recv: rank ",
                         ranks()[static_cast<size_t>(member)], " sent ", got.dtype(), " ",
                         got.shape(), " where ", out.dtype(), " ", out.shape(), " is expected.");
    fill(out, got);
  }
  Tensor recv_any(int64_t member) override {
    check_peer("recv", member);
    return state_->receive(key_, member, index());
  }

 private:
  size_t members() const { return ranks().size(); }
  size_t own() const { return static_cast<size_t>(index()); }

  static void check_summand(const char* argument, const Tensor& x, ReduceKind kind) {
    check_tensor(argument, x);
    check_host(argument, x);
    check_reduction(argument, x.dtype(), kind);
  }
  void check_rooted(const char* name, const char* argument, const Tensor& x, int64_t root) const {
    named(name, [&] {
      check_tensor(argument, x);
      check_member("root", root, size());
    });
  }
  void check_peer(const char* name, int64_t member) const {
    named(name, [&] {
      check_member("member", member, size());
      PADDLE_CHECK_VALUE(member != index(), "member ", member, " is this one, which is no peer");
    });
  }

  static Tensor copied(const Tensor& x) {
    const Tensor copy = Tensor::empty(x.shape(), x.dtype(), x.place());
    copy.overwrite_from(x);
    return copy;
  }
  // Of as many elements.
  static void fill(const Tensor& into, const Tensor& from) {
    const Shape& shape = into.shape();
    into.overwrite_from(
        from.shape() == shape ? from : Tensor::alias(from, shape, contiguous_strides(shape), 0));
  }

  template <typename Compute>
  void run(const std::string& call, const TensorList& tensors, Compute&& compute) {
    const std::string with = tensors.empty() ? "no tensor" : described(tensors);
    state_->meet(key_, index(), {call, with, tensors}, compute);
  }

  static void take(const char* what, const Tensor& into, const Post& from, size_t k) {
    const bool fits = k < from.tensors.size() && from.tensors[k].dtype() == into.dtype() &&
                      from.tensors[k].numel() == into.numel();
    PADDLE_CHECK_RUNTIME(fits, what, ": a member gave ", from.with, " where ", into.dtype(), " ",
                         into.shape(), " was expected.");
    fill(into, from.tensors[k]);
  }

  static void combine(const std::vector<Post>& posts, size_t k, const Tensor& out,
                      ReduceKind kind) {
    std::vector<const void*> parts;
    for (const Post& post : posts) parts.push_back(post.tensors[k].raw_data());
    reduce_in_order(parts.data(), parts.size(), out.raw_data(), out.numel(), out.dtype(), kind);
  }

  void count_others(const TensorList& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i != own()) count_bytes(bytes_of(parts[i]));
    }
  }

  std::shared_ptr<ThreadJobState> state_;
  GroupKey key_;
};

}  // namespace

std::vector<std::shared_ptr<ThreadJob>> ThreadJob::make(int64_t size) {
  PADDLE_CHECK_VALUE(size > 0, "simulate: the number of ranks is ", size, "; it must be positive.");
  const auto state = std::make_shared<ThreadJobState>(size);
  std::vector<std::shared_ptr<ThreadJob>> jobs;
  for (int64_t r = 0; r < size; ++r) jobs.push_back(std::make_shared<ThreadJob>(state, r));
  return jobs;
}

ThreadJob::ThreadJob(std::shared_ptr<ThreadJobState> state, int64_t rank)
    : state_(std::move(state)), rank_(rank) {}
ThreadJob::~ThreadJob() { state_->leave(rank_, ""); }

int64_t ThreadJob::size() const { return state_->size(); }

ProcessGroup& ThreadJob::group(const Ranks& ranks, int64_t number, double) {
  const std::lock_guard lock(mutex_);
  const auto key = std::make_pair(ranks, number);
  if (const auto found = groups_.find(key); found != groups_.end()) return *found->second;
  const std::set<int64_t> distinct(ranks.begin(), ranks.end());
  const auto own = std::find(ranks.begin(), ranks.end(), rank_);
  PADDLE_CHECK_VALUE(distinct.size() == ranks.size() && own != ranks.end() &&
                         *distinct.begin() >= 0 && *distinct.rbegin() < size(),
                     "group: ranks are ", text_of(ranks),
                     "; they must be distinct ranks of the job (0 to ", size() - 1,
                     ") with this one, ", rank_, ", among them.");
  auto made = std::make_unique<ThreadGroup>(state_, ranks, own - ranks.begin(), number);
  return *groups_.emplace(key, std::move(made)).first->second;
}

uint64_t ThreadJob::bytes_sent() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [key, group] : groups_) bytes += group->bytes_sent();
  return bytes;
}

void ThreadJob::leave(const std::string& reason) { state_->leave(rank_, reason); }
void ThreadJob::add_threads(int64_t more) { state_->add_threads(more); }

}  // namespace paddle::distributed
