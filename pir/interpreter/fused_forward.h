// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fusion before differentiation: what a gradient of many operators could not be fused back into.
#pragma once

#include "pir/capture/captured.h"

namespace paddle::pir {

// The function with operators of Pipeline::kTraining in its forward part and their gradient; null
// when nothing was fused, and for functions whose gradient recording them again would not give:
// with PyLayers, hooks, control flow, state or extents that are not known.
std::unique_ptr<Captured> with_fused_forward(const Captured& captured);

}  // namespace paddle::pir
