// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// float32 products on matrix tiles of bfloat16 (AMX). A float32 number is the exact sum of three of
// bfloat16, so that its product with another is the sum of nine products, of which the three
// smallest are below 2^-26 of it and left out. After Henry, Tang and Heinecke, "Leveraging the
// bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations" (2019). Sums are in
// float32. Parts of results below the smallest normal number count as zero.
#pragma once

#include <atomic>
#include <cstdint>

#include "paddle_core/tensor/tensor.h"
#include "phi_kernels/cpu/gemm/gemm.h"
#include "phi_kernels/cpu/gemm/row_epilogue.h"

namespace paddle::cpu {

constexpr int64_t kSplitTile = 16;  // lines of a tile, and columns of 32 bits that it has
constexpr int64_t kSplitLines = 2 * kSplitTile;  // rows or columns of results of one multiply()
constexpr int64_t kSplitStep = 32;               // elements of k that a tile holds
constexpr int64_t kSplitParts = 3;
// bfloat16 numbers of kSplitLines lines and one step: [half of the lines][part][tile].
constexpr int64_t kSplitBlock = 2 * kSplitParts * kSplitTile * kSplitStep;

// A part of a matrix: lines of `depth` elements. Lines are rows of the left side and columns of the
// right side of a product.
struct SplitSource {
  const float* from;
  int64_t ld;     // distance of the rows in memory
  bool lie_flat;  // rows in memory are lines; otherwise they hold one element of each line
  int64_t lines, depth;
};

// The inner loops, compiled for the instruction set that has tiles.
struct SplitKernels {
  // Writes the blocks of all steps of the first kSplitLines lines, then of the next; elements that
  // a step lacks as zeros. Tiles of the left side hold a line in a row, those of the right side two
  // elements of each line. Returns the bits of the largest magnitude.
  uint32_t (*pack)(const SplitSource& source, bool left, uint16_t* to);
  // c[rows, columns] (+)= a b over `steps` blocks; at most kSplitLines of each.
  struct Tile {
    const uint16_t* a;
    const uint16_t* b;
    int64_t steps;
    int64_t rows, columns;
    float* c;
    int64_t ldc;
    bool accumulate;
  };
  void (*multiply)(const Tile& tile);

  // What the windows of a convolution have in common: `steps` of k, one behind the other from
  // `offset` on in the left side. Sums of several runs are added up in memory after a run that ends
  // one: shorter sums round less.
  struct Run {
    int64_t offset, steps;
    bool ends_sum;
  };
  // sums[rows, kSplitLines] = a b over all runs; at most kSplitLines rows and columns. The parts of
  // a lie in planes of numbers in order; neighbouring rows overlap.
  struct Windows {
    const uint16_t* a;
    int64_t a_plane, a_row;  // distances in elements
    const Run* runs;
    int64_t run_count;
    const uint16_t* b;
    int64_t rows, columns;
    float* sums;
  };
  void (*multiply_windows)(const Windows& windows);
  // The parts of numbers in a row, `plane` elements apart. Returns the bits of the largest
  // magnitude.
  uint32_t (*split)(const float* from, int64_t count, uint16_t* to, int64_t plane);
  // to[rows, columns] = sums + bias (may be null); rows of `to` are ld apart.
  void (*put)(const float* sums, int64_t rows, int64_t columns, const float* bias, float* to,
              int64_t ld);

  // What a thread calls before and after it multiplies.
  void (*begin)();
  void (*end)();
};
extern const SplitKernels kSplit_amx;

// Whether this process may use tiles of bfloat16; PADDLE_CPU_ISA may name a set without them.
bool has_tiles();
// The same, where FLAGS_cpu_split_products lets float32 products use them and
// FLAGS_batch_invariant does not forbid it.
bool may_split();
// Whether numbers up to the magnitude with these bits, of one side of a product, have exact parts.
// Of a side without any but zeros the product is zero in either way.
bool splits_exactly(uint32_t largest);
// What threads find of the largest magnitude of a side.
inline void raise_to(std::atomic<uint32_t>& largest, uint32_t found) {
  uint32_t known = largest.load(std::memory_order_relaxed);
  while (known < found && !largest.compare_exchange_weak(known, found)) {
  }
}
// Packed right sides that are kept begin with these bits, in so many bfloat16 numbers.
constexpr int64_t kSplitHeader = 64 / sizeof(uint16_t);

// c = op(a) op(b) (+ c). False, with c as it was, where the machine has no tiles, under
// FLAGS_cpu_split_products=0, and for products too small to gain.
bool split_sgemm(const GemmShape& s, const float* a, const float* b, bool accumulate, float* c);

// From which use on packed weights are kept: of programs whose weights stay, or where they may
// change with every step.
enum class KeptFrom : uint8_t { kFirstUse, kSecondUse };

// c[m, n] = finish(a[m, k] w) for contiguous matrices, w of shape [k, n], or [n, k] when
// `transposed`. w is packed once and kept with its storage. False, with c as it was, where the
// product would not gain from tiles, where packed weights cannot be kept, and before `from`.
bool split_product_of_kept(int64_t m, int64_t n, int64_t k, const float* a, const Tensor& w,
                           bool transposed, const ProductFinish& finish, KeptFrom from, float* c);

// A right side that several left sides of m rows are multiplied with, packed once: b of shape [k,
// n], or [n, k] when `transposed`, contiguous, which stays as it is meanwhile.
class SplitColumns {
 public:
  SplitColumns(int64_t m, int64_t n, int64_t k, const float* b, bool transposed);
  // False where the products would not gain from tiles.
  explicit operator bool() const { return static_cast<bool>(packed_); }
  // c[m, n] = a[m, k] b (+ c).
  void multiply(const float* a, bool accumulate, float* c) const;

 private:
  GemmShape shape_;
  const float* b_;
  StoragePtr packed_;
};

}  // namespace paddle::cpu
