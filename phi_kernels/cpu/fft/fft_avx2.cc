// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// fft_lines.h by pocketfft, compiled for AVX2, which every supported processor has.

// What the standard headers define may be merged with the copies of other files, so it keeps to the
// baseline instruction set.
#pragma GCC push_options
#pragma GCC target("no-avx")
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "phi_kernels/cpu/fft/fft_lines.h"
#pragma GCC pop_options

#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 64
#include <pocketfft_hdronly.h>

namespace paddle::cpu {

template <typename R>
void transform_lines(const FftSizes& shape, const FftSteps& in, const FftSteps& out,
                     const FftSizes& axes, bool forward, const std::complex<R>* x,
                     std::complex<R>* y, R factor) {
  pocketfft::c2c(shape, in, out, axes, forward, x, y, factor);
}
template <typename R>
void transform_lines(const FftSizes& shape, const FftSteps& in, const FftSteps& out,
                     const FftSizes& axes, bool forward, const R* x, std::complex<R>* y, R factor) {
  pocketfft::r2c(shape, in, out, axes, forward, x, y, factor);
}
template <typename R>
void transform_lines(const FftSizes& shape, const FftSteps& in, const FftSteps& out,
                     const FftSizes& axes, bool forward, const std::complex<R>* x, R* y, R factor) {
  pocketfft::c2r(shape, in, out, axes, forward, x, y, factor);
}

template void transform_lines<float>(const FftSizes&, const FftSteps&, const FftSteps&,
                                     const FftSizes&, bool, const std::complex<float>*,
                                     std::complex<float>*, float);
template void transform_lines<float>(const FftSizes&, const FftSteps&, const FftSteps&,
                                     const FftSizes&, bool, const float*, std::complex<float>*,
                                     float);
template void transform_lines<float>(const FftSizes&, const FftSteps&, const FftSteps&,
                                     const FftSizes&, bool, const std::complex<float>*, float*,
                                     float);
template void transform_lines<double>(const FftSizes&, const FftSteps&, const FftSteps&,
                                      const FftSizes&, bool, const std::complex<double>*,
                                      std::complex<double>*, double);
template void transform_lines<double>(const FftSizes&, const FftSteps&, const FftSteps&,
                                      const FftSizes&, bool, const double*, std::complex<double>*,
                                      double);
template void transform_lines<double>(const FftSizes&, const FftSteps&, const FftSteps&,
                                      const FftSizes&, bool, const std::complex<double>*, double*,
                                      double);

}  // namespace paddle::cpu
