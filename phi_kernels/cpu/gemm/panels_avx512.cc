// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Panel kernels compiled for AVX-512; chosen at run time by panels.cc.
#include "phi_kernels/cpu/gemm/panels_impl.h"

namespace paddle::cpu {

const PanelKernels kPanels_avx512 = kKernels;

}  // namespace paddle::cpu
