// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How many elements operations run over, as far as it is known which is more.
#pragma once

#include "pir/ir/ir.h"

namespace paddle::cinn {

Dim numel(const pir::Type& type);
// A symbol counts as more than a number.
Dim larger(Dim a, Dim b);
// The most that the operation reads or makes.
Dim elements_of(const pir::Operation& op);
// Of a group: of its operands and results.
Dim elements_of_group(const pir::Operation& group);

}  // namespace paddle::cinn
