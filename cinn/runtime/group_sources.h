// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The groups of a program as text for compilers of GPUs.
#pragma once

#include <string>
#include <vector>

#include "pir/compiler_door/compiler_library.h"

namespace paddle::cinn {

std::vector<pir::GroupSource> group_sources(const pir::Block& block, const std::string& target);

}  // namespace paddle::cinn
