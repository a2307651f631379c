// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Asking the compilers for a region.
#include "pir/interpreter/region_compiler.h"

#include "paddle_core/device/execution_context.h"
#include "paddle_core/dispatch/hook_list.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/op/op_def.h"

namespace paddle::pir {
namespace {

std::atomic<uint32_t> num_compilers{0};

HookList<RegionCompiler>& compilers() {
  static auto* list = new HookList<RegionCompiler>(num_compilers);  // outlives static objects
  return *list;
}

Place place_of(const TensorList& inputs) {
  for (const Tensor& t : inputs) {
    if (t.defined()) return t.place();
  }
  return Place();
}

}  // namespace

RegionExecutable::~RegionExecutable() = default;
RegionCompiler::~RegionCompiler() = default;

uint64_t install_region_compiler(Place device, int priority,
                                 std::shared_ptr<RegionCompiler> compiler) {
  PADDLE_CHECK_VALUE(compiler, "install_region_compiler: compiler is null; give a RegionCompiler.");
  return compilers().add(device, priority, std::move(compiler));
}

bool remove_region_compiler(uint64_t number) { return compilers().remove(number); }

std::vector<std::string> region_operators(const Operation& op) {
  std::vector<std::string> names;
  for (const auto& inner : op.regions().at(0)->blocks().at(0)->operations()) {
    if (inner->def && !inner->is("pd_op.full")) names.emplace_back(inner->def->name());
  }
  return names;
}

std::string region_name(const Operation& op) {
  const std::vector<std::string> names = region_operators(op);
  std::string text;
  for (size_t i = 0; i < names.size();) {
    size_t end = i + 1;
    while (end < names.size() && names[end] == names[i]) ++end;
    text += (i > 0 ? "+" : "") + names[i];
    if (end - i > 1) text += str("*", end - i);
    i = end;
  }
  return text;
}

std::shared_ptr<RegionExecutable> compiled_region(const Operation& op, const TensorList& inputs) {
  if (num_compilers.load(std::memory_order_relaxed) == 0) return nullptr;
  // A check of every operator's results, such as that for NaN, names the operator.
  if (observes_results()) return nullptr;
  // Random operators draw for a part of a larger tensor: no kernel does.
  if (thread_binding.elements) return nullptr;
  const RegionRequest request{op, *op.regions()[0], inputs, place_of(inputs)};
  const auto entries = compilers().entries();
  for (const auto& entry : *entries) {
    if (!entry.serves(request.place)) continue;
    CompileReply<RegionExecutable> reply = entry.hook->ask(request);
    if (reply.answer != CompileAnswer::kExecutable) continue;
    PADDLE_CHECK_RUNTIME(reply.executable, op.name(),
                         ": a region compiler answered that it has an executable and gave none.");
    return std::move(reply.executable);
  }
  return nullptr;
}

}  // namespace paddle::pir
