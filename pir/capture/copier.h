// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copying of operations from one program into another, and cutting a program down.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "pir/capture/recording.h"

namespace paddle::pir {

// Copies operations one by one and remembers which value became which.
class Copier {
 public:
  explicit Copier(Program& target) : builder_(target.block()) {}

  Operation* copy(const Operation& op) { return builder_.insert(copied(op)); }

  // The gradients as one operation that takes them when the program runs; what is copied later
  // reads those.
  void take_when_run(const RecordedGradient& g) {
    std::vector<Value*> operands, results;
    std::vector<Type> types;
    for (const Value* v : g.targets) operands.push_back(values_.at(v));
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      if (!g.results[i]) continue;
      operands.push_back(values_.at(g.inputs[i]));
      types.push_back(g.results[i]->type());
      results.push_back(g.results[i]);
    }
    for (const Value* v : g.seeds) operands.push_back(v ? values_.at(v) : nullptr);
    const Operation* op = builder_.create("cf.grad", operands, types,
                                          {{"targets", static_cast<int64_t>(g.targets.size())},
                                           {"inputs", static_cast<int64_t>(types.size())},
                                           {"create_graph", false}});
    for (size_t i = 0; i < results.size(); ++i) values_[results[i]] = op->result(i);
  }

  // Null when the value was not copied.
  Value* of(const Value* v) const {
    const auto found = values_.find(v);
    return found == values_.end() ? nullptr : found->second;
  }

 private:
  std::unique_ptr<Operation> copied(const Operation& op) {
    std::vector<Value*> operands;
    for (const Value* v : op.operands()) {
      Value* mine = v ? of(v) : nullptr;
      PADDLE_CHECK_VALUE(mine || !v, "program: ", op.name(),
                         " reads a result of an operator that stands behind it or that was "
                         "removed; move or remove it too.");
      operands.push_back(mine);
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result(i)->type());
    auto made = std::make_unique<Operation>(op.name(), operands, std::move(types), op.attributes());
    made->location = op.location;
    made->def = op.def;
    for (const auto& region : op.regions()) copy_region(*region, made->add_region());
    for (size_t i = 0; i < op.num_results(); ++i) {
      made->result(i)->stop_gradient = op.result(i)->stop_gradient;
      made->result(i)->persistable = op.result(i)->persistable;
      values_.emplace(op.result(i), made->result(i));
    }
    return made;
  }

  void copy_region(const Region& from, Region& to) {
    for (const auto& block : from.blocks()) {
      Block& mine = to.add_block();
      for (size_t i = 0; i < block->num_arguments(); ++i) {
        values_.emplace(block->argument(i), mine.add_argument(block->argument(i)->type()));
      }
      for (const auto& op : block->operations()) mine.append(copied(*op));
    }
  }

  Builder builder_;
  std::unordered_map<const Value*, Value*> values_;
};

using Operations = std::unordered_set<const Operation*>;

// The operations that the roots need.
Operations needed_by(const std::vector<Value*>& roots);
// Erases all others.
void keep_only(Block& block, const Operations& needed);

}  // namespace paddle::pir
