// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// cf.host_call: a function of the host language that a program calls with values, for what it does
// (printing, checks). It gives no values; programs that hold one cannot be saved.
#pragma once

#include <functional>
#include <memory>

#include <string_view>

#include "paddle_core/op/slot.h"

namespace paddle::pir {

using HostFunction = std::function<void(const TensorList&)>;

inline constexpr std::string_view kHostCall = "cf.host_call";

// Gives the function a number for the attribute `function`; it is known as long as somebody owns
// it.
PADDLE_API int64_t register_host_function(const std::shared_ptr<HostFunction>& function);
// RuntimeError when nobody owns it any more.
PADDLE_API std::shared_ptr<HostFunction> host_function(int64_t number);

}  // namespace paddle::pir
