// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of host functions.
#include "pir/dialect/host_function.h"

#include <mutex>
#include <unordered_map>

namespace paddle::pir {
namespace {

std::mutex table_mutex;
std::unordered_map<int64_t, std::weak_ptr<HostFunction>> table;
int64_t next_number = 0;

}  // namespace

int64_t register_host_function(const std::shared_ptr<HostFunction>& function) {
  const std::lock_guard lock(table_mutex);
  std::erase_if(table, [](const auto& entry) { return entry.second.expired(); });
  table.emplace(next_number, function);
  return next_number++;
}

std::shared_ptr<HostFunction> host_function(int64_t number) {
  const std::lock_guard lock(table_mutex);
  const auto found = table.find(number);
  std::shared_ptr<HostFunction> function = found == table.end() ? nullptr : found->second.lock();
  PADDLE_CHECK_RUNTIME(function != nullptr, kHostCall, ": function ", number,
                       " does not exist in this process.");
  return function;
}

}  // namespace paddle::pir
