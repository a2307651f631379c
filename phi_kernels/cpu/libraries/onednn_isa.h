// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which instructions oneDNN uses on this machine.
#pragma once

#include "paddle_core/base/export.h"
#include "paddle_core/type/dtype.h"

namespace paddle::cpu {

// Whether the library multiplies this 16-bit float without widening it.
PADDLE_API bool onednn_multiplies(DType dtype);

// Lets the library use float16 tiles where the processor has them: it asks for that before its
// first use. A limit in the environment (ONEDNN_MAX_CPU_ISA) stays.
void allow_float16_tiles();

}  // namespace paddle::cpu
