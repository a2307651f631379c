// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which reductions and results of a group one nest of loops computes together.
//
// A nest runs over outer axes and, inside, inner ones (a row). A reduction over exactly the inner
// axes is done with a row at hand: what depends on it follows in a later pass over the same row. A
// reduction over the outer axes (and perhaps all) is done when all rows are; what depends on it
// needs a later nest.
#pragma once

#include <set>

#include "cinn/group/graph.h"

namespace paddle::cinn {

enum class Order : uint8_t {
  kRows,    // vectors run along the inner axes
  kLanes,   // vectors run along the last outer axis: it is the one that memory is dense in
  kChunks,  // rows are cut into chunks; no reduction is read inside the nest
};

struct Nest {
  Order order = Order::kRows;
  Axes outer, inner;
  std::vector<int> row_reductions;    // nodes, operands of others first
  std::vector<int> outer_reductions;  // over the outer axes, or all
  std::vector<int> stores;            // positions among the results
};

struct Nests {
  std::vector<Nest> list;
  // Reductions that later nests read: they are kept in memory.
  std::set<int> kept;
  // Where a reduction is done: its nest.
  std::vector<int> nest_of;  // by node; -1: no reduction
};

// `split_rows`: rows are so long and few that each is cut into chunks for the threads, so nothing
// follows a reduction in its nest. `lanes`: rows are so short that vectors run across them.
Nests build_nests(const Graph& graph, bool split_rows, bool lanes);

}  // namespace paddle::cinn
