// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The shape rule that every operator with a convolution's arguments shares.
#pragma once

#include "paddle_core/op/infer.h"

namespace paddle::ops {

// Checks a call with arguments input, filter, ... and the attributes of conv_attributes().
Shape conv_result_shape(const Infer& c);

}  // namespace paddle::ops
