// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which results a kernel may write straight into the memory of the input that they replace.
#pragma once

#include <vector>

#include "cinn/schedule/nests.h"

namespace paddle::cinn {

// By result: whether each element of the input that it replaces (Graph::in_place) is read for the
// last time at the point of the loops that stores the same element of the result. The others are
// made in memory of their own and copied.
std::vector<bool> written_straight(const Graph& graph, const Nests& nests);

}  // namespace paddle::cinn
