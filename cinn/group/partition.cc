// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One walk over the program. An operation joins the group of what it reads when both run over the
// same elements and nothing outside of the group lies between them; groups that it reads from
// become one. Views and constants belong to no group: whoever reads them gets a copy. An operation
// that overwrites an operand stays behind what reads the operand before, and one that draws random
// numbers behind those that draw before it, so that a program draws in one order. In the end those
// that may run side by side are joined (side_by_side.h).
#include "cinn/group/partition.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "cinn/group/candidates.h"
#include "cinn/group/elements.h"
#include "cinn/group/group_op.h"
#include "cinn/group/side_by_side.h"
#include "cinn/scalar/scalar_math.h"
#include "pir/dialect/effects.h"

namespace paddle::cinn {
namespace {

constexpr size_t kMostMembers = 64;
constexpr size_t kMostOpen = 64;  // groups that may still grow

struct Group {
  std::vector<pir::Operation*> members;
  std::set<int> after;  // groups that it needs, directly or through others
  Dim elements = 1;
  bool open = true;
  int merged_into = -1;
  size_t last_draw = 0;  // the number of its last random operation, from 1; 0: it has none
};

class Walk {
 public:
  Walk(pir::Block& block, Partitioned& done)
      : block_(block), done_(done), formed_(done.decisions) {}

  void run() {
    for (const auto& op : block_.operations()) {
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) Walk(*inner, done_).run();
      }
      visit(*op);
    }
    name_edges();
    for (size_t g = 0; g < groups_.size(); ++g) form(static_cast<int>(g));
    join_side_by_side(block_, formed_, singles_);
    give_groups();
  }

 private:
  void visit(pir::Operation& op) {
    if (is_constant_maker(op) || op.is("builtin.combine")) {
      note_needs(op);
      return;
    }
    const bool updates = is_update(op);
    const bool effect = !pir::is_pure(op) && !updates;
    const Candidate found = candidate(op);
    const bool possible = found.possible;
    const bool draws = effect && possible && is_random_by_element(op);
    if (found.lacks_form) decide(op, found.why_not);
    if ((effect && !draws) || !op.regions().empty()) {
      note_needs(op);
      stays_outside(
          op, op.def && op.def->has(kRandom) ? found.why_not : "it has an effect, or regions");
      close_all();
      return;
    }
    if (!possible) stays_outside(op, found.why_not);
    if (draws) {
      drawn_before_[&op] = last_drawn_;
      last_drawn_ = &op;
    }
    note_needs(op);
    if (updates && !possible) return close_all();
    if (possible && (op.def->is_view() || is_part(op))) {
      views_.insert(&op);
      return;
    }
    if (!possible) return;
    join(op);
    if (updates) close_readers(op);
  }

  // Something cheap of one tensor that is only put together with others: whoever does that computes
  // it where it stands.
  static bool is_part(const pir::Operation& op) {
    constexpr int kCheap = 2;
    if (!has_scalar_form(*op.def) || scalar_weight(op) > kCheap || op.num_results() != 1 ||
        tensor_operands(op).size() != 1 || !op.result()->used()) {
      return false;
    }
    for (const pir::Use& list : op.result()->uses()) {
      if (!list.op->is("builtin.combine")) return false;
      for (const pir::Use& use : list.op->result()->uses()) {
        if (!use.op->is("pd_op.concat")) return false;
      }
    }
    return true;
  }

  // What stands before the operation although it reads no result of it: whatever else reads what it
  // overwrites, and the one that draws before it.
  std::vector<pir::Operation*> earlier(const pir::Operation& op) const {
    std::vector<pir::Operation*> all = earlier_readers(op);
    const auto drawn = drawn_before_.find(&op);
    if (drawn != drawn_before_.end() && drawn->second) all.push_back(drawn->second);
    return all;
  }

  // What joined them later would read the operand when it is overwritten.
  void close_readers(const pir::Operation& op) {
    const int mine = group_of(&op);
    for (const pir::Operation* reader : earlier_readers(op)) {
      const int g = group_of(reader);
      if (g < 0 || g == mine || !groups_[static_cast<size_t>(g)].open) continue;
      groups_[static_cast<size_t>(g)].open = false;
      std::erase(open_, g);
    }
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
    std::vector<const pir::Operation*> makers;
    for (const pir::Value* v : op.operands()) {
      if (v && v->producer()) makers.push_back(v->producer());
    }
    const auto before = earlier(op);
    makers.insert(makers.end(), before.begin(), before.end());
    for (const pir::Operation* maker : makers) {
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

  void decide(const pir::Operation& op, const std::string& why) {
    done_.decisions.push_back({op.name(), why});
  }

  // -- groups --
  // Whether something outside of group g lies between it and the operation, or group.
  bool passes_outside(int g, const std::vector<pir::Operation*>& readers, int own) const {
    for (const pir::Operation* op : readers) {
      std::vector<const pir::Operation*> makers;
      for (const pir::Value* v : op->operands()) producers_of(v, makers);
      for (const pir::Operation* before : earlier(*op)) makers.push_back(before);
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
    // A group that draws later needs those that draw before: with it they may become one.
    const auto last_draw = [&](const pir::Operation* maker) {
      const int g = group_of(maker);
      return g < 0 ? 0 : groups_[static_cast<size_t>(g)].last_draw;
    };
    std::stable_sort(makers.begin(), makers.end(),
                     [&](const auto* a, const auto* b) { return last_draw(a) > last_draw(b); });
    const Dim elements = elements_of(op);
    int mine = -1;
    for (const pir::Operation* maker : makers) {
      const int g = group_of(maker);
      if (g < 0) {
        const auto known = outside_.find(maker);
        if (known != outside_.end()) note(*maker, op, known->second);
        continue;
      }
      Group& group = groups_[static_cast<size_t>(g)];
      if (g == mine) {
        note(*maker, op, why_fits(elements, group), true);
        continue;
      }
      if (!group.open) {
        note(*maker, op,
             "the group is complete: something with an effect, or too much, follows it");
        continue;
      }
      if (!fits(op, elements, group, *maker)) {
        decide(op, str("not with ", maker->name(), ": it runs over other elements"));
        note(*maker, op,
             str("it runs over ", elements, " elements and the group over ", group.elements));
        continue;
      }
      if (passes_outside(g, {&op}, mine)) {
        decide(op, str("not with ", maker->name(), ": an operation of another kind lies between"));
        note(*maker, op, "an operation outside of the group lies between");
        continue;
      }
      if (mine < 0) {
        if (group.members.size() >= kMostMembers) {
          note(*maker, op, str("the group has ", kMostMembers, " operations, which is the most"));
          continue;
        }
        note(*maker, op, why_fits(elements, group), true);
        mine = g;
        add(op, g, elements);
      } else if (may_merge(mine, g)) {
        note(*maker, op, why_fits(elements, group), true);
        merge(g, mine);
      } else {
        decide(op, str("its operands' groups stay apart at ", maker->name()));
        const Group& own = groups_[static_cast<size_t>(mine)];
        note(*maker, op,
             own.elements == group.elements
                 ? str("an operation lies between the groups of its operands, or they have more "
                       "than ",
                       kMostMembers, " operations together")
                 : str("the groups of its operands run over ", own.elements, " and ",
                       group.elements, " elements"));
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
    // Updates go with each other, in one launch.
    if (is_update(op)) return false;
    Dim made = 1;
    for (size_t k = 0; k < maker.num_results(); ++k) {
      if (maker.result(k)->type().is_tensor()) made = larger(made, numel(maker.result(k)->type()));
    }
    return elements == made && made != group.elements;
  }

  static std::string why_fits(Dim elements, const Group& group) {
    if (elements == group.elements) return str("both run over ", elements, " elements");
    return str("it reads what the group leaves of a row: ", elements, " of ", group.elements,
               " elements");
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
    if (drawn_before_.contains(&op)) group.last_draw = drawn_before_.size();
    group_of_[&op] = g;
    for (const int n : needs_[&op]) {
      if (current(n) != g) group.after.insert(current(n));
    }
  }

  void merge(int from, int into) {
    Group &a = groups_[static_cast<size_t>(from)], &b = groups_[static_cast<size_t>(into)];
    b.members.insert(b.members.end(), a.members.begin(), a.members.end());
    b.after.insert(a.after.begin(), a.after.end());
    b.last_draw = std::max(a.last_draw, b.last_draw);
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
  void form(int number) {
    const Group& group = groups_[static_cast<size_t>(number)];
    if (group.members.size() == 1) singles_[group.members[0]] = number;
    if (group.members.size() < 2) return;
    std::vector<pir::Operation*> sorted;
    std::unordered_set<const pir::Operation*> members(group.members.begin(), group.members.end());
    std::vector<pir::Operation*> copied;
    std::unordered_set<const pir::Operation*> taken;
    const std::function<void(const pir::Value*)> take = [&](const pir::Value* v) {
      pir::Operation* maker = v ? v->producer() : nullptr;
      if (!maker || members.contains(maker) || taken.contains(maker)) return;
      if (is_constant_maker(*maker)) {
        if (maker->is("builtin.constant") && !is_uniform(*maker)) return;
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
    // In the order of the block, which others' outlining may have changed: seldom so that a member
    // stands before the one that was the first.
    for (auto at = group.members.front()->position(); sorted.size() < members.size(); ++at) {
      if (at == block_.operations().end()) {
        sorted.clear();
        at = block_.operations().begin();
      }
      if (members.contains(at->get())) sorted.push_back(at->get());
    }
    // They are gone then, and others may stand where they stood in memory.
    for (const pir::Operation* op : sorted) views_.erase(op);
    formed_.make(sorted, copied, {number});
  }

  // -- what is said of edges --
  // An operation that is in no group, and why; the edges from groups to it.
  void stays_outside(const pir::Operation& op, const std::string& why) {
    if (!op.def || op.is("pd_op.data")) return;  // where the program begins and ends
    constexpr std::string_view kOurs = "cinn: ";
    std::string text = why.starts_with(kOurs) ? why.substr(kOurs.size()) : why;
    if (text.ends_with('.')) text.pop_back();
    if (!text.starts_with(op.name())) text = str(op.name(), ": ", text);
    outside_[&op] = std::move(text);
    std::vector<const pir::Operation*> makers;
    for (const pir::Value* v : op.operands()) producers_of(v, makers);
    for (const pir::Operation* maker : makers) {
      if (group_of(maker) >= 0) note(*maker, op, outside_[&op]);
    }
  }
  void note(const pir::Operation& from, const pir::Operation& to, std::string why,
            bool joined = false) {
    verdicts_.push_back({&from, &to, std::move(why), joined});
  }
  // By name and number while the operations are there: forming moves them.
  void name_edges() {
    for (Verdict& v : verdicts_) {
      edges_.push_back({v.from->name(), v.to->name(), std::move(v.why), group_of(v.from),
                        group_of(v.to), v.joined});
    }
  }
  void give_groups() {
    std::unordered_map<int, int> positions;  // by number of the walk: of the group that it became
    std::vector<FormedGroup> made;
    for (const auto& op : block_.operations()) {
      const auto* parts = formed_.parts(op.get());
      if (!parts) continue;
      for (const int number : formed_.numbers(*op)) {
        positions[number] = static_cast<int>(done_.groups.size() + made.size());
      }
      made.push_back({op.get(), *parts, {}});
    }
    const auto position = [&](int number) {
      const auto found = positions.find(number);
      return found == positions.end() ? -1 : found->second;
    };
    const auto group_at = [&](int at) -> FormedGroup& {
      return made[static_cast<size_t>(at) - done_.groups.size()];
    };
    for (const NamedEdge& e : edges_) {
      const int from = position(e.from_group), to = position(e.to_group);
      if (from >= 0 && from == to) {
        group_at(from).edges.push_back(
            {e.from, e.to, true, false, -1,
             e.joined ? e.why : "another operation joined their groups"});
        continue;
      }
      if (from >= 0) group_at(from).edges.push_back({e.from, e.to, false, false, to, e.why});
      if (to >= 0) group_at(to).edges.push_back({e.from, e.to, false, true, from, e.why});
    }
    std::move(made.begin(), made.end(), std::back_inserter(done_.groups));
  }

  struct Verdict {
    const pir::Operation *from, *to;
    std::string why;
    bool joined;
  };
  struct NamedEdge {
    std::string from, to, why;
    int from_group, to_group;  // numbers of the walk, or -1
    bool joined;
  };
  std::vector<Verdict> verdicts_;
  std::vector<NamedEdge> edges_;
  std::unordered_map<const pir::Operation*, std::string> outside_;  // and why

  pir::Block& block_;
  Partitioned& done_;
  std::vector<Group> groups_;
  std::vector<int> open_;
  std::unordered_map<const pir::Operation*, int> group_of_;
  std::unordered_map<const pir::Operation*, std::set<int>> needs_;
  // By random operation that may be in a group: the one before it.
  std::unordered_map<const pir::Operation*, pir::Operation*> drawn_before_;
  pir::Operation* last_drawn_ = nullptr;
  std::unordered_set<const pir::Operation*> views_;
  std::unordered_map<const pir::Operation*, int> singles_;  // candidates that are alone
  FormedGroups formed_;
};

}  // namespace

Partitioned partition(pir::Block& block) {
  Partitioned done;
  Walk(block, done).run();
  return done;
}

}  // namespace paddle::cinn
