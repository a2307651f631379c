// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "paddle_core/base/export.h"

namespace paddle::distributed {

// Installs the layer that computes calls on distributed tensors.
PADDLE_API void install_sharded();

}  // namespace paddle::distributed
