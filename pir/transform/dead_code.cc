// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Removal of operations that nothing uses.
#include <unordered_set>

#include "pir/transform/transform.h"

namespace paddle::pir {

size_t eliminate_dead_code(Block& block, const std::vector<Value*>& kept) {
  const std::unordered_set<const Value*> keep(kept.begin(), kept.end());
  size_t erased = 0;
  auto& ops = block.operations();
  for (auto at = ops.end(); at != ops.begin();) {
    Operation* op = std::prev(at)->get();
    bool wanted = op->used() || !is_pure(*op);
    for (size_t k = 0; k < op->num_results(); ++k) wanted = wanted || keep.contains(op->result(k));
    if (wanted) {
      for (const auto& region : op->regions()) {
        for (const auto& inner : region->blocks()) erased += eliminate_dead_code(*inner, kept);
      }
      --at;
      continue;
    }
    block.erase(op);
    ++erased;
  }
  return erased;
}

}  // namespace paddle::pir
