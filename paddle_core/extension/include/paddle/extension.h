// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that an operator in C++ needs. A library built against this header talks to the
// framework through paddle/extension/abi.h only, links nothing of it, and needs C++17.
#pragma once

#include "paddle/extension/dispatch.h"
#include "paddle/extension/enforce.h"
#include "paddle/extension/functions.h"
#include "paddle/extension/operator.h"
#include "paddle/extension/tensor.h"
#include "paddle/extension/types.h"
#ifdef PADDLE_EXTENSION_PYTHON
#include "paddle/extension/python.h"
#endif

// Names that operators written for other versions use.
namespace phi {
using ::paddle::AllocationType;
using ::paddle::bfloat16;
using ::paddle::complex128;
using ::paddle::complex64;
using ::paddle::CPUPlace;
using ::paddle::DataLayout;
using ::paddle::DataType;
using ::paddle::DataTypeToString;
using ::paddle::float16;
using ::paddle::GPUPlace;
using ::paddle::IntArray;
using ::paddle::Place;
using ::paddle::Scalar;
using ::paddle::SizeOf;
// Number of elements of a shape.
inline int64_t product(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}
namespace dtype {
using ::paddle::bfloat16;
using ::paddle::complex;
using ::paddle::float16;
}  // namespace dtype
}  // namespace phi
namespace common {
using ::phi::product;
}
namespace paddle {
inline namespace extension_v1 {
namespace experimental {
using namespace ::paddle::extension_v1;  // NOLINT(google-build-using-namespace)
}
}  // namespace extension_v1
}  // namespace paddle
