// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a nest over its rows, and which values one pass keeps in a row of memory for a
// later one because computing them again costs more than reading them.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "cinn/schedule/nests.h"

namespace paddle::cinn {

class RowCosts {
 public:
  RowCosts(const Graph& graph, const Nest& nest);
  int num_passes() const { return num_passes_; }
  // The pass that computes a reduction, or stores a result.
  int level(int reduction) const { return levels_.at(reduction); }
  int store_level(int result) const { return store_levels_.at(result); }
  bool has_inner_axes(int node) const;
  // Values that a pass keeps for later ones, and that pass.
  const std::map<int, int>& kept_rows() const { return kept_; }
  // A value that an earlier pass computed and a later one needs again: computing it costs `cost`,
  // an addition counting 1.
  struct Again {
    int node, cost, first_pass, pass;
    bool kept;
  };
  const std::vector<Again>& again() const { return again_; }
  // What is cheaper than this is computed again: about a store, a load and what they take from the
  // cache.
  static constexpr int kWorthKeeping = 10;
  // Of computing a value from what is kept and what the inputs hold.
  int cost(int node) const;
  // Operations on each element of a row in a pass, an addition counting 1.
  int of_pass(int level) const;

 private:
  int depth(int node);
  void visit(int node, int level, std::set<int>& seen, const std::set<int>& before,
             bool within_again = false);

  const Graph& graph_;
  const Nest& nest_;
  std::set<int> inner_;
  std::map<int, int> depths_, levels_, store_levels_, kept_;
  std::map<int, int> first_pass_;
  std::vector<Again> again_;
  std::vector<std::set<int>> passes_;  // what each computes for every element
  int num_passes_ = 1;
};

}  // namespace paddle::cinn
