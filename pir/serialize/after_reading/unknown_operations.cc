// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which operations are unknown, and asking the library of older operators about them.
#include "pir/serialize/after_reading/unknown_operations.h"

#include <algorithm>
#include <iterator>

#include "pir/serialize/after_reading/upgrade.h"
#include "pir/serialize/legacy_door/legacy_library.h"

namespace paddle::pir {
namespace {

// What loading and the interpreter handle by name.
constexpr OpId kWithoutRecord[] = {
    "pd_op.data",  "pd_op.fetch",       "pd_op.full_int_array", "pd_op.if",
    "pd_op.while", "pd_op.assign_out_", "pd_op.assign_value_",
};

const LegacyLibrary& library_for(const Operation& op) {
  return legacy_library(str("program file: operator ", op.name()));
}

const Operation* first_unknown(const Block& block, int version) {
  for (const auto& op : block.operations()) {
    if (is_unknown(*op, version)) return op.get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) {
        if (const Operation* found = first_unknown(*inner, version)) return found;
      }
    }
  }
  return nullptr;
}

}  // namespace

bool is_unknown(const Operation& op, int version) {
  return !op.def && op.name().starts_with("pd_op.") &&
         std::none_of(std::begin(kWithoutRecord), std::end(kWithoutRecord),
                      [&](OpId known) { return op.is(known); }) &&
         !upgrade_of(op, version);
}

bool can_expand(const Operation& op) { return library_for(op).is_compound(op); }

void expand_unknown(Program& program, int version) {
  if (const Operation* op = first_unknown(program.block(), version)) {
    library_for(*op).expand_compounds(program);
  }
}

}  // namespace paddle::pir
