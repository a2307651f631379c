// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of floats as wide as the instruction set has them, for bodies that are included once per
// instruction set; in an anonymous namespace, as in rows_impl.h.
#pragma once

#include <cstdint>

namespace paddle::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif
constexpr int64_t kLanes = kVectorBytes / 4;

using Vec __attribute__((vector_size(kVectorBytes))) = float;

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
[[maybe_unused]] inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof(v)); }

}  // namespace
}  // namespace paddle::cpu
