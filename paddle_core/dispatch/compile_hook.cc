// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Asking the hooks, and checking what their executables gave.
#include "paddle_core/dispatch/compile_hook.h"

#include "paddle_core/dispatch/hook_list.h"

namespace paddle {

std::atomic<uint32_t> num_compile_hooks{0};

namespace {

HookList<CompileHook>& hooks() {
  static auto* list = new HookList<CompileHook>(num_compile_hooks);  // hooks outlive static objects
  return *list;
}

void check_results(const OpDef& op, const Outputs& expected, const Outputs& made, Place place) {
  PADDLE_CHECK_RUNTIME(made.size() == expected.size(), op.name(), ": the compiled call gave ",
                       made.size(), " results; ", expected.size(), " are expected.");
  for (size_t i = 0; i < made.size(); ++i) {
    if (!expected[i].defined()) continue;
    const bool fits = made[i].defined() && made[i].has_storage() &&
                      made[i].dtype() == expected[i].dtype() &&
                      made[i].shape() == expected[i].shape() && made[i].place() == place;
    PADDLE_CHECK_RUNTIME(fits, op.name(), ": result ", i,
                         " of the compiled call has not the shape ", expected[i].shape(),
                         ", dtype ", expected[i].dtype(), " and place ", place,
                         " that the operator gives.");
  }
}

}  // namespace

CompiledCall::~CompiledCall() = default;
CompileHook::~CompileHook() = default;

uint64_t install_compile_hook(Place device, int priority, std::shared_ptr<CompileHook> hook) {
  PADDLE_CHECK_VALUE(hook, "install_compile_hook: hook is null; give a CompileHook.");
  return hooks().add(device, priority, std::move(hook));
}

bool remove_compile_hook(uint64_t number) { return hooks().remove(number); }

bool run_compiled(const OpDef& op, const Slot* args, Outputs& outs, Place place) {
  const auto entries = hooks().entries();
  for (const auto& entry : *entries) {
    if (!entry.serves(place)) continue;
    const CompileReply<CompiledCall> reply = entry.hook->ask(op, args, outs, place);
    if (reply.answer != CompileAnswer::kExecutable) continue;
    PADDLE_CHECK_RUNTIME(reply.executable, op.name(),
                         ": a compile hook answered that it has an executable and gave none.");
    Outputs made = outs;
    reply.executable->run(op, args, made);
    if (!op.has(kDynamicOutput)) check_results(op, outs, made, place);
    outs = std::move(made);
    return true;
  }
  return false;
}

}  // namespace paddle
