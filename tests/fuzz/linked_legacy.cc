// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The readers of PaddlePaddle 2's programs as libFuzzer sees them: compiled into the target, in the
// place of the library that legacy_library.cc opens.
#include "pir/serialize/legacy_door/legacy_library.h"

namespace paddle::pir {

const LegacyLibrary& legacy_library(std::string_view) { return *paddle_legacy_library(); }

}  // namespace paddle::pir
