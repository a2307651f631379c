// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise loops of the CPU. An `Inner` is a plain loop over one run of elements in one compute
// type, written once per function (elementwise_impl.h) and compiled per instruction set. run_loop()
// does everything around it: broadcasting by collapsed strides, threads, conversion of other dtypes
// in blocks, streaming stores for large outputs.
#pragma once

#include <complex>
#include <cstdint>

#include "paddle_core/op/kernel.h"

namespace paddle::cpu {

// Constants of a call: floating attributes in order of declaration, and Scalars also as integers
// and complex numbers.
struct Params {
  double a = 0, b = 0, c = 0;
  int64_t i = 0, j = 0;
  std::complex<double> z, w;
  bool flag = false;
};

// out is dense; operand k advances by stride[k] elements (0: the same value throughout).
using Inner = void (*)(int64_t n, void* out, const void* const* in, const int64_t* stride,
                       const Params& params);

struct Loop {
  Inner fn = nullptr;
  DType in = DType::kUndefined;   // type that fn reads
  DType out = DType::kUndefined;  // type that fn writes
};

// Converts n elements; src advances by `stride` elements, dst is dense.
using Convert = void (*)(int64_t n, void* dst, const void* src, int64_t stride);

enum UnaryOp : int {
  kExp,
  kExpm1,
  kLog,
  kLog2,
  kLog10,
  kLog1p,
  kSqrt,
  kRsqrt,
  kSquare,
  kReciprocal,
  kAbs,
  kSign,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kErf,
  kSigmoid,
  kLogSigmoid,
  kRelu,
  kRelu6,
  kSilu,
  kGelu,
  kGeluTanh,
  kLeakyRelu,
  kElu,
  kSoftplus,
  kHardswish,
  kHardsigmoid,
  kMish,
  kTanhShrink,
  kCelu,
  kSelu,
  kSoftsign,
  kStanh,
  kHardshrink,
  kSoftshrink,
  kThresholdedRelu,
  kNeg,
  kConj,
  kReal,
  kImag,
  kIsNan,
  kIsInf,
  kIsFinite,
  kLogicalNot,
  kBitwiseNot,
  kScale,
  kScaleFirst,
  kClip,
  kPowScalar,
  // Vectorised for float32 (the first three for float64 too); special.cc has the other dtypes and
  // the arguments that the gamma functions leave out.
  kAcosh,
  kAsinh,
  kAtanh,
  kErfinv,
  kLogGamma,
  kDigamma,
  kPolygamma,
  kI0,
  kI0e,
  kI1,
  kI1e,
  kNanToNum,  // float32 and float64 only
  kNumUnary
};
enum BinaryOp : int {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kRemainder,
  kPow,
  kMaximum,
  kMinimum,
  kFmax,
  kFmin,
  kAtan2,
  kHeaviside,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kSiluGrad,
  kReluGrad,
  kSigmoidGrad,
  kTanhGrad,
  kGeluGrad,
  kGeluTanhGrad,
  kLeakyReluGrad,
  kEluGrad,
  kHardswishGrad,
  kMishGrad,
  kSoftplusGrad,
  kRelu6Grad,
  kHardsigmoidGrad,
  kCeluGrad,
  kSeluGrad,
  kHardtanhGrad,
  kHardshrinkGrad,
  kSoftshrinkGrad,
  kThresholdedReluGrad,
  kPrelu,
  kHuberLoss,
  kBceLoss,
  kLogisticLoss,
  kCopysign,  // float32 and float64 only, as the next four
  kNextafter,
  kTruncDivide,
  kHypot,
  kLogAddExp,
  kSwiglu,     // silu(x) * y
  kGlu,        // x * sigmoid(y)
  kShiftLeft,  // integers only
  kShiftRight,
  kNumBinary
};

// The loop of (operation, dtype of the operands); fn is null where there is none.
struct LoopTables {
  Loop unary[kNumUnary][kNumDTypes];
  Loop binary[kNumBinary][kNumDTypes];
  Convert convert[kNumDTypes][kNumDTypes];                         // [source][destination]
  void (*stream_copy)(void* dst, const void* src, int64_t bytes);  // dst aligned to 64 bytes
};
extern LoopTables loop_tables;

// Fills loop_tables once; idempotent.
void init_loop_tables();
void fill_general(LoopTables& t);  // what the other two leave out, plain code
void fill_avx2(LoopTables& t);
void fill_avx512(LoopTables& t);
void finish_tables(LoopTables& t);  // lends other dtypes the loops of a wider one

// out[...] = loop(in[...]) with broadcasting of the inputs to out's shape. Any input strides.
void run_loop(const Loop& loop, const TensorImpl& out, const TensorImpl* const* in, int count,
              const Params& params);
// Fills `bytes` at dst with copies of the `size`-byte pattern.
void fill_pattern(void* dst, const void* pattern, size_t size, int64_t count);

}  // namespace paddle::cpu
