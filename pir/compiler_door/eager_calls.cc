// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A hook that asks the compiler's own where the flag is on.
#include "pir/compiler_door/eager_calls.h"

#include "paddle_core/base/flags.h"
#include "paddle_core/dispatch/compile_hook.h"
#include "pir/compiler_door/compiler_library.h"

namespace paddle::pir {
namespace {

class EagerDoor final : public CompileHook {
 public:
  CompileReply<CompiledCall> ask(const OpDef& op, const Slot* args, const Outputs& results,
                                 Place place) override {
    static const std::atomic<bool>* const wanted = bool_flag("FLAGS_cinn_eager");
    if (!wanted->load(std::memory_order_relaxed)) return CompileReply<CompiledCall>::declined();
    static CompileHook& hook = compiler_library().eager_calls();
    return hook.ask(op, args, results, place);
  }
};

}  // namespace

void offer_eager_calls() {
  [[maybe_unused]] static const uint64_t number =
      install_compile_hook(Place(), 0, std::make_shared<EagerDoor>());
}

}  // namespace paddle::pir
