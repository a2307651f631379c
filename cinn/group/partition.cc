// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One walk over the program. An operation joins the group of what it reads when both run over the
// same elements and nothing outside of the group lies between them; groups that it reads from
// become one. Views and constants belong to no group: whoever reads them gets a copy.
#include "cinn/group/partition.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "cinn/group/group_op.h"
#include "pir/dialect/effects.h"
#include "pir/ir/clone.h"

namespace paddle::cinn {
namespace {

constexpr size_t kMostMembers = 64;
constexpr size_t kMostOpen = 64;  // groups that may still grow

Dim numel(const pir::Type& type) {
  Dim all = 1;
  for (const Dim d : type.shape()) all = all * d;
  return all;
}

// Of elements, as far as it is known which is more.
Dim larger(Dim a, Dim b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (!a.is_symbolic() && !b.is_symbolic()) return std::max(a.value(), b.value());
  // A symbol counts as more than a number.
  return b.is_symbolic() && !a.is_symbolic() ? b : a;
}

bool is_constant_maker(const pir::Operation& op) {
  return op.is("pd_op.full") || op.is("pd_op.full_int_array") || op.is("builtin.dims") ||
         op.is("builtin.constant");
}

struct Group {
  std::vector<pir::Operation*> members;
  std::set<int> after;  // groups that it needs, directly or through others
  Dim elements = 1;
  bool open = true;
  int merged_into = -1;
};

class Walk {
 public:
  Walk(pir::Block& block, Partitioned& done) : block_(block), done_(done) {}

  void run() {
    for (const auto& op : block_.operations()) {
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) Walk(*inner, done_).run();
      }
      visit(*op);
    }
    for (Group& g : groups_) form(g);
  }

 private:
  void visit(pir::Operation& op) {
    if (is_constant_maker(op) || op.is("builtin.combine")) {
      note_needs(op);
      return;
    }
    if (!pir::is_pure(op) || !op.regions().empty()) {
      note_needs(op);
      close_all();
      return;
    }
    note_needs(op);
    const bool possible = is_candidate(op);
    if (possible && op.def->is_view()) {
      views_.insert(&op);
      return;
    }
    if (!possible) return;
    join(op);
  }

  // -- what an operation needs --
  // The group that group g has become part of.
  int current(int g) const {
    while (groups_[static_cast<size_t>(g)].merged_into >= 0) {
      g = groups_[static_cast<size_t>(g)].merged_into;
    }
    return g;
  }
  int group_of(const pir::Operation* op) const {
    const auto found = group_of_.find(op);
    return found == group_of_.end() ? -1 : current(found->second);
  }
  // Open groups that need for `g` stands for: itself, or what it needs when it is closed.
  void add_open(int g, std::set<int>& all, std::set<int>& seen) const {
    g = current(g);
    if (!seen.insert(g).second) return;
    const Group& group = groups_[static_cast<size_t>(g)];
    if (group.open) {
      all.insert(g);
      return;
    }
    for (const int before : group.after) add_open(before, all, seen);
  }
  void note_needs(const pir::Operation& op) {
    std::set<int> all, seen;
    for (const pir::Value* v : op.operands()) {
      const pir::Operation* maker = v ? v->producer() : nullptr;
      if (!maker) continue;
      if (const int g = group_of(maker); g >= 0) {
        add_open(g, all, seen);
      } else if (const auto found = needs_.find(maker); found != needs_.end()) {
        for (const int n : found->second) add_open(n, all, seen);
      }
    }
    needs_[&op] = std::move(all);
  }
  // Whether one of the groups is `g`, or needs it. A group needs what any of its members does.
  bool reach(const std::set<int>& from, int g) const {
    std::set<int> seen;
    std::vector<int> waiting(from.begin(), from.end());
    while (!waiting.empty()) {
      const int at = current(waiting.back());
      waiting.pop_back();
      if (at == g) return true;
      if (!seen.insert(at).second) continue;
      const auto& after = groups_[static_cast<size_t>(at)].after;
      waiting.insert(waiting.end(), after.begin(), after.end());
    }
    return false;
  }

  // Through views and lists, which a group takes along.
  void producers_of(const pir::Value* v, std::vector<const pir::Operation*>& makers) const {
    const pir::Operation* maker = v ? v->producer() : nullptr;
    if (!maker || is_constant_maker(*maker)) return;
    if (views_.contains(maker) || maker->is("builtin.combine")) {
      for (const pir::Value* inner : maker->operands()) producers_of(inner, makers);
      return;
    }
    makers.push_back(maker);
  }

  // -- candidates --
  bool is_candidate(const pir::Operation& op) {
    if (!op.def || !op.regions().empty() || op.num_results() == 0 || op.def->list_result ||
        op.def->is_native_inplace() || op.def->has(kRandom | kSideEffect | kDynamicOutput)) {
      return false;
    }
    for (size_t k = 0; k < op.num_results(); ++k) {
      const pir::Type& type = op.result(k)->type();
      if (!type.is_tensor()) return false;
      if (type.place().kind != DeviceKind::kCpu) return false;
    }
    // Alone in a group: what it becomes there is known once for equal calls.
    const std::string key = key_of(op);
    static std::mutex mutex;
    static std::unordered_map<std::string, std::string> answers;
    {
      const std::lock_guard lock(mutex);
      if (const auto found = answers.find(key); found != answers.end()) {
        if (!found->second.empty()) decide(op, found->second);
        return found->second.empty();
      }
    }
    const std::string obstacle = obstacle_of(op);
    const std::lock_guard lock(mutex);
    if (answers.size() > 4096) answers.clear();
    answers[key] = obstacle;
    if (!obstacle.empty()) decide(op, obstacle);
    return obstacle.empty();
  }

  static std::string key_of(const pir::Operation& op) {
    std::ostringstream out;
    out << op.name();
    for (const auto& [name, value] : op.attributes()) out << ' ' << name << '=' << value;
    for (const pir::Value* v : op.operands()) {
      if (!v) continue;
      const pir::Operation* maker = v->producer();
      out << ' ' << v->type();
      if (maker && is_constant_maker(*maker)) {
        for (const auto& [name, value] : maker->attributes()) out << ' ' << name << '=' << value;
      }
      if (maker && maker->is("builtin.combine")) {
        for (const pir::Value* e : maker->operands()) out << ' ' << e->type();
      }
    }
    return std::move(out).str();
  }

  std::string obstacle_of(const pir::Operation& op) {
    pir::Program scratch;
    class Copy : public pir::Cloner {
     public:
      void map(const pir::Value* from, pir::Value* to) { values_[from] = to; }
    } copy;
    auto group = std::make_unique<pir::Operation>(kGroup, std::vector<pir::Value*>(),
                                                  std::vector<pir::Type>(),
                                                  std::vector<pir::NamedAttribute>());
    pir::Block& block = group->add_region().add_block();
    const std::function<void(const pir::Value*)> take = [&](const pir::Value* v) {
      if (!v || copy.of(v)) return;
      const pir::Operation* maker = v->producer();
      if (maker && (is_constant_maker(*maker) || maker->is("builtin.combine"))) {
        for (const pir::Value* inner : maker->operands()) take(inner);
        block.append(copy.clone(*maker));
      } else {
        copy.map(v, block.add_argument(v->type()));
      }
    };
    try {
      for (const pir::Value* v : op.operands()) take(v);
      block.append(copy.clone(op));
      std::vector<pir::Value*> results;
      for (size_t k = 0; k < op.num_results(); ++k) results.push_back(copy.of(op.result(k)));
      block.append(std::make_unique<pir::Operation>("cf.yield", results, std::vector<pir::Type>(),
                                                    std::vector<pir::NamedAttribute>()));
      GroupForm::of(*group);
      return "";
    } catch (const Error& e) {
      return e.message();
    }
  }

  void decide(const pir::Operation& op, const std::string& why) {
    done_.decisions.push_back({op.name(), why});
  }

  // -- groups --
  static Dim elements_of(const pir::Operation& op) {
    Dim most = 1;
    for (const pir::Value* v : op.operands()) {
      if (v && v->type().is_tensor() && !(v->producer() && is_constant_maker(*v->producer()))) {
        // What is read at some places only says nothing of the elements that are computed.
        const bool picks = op.is("pd_op.gather") || op.is("pd_op.gather_nd") ||
                           op.is("pd_op.take_along_axis") || op.def->is_view();
        if (!picks) most = larger(most, numel(v->type()));
      }
    }
    for (size_t k = 0; k < op.num_results(); ++k) most = larger(most, numel(op.result(k)->type()));
    return most;
  }

  // Whether something outside of group g lies between it and the operation, or group.
  bool passes_outside(int g, const std::vector<pir::Operation*>& readers, int own) const {
    for (const pir::Operation* op : readers) {
      std::vector<const pir::Operation*> makers;
      for (const pir::Value* v : op->operands()) producers_of(v, makers);
      for (const pir::Operation* maker : makers) {
        const int of = group_of(maker);
        if (of == g || (of >= 0 && of == own)) continue;
        if (of >= 0 ? reach(groups_[static_cast<size_t>(of)].after, g)
                    : needs_.contains(maker) && reach(needs_.at(maker), g)) {
          return true;
        }
      }
    }
    return false;
  }

  void join(pir::Operation& op) {
    std::vector<const pir::Operation*> makers;
    for (const pir::Value* v : op.operands()) producers_of(v, makers);
    const Dim elements = elements_of(op);
    int mine = -1;
    for (const pir::Operation* maker : makers) {
      const int g = group_of(maker);
      if (g < 0 || g == mine) continue;
      Group& group = groups_[static_cast<size_t>(g)];
      if (!group.open) continue;
      if (!fits(op, elements, group, *maker)) {
        decide(op, str("not with ", maker->name(), ": it runs over other elements"));
        continue;
      }
      if (passes_outside(g, {&op}, mine)) {
        decide(op, str("not with ", maker->name(), ": an operation of another kind lies between"));
        continue;
      }
      if (mine < 0) {
        if (group.members.size() >= kMostMembers) continue;
        mine = g;
        add(op, g, elements);
      } else if (may_merge(mine, g)) {
        merge(g, mine);
      } else {
        decide(op, str("its operands' groups stay apart at ", maker->name()));
      }
    }
    if (mine >= 0) return;
    groups_.push_back({});
    open_.push_back(static_cast<int>(groups_.size()) - 1);
    add(op, open_.back(), elements);
    if (open_.size() > kMostOpen) {
      groups_[static_cast<size_t>(open_.front())].open = false;
      open_.erase(open_.begin());
    }
  }

  // The same elements, what a reduction of the group leaves, or a small value computed again.
  bool fits(const pir::Operation& op, Dim elements, const Group& group,
            const pir::Operation& maker) const {
    if (elements == group.elements) return true;
    Dim made = 1;
    for (size_t k = 0; k < maker.num_results(); ++k)
      made = larger(made, numel(maker.result(k)->type()));
    if (elements == made && made != group.elements) return true;
    (void)op;
    return false;
  }

  bool may_merge(int a, int b) const {
    const Group &x = groups_[static_cast<size_t>(a)], &y = groups_[static_cast<size_t>(b)];
    return x.open && y.open && x.members.size() + y.members.size() <= kMostMembers &&
           x.elements == y.elements && !passes_outside(a, y.members, b) &&
           !passes_outside(b, x.members, a);
  }

  void add(pir::Operation& op, int g, Dim elements) {
    Group& group = groups_[static_cast<size_t>(g)];
    group.members.push_back(&op);
    if (group.members.size() == 1) group.elements = elements;
    group_of_[&op] = g;
    for (const int n : needs_[&op]) {
      if (current(n) != g) group.after.insert(current(n));
    }
  }

  void merge(int from, int into) {
    Group &a = groups_[static_cast<size_t>(from)], &b = groups_[static_cast<size_t>(into)];
    b.members.insert(b.members.end(), a.members.begin(), a.members.end());
    b.after.insert(a.after.begin(), a.after.end());
    a.members.clear();
    a.after.clear();
    a.open = false;
    a.merged_into = into;
    std::erase(open_, from);
    std::set<int> after;
    for (const int g : b.after) {
      if (current(g) != into) after.insert(current(g));
    }
    b.after = std::move(after);
  }

  void close_all() {
    for (const int g : open_) groups_[static_cast<size_t>(g)].open = false;
    open_.clear();
  }

  // -- the result --
  void form(Group& group) {
    if (group.members.size() < 2) return;
    std::vector<pir::Operation*> sorted;
    std::unordered_set<const pir::Operation*> members(group.members.begin(), group.members.end());
    std::vector<pir::Operation*> copied;
    std::unordered_set<const pir::Operation*> taken;
    const std::function<void(const pir::Value*)> take = [&](const pir::Value* v) {
      pir::Operation* maker = v ? v->producer() : nullptr;
      if (!maker || members.contains(maker) || taken.contains(maker)) return;
      if (is_constant_maker(*maker)) {
        if (maker->is("builtin.constant") &&
            maker->attribute("value").get<pir::DenseValues>().tensor.numel() != 1) {
          return;
        }
      } else if (!views_.contains(maker) && !maker->is("builtin.combine")) {
        return;
      }
      taken.insert(maker);
      for (const pir::Value* inner : maker->operands()) take(inner);
      copied.push_back(maker);
    };
    for (pir::Operation* op : group.members) {
      for (const pir::Value* v : op->operands()) take(v);
    }
    // What nobody else reads goes along instead of being copied; its users come first.
    std::vector<pir::Operation*> kept;
    for (size_t i = copied.size(); i-- > 0;) {
      pir::Operation* op = copied[i];
      bool mine = op->block() == &block_;
      for (size_t k = 0; k < op->num_results(); ++k) {
        for (const pir::Use& use : op->result(k)->uses()) mine = mine && members.contains(use.op);
      }
      if (mine) {
        members.insert(op);
      } else {
        kept.insert(kept.begin(), op);
      }
    }
    copied = std::move(kept);
    // In the order of the block, which others' outlining may have changed.
    size_t left = members.size();
    for (auto at = group.members.front()->block()->operations().begin(); left > 0; ++at) {
      if (members.contains(at->get())) {
        sorted.push_back(at->get());
        --left;
      }
    }
    // They are gone then, and others may stand where they stood in memory.
    for (const pir::Operation* op : members) views_.erase(op);
    pir::Operation* made = outline(sorted, copied);
    try {
      done_.groups.push_back({made, GroupForm::of(*made)});
    } catch (const Error& e) {
      decide(*made, e.message());
      inline_group(*made);
    }
  }

  pir::Block& block_;
  Partitioned& done_;
  std::vector<Group> groups_;
  std::vector<int> open_;
  std::unordered_map<const pir::Operation*, int> group_of_;
  std::unordered_map<const pir::Operation*, std::set<int>> needs_;
  std::unordered_set<const pir::Operation*> views_;
};

}  // namespace

Partitioned partition(pir::Block& block) {
  Partitioned done;
  Walk(block, done).run();
  return done;
}

}  // namespace paddle::cinn
