// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of float32 rows with a matrix of int8 or int4 codes, in the order of memory that
// weight_quantize writes for GPUs since Turing: outputs are rows; two (int8) or four (int4) of them
// alternate in chunks of 64 codes, and within a chunk the inputs have an order of their own. Codes
// are stored with 128 or 8 added. Compiled per instruction set.
#pragma once

#include <cstdint>

namespace paddle::cpu {

constexpr int kCodeChunk = 64;
// Outputs that alternate in memory.
constexpr int code_columns(int bits) { return 16 / bits; }

// The codes of a matrix and their scales. Inputs are a multiple of 64, and so is `group`, the
// number of inputs that have one scale; outputs are a multiple of code_columns.
struct CodeMatrix {
  const uint8_t* codes;
  const float* scales;  // [inputs / group, outputs]
  int64_t inputs, outputs, group;
  int bits;
};

struct CodeProductKernels {
  // order[i]: which of 64 inputs is the i-th that the products read.
  void (*order)(int bits, int (&order)[kCodeChunk]);
  // to[r * outputs + j] = x_r . column j for the outputs j in [begin, end), whole alternating ones,
  // and `count` rows x, whose inputs are in that order. An element does not depend on `count`.
  void (*multiply)(const CodeMatrix& m, const float* x, int64_t count, int64_t begin, int64_t end,
                   float* to);
  // The weights of these outputs, [end - begin, inputs], with the inputs in that order.
  void (*values)(const CodeMatrix& m, int64_t begin, int64_t end, float* to);
};
extern const CodeProductKernels kCodeProduct_avx2, kCodeProduct_avx512;
const CodeProductKernels& code_product_kernels();

}  // namespace paddle::cpu
