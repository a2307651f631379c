// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operator recurrence in program files, which have the layer of PaddlePaddle, `rnn`.
#pragma once

#include "paddle_core/op/saved_form.h"

namespace paddle::ops {

// One direction. Gates that are not a product with parameters are the products with a unit
// matrix. The other direction is the second one of both. What the gradient keeps has no place in
// the file's form: a call where it is read stays as it is.
void write_recurrence(SavedForm& f);

}  // namespace paddle::ops
