// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Segments in words, for reports: what they call and how two of them differ.
#pragma once

#include "paddle_core/shape/sym.h"
#include "pir/segment/segment.h"

namespace paddle::pir {

// Names of the operators, in order.
std::vector<std::string> call_names(const SegmentKey& key);
// How many calls both begin with.
size_t common_calls(const SegmentKey& a, const SegmentKey& b);
// "expand: shape is [32, 10], it was [64, 10]".
std::string describe_difference(const SegmentKey& before, const SegmentKey& now);
// "input 0 has shape [32, 4], it had [64, 4]".
std::string describe_sizes(const SegmentKey& before, const SegmentKey& now);
// Whether a fact holds; true when a symbol has no value.
bool holds(const SymbolFact& fact, const SymbolValues& symbols);

}  // namespace paddle::pir
