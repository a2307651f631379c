// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of records, applied to a program.
#include "pir/serialize/before_writing/file_forms.h"

#include "pir/serialize/forms/form_builder.h"

namespace paddle::pir {

void to_file_forms(Block& block) {
  auto& ops = block.operations();
  for (auto at = ops.begin(); at != ops.end();) {
    Operation* op = (at++)->get();
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) to_file_forms(*inner);
    }
    if (!op->def || !op->def->saved_form_fn) continue;
    FormBuilder form(*op);
    op->def->saved_form_fn(form);
  }
}

}  // namespace paddle::pir
