// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the operators that read and write along one axis share.
#pragma once

#include "paddle_core/op/saved_form.h"

namespace paddle::ops {

// Files hold the axis counted from the first one.
void write_along_axis(SavedForm& f);

}  // namespace paddle::ops
