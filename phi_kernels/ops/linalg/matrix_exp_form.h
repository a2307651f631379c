// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator matrix_exp in program files, which do not have it.
#pragma once

#include "paddle_core/op/saved_form.h"

namespace paddle::ops {

// Scaling, the Pade approximant of degree 13, and a loop of squarings (Higham 2005).
void write_matrix_exp(SavedForm& f);

}  // namespace paddle::ops
