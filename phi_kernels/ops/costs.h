// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Flops of operators that are no sum of others, for OpDef::cost: the leading terms of the usual
// algorithms. Products and sums count one each.
#pragma once

#include <algorithm>
#include <cmath>

#include "paddle_core/op/args.h"
#include "paddle_core/op/cost.h"

namespace paddle::ops::cost {

inline double elements(const Tensor& t) {
  double count = 1;
  for (const Dim d : t.shape()) count *= static_cast<double>(d.value());
  return count;
}
inline double extent(const Tensor& t, int64_t axis) {
  const auto rank = static_cast<int64_t>(t.shape().size());
  if (rank == 0) return 1;
  return static_cast<double>(t.shape()[static_cast<size_t>(axis < 0 ? axis + rank : axis)].value());
}
inline double log2_of(double n) { return n > 2 ? std::log2(n) : 1; }

// out = x y over the last two axes; arguments 2 and 3 say whether they are swapped first.
inline void matmul(Args& a, const Tensor* outs, OpCost& c) {
  const Tensor x = a.tensor(0);
  c.flops = 2 * elements(outs[0]) * extent(x, x.shape().size() > 1 && a.b(2) ? -2 : -1);
}

// Each element of `spread` meets one filter of [out, in / groups, kernel...].
inline double convolved(const Tensor& spread, const Tensor& filter) {
  return 2 * elements(spread) * elements(filter) / std::max(1.0, extent(filter, 0));
}
inline void conv(Args& a, const Tensor* outs, OpCost& c) {
  c.flops = convolved(outs[0], a.tensor(1));
}
inline void conv_grad(Args& a, const Tensor*, OpCost& c) {
  c.flops = convolved(a.tensor(2), a.tensor(1));
}
inline void conv_transpose(Args& a, const Tensor*, OpCost& c) {
  c.flops = convolved(a.tensor(0), a.tensor(1));
}

// Comparisons of a sort of rows along the axis that argument `axis` gives.
template <int axis>
void sort(Args& a, const Tensor*, OpCost& c) {
  c.flops = elements(a.tensor(0)) * log2_of(extent(a.tensor(0), a.i(axis)));
}

// Of the larger of operand and result, which is complex; a real side halves it.
inline void fft(Args& a, const Tensor* outs, OpCost& c) {
  const Tensor x = a.tensor(0);
  const bool real = !is_complex(x.dtype()) || !is_complex(outs[0].dtype());
  const Tensor& whole = is_complex(x.dtype()) ? outs[0] : x;
  double n = 1;
  for (const Dim axis : a.ints(1)) n *= extent(whole, axis.value());
  c.flops = (real ? 2.5 : 5) * elements(whole) * log2_of(n);
}

// Of matrices [..., m, n]: how many they are, and their smaller and larger extent.
struct Matrices {
  explicit Matrices(const Tensor& x) {
    const double m = extent(x, -2), n = extent(x, -1);
    small = std::min(m, n), large = std::max(m, n);
    count = m * n > 0 ? elements(x) / (m * n) : 0;
  }
  double count, small, large;
  // per matrix: small^2 (f large + g small)
  double cubic(double f, double g) const { return count * small * small * (f * large + g * small); }
};

inline void cholesky(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(0, 1.0 / 3);
}
inline void lu(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(1, -1.0 / 3);
}
inline void inverse(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(0, 2);
}
// With both factors.
inline void qr(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(4, -4.0 / 3);
}
inline void singular_vectors(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(14, 8);
}
inline void singular_values(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(4, -4.0 / 3);
}
inline void symmetric_eigenvectors(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(0, 9);
}
inline void symmetric_eigenvalues(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(0, 4.0 / 3);
}
inline void eigenvectors(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(0, 25);
}
inline void eigenvalues(Args& a, const Tensor*, OpCost& c) {
  c.flops = Matrices(a.tensor(0)).cubic(0, 10);
}
// Triangular matrices of argument 0; one multiplication and one addition for each of half their
// elements and each element of the result.
inline void triangular_solve(Args& a, const Tensor* outs, OpCost& c) {
  c.flops = elements(outs[0]) * extent(a.tensor(0), -1);
}
inline void solve(Args& a, const Tensor* outs, OpCost& c) {
  lu(a, outs, c);
  c.flops += 2 * elements(outs[0]) * extent(a.tensor(0), -1);
}

}  // namespace paddle::ops::cost
