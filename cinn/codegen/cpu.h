// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels as machine code of the CPU: loop IR to MLIR (arith, math, vector, scf, memref of one
// dimension), to LLVM, to a relocatable object, which is what a disk cache holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cinn/loop/kernel.h"

namespace paddle::cinn {

struct CpuTarget {
  std::string cpu;        // LLVM's name of the processor
  std::string features;   // "+avx2,-avx512f,..."
  int vector_bytes = 32;  // 64 with AVX-512
  // Whether an instruction rounds to bfloat16, to nearest even; it takes subnormal numbers for
  // zero.
  bool rounds_to_bfloat16 = false;
  // This processor, or less of it where PADDLE_CPU_ISA=avx2 says so.
  static CpuTarget host();
  // float32 values in a vector.
  int lanes() const { return vector_bytes / 4; }
};

// What compiling went through, for people: kept when it is asked for.
struct Dumps {
  std::string mlir, lowered, llvm, assembly;
};

struct ObjectCode {
  std::string bytes;
  double milliseconds = 0;
};

// RuntimeError that says what cannot be translated. Thread-safe.
ObjectCode compile_for_cpu(const Kernel& kernel, const CpuTarget& target, Dumps* dumps = nullptr);

// Runs tasks [begin, end) of one stage. `buffers` in the order of the kernel's; those of Space
// kScratch belong to this call. Sets *failed to 1 where a Check does not hold.
using StageFunction = void (*)(void* const* buffers, const int64_t* sizes, int64_t begin,
                               int64_t end, int32_t* failed);

// Code in memory.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  virtual StageFunction stage(size_t i) const = 0;
};
// RuntimeError for bytes that are no object of compile_for_cpu().
std::unique_ptr<LoadedCode> load_object(std::string_view bytes, size_t num_stages);

}  // namespace paddle::cinn
