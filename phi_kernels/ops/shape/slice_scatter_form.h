// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator slice_scatter in program files: set_value of a list of numbers, and
// set_value_with_tensor.
#pragma once

#include "paddle_core/op/saved_form.h"

namespace paddle::ops {

// Each element of x where starts, ends and strides point is that of value.
void write_slice_scatter(SavedForm& f);
// x with a part replaced: slice_scatter(x, value expanded to the part).
void read_set_value(SavedForm& f);

}  // namespace paddle::ops
