// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the schedule for the CPU does with values that are needed more than once, for people.
#pragma once

#include <string>
#include <vector>

#include "cinn/schedule/schedule.h"

namespace paddle::cinn {

struct ValueUse {
  enum class How : uint8_t { kRegister, kRow, kStored, kAgain };
  std::string value;  // the operator that makes it
  How how = How::kAgain;
  int cost = 0;       // of computing it again, an addition counting 1; 0: it cannot be
  int load_cost = 0;  // of keeping and reading it instead
  std::string why;
};
const char* name_of(ValueUse::How how);

std::vector<ValueUse> value_uses(const GroupForm& form, Variant variant);

}  // namespace paddle::cinn
