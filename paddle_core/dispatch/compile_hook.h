// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The interface by which a compiler of a higher layer takes over eager calls of composed operators.
// A call that would run as its decomposition is first offered to the hooks of its kind of device,
// in the order of their priority, until one has an executable. The others run as they would
// without.
//
// Hooks are asked at every call, so an executable holds for one call only: the next answer may be
// another one, or none. Without a hook a call costs one load more.
#pragma once

#include <atomic>
#include <memory>

#include "paddle_core/dispatch/call.h"

namespace paddle {

enum class CompileAnswer : uint8_t {
  kDeclined,    // the hook will not compile this
  kPending,     // it compiles it, or will; no call waits for it
  kExecutable,  // with the executable
};

template <typename Executable>
struct CompileReply {
  CompileAnswer answer = CompileAnswer::kDeclined;
  std::shared_ptr<Executable> executable;  // not null with kExecutable alone

  static CompileReply declined() { return {}; }
  static CompileReply pending() { return {CompileAnswer::kPending, nullptr}; }
  static CompileReply ready(std::shared_ptr<Executable> executable) {
    return {CompileAnswer::kExecutable, std::move(executable)};
  }
};

// Kept alive while it runs, even if its hook revokes it or is removed meanwhile.
class PADDLE_API CompiledCall {
 public:
  virtual ~CompiledCall();
  // `outs` have the shapes and dtypes of the results and no memory; each becomes a tensor with
  // memory of its own, of that shape and dtype, on the place of the call.
  virtual void run(const OpDef& op, const Slot* args, Outputs& outs) = 0;
};

// Asked on any thread, at once on several; may not wait.
class PADDLE_API CompileHook {
 public:
  virtual ~CompileHook();
  // `results` have the shapes and dtypes of the results.
  virtual CompileReply<CompiledCall> ask(const OpDef& op, const Slot* args, const Outputs& results,
                                         Place place) = 0;
};

// For calls on the kind of device that `device` names, whatever its index. Hooks of lower priority
// are asked later; of equal priority, those installed later. Returns what removes it.
PADDLE_API uint64_t install_compile_hook(Place device, int priority,
                                         std::shared_ptr<CompileHook> hook);
// False when no hook has that number. Calls in progress end as they began.
PADDLE_API bool remove_compile_hook(uint64_t number);

// -- for the dispatcher ------------------------------------------------------------------------
PADDLE_API extern std::atomic<uint32_t> num_compile_hooks;
inline bool compile_hooks_installed() {
  return num_compile_hooks.load(std::memory_order_relaxed) != 0;
}
// Runs the call if a hook has an executable for it; false otherwise. RuntimeError when results of
// an executable are not of the shapes and dtypes that the operator's rule gives.
PADDLE_API bool run_compiled(const OpDef& op, const Slot* args, Outputs& outs, Place place);

}  // namespace paddle
