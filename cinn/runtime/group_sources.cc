// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduling and emitting a group for a target by name.
#include "cinn/runtime/group_sources.h"

#include <algorithm>

#include "cinn/codegen/blocks.h"
#include "cinn/runtime/group_state.h"
#include "cinn/schedule/blocks.h"
#include "pir/dialect/operation_record.h"

namespace paddle::cinn {
namespace {

const char* name_of(BlockArgument::Kind kind) {
  static constexpr const char* kNames[] = {"buffer", "size", "failed", "shared"};
  return kNames[static_cast<size_t>(kind)];
}

BlockSource emitted(const Kernel& kernel, const std::string& target) {
  if (target == "opencl-c") return opencl_source(kernel);
  constexpr size_t kPrefix = 4;  // "ptx-"
  return ptx_source(kernel, target.substr(kPrefix));
}

// For sizes that are symbols: rows of any length, an element at a time.
BlockVariant variant_for(const GroupForm& form) {
  std::vector<int64_t> sizes;
  for (const Dim d : form.sizes()) {
    if (d.is_symbolic()) return {kLongRows, 256, 1};
    sizes.push_back(d.value());
  }
  return choose_block_variant(form, sizes.data());
}

std::string input_name(const pir::Value* v) {
  const pir::Operation* op = v->producer();
  return op && op->is("pd_op.data") ? op->attribute("name").get<std::string>() : std::string();
}

pir::GroupSource source_of(const pir::Operation& group, const GroupPart& part,
                           const std::string& name, const std::string& target) {
  const GroupForm& form = *part.form;
  const BlockVariant variant = variant_for(form);
  const Kernel kernel = schedule_for_blocks(form, variant);
  verify(kernel);
  const BlockSource source = emitted(kernel, target);
  pir::GroupSource out;
  out.name = name;
  out.text = source.text;
  out.loops = print(kernel);
  out.multiple = variant.lanes;
  for (const Dim d : form.sizes()) out.sizes.push_back(str(d));
  for (size_t i = out.sizes.size(); i < kernel.sizes.size(); ++i) {
    out.sizes.push_back(kernel.sizes[i]);  // of random states: whoever launches it gives them
  }
  for (const Buffer& b : kernel.buffers) {
    out.buffers.push_back({name_of(b.space), b.dtype, to_string(b.elements), b.argument});
  }
  for (const BlockEntry& e : source.entries) {
    pir::SourceEntry entry{e.name, e.threads, to_string(e.tasks), to_string(e.shared), {}};
    for (const BlockArgument& a : e.arguments) {
      entry.arguments.push_back({name_of(a.kind), a.number});
    }
    out.entries.push_back(std::move(entry));
  }
  for (const int i : part.inputs)
    out.inputs.push_back(input_name(group.operand(static_cast<size_t>(i))));
  out.results = part.results;
  out.replaces = form.graph().in_place;
  return out;
}

void add_sources(const pir::Block& block, const std::string& target,
                 std::vector<pir::GroupSource>& out) {
  for (const auto& op : block.operations()) {
    if (op->is("cinn.group") && op->handle) {
      const auto& state = *static_cast<const GroupState*>(op->handle.get());
      for (const GroupPart& part : state.parts()) {
        out.push_back(source_of(*op, part, state.name(), target));
      }
      continue;
    }
    for (const auto& region : op->regions()) {
      for (const auto& inner : region->blocks()) add_sources(*inner, target, out);
    }
  }
}

}  // namespace

std::vector<pir::GroupSource> group_sources(const pir::Block& block, const std::string& target) {
  PADDLE_CHECK_VALUE(target == "opencl-c" || target == "ptx-sm_80" || target == "ptx-sm_90",
                     "group_sources: target is ", target,
                     "; it must be opencl-c, ptx-sm_80 or ptx-sm_90.");
  std::vector<pir::GroupSource> out;
  add_sources(block, target, out);
  return out;
}

}  // namespace paddle::cinn
