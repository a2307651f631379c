// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// For captures whose regions undo what they did: which views replayed their steps inside of one,
// and what has to replay them again outside.
#pragma once

#include "paddle_core/autograd/autograd.h"

namespace paddle::autograd {

// Where this thread lists the views that replay their steps; null: nowhere. Returns the list so
// far.
PADDLE_API TensorList* list_synced_views(TensorList* list);

// The view replays its steps when it is next used.
PADDLE_API void forget_sync(const Tensor& view);

// Every view of the tensor replays its steps when it is next used.
PADDLE_API void forget_views(const Tensor& base);

}  // namespace paddle::autograd
