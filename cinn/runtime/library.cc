// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What libpaddle_cinn.so offers to libpaddle_core.so.
#include <map>

#include "cinn/group/group_op.h"
#include "cinn/group/partition.h"
#include "cinn/runtime/copy_rate.h"
#include "cinn/runtime/eager_hook.h"
#include "cinn/runtime/group_sources.h"
#include "cinn/runtime/group_state.h"
#include "pir/compiler_door/compiler_library.h"
#include "pir/pass/pass.h"

namespace paddle::cinn {
namespace {

pir::Grouping form_in(pir::Block& block) {
  const Partitioned made = partition(block);
  int64_t number = 0;
  for (const FormedGroup& group : made.groups) {
    group.operation->handle =
        std::make_shared<GroupState>(group.parts, *group.operation, number++, group.edges);
  }
  pir::Grouping out;
  out.groups = made.groups.size();
  std::map<std::string, size_t> counts;
  for (const Decision& d : made.decisions) ++counts[d.operation + ": " + d.why];
  for (const auto& [line, count] : counts) {
    out.decisions += line + (count > 1 ? str(" (", count, " times)") : std::string()) + '\n';
  }
  return out;
}

void add_groups(const pir::Block& block, std::vector<std::shared_ptr<pir::ReportedGroup>>& out) {
  for (const auto& op : block.operations()) {
    if (op->is(kGroup) && op->handle) {
      out.push_back(std::static_pointer_cast<GroupState>(op->handle));
      continue;
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) add_groups(*inner, out);
    }
  }
}

std::vector<std::shared_ptr<pir::ReportedGroup>> reported_groups(const pir::Block& block) {
  std::vector<std::shared_ptr<pir::ReportedGroup>> out;
  add_groups(block, out);
  return out;
}

void start() {
  register_group();
  pir::install_region_compiler(Place(), 0, std::make_shared<CpuGroupCompiler>());
  pir::PassRegistry::global().add({"cinn_partition",
                                   [](pir::Program& p) { return form_in(p.block()).groups; },
                                   "Operations that become one kernel are put into groups."});
}

const pir::CompilerLibrary kLibrary = {
    .partition = form_in,
    .inline_groups = inline_groups,
    .groups = reported_groups,
    .copy_rate = copy_rate,
    .sources = group_sources,
    .statistics = [] { return KernelCache::global().statistics(); },
    .finish = [] { KernelCache::global().finish_all(); },
    .eager_calls = eager_calls,
};

}  // namespace
}  // namespace paddle::cinn

const paddle::pir::CompilerLibrary* paddle_cinn_library() {
  [[maybe_unused]] static const bool started = [] {
    paddle::cinn::start();
    return true;
  }();
  return &paddle::cinn::kLibrary;
}
