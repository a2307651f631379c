// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One walk over the program. An operation joins the group of what it reads when both run over the
// same elements and nothing outside of the group lies between them; groups that it reads from
// become one. Views and constants belong to no group: whoever reads them gets a copy. An operation
// that overwrites an operand stays behind what reads the operand before. In the end groups that
// need nothing of each other, and are small or update state, become one that runs them side by
// side.
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
constexpr size_t kMostOpen = 64;     // groups that may still grow
constexpr size_t kMostBeside = 256;  // operations of parts that run side by side
constexpr int64_t kSmall = 1 << 16;  // elements of a group whose start takes most of its time

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
    join_side_by_side();
    for (const auto& op : block_.operations()) {
      const auto found = formed_.find(op.get());
      if (found != formed_.end()) done_.groups.push_back({op.get(), std::move(found->second)});
    }
  }

 private:
  void visit(pir::Operation& op) {
    if (is_constant_maker(op) || op.is("builtin.combine")) {
      note_needs(op);
      return;
    }
    const bool updates = is_update(op);
    if ((!pir::is_pure(op) && !updates) || !op.regions().empty()) {
      note_needs(op);
      close_all();
      return;
    }
    note_needs(op);
    const bool possible = is_candidate(op);
    if (updates && !possible) return close_all();
    if (possible && op.def->is_view()) {
      views_.insert(&op);
      return;
    }
    if (!possible) return;
    join(op);
    if (updates) close_readers(op);
  }

  // An operator whose only effect is that it overwrites operands.
  static bool is_update(const pir::Operation& op) {
    return op.def && op.def->is_native_inplace() && op.def->decompose_fn && op.regions().empty() &&
           !op.def->has(kRandom | kDynamicOutput);
  }

  // Those of what the operation overwrites, without itself.
  static std::vector<pir::Operation*> earlier_readers(const pir::Operation& op) {
    std::vector<pir::Operation*> readers;
    for (const pir::Value* target : overwritten_operands(op)) {
      for (pir::Operation* reader : readers_of(target)) {
        if (reader != &op) readers.push_back(reader);
      }
    }
    return readers;
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
    const auto readers = earlier_readers(op);
    makers.insert(makers.end(), readers.begin(), readers.end());
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

  // -- candidates --
  bool is_candidate(const pir::Operation& op) {
    const bool updates = is_update(op);
    if (!op.def || !op.regions().empty() || op.num_results() == 0 || op.def->list_result ||
        (op.def->is_native_inplace() && !updates) || op.def->has(kRandom | kDynamicOutput) ||
        (op.def->has(kSideEffect) && !updates)) {
      return false;
    }
    for (size_t k = 0; k < op.num_results(); ++k) {
      const pir::Type& type = op.result(k)->type();
      if (updates && type.is_null() && !op.result(k)->used()) continue;
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
      if (!v) {
        out << " none";
        continue;
      }
      const pir::Operation* maker = v->producer();
      out << ' ' << v->type();
      if (maker && is_constant_maker(*maker)) {
        if (maker->is("builtin.constant")) out << (is_uniform(*maker) ? " uniform" : " various");
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
      for (size_t k = 0; k < op.num_results(); ++k) {
        if (!op.result(k)->type().is_null()) results.push_back(copy.of(op.result(k)));
      }
      block.append(std::make_unique<pir::Operation>("cf.yield", results, std::vector<pir::Type>(),
                                                    std::vector<pir::NamedAttribute>()));
      GroupForm::parts_of(*group);
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
    for (size_t k = 0; k < op.num_results(); ++k) {
      if (op.result(k)->type().is_tensor()) most = larger(most, numel(op.result(k)->type()));
    }
    return most;
  }

  // Whether something outside of group g lies between it and the operation, or group.
  bool passes_outside(int g, const std::vector<pir::Operation*>& readers, int own) const {
    for (const pir::Operation* op : readers) {
      std::vector<const pir::Operation*> makers;
      for (const pir::Value* v : op->operands()) producers_of(v, makers);
      for (const pir::Operation* reader : earlier_readers(*op)) makers.push_back(reader);
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
    // Updates go with each other, in one launch.
    if (is_update(op)) return false;
    Dim made = 1;
    for (size_t k = 0; k < maker.num_results(); ++k) {
      if (maker.result(k)->type().is_tensor()) made = larger(made, numel(maker.result(k)->type()));
    }
    return elements == made && made != group.elements;
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
    if (group.members.size() == 1) singles_.insert(group.members[0]);
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
    make(sorted, copied);
  }

  // Null where no kernels are made of it.
  pir::Operation* make(const std::vector<pir::Operation*>& members,
                       const std::vector<pir::Operation*>& copied) {
    // They are gone then, and others may stand where they stood in memory.
    for (const pir::Operation* op : members) views_.erase(op);
    pir::Operation* made = outline(members, copied);
    try {
      formed_[made] = GroupForm::parts_of(*made);
      return made;
    } catch (const Error& e) {
      decide(*made, e.message());
      inline_group(*made);
      return nullptr;
    }
  }

  // -- side by side --
  // Operations that need nothing of each other, in the order of the block, and what needs them.
  struct Row {
    std::vector<pir::Operation*> members;
    std::unordered_set<const pir::Operation*> known, behind;
    size_t operations = 0;
  };

  void join_side_by_side() {
    Row updates, small;
    std::vector<Row> rows;
    const auto end = [&](Row& row) {
      if (row.members.size() > 1) rows.push_back(std::move(row));
      row = Row();
    };
    for (const auto& at : block_.operations()) {
      pir::Operation& op = *at;
      if (is_constant_maker(op)) continue;
      const bool formed = formed_.contains(&op);
      const bool update = (formed || singles_.contains(&op)) && !overwritten_operands(op).empty();
      if (!update && (!pir::is_pure(op) || (!op.regions().empty() && !formed))) {
        end(updates);
        end(small);
        continue;
      }
      Row* mine = update ? &updates : may_join_small(op, formed) ? &small : nullptr;
      const size_t count = formed ? op.regions()[0]->blocks()[0]->operations().size() : 1;
      for (Row* row : {&updates, &small}) {
        const bool full = row == mine && row->operations + count > kMostBeside;
        const bool needs = is_behind(op, *row);
        // A row that another one needs is complete, so that no two need each other.
        if (full || (mine && needs)) {
          end(*row);
        } else if (needs) {
          row->behind.insert(&op);
        }
      }
      if (!mine) continue;
      mine->members.push_back(&op);
      mine->known.insert(&op);
      mine->operations += count;
    }
    end(updates);
    end(small);
    for (const Row& row : rows) put_together(row);
  }

  static bool is_behind(const pir::Operation& op, const Row& row) {
    if (row.members.empty()) return false;
    const auto in_row = [&](const pir::Operation* other) {
      return row.behind.contains(other) || row.known.contains(other);
    };
    for (const pir::Value* v : op.operands()) {
      if (v && v->producer() && in_row(v->producer())) return true;
    }
    const auto readers = earlier_readers(op);
    return std::any_of(readers.begin(), readers.end(), in_row);
  }

  // So small that starting it is most of its time. Operations that are no group are worth it only
  // when they reduce: others are cheaper where they are.
  bool may_join_small(const pir::Operation& op, bool formed) const {
    const bool reduces =
        op.def && (op.def->reduced_axes_arg >= 0 || op.is("pd_op.squared_l2_norm"));
    if (!formed && !(singles_.contains(&op) && reduces)) return false;
    const Dim elements = formed ? elements_of_group(op) : elements_of(op);
    return !elements.is_symbolic() && elements.value() <= kSmall;
  }
  static Dim elements_of_group(const pir::Operation& op) {
    Dim most = 1;
    for (const pir::Value* v : op.operands()) {
      if (v && v->type().is_tensor()) most = larger(most, numel(v->type()));
    }
    for (size_t k = 0; k < op.num_results(); ++k) most = larger(most, numel(op.result(k)->type()));
    return most;
  }

  // Those that give up on some values do not go with those that overwrite theirs.
  bool fit_together(const Row& row) const {
    bool overwrite = false, fail = false;
    for (const pir::Operation* op : row.members) {
      const auto found = formed_.find(op);
      overwrite = overwrite || !overwritten_operands(*op).empty();
      if (found == formed_.end()) continue;
      for (const GroupPart& part : found->second) fail = fail || part.form->may_fail();
    }
    return !overwrite || !fail;
  }

  void put_together(const Row& row) {
    if (!fit_together(row)) return;
    std::unordered_set<const pir::Operation*> wanted(row.members.begin(), row.members.end());
    std::vector<pir::Operation*> sorted, members;
    // In the order of the block, which other rows may have changed.
    for (auto at = block_.operations().begin(); !wanted.empty(); ++at) {
      if (wanted.erase(at->get()) > 0) sorted.push_back(at->get());
    }
    for (pir::Operation* op : sorted) {
      if (formed_.erase(op) == 0) {
        members.push_back(op);
        continue;
      }
      const auto inner = inline_group(*op);
      members.insert(members.end(), inner.begin(), inner.end());
    }
    const std::unordered_set<const pir::Operation*> known(members.begin(), members.end());
    std::vector<pir::Operation*> copied;
    const std::function<void(const pir::Operation*)> take = [&](const pir::Operation* op) {
      for (const pir::Value* v : op->operands()) {
        pir::Operation* maker = v ? v->producer() : nullptr;
        if (!maker || known.contains(maker) || !is_constant_maker(*maker)) continue;
        if (maker->is("builtin.constant") && !is_uniform(*maker)) continue;
        if (std::find(copied.begin(), copied.end(), maker) != copied.end()) continue;
        take(maker);
        copied.push_back(maker);
      }
    };
    for (const pir::Operation* op : members) take(op);
    make(members, copied);
  }

  pir::Block& block_;
  Partitioned& done_;
  std::vector<Group> groups_;
  std::vector<int> open_;
  std::unordered_map<const pir::Operation*, int> group_of_;
  std::unordered_map<const pir::Operation*, std::set<int>> needs_;
  std::unordered_set<const pir::Operation*> views_;
  std::unordered_set<const pir::Operation*> singles_;  // candidates that are alone
  std::unordered_map<const pir::Operation*, std::vector<GroupPart>> formed_;
};

}  // namespace

Partitioned partition(pir::Block& block) {
  Partitioned done;
  Walk(block, done).run();
  return done;
}

}  // namespace paddle::cinn
