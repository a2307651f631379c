// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How the registry of devices adds a name to the table of place.cc.
#pragma once

#include <string>

namespace paddle {

// Its custom_type; ValueError when the name is taken.
int add_custom_type(const std::string& name);

}  // namespace paddle
