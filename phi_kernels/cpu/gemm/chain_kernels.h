// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of chain_product.h, compiled per instruction set. Each adds to every element of c
// the products of its sum one after the other, each product and addition rounded once together:
// the order is the same in all of them.
#pragma once

#include <cstdint>

namespace paddle::cpu {

template <typename A>
struct ChainKernels {
  int64_t rows;     // of a tile at most
  int64_t columns;  // of a panel

  // c[r, j] += sum over i of a[r * a_step + i] * panel[i * columns + j] for the columns of a panel.
  struct Tile {
    const A* a;
    int64_t a_step;
    const A* panel;
    int64_t k;
    A* c;
    int64_t c_step;
  };
  void (*tile)(int64_t rows, const Tile& tile);

  // c[r * c_step + j] += sum over i of a[r * a_step + i] * b[i * b_step + j] for j < length; at
  // most kStreamRows rows of a, and 1 or kStreamDepth of b.
  struct Stream {
    const A* a;
    int64_t rows, a_step;
    const A* b;
    int64_t depth, b_step;
    int64_t length;
    A* c;
    int64_t c_step;
  };
  void (*stream)(const Stream& stream);

  // to[i * to_step + j] = from[j * from_step + i] for i < length, j < lines.
  void (*transpose)(const A* from, int64_t from_step, int64_t lines, int64_t length, A* to,
                    int64_t to_step);
};

constexpr int64_t kStreamRows = 4, kStreamDepth = 4;
constexpr int64_t kMostChainRows = 12, kMostChainColumns = 32;

extern const ChainKernels<float> kFloatChains_avx2, kFloatChains_avx512;
extern const ChainKernels<double> kDoubleChains_avx2, kDoubleChains_avx512;

}  // namespace paddle::cpu
