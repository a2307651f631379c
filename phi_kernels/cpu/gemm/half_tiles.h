// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// bfloat16 products on matrix tiles (AMX) whose right side is packed before: in blocks of
// kHalfColumns columns, each of steps of kHalfStep elements. Sums are in float32.
#pragma once

#include <cstdint>

namespace paddle::cpu {

constexpr int64_t kHalfColumns = 32, kHalfStep = 32;
constexpr int64_t kHalfBlock = kHalfColumns * kHalfStep;  // numbers of a step of a block

struct HalfTileKernels {
  // The right side as it lies in memory. lie_flat: rows in memory, ld apart, are its columns,
  // otherwise its rows.
  struct Source {
    const uint16_t* from;
    int64_t ld;
    bool lie_flat;
    int64_t columns, depth;
  };
  // Blocks of columns are written `block` numbers apart; what a block or a step lacks is zero.
  void (*pack)(const Source& source, uint16_t* to, int64_t block);

  // c[rows, columns] (+)= a b. Of a, whole steps of a multiple of 32 rows are read.
  struct Product {
    const uint16_t* a;
    int64_t lda;
    const uint16_t* b;
    int64_t block, steps;
    int64_t rows, columns;
    float* c;
    int64_t ldc;
    bool accumulate;
  };
  void (*multiply)(const Product& product);

  // The nearest bfloat16 numbers of rows of `columns`, zeros up to a whole step.
  void (*narrow)(const float* from, int64_t rows, int64_t columns, uint16_t* to, int64_t ld);
};
extern const HalfTileKernels kHalfTiles_amx;

}  // namespace paddle::cpu
