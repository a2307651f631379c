// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Throwing is kept out of line so that checks cost their callers one compare and one cold call.
#include "paddle_core/base/error.h"

namespace paddle {

[[gnu::cold]] void throw_error(ErrorKind kind, std::string message) {
  throw Error(kind, std::move(message));
}

}  // namespace paddle
