// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Merging of operations that compute the same.
#include <unordered_map>

#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

size_t key_of(const Operation& op) {
  size_t key = size_t{op.op_name().index()};
  for (const Value* v : op.operands()) key = key * 31 + std::hash<const void*>()(v);
  return key;
}

bool same(const Operation& a, const Operation& b) {
  if (!(a.op_name() == b.op_name()) || a.operands() != b.operands() ||
      a.num_results() != b.num_results() || !(a.attributes() == b.attributes())) {
    return false;
  }
  // Operators may give several types from equal arguments only where the program says so.
  for (size_t k = 0; k < a.num_results(); ++k) {
    if (!(a.result(k)->type() == b.result(k)->type())) return false;
  }
  return true;
}

// All uses of `op` may read `other`: the memory of neither is handed out or written.
bool may_merge(const Operation& op, const Operation& other) {
  for (size_t k = 0; k < op.num_results(); ++k) {
    if (op.result(k)->used() && (escapes(other.result(k)) || escapes(op.result(k)))) return false;
  }
  return true;
}

}  // namespace

size_t eliminate_common_subexpressions(Block& block) {
  std::unordered_multimap<size_t, Operation*> seen;
  size_t merged = 0;
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) merged += eliminate_common_subexpressions(*inner);
    }
    if (op->is(kResults)) seen.clear();
    if (!op->regions().empty() || !is_pure(*op)) continue;
    const size_t key = key_of(*op);
    Operation* match = nullptr;
    const auto range = seen.equal_range(key);
    for (auto it = range.first; it != range.second && !match; ++it) {
      if (same(*it->second, *op) && may_merge(*op, *it->second)) match = it->second;
    }
    if (!match) {
      seen.emplace(key, op);
      continue;
    }
    for (size_t k = 0; k < op->num_results(); ++k) {
      if (op->result(k)->used()) op->result(k)->replace_all_uses_with(match->result(k));
    }
    block.erase(op);
    ++merged;
  }
  return merged;
}

}  // namespace paddle::pir
