// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of epilogues by the loops of the elementwise operators.
#include "phi_kernels/cpu/gemm/row_epilogue.h"

namespace paddle::cpu {
namespace {

using Kind = EpilogueStep::Kind;

// kNumUnary when there is none.
UnaryOp loop_of(const EpilogueStep& step) {
  switch (step.kind) {
    case Kind::kRelu:
      return kRelu;
    case Kind::kLeakyRelu:
      return kLeakyRelu;
    case Kind::kSigmoid:
      return kSigmoid;
    case Kind::kHardSigmoid:
      return kHardsigmoid;
    case Kind::kHardSwish:
      return kHardswish;
    case Kind::kSwish:
      return step.a == 1 ? kSilu : kNumUnary;
    case Kind::kTanh:
      return kTanh;
    case Kind::kGelu:
      return kGelu;
    case Kind::kGeluTanh:
      return kGeluTanh;
    case Kind::kClip:
      return kClip;
    case Kind::kLinear:
      return kScale;
    default:
      return kNumUnary;
  }
}

}  // namespace

std::optional<RowEpilogue> RowEpilogue::of(const Epilogue& epilogue) {
  constexpr int kFloat = static_cast<int>(DType::kFloat32);
  RowEpilogue rows;
  for (const EpilogueStep& step : epilogue) {
    Params params;
    params.a = step.a;
    params.b = step.b;
    if (step.takes_residual()) {
      const int op = step.kind == Kind::kAdd ? kAdd : kMultiply;
      rows.steps_.push_back({loop_tables.binary[op][kFloat].fn, params, true});
      continue;
    }
    const UnaryOp op = loop_of(step);
    if (op == kNumUnary) return {};
    rows.steps_.push_back({loop_tables.unary[op][kFloat].fn, params, false});
  }
  return rows;
}

void RowEpilogue::apply(float* values, const float* residual, int64_t n) const {
  constexpr int64_t kDense[] = {1, 1};
  for (const Step& step : steps_) {
    const void* in[] = {values, residual};
    step.fn(n, values, in, kDense, step.params);
  }
}

void ProductFinish::apply(float* c, int64_t n, int64_t row, int64_t lines, int64_t column,
                          int64_t width) const {
  static const RowEpilogue add = *RowEpilogue::of({{EpilogueStep::Kind::kAdd}});
  if (!bias && steps.empty()) return;
  for (int64_t i = row; i < row + lines; ++i) {
    const int64_t at = i * n + column;
    if (bias) add.apply(c + at, bias + column, width);
    steps.apply(c + at, residual ? residual + at : nullptr, width);
  }
}

}  // namespace paddle::cpu
