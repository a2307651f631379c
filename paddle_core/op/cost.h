// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a call costs on any device: what planners and compilers weigh (dispatch/execute/cost.h
// computes it).
#pragma once

namespace paddle {

struct OpCost {
  double flops = 0;          // additions, multiplications and calls of elementary functions
  double bytes_read = 0;     // of operands
  double bytes_written = 0;  // of results
};

}  // namespace paddle
