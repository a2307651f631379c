// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a fused operator does to its result before it is written: a list of steps, as text
//
//   hardswish linear(0.5,1) add relu
//
// Steps are applied in order. One of them may be `add` or `multiply`, which combines with the
// operator's argument `residual`, of the shape of the result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paddle_core/base/export.h"

namespace paddle {

struct EpilogueStep {
  enum class Kind : uint8_t {
    kRelu,
    kLeakyRelu,  // a: slope below 0
    kSigmoid,
    kHardSigmoid,  // min(max(a x + b, 0), 1)
    kHardSwish,    // x min(max(x / 6 + 1 / 2, 0), 1)
    kSwish,        // x sigmoid(a x)
    kTanh,
    kGelu,  // by the error function
    kGeluTanh,
    kClip,    // to [a, b]
    kLinear,  // a x + b
    kAdd,
    kMultiply,
  };
  Kind kind = Kind::kRelu;
  double a = 0, b = 0;
  bool takes_residual() const { return kind == Kind::kAdd || kind == Kind::kMultiply; }
  friend bool operator==(const EpilogueStep&, const EpilogueStep&) = default;
};

using Epilogue = std::vector<EpilogueStep>;

// ValueError that names `op` when the text is malformed or two steps take the residual.
PADDLE_API Epilogue parse_epilogue(std::string_view text, const char* op);
// Inverse of parse_epilogue().
PADDLE_API std::string to_text(const Epilogue& epilogue);
PADDLE_API bool takes_residual(const Epilogue& epilogue);

}  // namespace paddle
