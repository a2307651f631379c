// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lines about the numbers that operators give, one a floating result:
//   [PRECISION] [ERROR] in [device=cpu, op=log, tensor=, dtype=fp32], numel=2, num_nan=0,
//   num_inf=1, num_zero=0, max=..., min=..., mean=...
// They take the place of the check for NaN and infinity while it is on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_core/dispatch/call.h"

namespace paddle {

struct NumericsLog {
  // 0, 1: results with NaN or infinity; 2: also float32 results beyond float16; 3: all.
  // Level 0 raises RuntimeError after the line, unless it went to a file.
  int64_t level = 0;
  std::vector<std::string> only;     // operators; empty: all
  std::vector<std::string> skipped;  // operators
  std::string file;                  // appended to; empty: standard output
};

// Sets what is logged, for all threads; nullptr ends it.
PADDLE_API void set_numerics_log(const NumericsLog* log);

// Logs the results of an operator; false when no log is set. `where` says for an error where the
// call comes from.
bool log_numerics(const OpDef& op, const Outputs& outs, std::string (*where)());

}  // namespace paddle
