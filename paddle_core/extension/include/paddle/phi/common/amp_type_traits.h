// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The type in which a kernel computes: float for the 16-bit floats, else the type itself.
#pragma once

#include "paddle/extension.h"

namespace phi::dtype {

template <typename T>
struct MPTypeTrait {
  using Type = T;
};
template <>
struct MPTypeTrait<float16> {
  using Type = float;
};
template <>
struct MPTypeTrait<bfloat16> {
  using Type = float;
};

}  // namespace phi::dtype
