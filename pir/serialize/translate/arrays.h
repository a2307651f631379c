// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor arrays of program files, lists that loops write, as tensors.
#pragma once

#include <array>

#include "pir/ir/ir.h"

namespace paddle::pir {

class OpTranslation;
class Translator;

// The numbers of its elements one after the other [total], how many elements there are [1], and the
// shape of the one that was written last [rank]. All elements have one shape, or differ in their
// first axis and are only joined along it.
using ArrayState = std::array<Value*, 3>;

ArrayState empty_array(OpTranslation& make, DType dtype, size_t rank);
// Appends when `i` is the number of elements.
void write_element(OpTranslation& make, ArrayState& s, Value* x, Value* i);
Value* read_element(OpTranslation& make, const ArrayState& s, Value* i);
// All elements along an axis that is new (`stacked`) or theirs.
Value* join_elements(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked);
// The extent of each element along that axis.
Value* joined_extents(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked);

bool is_array_operation(const Operation& op);
// Arrays become their states; those that a nested block writes go in and out of the operation that
// owns it. The extents of the program are symbols of the translator.
void lower_arrays(Program& program, Translator& translator);

}  // namespace paddle::pir
