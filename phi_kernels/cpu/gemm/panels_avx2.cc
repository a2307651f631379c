// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Panel kernels compiled for AVX2; chosen at run time by panels.cc.
#include "phi_kernels/cpu/gemm/panels_impl.h"

namespace paddle::cpu {

const PanelKernels kPanels_avx2 = kKernels;

}  // namespace paddle::cpu
