// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Exchange of tensors without a copy through DLPack (github.com/dmlc/dlpack, ABI version 1). The
// structs below have the layout of that specification.
//
// Export: the result owns a reference to the tensor; its consumer calls `deleter` once.
// Import: on success the tensor owns `managed` and calls its deleter; on an exception the caller
// still owns it. Memory marked read-only is copied. Everything in an imported struct is checked
// before it is used, but the memory it points to has to be trusted.
#pragma once

#include <cstdint>

#include "paddle_core/tensor/tensor.h"

namespace paddle::dlpack {

struct Device {
  int32_t type;  // 1 CPU, 2 CUDA, 3 pinned host memory, 13 CUDA managed memory
  int32_t id;
};
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct TensorView {  // DLTensor
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: contiguous
  uint64_t byte_offset;
};
struct Managed {  // DLManagedTensor
  TensorView tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct Version {
  uint32_t major, minor;
};
struct ManagedVersioned {  // DLManagedTensorVersioned
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  TensorView tensor;
};
inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;

PADDLE_API Device device_for(Place place);
PADDLE_API DataType type_of(DType dtype);
PADDLE_API Managed* to_dlpack(const Tensor& tensor);
PADDLE_API ManagedVersioned* to_dlpack_versioned(const Tensor& tensor, uint64_t flags = 0);
PADDLE_API Tensor from_dlpack(Managed* managed);
PADDLE_API Tensor from_dlpack(ManagedVersioned* managed);

}  // namespace paddle::dlpack
