// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What tells this build of the library from others.
#pragma once

#include <string>

namespace paddle::cinn {

// The build-id that the linker wrote into the library, in hexadecimal; empty without one.
std::string build_id();

}  // namespace paddle::cinn
