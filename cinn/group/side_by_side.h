// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Groups that need nothing of each other, and are small or update state, become one that runs them
// side by side.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cinn/group/partition.h"

namespace paddle::cinn {

// The groups of a block while they are made.
class FormedGroups {
 public:
  explicit FormedGroups(std::vector<Decision>& decisions) : decisions_(decisions) {}
  // Null where no kernels are made of it. `numbers`: of the groups of the walk that it is made of.
  pir::Operation* make(const std::vector<pir::Operation*>& members,
                       const std::vector<pir::Operation*>& copied, std::vector<int> numbers);
  // Puts the operations of a group back.
  std::vector<pir::Operation*> dissolve(pir::Operation& group);
  // Null: it is none.
  const std::vector<GroupPart>* parts(const pir::Operation* op) const;
  const std::vector<int>& numbers(const pir::Operation& group) const { return numbers_.at(&group); }

 private:
  std::vector<Decision>& decisions_;
  std::unordered_map<const pir::Operation*, std::vector<GroupPart>> parts_;
  std::unordered_map<const pir::Operation*, std::vector<int>> numbers_;
};

// `singles`: operations that may be part of a kernel and are in no group, with their numbers.
void join_side_by_side(pir::Block& block, FormedGroups& formed,
                       const std::unordered_map<const pir::Operation*, int>& singles);

}  // namespace paddle::cinn
