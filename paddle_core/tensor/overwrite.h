// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes that gradients recorded before may see: `set_value` and the steps of optimizers. Such a
// gradient reads the values of now and raises nothing, as in PaddlePaddle; a write by an in-place
// operator (`add_`, `x[i] = y`) makes it raise. Both raise the version of the storage.
#pragma once

#include "paddle_core/tensor/tensor.h"

namespace paddle {

// Copies values (same shape; casts dtype) into the memory of `target` as an overwrite.
PADDLE_API void overwrite(const Tensor& target, const Tensor& source);

// Notes that the last raise of the storage's version was an overwrite.
PADDLE_API void note_overwrite(const Storage& storage);

// Number of overwrites in the process so far.
PADDLE_API uint64_t overwrite_clock();

// Whether all raises of the version from `then` to `now` are overwrites made after `clock`.
PADDLE_API bool only_overwritten(const Storage& storage, uint32_t then, uint32_t now,
                                 uint64_t clock);

}  // namespace paddle
