// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients of smooth functions as one pass over memory. A family of functions closed under
// differentiation is a basis with coefficients; a derivative of any order, times the gradients that
// it meets, is one smooth_product().
#pragma once

#include <string_view>
#include <vector>

#include "paddle_core/op/slot.h"

namespace paddle::ops {

using Coefficients = std::vector<double>;

// f(x) for coefficients c:
inline constexpr std::string_view kPower = "power";  // sum of c[k] x^k
inline constexpr std::string_view kWave = "wave";    // c[0] sin(x) + c[1] cos(x)
inline constexpr std::string_view kLogistic =
    "logistic";  // s (1 - s) (P(s) + x Q(s)), s = sigmoid(x); c = P, Q
inline constexpr std::string_view kNormal = "normal";  // c[0] Phi(x) + phi(x) sum of c[k+1] x^k

// The coefficients of f'(x).
Coefficients derivative(std::string_view basis, const Coefficients& c);

// f(x) times all factors; undefined (a symbolic zero) where f is zero. Factors have x's shape.
Tensor smooth(const Tensor& x, TensorList factors, std::string_view basis, Coefficients c);

}  // namespace paddle::ops
