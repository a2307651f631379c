// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Free values of regions.
#include "pir/dialect/control_flow.h"

#include <unordered_set>

namespace paddle::pir {
namespace {

struct Collector {
  std::unordered_set<const Value*> inner, seen;
  std::vector<Value*> free;

  void block(const Block& b) {
    for (size_t i = 0; i < b.num_arguments(); ++i) inner.insert(b.argument(i));
    for (const auto& op : b.operations()) {
      for (Value* v : op->operands()) {
        if (v && !inner.contains(v) && seen.insert(v).second) free.push_back(v);
      }
      for (const auto& region : op->regions()) {
        for (const auto& nested : region->blocks()) block(*nested);
      }
      for (size_t i = 0; i < op->num_results(); ++i) inner.insert(op->result(i));
    }
  }
};

}  // namespace

std::vector<Value*> free_values(const Block& block) {
  Collector c;
  c.block(block);
  return std::move(c.free);
}

bool is_within(const Block* block, const Operation* op) {
  while (block) {
    const Operation* parent = block->region()->parent();
    if (parent == op) return true;
    block = parent ? parent->block() : nullptr;
  }
  return false;
}

}  // namespace paddle::pir
