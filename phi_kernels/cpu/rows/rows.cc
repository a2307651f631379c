// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Row kernels for any x86-64 or other machine, and the choice among the instruction sets.
#include "phi_kernels/cpu/rows/rows_impl.h"

namespace paddle::cpu {

#if defined(__x86_64__)
extern const RowKernels<float> kFloatRows_avx2, kFloatRows_avx512;
extern const RowKernels<double> kDoubleRows_avx2, kDoubleRows_avx512;
#endif

namespace {

template <typename A>
const RowKernels<A>& choose(const RowKernels<A>& avx2, const RowKernels<A>& avx512) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#else
  (void)avx2, (void)avx512;
#endif
  return kRowKernels<A>;
}

}  // namespace

#if defined(__x86_64__)
template <>
const RowKernels<float>& rows<float>() {
  static const RowKernels<float>& best = choose(kFloatRows_avx2, kFloatRows_avx512);
  return best;
}
template <>
const RowKernels<double>& rows<double>() {
  static const RowKernels<double>& best = choose(kDoubleRows_avx2, kDoubleRows_avx512);
  return best;
}
#else
template <>
const RowKernels<float>& rows<float>() {
  return choose(kRowKernels<float>, kRowKernels<float>);
}
template <>
const RowKernels<double>& rows<double>() {
  return choose(kRowKernels<double>, kRowKernels<double>);
}
#endif

}  // namespace paddle::cpu
