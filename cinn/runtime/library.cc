// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What libpaddle_cinn.so offers to libpaddle_core.so.
#include <map>
#include <sstream>

#include "cinn/group/group_op.h"
#include "cinn/group/partition.h"
#include "cinn/runtime/eager_hook.h"
#include "cinn/runtime/group_sources.h"
#include "cinn/runtime/group_state.h"
#include "pir/compiler_door/compiler_library.h"
#include "pir/pass/pass.h"

namespace paddle::cinn {
namespace {

pir::Grouping form_in(pir::Block& block) {
  const Partitioned made = partition(block);
  for (const FormedGroup& group : made.groups) {
    group.operation->handle = std::make_shared<GroupState>(group.parts, *group.operation);
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

void describe_block(const pir::Block& block, std::ostream& out) {
  for (const auto& op : block.operations()) {
    if (op->is("cinn.group") && op->handle) {
      out << static_cast<const GroupState*>(op->handle.get())->describe() << '\n';
      continue;
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) describe_block(*inner, out);
    }
  }
}

std::string describe_groups(const pir::Block& block) {
  std::ostringstream out;
  describe_block(block, out);
  return std::move(out).str();
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
    .describe = describe_groups,
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
