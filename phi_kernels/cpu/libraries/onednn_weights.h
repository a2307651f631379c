// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weights between their own order [O, I, kernel...] and the blocked orders of oneDNN, whose general
// reorder takes many times longer for kernels larger than 1.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace paddle::cpu {

// Copies float32 weights into (pack) or out of the order of `blocked`. False, with nothing done,
// for groups, other types, and numbers of channels that the order pads.
bool copy_blocked_weights(const dnnl::memory::desc& blocked, float* packed, float* plain,
                          bool pack);

}  // namespace paddle::cpu
