// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Vectorised loops over one contiguous row, for softmax, losses, norms, attention and optimizers.
// One table per scalar type (float, double) and instruction set; rows<A>() is the best table that
// this machine runs. Rows of 16-bit floats are widened by the caller (load_row, store_row).
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/functors/computing_types.h"

namespace paddle::cpu {

template <typename A>
struct RowKernels {
  A (*max)(const A* x, int64_t n);  // NaN when there is one; -inf for n = 0
  A (*sum)(const A* x, int64_t n);
  A (*dot)(const A* x, const A* y, int64_t n);
  A (*dot3)(const A* x, const A* y, const A* z, int64_t n);
  // sum of (x - center)^2
  A (*square_sum)(const A* x, A center, int64_t n);
  // out = exp(x - shift), returns the sum of out; out may be x, or null for the sum alone.
  A (*exp_shift)(const A* x, A shift, A* out, int64_t n);
  void (*scale)(const A* x, A factor, A* out, int64_t n);                   // out = x * factor
  void (*shift)(const A* x, A offset, A* out, int64_t n);                   // out = x + offset
  void (*axpy)(A factor, const A* x, A* y, int64_t n);                      // y += factor * x
  void (*multiply_add)(A factor, const A* x, const A* z, A* y, int64_t n);  // y += factor * x * z
  // out = (x - center) * factor * w + b; w and b may be null.
  void (*affine)(const A* x, A center, A factor, const A* w, const A* b, A* out, int64_t n);
  // out = y * (g - d)
  void (*softmax_grad)(const A* y, const A* g, A d, A* out, int64_t n);
  // softmax, or its logarithm, of n elements `step` apart, for `columns` lanes side by side;
  // scratch: n * columns elements; sums, when not null: the maximum of each lane, behind these the
  // logarithm of its sum of exp(x - maximum).
  void (*softmax_columns)(bool log, const A* x, int64_t n, int64_t step, A* scratch, A* sums,
                          A* out);
  void (*softmax_grad_columns)(bool log, const A* y, const A* g, int64_t n, int64_t step, A* out);
  int64_t columns;
  // out = alpha * g * w + beta * x + gamma; w may be null.
  void (*norm_grad)(const A* x, const A* g, const A* w, A alpha, A beta, A gamma, A* out,
                    int64_t n);
  // g * rate1 * (x - center) summed into dw, g summed into db; either may be null.
  void (*norm_weight_grad)(const A* x, const A* g, A center, A factor, A* dw, A* db, int64_t n);
  // dx = silu'(x) * y * g, dy = silu(x) * g
  void (*swiglu_grad)(const A* x, const A* y, const A* g, A* dx, A* dy, int64_t n);
  // Each of `count` rows (a, b) of 2 * half elements becomes (a cos0 - b sin0, b cos1 + a sin1);
  // cos0, cos1 are the halves of cos, sin0, sin1 those of sin, or, in the inverse, of -sin with the
  // halves exchanged.
  void (*rotate)(const A* x, const A* cos, const A* sin, bool inverse, A* out, int64_t half,
                 int64_t count);
  // out = (sum of c[k] x^k) * all of f; count coefficients, at least one; out may be x.
  void (*polynomial_product)(const A* c, int count, const A* x, const A* const* f, int factors,
                             A* out, int64_t n);
  // One Adam step: see AdamStep.
  void (*adam)(const struct AdamStep& step, const A* grad, A* param, A* m1, A* m2, A* m2_max,
               int64_t n);
  // v = mu * v + g (+ decay * p); p -= rate * (nesterov ? g + mu * v : v)
  void (*momentum)(A mu, A rate, A decay, A rescale, bool nesterov, const A* grad, A* param, A* v,
                   int64_t n);
  // Cells of recurrent layers on one sample; x and p are the input's and the state's part of the
  // gates, kept is what the gradient reads. lstm: kept = i, f, g, o, c; the state c is replaced.
  void (*lstm_step)(const A* x, const A* p, A* c, A* kept, A* h, int64_t n);
  // dc: gradient of the state behind the step, replaced by that of the state before it; dh becomes
  // 0.
  void (*lstm_grad)(const A* kept, const A* c, A* dh, A* dc, A* d, int64_t n);
  // gru: kept = r, z, n and the state's part of n; h is replaced.
  void (*gru_step)(const A* x, const A* p, A* h, A* kept, int64_t n);
  // dh is replaced by its direct part, dx and dp are the gradients of x and p.
  void (*gru_grad)(const A* kept, const A* h, A* dh, A* dx, A* dp, int64_t n);
  void (*rnn_step)(bool relu, const A* x, const A* p, A* h, int64_t n);
  void (*rnn_grad)(bool relu, const A* h, A* dh, A* d, int64_t n);
};

// m1 = beta1 m1 + (1 - beta1) g; m2 = beta2 m2 + (1 - beta2) g^2;
// p = p * keep - rate * m1 / (sqrt(m2) + epsilon), m2 replaced by its running maximum for AMSGrad.
struct AdamStep {
  double beta1, beta2, rate, epsilon, keep;
};

template <typename A>
const RowKernels<A>& rows();

// The type that rows of T are computed in.
template <typename T>
using RowType = FloatType<T>;

// The row as RowType: itself, or a widened copy in `buffer`.
template <typename T>
const RowType<T>* load_row(const T* x, int64_t n, std::vector<RowType<T>>& buffer) {
  if constexpr (std::is_same_v<T, RowType<T>>) {
    return x;
  } else {
    buffer.resize(static_cast<size_t>(n));
    loop_tables.convert[static_cast<int>(DTypeOf<T>::value)][static_cast<int>(DType::kFloat32)](
        n, buffer.data(), x, 1);
    return buffer.data();
  }
}

// Where a row result is computed: the output itself, or a buffer that store_row narrows.
template <typename T>
RowType<T>* begin_row(T* out, int64_t n, std::vector<RowType<T>>& buffer) {
  if constexpr (std::is_same_v<T, RowType<T>>) {
    return out;
  } else {
    buffer.resize(static_cast<size_t>(n));
    return buffer.data();
  }
}
template <typename T>
void store_row(const RowType<T>* row, T* out, int64_t n) {
  if constexpr (!std::is_same_v<T, RowType<T>>) {
    loop_tables.convert[static_cast<int>(DType::kFloat32)][static_cast<int>(DTypeOf<T>::value)](
        n, out, row, 1);
  }
}

}  // namespace paddle::cpu
