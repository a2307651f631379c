// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of names: chains behind an array of buckets. Readers take no lock; entries are added
// under one, in front of their chain.
#include "pir/ir/op_name.h"

#include <array>
#include <deque>
#include <mutex>

#include "paddle_core/base/error.h"

namespace paddle::pir {
namespace {

constexpr size_t kBuckets = 4096;

struct Table {
  std::mutex mutex;
  std::deque<OpInfo> entries;
  std::array<std::atomic<OpInfo*>, kBuckets> buckets{};

  static Table& global() {
    static auto* table = new Table();  // names outlive every program
    return *table;
  }
  static OpInfo* find(OpInfo* chain, OpId id) {
    for (; chain; chain = chain->next) {
      if (chain->id == id) return chain;
    }
    return nullptr;
  }
};

OpInfo* intern(std::string_view name) {
  Table& table = Table::global();
  const OpId id = OpId::of(name);
  std::atomic<OpInfo*>& bucket = table.buckets[id.value() % kBuckets];
  OpInfo* found = Table::find(bucket.load(std::memory_order_acquire), id);
  if (!found) {
    const std::lock_guard<std::mutex> lock(table.mutex);
    OpInfo* chain = bucket.load(std::memory_order_relaxed);
    found = Table::find(chain, id);
    if (!found) {
      found = &table.entries.emplace_back(name, id, static_cast<uint32_t>(table.entries.size()));
      found->next = chain;
      bucket.store(found, std::memory_order_release);
    }
  }
  PADDLE_CHECK_RUNTIME(found->name == name, "program: the operation names ", found->name, " and ",
                       name, " have the same hash; rename one of them.");
  return found;
}

}  // namespace

OpName::OpName(std::string_view name) : info_(intern(name)) {}

}  // namespace paddle::pir
