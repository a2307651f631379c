// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Old operators on tensor arrays (arrays.h).
#include "pir/legacy/arrays.h"
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

template <typename Slots>
const std::string& array_name(const OpTranslation& op, const Slots& slots, const char* slot) {
  const auto at = slots.find(slot);
  if (at == slots.end() || at->second.size() != 1) op.fail(str(slot, " names no array"));
  return at->second[0];
}

ArrayState array_of(OpTranslation& op, const char* slot) {
  return op.translator().array(array_name(op, op.desc().inputs, slot), op.type());
}

void write_to_array(OpTranslation& op) {
  const std::string& name = array_name(op, op.desc().outputs, "Out");
  ArrayState state = op.translator().array(name, op.type());
  write_element(op, state, op.in("X"), op.in("I"), op.offsets("X"));
  op.translator().write_array(name, state);
}

void read_from_array(OpTranslation& op) {
  const ArrayState state = array_of(op, "X");
  op.set("Out", read_element(op, state, op.in("I")));
  op.set_offsets("Out", read_offsets(op, state, op.in("I")));
}

void array_size(OpTranslation& op) { op.set("Out", array_length(op, array_of(op, "X"))); }

void array_to_tensor(OpTranslation& op) {
  const ArrayState state = array_of(op, "X");
  const int64_t axis = op.integer("axis", 0);
  const bool stacked = op.flag("use_stack", false);
  op.set("Out", join_elements(op, state, axis, stacked));
  op.set("OutIndex", joined_extents(op, state, axis, stacked));
}

}  // namespace

void add_arrays_translations(TranslationTable& table) {
  table.add("write_to_array", write_to_array);
  table.add("read_from_array", read_from_array);
  table.add("lod_array_length", array_size);
  table.add("tensor_array_to_tensor", array_to_tensor);
}

}  // namespace paddle::pir
