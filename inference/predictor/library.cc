// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What must happen once before an operator can be called.
#include "inference/predictor/runner.h"
#include "paddle_core/amp/amp.h"
#include "paddle_core/autograd/autograd.h"
#include "paddle_core/base/flags.h"
#include "paddle_core/dispatch/observers.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/strided.h"
#include "phi_kernels/ops/core_ops.h"

namespace paddle_infer::detail {

void start_library() {
  [[maybe_unused]] static const bool started = [] {
    paddle::register_all_ops(paddle::Registry::global());
    paddle::Registry::global().seal();
    paddle::ops::install_core_ops();
    paddle::cpu::install_copy_cpu();
    paddle::autograd::install_autograd();
    paddle::amp::install_amp();
    if (paddle::bool_flag("FLAGS_check_nan_inf")->load()) paddle::check_nan_inf(true);
    return true;
  }();
}

}  // namespace paddle_infer::detail
