// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

#include "distributed/comm/thread_job.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "distributed/comm/reduce.h"
#include "paddle_core/base/error.h"
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

std::string listed(const Ranks& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i) text += str(i ? ", " : "", ranks[i]);
  return text + "]";
}

size_t bytes_of(const Tensor& t) { return static_cast<size_t>(t.numel()) * size_of(t.dtype()); }

std::string described(const TensorList& tensors) {
  std::string text;
  for (const Tensor& t : tensors) text += str(text.empty() ? "" : ", ", t.dtype(), " ", t.shape());
  return text;
}

}  // namespace

class ThreadJobState {
 public:
  explicit ThreadJobState(int64_t size) : size_(size) {
    for (int64_t r = 0; r < size; ++r) live_.insert(r);
  }
  int64_t size() const { return size_; }

  // Brings all members together, lets each of them compute with what the others brought, and holds
  // their memory until all have.
  template <typename Compute>
  void meet(const Ranks& ranks, int64_t index, Post post, Compute&& compute) {
    const Blocking blocking;
    const int64_t rank = ranks[static_cast<size_t>(index)];
    std::unique_lock lock(mutex_);
    Board& board = board_of(ranks);
    fail_if_told();
    board.posts[static_cast<size_t>(index)] = std::move(post);
    board.here[static_cast<size_t>(index)] = true;
    const uint64_t round = board.round;
    if (++board.arrived == ranks.size()) {
      for (const int64_t r : ranks) waiting_.erase(r);
      check_same(ranks, board);
      changed_.notify_all();
    } else {
      waiting_[rank] = {&board, static_cast<size_t>(index), ranks};
      find_deadlock();
      changed_.wait(lock, [&] { return !failure_.empty() || board.complete(); });
    }
    fail_if_told();
    lock.unlock();
    compute(board.posts);
    lock.lock();
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

  void leave(int64_t rank, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (live_.erase(rank) == 0) return;
    if (!reason.empty()) fail(str("rank ", rank, " failed: ", reason));
    find_deadlock();
  }

 private:
  struct Waiting {
    const Board* board;
    size_t index;
    Ranks ranks;
  };

  Board& board_of(const Ranks& ranks) {
    return boards_.try_emplace(ranks, ranks.size()).first->second;
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
      return fail(str("the ranks ", listed(ranks), " called different collectives: rank ", ranks[0],
                      " ", first.call, " with ", first.with, ", rank ", ranks[i], " ", other.call,
                      " with ", other.with, "."));
    }
  }

  // Every rank that is still there waits, and none of the collectives has all its members.
  void find_deadlock() {
    if (live_.empty() || waiting_.size() < live_.size() || !failure_.empty()) return;
    std::string text = "deadlock: no rank can go on.";
    for (const auto& [rank, w] : waiting_) {
      const Post& post = w.board->posts[w.index];
      text += str(" Rank ", rank, " waits in ", post.call, " with ", post.with, " for");
      for (size_t i = 0; i < w.ranks.size(); ++i) {
        if (w.board->here[i]) continue;
        text += str(" rank ", w.ranks[i], live_.count(w.ranks[i]) ? "" : " (which has ended)", ",");
      }
      text.back() = '.';
    }
    fail(text);
  }

  const int64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Ranks, Board> boards_;
  std::map<int64_t, Waiting> waiting_;
  std::set<int64_t> live_;
  std::string failure_;
};

namespace {

class ThreadGroup final : public ProcessGroup {
 public:
  ThreadGroup(std::shared_ptr<ThreadJobState> state, Ranks ranks, int64_t index)
      : ProcessGroup(std::move(ranks), index), state_(std::move(state)) {}

  void all_reduce(const Tensor& x, const Tensor& out, ReduceKind kind) override {
    check_reduction("all_reduce", x.dtype(), kind);
    // Members read x while this one writes.
    const Tensor source = x.shares_storage(out) ? copied(x) : x;
    run(str("all_reduce ", name_of(kind), " of ", x.dtype(), " ", x.shape()), {source},
        [&](const std::vector<Post>& posts) { reduce(posts, 0, out, kind); });
    count_bytes(2 * bytes_of(x) * (static_cast<uint64_t>(size()) - 1) /
                static_cast<uint64_t>(size()));
  }
  void all_gather(const Tensor& x, const TensorList& outs) override {
    run("all_gather", {x}, [&](const std::vector<Post>& posts) {
      for (size_t i = 0; i < posts.size(); ++i) take("all_gather", outs[i], posts[i], 0);
    });
    count_bytes(bytes_of(x) * (static_cast<uint64_t>(size()) - 1));
  }
  void reduce_scatter(const TensorList& parts, const Tensor& out, ReduceKind kind) override {
    check_reduction("reduce_scatter", out.dtype(), kind);
    run(str("reduce_scatter ", name_of(kind), " of ", described(parts)), parts,
        [&](const std::vector<Post>& posts) {
          reduce(posts, static_cast<size_t>(index()), out, kind);
        });
    count_others(parts);
  }
  void all_to_all(const TensorList& parts, const TensorList& outs) override {
    run("all_to_all", parts, [&](const std::vector<Post>& posts) {
      for (size_t i = 0; i < posts.size(); ++i) {
        take("all_to_all", outs[i], posts[i], static_cast<size_t>(index()));
      }
    });
    count_others(parts);
  }
  void broadcast(const Tensor& x, int64_t root) override {
    run(str("broadcast from member ", root, " of ", x.dtype(), " ", x.shape()), {x},
        [&](const std::vector<Post>& posts) {
          if (root != index()) take("broadcast", x, posts[static_cast<size_t>(root)], 0);
        });
    if (root == index()) count_bytes(bytes_of(x) * (static_cast<uint64_t>(size()) - 1));
  }
  void barrier() override {
    run("barrier", {}, [](const std::vector<Post>&) {});
  }

 private:
  static Tensor copied(const Tensor& x) {
    const Tensor copy = Tensor::empty(x.shape(), x.dtype(), x.place());
    copy.overwrite_from(x);
    return copy;
  }

  template <typename Compute>
  void run(const std::string& call, const TensorList& tensors, Compute&& compute) {
    const std::string with = tensors.empty() ? "no tensor" : described(tensors);
    state_->meet(ranks(), index(), {call, with, tensors}, compute);
  }

  static void take(const char* what, const Tensor& into, const Post& from, size_t k) {
    const bool fits = k < from.tensors.size() && from.tensors[k].dtype() == into.dtype() &&
                      from.tensors[k].numel() == into.numel();
    PADDLE_CHECK_RUNTIME(fits, what, ": a member gave ", from.with, " where ", into.dtype(), " ",
                         into.shape(), " was expected.");
    into.overwrite_from(from.tensors[k]);
  }

  static void reduce(const std::vector<Post>& posts, size_t k, const Tensor& out, ReduceKind kind) {
    std::vector<const void*> parts;
    for (const Post& post : posts) parts.push_back(post.tensors[k].raw_data());
    reduce_in_order(parts.data(), parts.size(), out.raw_data(), out.numel(), out.dtype(), kind);
  }

  void count_others(const TensorList& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (static_cast<int64_t>(i) != index()) count_bytes(bytes_of(parts[i]));
    }
  }

  std::shared_ptr<ThreadJobState> state_;
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

ProcessGroup& ThreadJob::group(const Ranks& ranks) {
  for (const auto& group : groups_) {
    if (group->ranks() == ranks) return *group;
  }
  const std::set<int64_t> distinct(ranks.begin(), ranks.end());
  const auto own = std::find(ranks.begin(), ranks.end(), rank_);
  PADDLE_CHECK_VALUE(distinct.size() == ranks.size() && own != ranks.end() &&
                         *distinct.begin() >= 0 && *distinct.rbegin() < size(),
                     "group: ranks are ", listed(ranks),
                     "; they must be distinct ranks of the job (0 to ", size() - 1,
                     ") with this one, ", rank_, ", among them.");
  groups_.push_back(std::make_unique<ThreadGroup>(state_, ranks, own - ranks.begin()));
  return *groups_.back();
}

uint64_t ThreadJob::bytes_sent() const {
  uint64_t bytes = 0;
  for (const auto& group : groups_) bytes += group->bytes_sent();
  return bytes;
}

void ThreadJob::leave(const std::string& reason) { state_->leave(rank_, reason); }

}  // namespace paddle::distributed
