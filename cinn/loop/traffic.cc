// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses counted loop by loop.
#include "cinn/loop/traffic.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace paddle::cinn {
namespace {

// By buffer: accesses.
struct Accesses {
  std::map<int64_t, int64_t> read, written;
};

// What the innermost loops of a stage access, each by itself, and last what stands outside of them.
class Counter {
 public:
  Counter(const Kernel& kernel, const int64_t* sizes) : kernel_(kernel), sizes_(sizes) {}

  std::vector<Accesses> of(const Stage& stage) {
    loops_.clear();
    outside_ = Accesses();
    const int64_t threads = stage.is_of_blocks() ? stage.threads : 1;
    count(stage.body, evaluate(stage.tasks, sizes_) * threads, outside_);
    loops_.push_back(std::move(outside_));
    return std::move(loops_);
  }

 private:
  // In the first iteration of the loops around it, which is no shorter than others.
  int64_t iterations(Expr extent) const {
    ExprPool& pool = *kernel_.pool;
    const Expr first = pool.rewrite(
        extent, [&](Expr e) { return e->op == ExprOp::kVariable ? pool.integer(0) : nullptr; });
    return std::max<int64_t>(0, evaluate(first, sizes_));
  }

  static bool has_loop(const Body& body) {
    return std::any_of(body.begin(), body.end(), [](const Statement& s) {
      if (const auto* branch = std::get_if<If>(&s.is)) return has_loop(branch->body);
      return std::holds_alternative<Loop>(s.is);
    });
  }

  void count(const Body& body, int64_t times, Accesses& into) {
    std::unordered_set<Expr> seen;
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.is)) {
        const int64_t inside = times * iterations(loop->extent);
        if (has_loop(loop->body)) {
          count(loop->body, inside, into);
        } else {
          Accesses own;
          count(loop->body, inside, own);
          loops_.push_back(std::move(own));
        }
      } else if (const auto* branch = std::get_if<If>(&s.is)) {
        add(branch->condition, times, into, seen);
        count(branch->body, times, into);
      } else if (const auto* store = std::get_if<Store>(&s.is)) {
        into.written[store->buffer] += times;
        add(store->index, times, into, seen);
        add(store->value, times, into, seen);
      } else if (const auto* run = std::get_if<StoreRun>(&s.is)) {
        into.written[run->buffer] += times * static_cast<int64_t>(run->values.size());
        add(run->index, times, into, seen);
        for (Expr value : run->values) add(value, times, into, seen);
      } else if (const auto* declare = std::get_if<Declare>(&s.is)) {
        add(declare->value, times, into, seen);
      } else if (const auto* assign = std::get_if<Assign>(&s.is)) {
        add(assign->value, times, into, seen);
      } else if (const auto* accumulate = std::get_if<Accumulate>(&s.is)) {
        add(accumulate->value, times, into, seen);
      } else if (const auto* check = std::get_if<Check>(&s.is)) {
        add(check->condition, times, into, seen);
      }
    }
  }
  static void add(Expr e, int64_t times, Accesses& into, std::unordered_set<Expr>& seen) {
    if (!seen.insert(e).second) return;
    if (e->op == ExprOp::kLoad) into.read[e->integer] += times;
    for (Expr a : e->args) add(a, times, into, seen);
  }

  const Kernel& kernel_;
  const int64_t* sizes_;
  std::vector<Accesses> loops_;
  Accesses outside_;
};

}  // namespace

Traffic traffic_of(const Kernel& kernel, const int64_t* sizes, bool rows_stay) {
  Traffic traffic;
  std::map<int64_t, int64_t> most_read, most_written;
  Counter counter(kernel, sizes);
  const auto bytes = [&](int64_t buffer, int64_t accesses) {
    const Buffer& b = kernel.buffers[static_cast<size_t>(buffer)];
    return std::min(evaluate(b.elements, sizes), accesses) * static_cast<int64_t>(size_of(b.dtype));
  };
  const auto in_memory = [&](int64_t buffer) {
    const Space space = kernel.buffers[static_cast<size_t>(buffer)].space;
    return space != Space::kScratch && space != Space::kShared;
  };
  for (const Stage& stage : kernel.stages) {
    std::map<int64_t, int64_t> read, written;
    const auto add = [&](const auto& accesses, auto& all) {
      for (const auto& [buffer, times] : accesses) {
        if (!in_memory(buffer)) continue;
        const int64_t more = bytes(buffer, times);
        all[buffer] = rows_stay ? std::max(all[buffer], more) : all[buffer] + more;
      }
    };
    for (const Accesses& a : counter.of(stage)) {
      add(a.read, read);
      add(a.written, written);
    }
    const auto note = [&](const auto& all, auto& most) {
      for (const auto& [buffer, moved] : all) {
        traffic.moved += moved;
        const Buffer& b = kernel.buffers[static_cast<size_t>(buffer)];
        const int64_t whole = evaluate(b.elements, sizes) * static_cast<int64_t>(size_of(b.dtype));
        most[buffer] = std::max(most[buffer], std::min(moved, whole));
      }
    };
    note(read, most_read);
    note(written, most_written);
  }
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Space space = kernel.buffers[i].space;
    const auto number = static_cast<int64_t>(i);
    if (space == Space::kInput || space == Space::kUpdated) traffic.least += most_read[number];
    if (space == Space::kOutput || space == Space::kUpdated) traffic.least += most_written[number];
  }
  return traffic;
}

}  // namespace paddle::cinn
