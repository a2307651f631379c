// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The work list of the greedy driver.
#include "pir/ir/rewriter.h"

#include <algorithm>

#include "paddle_core/base/log.h"

namespace paddle::pir {

void PatternRewriter::push(Operation* op) {
  if (op && queued_.insert(op).second) queue_.push_back(op);
}

void PatternRewriter::push_users(const Value* v) {
  for (const Use& use : v->uses()) push(use.op);
}

Operation* PatternRewriter::create(OpName name, const std::vector<Value*>& operands,
                                   std::vector<Type> results,
                                   std::vector<NamedAttribute> attributes) {
  Builder b(*anchor_->block());
  b.set_before(anchor_);
  b.location = anchor_->location;
  Operation* op = b.create(name, operands, std::move(results), std::move(attributes));
  push(op);
  return op;
}

void PatternRewriter::replace(Operation* op, const std::vector<Value*>& values) {
  PADDLE_ASSERT(values.size() == op->num_results());
  for (size_t k = 0; k < values.size(); ++k) {
    Value* old = op->result(k);
    if (!values[k] || values[k] == old) continue;
    push_users(old);
    values[k]->stop_gradient = old->stop_gradient;
    old->replace_all_uses_with(values[k]);
    push(values[k]->producer());
  }
  erase(op);
}

// Whatever gave values to the operation or its regions may be unused now.
void PatternRewriter::push_sources(const Operation& op) {
  for (const Value* v : op.operands()) {
    if (v) push(v->producer());
  }
  for (const auto& region : op.regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) push_sources(*inner);
    }
  }
}

void PatternRewriter::forget(Operation* op) {
  queued_.erase(op);
  for (const auto& region : op->regions()) {
    for (const auto& block : region->blocks()) {
      for (const auto& inner : block->operations()) forget(inner.get());
    }
  }
}

void PatternRewriter::erase(Operation* op) {
  push_sources(*op);
  forget(op);
  op->block()->erase(op);
}

void PatternRewriter::set_operand(Operation* op, size_t i, Value* value) {
  if (op->operand(i)) push(op->operand(i)->producer());
  op->set_operand(i, value);
  push(op);
}

Place PatternRewriter::place() const {
  const bool gives = anchor_ && anchor_->num_results() > 0;
  return gives ? anchor_->result()->type().place() : Place();
}

void PatternSet::add(std::unique_ptr<RewritePattern> pattern) {
  auto& list = by_root_[pattern->root().index()];
  const auto at = std::find_if(list.begin(), list.end(), [&](const RewritePattern* p) {
    return p->benefit() < pattern->benefit();
  });
  list.insert(at, pattern.get());
  patterns_.push_back(std::move(pattern));
}

const std::vector<const RewritePattern*>* PatternSet::rooted_at(OpName name) const {
  const auto found = by_root_.find(name.index());
  return found == by_root_.end() ? nullptr : &found->second;
}

class GreedyDriver {
 public:
  GreedyDriver(const PatternSet& patterns, const std::function<bool(const Operation&)>& removable)
      : patterns_(patterns), removable_(removable) {}

  size_t run(Block& block) {
    enqueue(block);
    const size_t bound = 16 * rewriter_.queue_.size() + 1024;
    size_t changes = 0;
    while (!rewriter_.queue_.empty()) {
      Operation* op = rewriter_.queue_.front();
      rewriter_.queue_.pop_front();
      // Erased operations stay in the queue but not in the set.
      if (!rewriter_.queued_.erase(op)) continue;
      const RewritePattern* applied = visit(op);
      if (!applied) continue;
      if (++changes < bound) continue;
      warn(str("rewrite: stopped after ", changes,
               " rewrites without reaching a fixed point; the last was ", applied->name(), "."));
      break;
    }
    return changes;
  }

 private:
  void enqueue(Block& block) {
    for (const auto& op : block.operations()) {
      rewriter_.push(op.get());
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) enqueue(*inner);
      }
    }
  }

  const RewritePattern* visit(Operation* op) {
    rewriter_.anchor_ = op;
    if (!op->used() && removable_(*op)) {
      rewriter_.erase(op);
      return nullptr;
    }
    const auto* list = patterns_.rooted_at(op->op_name());
    if (!list) return nullptr;
    for (const RewritePattern* p : *list) {
      if (p->match_and_rewrite(op, rewriter_)) return p;
    }
    return nullptr;
  }

  const PatternSet& patterns_;
  const std::function<bool(const Operation&)>& removable_;
  PatternRewriter rewriter_;
};

size_t apply_patterns(Block& block, const PatternSet& patterns,
                      const std::function<bool(const Operation&)>& removable) {
  return GreedyDriver(patterns, removable).run(block);
}

}  // namespace paddle::pir
