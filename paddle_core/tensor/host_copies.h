// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// How often the host did work of a device that lacks a kernel for it, between copies of the
// values: what the conformance suite of devices looks at.
#pragma once

#include <cstdint>

#include "paddle_core/base/export.h"

namespace paddle {

void note_host_copy();
PADDLE_API int64_t host_copies();  // process-wide

}  // namespace paddle
