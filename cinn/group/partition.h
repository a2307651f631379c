// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Finding the groups of a program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cinn/group/form.h"

namespace paddle::cinn {

// What was decided of an operation that could have been in a larger group.
struct Decision {
  std::string operation, why;
};

// An operation that reads what another one made, at least one of them in the group.
struct Edge {
  std::string from, to;
  bool fused = false;    // both are in the group
  bool reads = false;    // not fused: the one in the group is `to`
  int other_group = -1;  // not fused: the group of the other one, -1: it is in none
  std::string why;
};

struct FormedGroup {
  pir::Operation* operation;
  std::vector<GroupPart> parts;
  std::vector<Edge> edges;
};

struct Partitioned {
  std::vector<FormedGroup> groups;
  std::vector<Decision> decisions;
};

// Forms groups in the block and in the regions of its operations. Operations keep their order as
// far as it matters: nothing is moved across one with an effect, and those that draw random numbers
// draw in the same order.
Partitioned partition(pir::Block& block);

}  // namespace paddle::cinn
