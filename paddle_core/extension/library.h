// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loads libraries of operators that users compiled against paddle/extension.h. Their operators
// become records of the registry like any other: eager, gradients, capture and saved programs read
// them.
#pragma once

#include <string>
#include <vector>

#include "paddle_core/extension/custom_op.h"

namespace paddle::extension {

// The operators of a library, in the order of their declarations, gradients left out. A library
// that is loaded already is not loaded again. OSError when the file cannot be loaded or is no such
// library; ValueError for a definition that does not hold together; RuntimeError for a name that is
// taken. When it throws, nothing of the library is registered.
PADDLE_API std::vector<const CustomOp*> load_library(const std::string& path);

// The same operators and errors, without registering them.
PADDLE_API std::vector<CustomOp> describe_library(const std::string& path);

}  // namespace paddle::extension
