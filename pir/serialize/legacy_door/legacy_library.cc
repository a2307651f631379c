// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens libpaddle_legacy.so.
#include "pir/serialize/legacy_door/legacy_library.h"

#include "paddle_core/base/own_library.h"

namespace paddle::pir {

const LegacyLibrary& legacy_library(std::string_view user) {
  static const LegacyLibrary& table = [&]() -> const LegacyLibrary& {
    const OwnLibrary library("libpaddle_legacy.so", user);
    const auto entry =
        reinterpret_cast<decltype(&paddle_legacy_library)>(library.find("paddle_legacy_library"));
    return *entry();
  }();
  return table;
}

}  // namespace paddle::pir
