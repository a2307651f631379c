// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Removal of operations that nothing uses, and merging of equal ones.
#include <unordered_map>
#include <unordered_set>

#include "pir/transform/transform.h"

namespace paddle::pir {

bool is_pure(const Operation& op) {
  if (!op.regions().empty()) return false;
  if (op.is("pd_op.full_int_array") || op.is("builtin.combine") || op.is("builtin.split") ||
      op.is("builtin.dims"))
    return true;
  return op.def && !op.def->has(kRandom | kSideEffect) && !op.def->is_native_inplace();
}

size_t eliminate_dead_code(Block& block, const std::vector<Value*>& kept) {
  const std::unordered_set<const Value*> keep(kept.begin(), kept.end());
  size_t erased = 0;
  auto& ops = block.operations();
  for (auto at = ops.end(); at != ops.begin();) {
    Operation* op = std::prev(at)->get();
    bool wanted = !is_pure(*op) || op->used();
    for (size_t k = 0; k < op->num_results(); ++k) wanted = wanted || keep.contains(op->result(k));
    if (wanted) {
      --at;
      continue;
    }
    block.erase(op);
    ++erased;
  }
  return erased;
}

size_t eliminate_common_subexpressions(Block& block) {
  std::unordered_multimap<std::string, Operation*> seen;
  size_t merged = 0;
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    if (!is_pure(*op)) continue;
    Operation* same = nullptr;
    const auto range = seen.equal_range(op->name());
    for (auto it = range.first; it != range.second && !same; ++it) {
      Operation* other = it->second;
      if (other->operands() == op->operands() && other->attributes() == op->attributes() &&
          other->num_results() == op->num_results()) {
        same = other;
      }
    }
    if (!same) {
      seen.emplace(op->name(), op);
      continue;
    }
    for (size_t k = 0; k < op->num_results(); ++k) {
      if (op->result(k)->used()) op->result(k)->replace_all_uses_with(same->result(k));
    }
    block.erase(op);
    ++merged;
  }
  return merged;
}

}  // namespace paddle::pir
