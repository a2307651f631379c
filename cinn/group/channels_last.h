// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A group for operands whose memory has the channels last, as convolutions leave it: values of
// shape [N, C, spatial...] become those of shape [N, spatial..., C].
#pragma once

#include <optional>
#include <vector>

#include "cinn/group/form.h"

namespace paddle::cinn {

// Whether values of this shape change; scalars and vectors per channel do not.
inline bool has_moved_channels(size_t rank, size_t activations) {
  return rank == activations && rank > 2;
}
pir::Type with_channels_last(const pir::Type& type, size_t activations);

// Turns all values of rank `activations`. False when an operation needs the order that they have.
bool put_channels_last(Graph& graph, size_t activations);

// The part for operands of such memory; none when an operation needs the order that they have.
// `inputs` and `results` are the types of the group's.
std::optional<GroupPart> with_channels_last(const GroupPart& part,
                                            const std::vector<pir::Type>& inputs,
                                            const std::vector<pir::Type>& results,
                                            size_t activations);

}  // namespace paddle::cinn
