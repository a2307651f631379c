// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Views of memory in program files, which have none: operators that give the same values.
#pragma once

#include "paddle_core/op/saved_form.h"

namespace paddle::ops {

// x as a view of its memory is x of another shape.
void write_view_shape(SavedForm& f);
// Complex numbers as pairs of real ones, and the other way round; others stay.
void write_view_dtype(SavedForm& f);
// The elements of x, counted from `offset` with these steps, one axis after the other.
void write_as_strided(SavedForm& f);
// Windows of an axis, each a further axis behind the others.
void write_tensor_unfold(SavedForm& f);
// The diagonal of a matrix may be one row in files.
void read_fill_diagonal(SavedForm& f);

}  // namespace paddle::ops
