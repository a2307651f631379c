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

// The same of float32, with as many lines side by side as a vector has lanes; lengths with other
// prime factors than 2, 3 and 5 go to transform_lines(), and few lines in all of the array, of
// which `shape` is a part and `whole` the shape: results do not depend on how it is cut.
void transform_columns(const FftSizes& whole, const FftSizes& shape, const FftSteps& in,
                       const FftSteps& out, const FftSizes& axes, bool forward,
                       const std::complex<float>* x, std::complex<float>* y, float factor);
void transform_columns(const FftSizes& whole, const FftSizes& shape, const FftSteps& in,
                       const FftSteps& out, const FftSizes& axes, bool forward, const float* x,
                       std::complex<float>* y, float factor);
void transform_columns(const FftSizes& whole, const FftSizes& shape, const FftSteps& in,
                       const FftSteps& out, const FftSizes& axes, bool forward,
                       const std::complex<float>* x, float* y, float factor);
// Lines of the other types have no such form.
template <typename X, typename Y, typename R>
void transform_columns(const FftSizes&, const FftSizes& shape, const FftSteps& in,
                       const FftSteps& out, const FftSizes& axes, bool forward, const X* x, Y* y,
                       R factor) {
  transform_lines(shape, in, out, axes, forward, x, y, factor);
}

}  // namespace paddle::cpu
