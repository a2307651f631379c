// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor arrays of program files, lists that loops write, as tensors.
#pragma once

#include <vector>

#include "paddle_core/shape/sym.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

class OpTranslation;
class Translator;

// The numbers of its elements one after the other [total] and their shapes [elements, rank]. Where
// the elements are rows of sequences, for each level of offsets further: those of all elements
// [total] and how many each element has [elements].
using ArrayState = std::vector<Value*>;

ArrayState empty_array(OpTranslation& make, DType dtype, size_t rank);
// Nothing was written to it.
bool is_new_array(const ArrayState& s);
Value* array_length(OpTranslation& make, const ArrayState& s);  // [1]
// Appends when `i` is the number of elements. A new array takes the levels of its first element.
void write_element(OpTranslation& make, ArrayState& s, Value* x, Value* i,
                   const std::vector<Value*>& offsets = {});
Value* read_element(OpTranslation& make, const ArrayState& s, Value* i);
std::vector<Value*> read_offsets(OpTranslation& make, const ArrayState& s, Value* i);
// All elements along an axis that is new (`stacked`) or theirs.
Value* join_elements(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked);
// The extent of each element along that axis.
Value* joined_extents(OpTranslation& make, const ArrayState& s, int64_t axis, bool stacked);
// The type of part `k` of the state, now `type`, after more writes.
Type later_part(size_t k, const Type& type, SymbolScope& symbols);

bool is_array_operation(const Operation& op);
// Arrays become their states; those that a nested block writes go in and out of the operation that
// owns it. The extents of the program are symbols of the translator.
void lower_arrays(Program& program, Translator& translator);

}  // namespace paddle::pir
