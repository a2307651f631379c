// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs, outputs, parameters and operators as a ProgramDesc declares them.
#include "pir/legacy/summary.h"

#include <set>

#include "pir/legacy/translate.h"

namespace paddle::pir {

void summarize(const ProgramDesc& desc, ModelSummary& out) {
  out.version = desc.version;
  std::set<std::string> missing;
  const auto variable = [&](const std::string& name) {
    const auto at = desc.blocks.front().vars.find(name);
    if (at == desc.blocks.front().vars.end()) return ModelSummary::Entry{name, {}, {}};
    return ModelSummary::Entry{name, at->second.dtype, at->second.dims};
  };
  for (const auto& [name, var] : desc.blocks.front().vars) {
    if (var.persistable && var.is_tensor()) out.parameters.push_back(variable(name));
  }
  for (const bool feed : {true, false}) {
    for (const OpDesc* op : sorted_by_column(desc.blocks.front(), feed ? "feed" : "fetch")) {
      const auto& slots = feed ? op->outputs : op->inputs;
      const auto slot = slots.find(feed ? "Out" : "X");
      if (slot == slots.end() || slot->second.empty()) continue;
      (feed ? out.inputs : out.outputs).push_back(variable(slot->second[0]));
    }
  }
  for (const BlockDesc& block : desc.blocks) {
    for (const OpDesc& op : block.ops) {
      if (op.type == "feed" || op.type == "fetch") continue;
      ++out.operators[op.type];
      if (!TranslationTable::get().contains(op.type)) missing.insert(op.type);
    }
  }
  out.missing.assign(missing.begin(), missing.end());
}

}  // namespace paddle::pir
