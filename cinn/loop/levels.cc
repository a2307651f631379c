// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which stages of a kernel wait for which, from the buffers that they read and write.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "cinn/loop/kernel.h"

namespace paddle::cinn {
namespace {

struct Touched {
  std::set<int64_t> read, written;
  std::unordered_set<Expr> seen;

  void add(Expr e) {
    if (!e || !seen.insert(e).second) return;
    if (e->op == ExprOp::kLoad) read.insert(e->integer);
    for (Expr a : e->args) add(a);
  }
  void add(const Body& body) {
    for (const Statement& s : body) std::visit([this](const auto& is) { add_statement(is); }, s.is);
  }
  void add_statement(const Loop& loop) {
    add(loop.extent);
    add(loop.body);
  }
  void add_statement(const If& branch) {
    add(branch.condition);
    add(branch.body);
  }
  void add_statement(const Store& store) {
    written.insert(store.buffer);
    add(store.index);
    add(store.value);
  }
  void add_statement(const StoreRun& store) {
    written.insert(store.buffer);
    add(store.index);
    for (Expr value : store.values) add(value);
  }
  void add_statement(const Declare& declare) { add(declare.value); }
  void add_statement(const Assign& assign) { add(assign.value); }
  void add_statement(const Accumulate& accumulate) { add(accumulate.value); }
  void add_statement(const Check& check) { add(check.condition); }
  void add_statement(const Barrier&) {}
};

bool meet(const std::set<int64_t>& a, const std::set<int64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](int64_t buffer) { return b.contains(buffer); });
}

}  // namespace

std::vector<int> levels_of(const Kernel& kernel) {
  std::vector<int> levels;
  std::vector<Touched> all(kernel.stages.size());
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].add(kernel.stages[i].body);
    int level = 0;
    for (size_t j = 0; j < i; ++j) {
      const bool waits = meet(all[j].written, all[i].read) || meet(all[j].read, all[i].written) ||
                         meet(all[j].written, all[i].written);
      if (waits) level = std::max(level, levels[j] + 1);
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace paddle::cinn
