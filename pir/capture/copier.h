// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copying of operations from one program into another, and cutting a program down.
#pragma once

#include <unordered_set>

#include "pir/capture/recording.h"
#include "pir/ir/clone.h"

namespace paddle::pir {

// Appends copies to a program.
class Copier : public Cloner {
 public:
  explicit Copier(Program& target) : builder_(target.block()) {}

  Operation* copy(const Operation& op) { return builder_.insert(clone(op)); }

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

 private:
  Builder builder_;
};

using Operations = std::unordered_set<const Operation*>;

// The operations that the roots need.
Operations needed_by(const std::vector<Value*>& roots);
// Erases all others.
void keep_only(Block& block, const Operations& needed);

}  // namespace paddle::pir
