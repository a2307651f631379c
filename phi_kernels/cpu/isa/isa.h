// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which instruction set this process's kernels use: the best that the processor has, decided once.
// PADDLE_CPU_ISA=avx2 in the environment keeps to AVX2, avx512 to AVX-512.
#pragma once

#include "paddle_core/base/export.h"

namespace paddle::cpu {

enum class Isa { kAvx2, kAvx512 };

// RuntimeError on a processor without AVX2, FMA and F16C.
PADDLE_API Isa isa();
// Whether the processor multiplies matrix tiles of bfloat16; a process asks the kernel before it
// uses them. False when PADDLE_CPU_ISA is set.
bool isa_has_tiles();
// Whether, with AVX-512, it adds up products of bytes in one instruction (VNNI). False when
// PADDLE_CPU_ISA is set.
bool isa_has_byte_products();

}  // namespace paddle::cpu
