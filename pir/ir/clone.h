// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of operations, with their regions, types, attributes, handles and places in the source.
#pragma once

#include <unordered_map>

#include "pir/ir/ir.h"

namespace paddle::pir {

// Copies operations one by one and remembers which value became which.
class PADDLE_API Cloner {
 public:
  // A copy that stands in no block. Its operands are the copies of those of `op`: ValueError when
  // one was not copied.
  std::unique_ptr<Operation> clone(const Operation& op);
  // Null when the value was not copied.
  Value* of(const Value* v) const {
    const auto found = values_.find(v);
    return found == values_.end() ? nullptr : found->second;
  }

 protected:
  std::unordered_map<const Value*, Value*> values_;

 private:
  void clone_region(const Region& from, Region& to);
};

PADDLE_API std::unique_ptr<Program> clone(const Program& program);

}  // namespace paddle::pir
