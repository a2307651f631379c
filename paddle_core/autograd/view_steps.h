// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How many steps lie between a base and a view. A write through a view goes back over all of them,
// so long chains are replaced by a few steps that lead to the same elements.
#pragma once

#include "paddle_core/autograd/autograd.h"

namespace paddle::autograd {

// Adds the step by which `view` = op(args) was made of `source`, to which `steps` lead from `base`.
void add_step(ViewSteps& steps, const Tensor& base, const Tensor& source, const Tensor& view,
              const OpDef& op, const Slot* args);

// Whether a recorded call gives new memory when it runs, although its operator is one of views: the
// elements of `source` don't lie so that they can be seen like that (a reshape of a transposed
// matrix). False also where shapes are symbols, or a tensor says which elements they are.
bool gives_new_memory(const ViewSteps& steps, const Tensor& base, const OpDef& op,
                      const Slot* args);

}  // namespace paddle::autograd
