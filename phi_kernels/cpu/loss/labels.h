// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Class numbers of any integer dtype, as the losses read them.
#pragma once

#include "paddle_core/tensor/tensor.h"

namespace paddle::cpu {

struct Labels {
  const void* data;
  DType dtype;
  int64_t operator[](int64_t i) const {
    switch (dtype) {
      case DType::kUInt8:
        return static_cast<const uint8_t*>(data)[i];
      case DType::kInt8:
        return static_cast<const int8_t*>(data)[i];
      case DType::kInt16:
        return static_cast<const int16_t*>(data)[i];
      case DType::kInt32:
        return static_cast<const int32_t*>(data)[i];
      default:
        return static_cast<const int64_t*>(data)[i];
    }
  }
};

}  // namespace paddle::cpu
