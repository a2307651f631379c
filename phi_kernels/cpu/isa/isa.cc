// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Asks the processor once which instruction sets it has.
#include "phi_kernels/cpu/isa/isa.h"

#include <cstdlib>
#include <string_view>

#include "paddle_core/base/error.h"

namespace paddle::cpu {
namespace {

// Whether no instruction set is asked for.
bool is_free() {
  const char* asked = std::getenv("PADDLE_CPU_ISA");
  return !asked || !*asked;
}

Isa detect() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c");
  PADDLE_CHECK_RUNTIME(avx2,
                       "paddle: this processor lacks AVX2, FMA or F16C; the CPU kernels need "
                       "them; use a processor of the x86-64-v3 level.");
  const char* asked = std::getenv("PADDLE_CPU_ISA");
  const std::string_view name = asked ? asked : "";
  PADDLE_CHECK_VALUE(name.empty() || name == "avx2" || name == "avx512",
                     "PADDLE_CPU_ISA: value is ", name,
                     "; it must be avx2 or avx512; unset it to let the processor decide.");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return avx512 && name != "avx2" ? Isa::kAvx512 : Isa::kAvx2;
}

}  // namespace

bool isa_has_tiles() {
  return is_free() && __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16");
}

bool isa_has_byte_products() { return is_free() && __builtin_cpu_supports("avx512vnni"); }

Isa isa() {
  static const Isa chosen = detect();
  return chosen;
}

}  // namespace paddle::cpu
