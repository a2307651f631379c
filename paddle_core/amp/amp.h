// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eager automatic mixed precision: what auto_cast sets for a thread. O1 casts the inputs of
// kLow operators to the AMP dtype and those of kHigh operators to float32; O2 casts the inputs of
// the others too: to float32 where one of them has that dtype and `promote` is on.
// The cast of a parameter is kept per version until the outermost auto_cast region ends.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "paddle_core/dispatch/call.h"

namespace paddle::amp {

struct State {
  bool enabled = false;
  DType dtype = DType::kFloat16;
  int level = 1;                                 // O1, O2
  bool promote = true;                           // O2: a float32 input makes the call float32
  std::unordered_set<std::string> white, black;  // the user's custom lists, by operator name
};

// The state in force on this thread; null outside every region.
PADDLE_API std::shared_ptr<const State> current();
// Installs a state (null: none) and returns the previous one; caches end with the outermost region.
PADDLE_API std::shared_ptr<const State> exchange(std::shared_ptr<const State> state);
PADDLE_API void install_amp();

}  // namespace paddle::amp
