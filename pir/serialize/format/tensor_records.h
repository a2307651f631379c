// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The content of a `.pdiparams` file: tensors back to back, in an order that the program tells.
#pragma once

#include <string>
#include <string_view>

#include "paddle_core/op/op_def.h"

namespace paddle::pir {

PADDLE_API std::string tensors_to_records(const TensorList& tensors);
// ValueError when there are not `count` well-formed records, or more.
PADDLE_API TensorList tensors_from_records(std::string_view data, size_t count);
// The same from a file, which is read straight into the tensors.
PADDLE_API TensorList tensors_from_file(const std::string& path, size_t count);

}  // namespace paddle::pir
