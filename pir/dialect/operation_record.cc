// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Registration of operations, and the traits of pir's own.
#include "pir/dialect/operation_record.h"

#include <deque>
#include <mutex>

#include "pir/dialect/control_flow.h"
#include "pir/dialect/effects.h"
#include "pir/dialect/host_function.h"

namespace paddle::pir {
namespace {

std::mutex records_mutex;

std::deque<OperationRecord>& records() {
  static auto* all = new std::deque<OperationRecord>();  // as long as the names
  return *all;
}

// Operations that pir defines itself; what they do is where they are read.
const bool own_traits_known = [] {
  struct Entry {
    OpName name;
    uint32_t traits;
  };
  const Entry entries[] = {
      {"builtin.parameter", kBoundary},
      {"builtin.constant", kPure | kConstant},
      {"builtin.combine", kPure | kSharesOperand},
      {"builtin.split", kPure | kSharesOperand},
      {"builtin.dims", kPure | kInMemoryOnly},
      {"builtin.gradient", kBoundary | kInMemoryOnly},
      {"builtin.shadow_output", kBoundary},
      {kResults, kBoundary | kInMemoryOnly},
      {"cf.yield", kTerminator},
      {"cf.grad", kInMemoryOnly},
      {kDetach, kPure | kSharesOperand},
      {kWithHistory, kPure | kSharesOperand},
      {kExtent, kInMemoryOnly},
      {kHostCall, kInMemoryOnly},
      {kHook, kInMemoryOnly},
      {"pd_op.if", kPure},
      {"pd_op.data", kBoundary},
      {"pd_op.fetch", kBoundary},
      {"pd_op.full", kConstant},
      {"pd_op.full_int_array", kPure | kConstant},
  };
  for (const Entry& entry : entries) entry.name.add_traits(entry.traits);
  return true;
}();

}  // namespace

void register_operation(OperationRecord record) {
  const size_t dot = record.name.find('.');
  PADDLE_CHECK_VALUE(dot != std::string::npos && dot > 0 && dot + 1 < record.name.size(),
                     "register_operation: name has value ", record.name,
                     "; \"dialect.operation\" is expected.");
  const std::string_view dialect = std::string_view(record.name).substr(0, dot);
  PADDLE_CHECK_VALUE(dialect != "pd_op" && dialect != "builtin" && dialect != "cf",
                     "register_operation: ", record.name, " belongs to a dialect of pir; use a ",
                     "dialect of your own.");
  PADDLE_CHECK_VALUE(!(record.traits & kConstant) || record.constant,
                     "register_operation: ", record.name,
                     " is constant but has no function that gives its value.");
  const OpName name = record.name;
  const std::lock_guard<std::mutex> lock(records_mutex);
  PADDLE_CHECK_VALUE(!name.record(), "register_operation: ", record.name,
                     " is registered already.");
  name.add_traits(record.traits);
  name.info().record.store(&records().emplace_back(std::move(record)), std::memory_order_release);
}

const Operation& terminator_of(const Operation& op, const Region& region) {
  PADDLE_CHECK_VALUE(region.blocks().size() == 1 && !region.blocks()[0]->operations().empty() &&
                         region.blocks()[0]->operations().back()->has(kTerminator),
                     op.name(), ": a region does not end in cf.yield.");
  return *region.blocks()[0]->operations().back();
}

}  // namespace paddle::pir
