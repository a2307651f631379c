// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations are gathered in the order of the block until one needs another.
#include "cinn/group/side_by_side.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "cinn/group/candidates.h"
#include "cinn/group/elements.h"
#include "cinn/group/group_op.h"
#include "paddle_core/op/op_def.h"
#include "pir/dialect/effects.h"

namespace paddle::cinn {
namespace {

constexpr size_t kMostBeside = 256;  // operations of parts that run side by side
constexpr int64_t kSmall = 1 << 16;  // elements of a group whose start takes most of its time

class SideBySide {
 public:
  SideBySide(pir::Block& block, FormedGroups& formed,
             const std::unordered_map<const pir::Operation*, int>& singles)
      : block_(block), formed_(formed), singles_(singles) {}

  void run() {
    Row updates, small;
    std::vector<Row> rows;
    const auto end = [&](Row& row) {
      if (row.members.size() > 1) rows.push_back(std::move(row));
      row = Row();
    };
    for (const auto& at : block_.operations()) {
      pir::Operation& op = *at;
      if (is_constant_maker(op)) continue;
      const bool formed = formed_.parts(&op) != nullptr;
      const bool update = (formed || singles_.contains(&op)) && !overwritten_operands(op).empty();
      const bool drawn = draws(op);
      const bool quiet =
          formed || is_random_by_element(op) || (pir::is_pure(op) && op.regions().empty());
      if (!update && !quiet) {
        end(updates);
        end(small);
        continue;
      }
      Row* mine = update ? &updates : may_join_small(op, formed) ? &small : nullptr;
      const size_t count = formed ? op.regions()[0]->blocks()[0]->operations().size() : 1;
      for (Row* row : {&updates, &small}) {
        const bool full = row == mine && row->operations + count > kMostBeside;
        // Members draw in their order, before what draws after them and is none.
        const bool draws_later = drawn && (row->drawn_behind || (row != mine && row->drawn));
        const bool needs = draws_later || is_behind(op, *row);
        // A row that another one needs is complete, so that no two need each other.
        if (full || (mine && needs)) {
          end(*row);
        } else if (needs) {
          row->behind.insert(&op);
          row->drawn_behind = row->drawn_behind || drawn;
        }
      }
      if (!mine) continue;
      mine->members.push_back(&op);
      mine->known.insert(&op);
      mine->drawn = mine->drawn || drawn;
      mine->operations += count;
    }
    end(updates);
    end(small);
    for (const Row& row : rows) put_together(row);
  }

 private:
  // Operations that need nothing of each other, in the order of the block, and what needs them.
  struct Row {
    std::vector<pir::Operation*> members;
    std::unordered_set<const pir::Operation*> known, behind;
    size_t operations = 0;
    bool drawn = false, drawn_behind = false;  // whether one of them draws random numbers
  };

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

  // Those that give up on some values do not go with those that overwrite theirs.
  bool fit_together(const Row& row) const {
    bool overwrite = false, fail = false;
    for (const pir::Operation* op : row.members) {
      overwrite = overwrite || !overwritten_operands(*op).empty();
      const auto* parts = formed_.parts(op);
      if (!parts) continue;
      for (const GroupPart& part : *parts) fail = fail || part.form->may_fail();
    }
    return !overwrite || !fail;
  }

  void put_together(const Row& row) {
    if (!fit_together(row)) return;
    std::unordered_set<const pir::Operation*> wanted(row.members.begin(), row.members.end());
    std::vector<pir::Operation*> sorted, members;
    std::vector<int> numbers;
    // In the order of the block, which other rows may have changed.
    for (auto at = block_.operations().begin(); !wanted.empty(); ++at) {
      if (wanted.erase(at->get()) > 0) sorted.push_back(at->get());
    }
    for (pir::Operation* op : sorted) {
      if (!formed_.parts(op)) {
        members.push_back(op);
        if (const auto single = singles_.find(op); single != singles_.end()) {
          numbers.push_back(single->second);
        }
        continue;
      }
      const auto& inside = formed_.numbers(*op);
      numbers.insert(numbers.end(), inside.begin(), inside.end());
      const auto inner = formed_.dissolve(*op);
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
    formed_.make(members, copied, std::move(numbers));
  }

  pir::Block& block_;
  FormedGroups& formed_;
  const std::unordered_map<const pir::Operation*, int>& singles_;
};

}  // namespace

pir::Operation* FormedGroups::make(const std::vector<pir::Operation*>& members,
                                   const std::vector<pir::Operation*>& copied,
                                   std::vector<int> numbers) {
  pir::Operation* made = outline(members, copied);
  try {
    parts_[made] = GroupForm::parts_of(*made);
    numbers_[made] = std::move(numbers);
    return made;
  } catch (const Error& e) {
    decisions_.push_back({made->name(), e.message()});
    inline_group(*made);
    return nullptr;
  }
}

std::vector<pir::Operation*> FormedGroups::dissolve(pir::Operation& group) {
  parts_.erase(&group);
  numbers_.erase(&group);
  return inline_group(group);
}

const std::vector<GroupPart>* FormedGroups::parts(const pir::Operation* op) const {
  const auto found = parts_.find(op);
  return found == parts_.end() ? nullptr : &found->second;
}

void join_side_by_side(pir::Block& block, FormedGroups& formed,
                       const std::unordered_map<const pir::Operation*, int>& singles) {
  SideBySide(block, formed, singles).run();
}

}  // namespace paddle::cinn
