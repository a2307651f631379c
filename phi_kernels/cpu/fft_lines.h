// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of all lines of an array along `axes`, on the calling thread. R is float or
// double. `shape` is that of the real array, or of both; results are multiplied by `factor`.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace paddle::cpu {

using FftSizes = std::vector<size_t>;     // extents, and numbers of axes
using FftSteps = std::vector<ptrdiff_t>;  // strides in bytes

template <typename R>
void transform_lines(const FftSizes& shape, const FftSteps& in, const FftSteps& out,
                     const FftSizes& axes, bool forward, const std::complex<R>* x,
                     std::complex<R>* y, R factor);
// The first half of the last axis' frequencies.
template <typename R>
void transform_lines(const FftSizes& shape, const FftSteps& in, const FftSteps& out,
                     const FftSizes& axes, bool forward, const R* x, std::complex<R>* y, R factor);
// From the first half of the last axis' frequencies.
template <typename R>
void transform_lines(const FftSizes& shape, const FftSteps& in, const FftSteps& out,
                     const FftSizes& axes, bool forward, const std::complex<R>* x, R* y, R factor);

}  // namespace paddle::cpu
