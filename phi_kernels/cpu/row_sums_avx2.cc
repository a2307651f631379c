// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sums stay in registers while the rows pass.
#include "phi_kernels/cpu/row_sums.h"

namespace paddle::cpu {
namespace {

template <typename A>
struct Vector {
  typedef A Type __attribute__((vector_size(32), aligned(sizeof(A))));
};
template <typename A>
using V = typename Vector<A>::Type;
template <typename A>
constexpr int64_t kLanes = 32 / sizeof(A);

template <typename A>
inline const V<A>& at(const A* p) {
  return *reinterpret_cast<const V<A>*>(p);
}

template <typename A, int kVectors>
void sum_block(const A* from, const int64_t* offset, const A* weight, int64_t count,
               bool accumulate, A* to) {
  constexpr int64_t L = kLanes<A>;
  V<A> sum[kVectors] = {};
  for (int v = 0; accumulate && v < kVectors; ++v) sum[v] = at(to + v * L);
  for (int64_t i = 0; i < count; ++i) {
    const A* const row = from + offset[i];
    const A w = weight[i];
    for (int v = 0; v < kVectors; ++v) sum[v] += w * at(row + v * L);
  }
  for (int v = 0; v < kVectors; ++v) *reinterpret_cast<V<A>*>(to + v * L) = sum[v];
}

template <typename A>
inline A total(V<A> v) {
  A sum = v[0];
  for (int64_t i = 1; i < kLanes<A>; ++i) sum += v[i];
  return sum;
}

}  // namespace

template <typename A>
void sum_rows(const A* from, const int64_t* offset, const A* weight, int64_t count, int64_t n,
              bool accumulate, A* to) {
  constexpr int64_t L = kLanes<A>;
  int64_t j = 0;
  for (; j + 8 * L <= n; j += 8 * L) {
    sum_block<A, 8>(from + j, offset, weight, count, accumulate, to + j);
  }
  for (; j + 2 * L <= n; j += 2 * L) {
    sum_block<A, 2>(from + j, offset, weight, count, accumulate, to + j);
  }
  for (; j < n; ++j) {
    A sum = accumulate ? to[j] : A(0);
    for (int64_t i = 0; i < count; ++i) sum += weight[i] * from[offset[i] + j];
    to[j] = sum;
  }
}

template <typename A>
void dot_rows(const A* x, const A* from, const int64_t* offset, int64_t count, int64_t n, A* to) {
  constexpr int64_t L = kLanes<A>;
  for (int64_t i = 0; i < count; ++i) {
    const A* const row = from + offset[i];
    V<A> s[4] = {};
    int64_t j = 0;
    for (; j + 4 * L <= n; j += 4 * L) {
      for (int v = 0; v < 4; ++v) s[v] += at(x + j + v * L) * at(row + j + v * L);
    }
    for (; j + L <= n; j += L) s[0] += at(x + j) * at(row + j);
    A sum = total<A>((s[0] + s[1]) + (s[2] + s[3]));
    for (; j < n; ++j) sum += x[j] * row[j];
    to[i] = sum;
  }
}

#define PADDLE_ROW_SUMS(A)                                                                \
  template void sum_rows(const A*, const int64_t*, const A*, int64_t, int64_t, bool, A*); \
  template void dot_rows(const A*, const A*, const int64_t*, int64_t, int64_t, A*);
PADDLE_ROW_SUMS(float)
PADDLE_ROW_SUMS(double)
#undef PADDLE_ROW_SUMS

}  // namespace paddle::cpu
