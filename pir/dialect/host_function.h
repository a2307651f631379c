// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the host language that a program calls; programs that hold one cannot be saved.
#pragma once

#include <functional>
#include <memory>

#include <string_view>

#include "paddle_core/op/slot.h"

namespace paddle::pir {

using HostFunction = std::function<TensorList(const TensorList&)>;

// cf.host_call(values...) with attribute `function`: what the function gives for the values. One
// without results is called for what it does (printing, checks) and sees no history; one with
// results runs under autograd when the run is recorded, so that gradients go through what it calls.
inline constexpr std::string_view kHostCall = "cf.host_call";
// cf.hook(x) with attribute `function`: when the run is recorded, the function sees the gradient of
// x, and what it gives stands in its place.
inline constexpr std::string_view kHook = "cf.hook";

// Gives the function a number for the attribute `function`; it is known as long as something owns
// it.
PADDLE_API int64_t register_host_function(const std::shared_ptr<HostFunction>& function);
// RuntimeError when it has no owner any more.
PADDLE_API std::shared_ptr<HostFunction> host_function(int64_t number);

}  // namespace paddle::pir
