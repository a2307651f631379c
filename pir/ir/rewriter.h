// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Local rewrites. A pattern looks at one operation and, when it matches, changes the program
// through the rewriter, which keeps the driver's work list up to date:
//
//   struct DropCast final : RewritePattern {
//     DropCast() : RewritePattern("drop_cast", "pd_op.cast") {}
//     bool match_and_rewrite(Operation* op, PatternRewriter& r) const override {
//       if (!(op->operand(0)->type() == op->result()->type())) return false;
//       r.replace(op, {op->operand(0)});
//       return true;
//     }
//   };
//
// The driver applies patterns until none matches; one that never settles is stopped by a bound
// and reported in the log.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "pir/ir/ir.h"

namespace paddle::pir {

class PADDLE_API PatternRewriter {
 public:
  // A new operation in front of the one being rewritten, with its source location.
  Operation* create(OpName name, const std::vector<Value*>& operands, std::vector<Type> results,
                    std::vector<NamedAttribute> attributes = {});
  // The results of `op` become `values` (null: the result must be unused); `op` is erased.
  void replace(Operation* op, const std::vector<Value*>& values);
  // RuntimeError when a result is still used.
  void erase(Operation* op);
  void set_operand(Operation* op, size_t i, Value* value);
  void changed(Operation* op) { push(op); }
  // Where the operation that is being rewritten computes: the place of its first result.
  Place place() const;

 private:
  friend class GreedyDriver;
  void push(Operation* op);
  void push_users(const Value* v);
  void push_sources(const Operation& op);
  void forget(Operation* op);  // and what is in its regions

  Operation* anchor_ = nullptr;
  std::deque<Operation*> queue_;
  std::unordered_set<Operation*> queued_;
};

class PADDLE_API RewritePattern {
 public:
  // `root` is the name of the operations offered to the pattern. Higher benefit is tried first.
  RewritePattern(std::string name, OpName root, int benefit = 1)
      : name_(std::move(name)), root_(root), benefit_(benefit) {}
  virtual ~RewritePattern() = default;
  const std::string& name() const { return name_; }
  OpName root() const { return root_; }
  int benefit() const { return benefit_; }
  // True when the program was changed; false must leave it as it was.
  virtual bool match_and_rewrite(Operation* op, PatternRewriter& rewriter) const = 0;

 private:
  std::string name_;
  OpName root_;
  int benefit_;
};

class PADDLE_API PatternSet {
 public:
  PatternSet() = default;
  PatternSet(PatternSet&&) = default;
  PatternSet& operator=(PatternSet&&) = default;
  void add(std::unique_ptr<RewritePattern> pattern);
  template <typename P, typename... A>
  void add(A&&... args) {
    add(std::make_unique<P>(std::forward<A>(args)...));
  }
  // By falling benefit, then in the order of adding.
  const std::vector<const RewritePattern*>* rooted_at(OpName name) const;

 private:
  std::vector<std::unique_ptr<RewritePattern>> patterns_;
  std::unordered_map<uint32_t, std::vector<const RewritePattern*>> by_root_;
};

// Applies the patterns to the block and the regions in it until none matches; operations for which
// `removable` holds are erased as soon as nothing uses them. Returns the number of rewrites.
PADDLE_API size_t apply_patterns(Block& block, const PatternSet& patterns,
                                 const std::function<bool(const Operation&)>& removable);

}  // namespace paddle::pir
