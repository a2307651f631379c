// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the operations of a program cost when it ran.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace paddle::pir {

class Operation;

struct OperationTime {
  int64_t calls = 0, ns = 0;
  int64_t bytes = 0;  // that its operands and results hold, summed over the calls
};
using OperationTimes = std::unordered_map<const Operation*, OperationTime>;

}  // namespace paddle::pir
