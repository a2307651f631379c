// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of files that a record says how to read (OpDef::upgrade).
#pragma once

#include <functional>

#include "pir/dialect/dialect.h"

namespace paddle::pir {

struct Upgrade {
  const OpDef* def = nullptr;  // null: no record has a rule for the operation
  const SavedUpgrade* rule = nullptr;
  explicit operator bool() const { return def != nullptr; }
};

// The rule for an operation of a file of this version: that of the oldest form which is not older
// than the file. In-place names, which end in _, stand for the others too.
Upgrade upgrade_of(const Operation& op, int version);
// Applies the rule. Where the operation is gone then: true, after `rebind` was called with what has
// become of result 0.
bool upgrade(Operation& op, const Upgrade& by, const std::function<void(Value*)>& rebind = {});

}  // namespace paddle::pir
