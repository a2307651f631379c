// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The cases about what a plugin does at run time. Each stands alone and is run in a process of its
// own, so that one that crashes or hangs fails and no other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "subject.h"

namespace paddle::conformance {

using Figures = std::map<std::string, double>;  // "launch_us", ...

struct Case {
  const char* name;   // "memory/copies"
  const char* grade;  // that needs it: "bronze", "silver", "gold", "none"
  const char* what;   // that a plugin that passes does
  void (*run)(const Subject& subject, Figures& figures);
};

std::vector<Case> life_cases();
std::vector<Case> memory_cases();
std::vector<Case> stream_cases();
std::vector<Case> cost_cases();

}  // namespace paddle::conformance
