// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the unary and binary elementwise operators: each finds its loop by the dtype of its
// operands and hands it to run_loop().
#include <immintrin.h>

#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/op_def.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {
namespace {

// Limits outside the range of integers (the default +-inf of clip) become its ends.
int64_t whole(const Scalar& s) {
  if (s.is_integral()) return s.to_int();
  if (s.to_double() >= 9.2e18) return INT64_MAX;
  return s.to_double() <= -9.2e18 ? INT64_MIN : s.to_int();
}

Params params_of(const KernelContext& ctx, int first) {
  Params p;
  p.flag = true;  // all Scalars are integers
  double* const reals[] = {&p.a, &p.b, &p.c};
  int real = 0;
  for (int k = first; k < ctx.op().num_args; ++k) {
    const Slot& s = ctx.slot(k);
    if (s.kind == SlotKind::kScalar) {
      if (real == 0) p.i = whole(*s.scalar), p.z = s.scalar->to_complex();
      if (real == 1) p.j = whole(*s.scalar), p.w = s.scalar->to_complex();
      p.flag = p.flag && s.scalar->is_integral();
      *reals[real++] = s.scalar->to_double();
    } else if (s.kind == SlotKind::kFloat) {
      *reals[real++] = s.f;
    } else if (s.kind == SlotKind::kInt) {
      p.i = s.i;
    }
  }
  return p;
}

const Loop& checked(const Loop& loop, const KernelContext& ctx) {
  if (!loop.fn) [[unlikely]] {
    throw_error(ErrorKind::kType, str(ctx.op().name(), ": ", "x has dtype ", ctx.in(0).dtype,
                                      "; no CPU kernel computes it; cast x to float32."));
  }
  return loop;
}

template <int kOp>
void unary_kernel(KernelContext& ctx) {
  int op = kOp;
  const TensorImpl* in[] = {&ctx.in(0)};
  if constexpr (kOp == kGelu) op = ctx.b(1) ? kGeluTanh : kGelu;
  const Params params = ctx.op().num_args > 1 ? params_of(ctx, 1) : Params();
  if constexpr (kOp == kScale) {
    op = ctx.b(3) ? kScale : kScaleFirst;
    // -x of integers is written so; of floats, whose zeros have signs, it is not the same.
    if (is_integer(in[0]->dtype) && params.a == -1 && params.b == 0) op = kNeg;
  }
  const Loop& loop = checked(loop_tables.unary[op][static_cast<int>(in[0]->dtype)], ctx);
  run_loop(loop, ctx.out(0), in, 1, params);
}

template <int kOp>
void binary_kernel(KernelContext& ctx) {
  int op = kOp;
  if constexpr (kOp == kGeluGrad) op = ctx.b(2) ? kGeluTanhGrad : kGeluGrad;
  const TensorImpl* in[] = {&ctx.in(0), &ctx.in(1)};
  DType dtype = in[0]->dtype;
  if constexpr (kOp == kDivide || kOp == kAtan2) {
    if (is_integer(dtype) || is_bool(dtype)) dtype = ctx.out(0).dtype;
  }
  run_loop(checked(loop_tables.binary[op][static_cast<int>(dtype)], ctx), ctx.out(0), in, 2,
           ctx.op().num_args > 2 ? params_of(ctx, 2) : Params());
}

// huber_loss has the residual label - input as its second result.
void huber_kernel(KernelContext& ctx) {
  binary_kernel<kHuberLoss>(ctx);
  const TensorImpl* in[] = {&ctx.in(1), &ctx.in(0)};
  const Loop& loop = loop_tables.binary[kSubtract][static_cast<int>(in[0]->dtype)];
  run_loop(checked(loop, ctx), ctx.out(1), in, 2, Params());
}

// prelu(x, alpha, data_format, mode): alpha is one slope, one per channel or one per element.
void prelu_kernel(KernelContext& ctx) {
  const TensorImpl& x = ctx.in(0);
  Tensor slopes = ctx.in_tensor(1).contiguous_copy_if_needed();
  const size_t rank = x.shape.size();
  if (slopes.numel() == 1) {
    slopes = Tensor::alias(slopes, Shape{}, Strides{}, 0);
  } else if (slopes.shape().size() != rank) {
    const std::string_view format = ctx.text(2);
    const bool last = format.size() > 2 && format.back() == 'C';
    Shape shape(rank, Dim(1));
    shape[last ? rank - 1 : std::min<size_t>(1, rank - 1)] = slopes.numel();
    slopes = Tensor::alias(slopes, shape, contiguous_strides(shape), 0);
  }
  const TensorImpl* in[] = {&x, slopes.impl()};
  run_loop(checked(loop_tables.binary[kPrelu][static_cast<int>(x.dtype)], ctx), ctx.out(0), in, 2,
           Params());
}

template <size_t kSize>
void copy_inner(int64_t n, void* out, const void* const* in, const int64_t* stride, const Params&) {
  struct Bytes {
    char b[kSize];
  };
  auto* o = static_cast<Bytes*>(out);
  const auto* x = static_cast<const Bytes*>(in[0]);
  for (int64_t i = 0; i < n; ++i) o[i] = x[i * stride[0]];
}

// Of strided inputs of another dtype, run_loop does the conversion and the loop copies.
void cast_kernel(KernelContext& ctx) {
  const TensorImpl* in[] = {&ctx.in(0)};
  const TensorImpl& out = ctx.out(0);
  const DType d = out.dtype;
  const size_t size = size_of(d);
  if (out.numel == 0) return;
  if (in[0]->dtype == d) {
    const auto sizes = sizes_of(out.shape);
    return copy_strided(out.data(), d, out.strides.data(), in[0]->data(), d, in[0]->strides.data(),
                        sizes.data(), static_cast<int>(sizes.size()));
  }
  if (in[0]->contiguous) {
    const Convert convert =
        loop_tables.convert[static_cast<int>(in[0]->dtype)][static_cast<int>(d)];
    const char* from = static_cast<const char*>(in[0]->data());
    char* to = static_cast<char*>(out.data());
    const int64_t from_size = static_cast<int64_t>(size_of(in[0]->dtype));
    const int64_t to_size = static_cast<int64_t>(size);
    const bool streams = out.numel * to_size >= (int64_t{16} << 20);
    parallel_for(0, out.numel, 32768, [&](int64_t begin, int64_t end) {
      if (!streams) return convert(end - begin, to + begin * to_size, from + begin * from_size, 1);
      alignas(64) char buffer[512 * 16];
      for (int64_t i = begin; i < end; i += 512) {
        const int64_t n = std::min<int64_t>(512, end - i);
        convert(n, buffer, from + i * from_size, 1);
        loop_tables.stream_copy(to + i * to_size, buffer, n * to_size);
      }
      _mm_sfence();
    });
    return;
  }
  const Inner fn = size == 1   ? copy_inner<1>
                   : size == 2 ? copy_inner<2>
                   : size == 4 ? copy_inner<4>
                   : size == 8 ? copy_inner<8>
                               : copy_inner<16>;
  run_loop({fn, d, d}, out, in, 1, Params());
}

struct Named {
  const char* name;
  KernelFn fn;
};

constexpr Named kUnaryKernels[] = {
    {"exp", unary_kernel<kExp>},
    {"expm1", unary_kernel<kExpm1>},
    {"log", unary_kernel<kLog>},
    {"log2", unary_kernel<kLog2>},
    {"log10", unary_kernel<kLog10>},
    {"log1p", unary_kernel<kLog1p>},
    {"sqrt", unary_kernel<kSqrt>},
    {"rsqrt", unary_kernel<kRsqrt>},
    {"square", unary_kernel<kSquare>},
    {"reciprocal", unary_kernel<kReciprocal>},
    {"abs", unary_kernel<kAbs>},
    {"sign", unary_kernel<kSign>},
    {"floor", unary_kernel<kFloor>},
    {"ceil", unary_kernel<kCeil>},
    {"round", unary_kernel<kRound>},
    {"trunc", unary_kernel<kTrunc>},
    {"sin", unary_kernel<kSin>},
    {"cos", unary_kernel<kCos>},
    {"tan", unary_kernel<kTan>},
    {"asin", unary_kernel<kAsin>},
    {"acos", unary_kernel<kAcos>},
    {"atan", unary_kernel<kAtan>},
    {"sinh", unary_kernel<kSinh>},
    {"cosh", unary_kernel<kCosh>},
    {"tanh", unary_kernel<kTanh>},
    {"erf", unary_kernel<kErf>},
    {"sigmoid", unary_kernel<kSigmoid>},
    {"logsigmoid", unary_kernel<kLogSigmoid>},
    {"relu", unary_kernel<kRelu>},
    {"relu6", unary_kernel<kRelu6>},
    {"silu", unary_kernel<kSilu>},
    {"swish", unary_kernel<kSilu>},
    {"gelu", unary_kernel<kGelu>},
    {"leaky_relu", unary_kernel<kLeakyRelu>},
    {"elu", unary_kernel<kElu>},
    {"softplus", unary_kernel<kSoftplus>},
    {"hardswish", unary_kernel<kHardswish>},
    {"hardsigmoid", unary_kernel<kHardsigmoid>},
    {"mish", unary_kernel<kMish>},
    {"tanh_shrink", unary_kernel<kTanhShrink>},
    {"celu", unary_kernel<kCelu>},
    {"selu", unary_kernel<kSelu>},
    {"softsign", unary_kernel<kSoftsign>},
    {"stanh", unary_kernel<kStanh>},
    {"hardtanh", unary_kernel<kClip>},
    {"hardshrink", unary_kernel<kHardshrink>},
    {"softshrink", unary_kernel<kSoftshrink>},
    {"thresholded_relu", unary_kernel<kThresholdedRelu>},
    {"neg", unary_kernel<kNeg>},
    {"conj", unary_kernel<kConj>},
    {"real", unary_kernel<kReal>},
    {"imag", unary_kernel<kImag>},
    {"isnan", unary_kernel<kIsNan>},
    {"isinf", unary_kernel<kIsInf>},
    {"isfinite", unary_kernel<kIsFinite>},
    {"logical_not", unary_kernel<kLogicalNot>},
    {"bitwise_not", unary_kernel<kBitwiseNot>},
    {"scale", unary_kernel<kScale>},
    {"clip", unary_kernel<kClip>},
    {"pow", unary_kernel<kPowScalar>},
    {"nan_to_num", unary_kernel<kNanToNum>},
};
constexpr Named kBinaryKernels[] = {
    {"add", binary_kernel<kAdd>},
    {"subtract", binary_kernel<kSubtract>},
    {"multiply", binary_kernel<kMultiply>},
    {"divide", binary_kernel<kDivide>},
    {"floor_divide", binary_kernel<kFloorDivide>},
    {"remainder", binary_kernel<kRemainder>},
    {"elementwise_pow", binary_kernel<kPow>},
    {"maximum", binary_kernel<kMaximum>},
    {"minimum", binary_kernel<kMinimum>},
    {"fmax", binary_kernel<kFmax>},
    {"fmin", binary_kernel<kFmin>},
    {"atan2", binary_kernel<kAtan2>},
    {"hypot", binary_kernel<kHypot>},
    {"logaddexp", binary_kernel<kLogAddExp>},
    {"heaviside", binary_kernel<kHeaviside>},
    {"equal", binary_kernel<kEqual>},
    {"not_equal", binary_kernel<kNotEqual>},
    {"less_than", binary_kernel<kLess>},
    {"less_equal", binary_kernel<kLessEqual>},
    {"greater_than", binary_kernel<kGreater>},
    {"greater_equal", binary_kernel<kGreaterEqual>},
    {"logical_and", binary_kernel<kLogicalAnd>},
    {"logical_or", binary_kernel<kLogicalOr>},
    {"logical_xor", binary_kernel<kLogicalXor>},
    {"bitwise_and", binary_kernel<kBitwiseAnd>},
    {"bitwise_or", binary_kernel<kBitwiseOr>},
    {"bitwise_xor", binary_kernel<kBitwiseXor>},
    {"silu_grad", binary_kernel<kSiluGrad>},
    {"relu_grad", binary_kernel<kReluGrad>},
    {"sigmoid_grad", binary_kernel<kSigmoidGrad>},
    {"tanh_grad", binary_kernel<kTanhGrad>},
    {"gelu_grad", binary_kernel<kGeluGrad>},
    {"leaky_relu_grad", binary_kernel<kLeakyReluGrad>},
    {"elu_grad", binary_kernel<kEluGrad>},
    {"hardswish_grad", binary_kernel<kHardswishGrad>},
    {"mish_grad", binary_kernel<kMishGrad>},
    {"softplus_grad", binary_kernel<kSoftplusGrad>},
    {"relu6_grad", binary_kernel<kRelu6Grad>},
    {"hardsigmoid_grad", binary_kernel<kHardsigmoidGrad>},
    {"celu_grad", binary_kernel<kCeluGrad>},
    {"selu_grad", binary_kernel<kSeluGrad>},
    {"hardtanh_grad", binary_kernel<kHardtanhGrad>},
    {"hardshrink_grad", binary_kernel<kHardshrinkGrad>},
    {"softshrink_grad", binary_kernel<kSoftshrinkGrad>},
    {"thresholded_relu_grad", binary_kernel<kThresholdedReluGrad>},
    {"bce_loss", binary_kernel<kBceLoss>},
    {"prelu", prelu_kernel},
    {"huber_loss", huber_kernel},
    {"logistic_loss", binary_kernel<kLogisticLoss>},
};

void add_kernel(Registry& r, const char* name, KernelFn fn) {
  r.kernel(name, DeviceKind::kCpu,
           {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
            DType::kFloat8E4M3, DType::kFloat8E5M2, DType::kFloat16, DType::kBFloat16,
            DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128},
           fn, true);
}

}  // namespace

void register_elementwise_cpu(Registry& r) {
  init_loop_tables();
  for (const Named& k : kUnaryKernels) add_kernel(r, k.name, k.fn);
  for (const Named& k : kBinaryKernels) add_kernel(r, k.name, k.fn);
  add_kernel(r, "cast", cast_kernel);
  add_kernel(r, "assign", cast_kernel);
  add_kernel(r, "overwrite_", cast_kernel);
}

}  // namespace paddle::cpu
