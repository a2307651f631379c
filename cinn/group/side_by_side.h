// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Groups that need nothing of each other, and are small or update state, become one that runs them
// side by side.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cinn/group/partition.h"

namespace paddle::cinn {

// The groups of a block while they are made.
class FormedGroups {
 public:
  explicit FormedGroups(std::vector<Decision>& decisions) : decisions_(decisions) {}
  // Null where no kernels are made of it.
  pir::Operation* make(const std::vector<pir::Operation*>& members,
                       const std::vector<pir::Operation*>& copied);
  // Puts the operations of a group back.
  std::vector<pir::Operation*> dissolve(pir::Operation& group);
  // Null: it is none.
  const std::vector<GroupPart>* parts(const pir::Operation* op) const;

 private:
  std::vector<Decision>& decisions_;
  std::unordered_map<const pir::Operation*, std::vector<GroupPart>> parts_;
};

// `singles`: operations that may be part of a kernel and are in no group.
void join_side_by_side(pir::Block& block, FormedGroups& formed,
                       const std::unordered_set<const pir::Operation*>& singles);

}  // namespace paddle::cinn
