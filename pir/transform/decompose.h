// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs in terms of primitive and opaque operators: every composed operator gives way to what
// its decomposition calls, in regions too. Results keep their memory: what a decomposition passes
// through is copied, and what an operator writes in place is written by pd_op.overwrite_.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "paddle_core/shape/sym.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

struct Decomposed {
  size_t operations = 0;  // that were decomposed
  // What the decompositions took for granted of symbolic extents: the program is valid where these
  // hold.
  std::vector<SymbolFact> facts;
  // Composed operators that stay, each with the reason: their decomposition needs to know an
  // extent that is symbolic here.
  std::vector<std::pair<const Operation*, std::string>> left;
};

// Takes apart the composed operators of the block for which `chosen` holds (null: all of them), and
// those that appear then. RuntimeError when a decomposition comes back to its own operator.
PADDLE_API Decomposed decompose(Block& block,
                                const std::function<bool(const Operation&)>& chosen = nullptr);

// Whether the operation is a composed operator.
PADDLE_API bool is_composed(const Operation& op);
// Writes the decomposition of one such operation in front of it, one step deep, and gives a value
// for each of its results, null where the decomposition gives none; a list is a builtin.combine.
// The caller inserts them. Where it raises, the block is as it was.
PADDLE_API std::vector<Value*> expand(Operation& op);

}  // namespace paddle::pir
