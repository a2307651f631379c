// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The path of an operator call: mode test, layers, and the base that runs kernels of the host.

#include "paddle_core/dispatch/call.h"

#include <algorithm>
#include <array>

#include "paddle_core/dispatch/arguments/promote.h"
#include "paddle_core/dispatch/arguments/resolve.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/deferred.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/execute/fallback.h"
#include "paddle_core/dispatch/execute/kernel_call.h"
#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/dispatch/execute/native_inplace.h"
#include "paddle_core/dispatch/execute/on_device.h"
#include "paddle_core/dispatch/execute/resolved_call.h"
#include "paddle_core/dispatch/recorder.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/profile/trace.h"

namespace paddle {

__thread ThreadModes thread_modes __attribute__((tls_model("initial-exec")));
std::atomic<uint32_t> process_modes{0};

namespace {

std::array<LayerFn, kNumModes> layers{};
CoreOps installed_core_ops{};
ViewRecordFn view_recorder = nullptr;
RecordFn installed_recorder = nullptr;
ObserverFn observer = nullptr;
__thread CaptureSink* active_sink __attribute__((tls_model("initial-exec"))) = nullptr;

// Outermost first. Autograd records calls on distributed tensors as it does any other, and the
// layer below it computes them with parts: a gradient rule runs through both again.
constexpr std::array<ModeBit, kNumModes> kLayerOrder{
    kModeView, kModeAmp, kModeAutograd, kModeSharded, kModeCapture, kModeCheck, kModeLayout};

int bit_index(ModeBit bit) { return __builtin_ctz(bit); }

void check_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  ModeGuard guard(kModeCheck);
  const int64_t begin = profile::now_ns();
  call(op, args, outs);
  if (observer) observer(op, args, outs, begin, profile::now_ns());
}

void capture_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  PADDLE_ASSERT(active_sink != nullptr);
  active_sink->record(op, args, outs);
  const bool recorded = op.is_view() && !outs[0].has_storage();  // else it ran at once
  if (recorded && view_recorder) view_recorder(outs[0], op, args);
}

void run_base(const OpDef& op, const Slot* args, Outputs& outs, const TensorFacts& facts,
              uint32_t donated) {
  if (ResolvedArgs::needed(op, args)) [[unlikely]] {
    const ResolvedArgs resolved(op, args);
    return execute(op, resolved.data(), outs, donated);
  }
  if (op.is_native_inplace()) return execute_native_inplace(op, args, outs);
  if (facts.off_host || facts.dtype == DType::kUndefined || op.place_arg >= 0) [[unlikely]] {
    const Place place = call_place(op, args, facts);
    if (!place.is_host()) return run_on_device(op, args, outs, place, donated);
  }
  infer_meta(op, args, outs);
  if (op.view_fn && try_view(op, args, outs)) return;
  DType dtype;
  const Kernel* kernel = select_kernel(op, args, outs, Place(), dtype);
  if (op.list_result && outs.empty()) return;
  if (!kernel) [[unlikely]]
    return run_without_kernel(op, args, outs, dtype, Place());
  const bool taken = donated && take_argument(op, *kernel, args, outs[0], donated);
  if (!taken && !op.has(kDynamicOutput | kAnyPlace)) allocate(outs, Place());
  run_kernel(op, *kernel, args, outs, facts, Place());
}

void call_recorded(const OpDef& op, const Slot* args, Outputs& outs, const TensorFacts& facts) {
  {
    ModeGuard guard(kModeAutograd);
    run_base(op, args, outs, facts, 0);
  }
  installed_recorder(op, args, outs);
}

[[gnu::noinline]] void call_layers(uint32_t modes, const OpDef& op, const Slot* args,
                                   Outputs& outs) {
  // What is recorded says where a new tensor is made, which the time of its run does not.
  for (int i = 0; i < op.num_args && op.num_tensor_args == 0; ++i) {
    if (args[i].kind != SlotKind::kPlace || args[i].place.kind != DeviceKind::kUndefined) continue;
    Patched placed(op, args);
    placed.set_slot(i, Slot::of(default_place()));
    return call_layers(modes, op, placed.data(), outs);
  }
  for (const ModeBit bit : kLayerOrder) {
    if (!(modes & bit)) continue;
    if (bit == kModeCapture) return capture_layer(op, args, outs);
    if (bit == kModeCheck) return check_layer(op, args, outs);
    if (bit == kModeLayout) return execute_in_layout(op, args, outs);
    const LayerFn layer = layers[static_cast<size_t>(bit_index(bit))];
    if (layer) return layer(op, args, outs);
  }
  execute(op, args, outs);
}

}  // namespace

bool try_view(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!args[0].tensor->storage) throw_no_values(op);
  Args view_args(op, args);
  Tensor view = op.view_fn(view_args);
  if (!view.defined()) return false;
  if (view.impl() == args[0].tensor) {  // nothing to do: still a tensor of its own
    view = Tensor::alias(view, view.shape(), view.strides(), 0);
  }
  outs[0] = std::move(view);
  if (view_recorder) view_recorder(outs[0], op, args);
  return true;
}

void execute_in_layout(const OpDef& op, const Slot* args, Outputs& outs, uint32_t donated) {
  if (!ResolvedArgs::needed(op, args)) return execute_resolved_in_layout(op, args, outs, donated);
  const ResolvedArgs resolved(op, args);  // shapes depend on their values
  execute_resolved_in_layout(op, resolved.data(), outs, donated);
}

void infer_meta(const OpDef& op, const Slot* args, Outputs& outs) {
  outs.clear();
  if (!op.list_result) outs.resize(op.num_results);
  Infer infer(op, args, outs);
  op.infer_fn(infer);
}

void infer_with_values(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!ResolvedArgs::needed(op, args)) return infer_meta(op, args, outs);
  const ResolvedArgs resolved(op, args);
  infer_meta(op, resolved.data(), outs);
}

bool call_with_numbers(const OpDef& op, const Slot* args, Outputs& outs) {
  if (!ResolvedArgs::needed(op, args)) return false;
  const ResolvedArgs resolved(op, args);
  call(op, resolved.data(), outs);
  return true;
}

void check_arguments(const OpDef& op, const Slot* args) {
  if (active_sink != nullptr || op.is_native_inplace() || ResolvedArgs::needed(op, args)) return;
  Outputs outs;
  infer_meta(op, args, outs);
}

void execute(const OpDef& op, const Slot* args, Outputs& outs, uint32_t donated) {
  if (process_modes.load(std::memory_order_relaxed) & kModeDecompose) [[unlikely]] {
    if (!ResolvedArgs::needed(op, args) && run_forced(op, args, outs)) return;
  }
  run_base(op, args, outs, facts_of(op, args), donated);
}

void call(const OpDef& op, const Slot* args, Outputs& outs) {
  const TensorFacts facts = facts_of(op, args);
  const uint32_t keys =
      thread_modes.on | process_modes.load(std::memory_order_relaxed) | facts.keys | op.modes;
  const uint32_t modes = keys & thread_modes.allowed & op.interest;
  if (facts.mixed && op.has(kPromote) && !(modes & (kModeAmp | kModeView))) [[unlikely]] {
    return call_promoted(op, args, outs);
  }
  if (modes == 0) [[likely]]
    return run_base(op, args, outs, facts, 0);
  // What is recorded holds numbers as numbers, not as the tensors they were given in: gradient
  // rules read them. A captured program, in which they have no values, says so itself.
  const bool has_values = !(modes & kModeCapture) || deferred_sink();
  if ((modes & kModeAutograd) && has_values && ResolvedArgs::needed(op, args)) [[unlikely]] {
    const ResolvedArgs resolved(op, args);
    return call(op, resolved.data(), outs);
  }
  if (modes == kModeAutograd && op.vjp_fn && installed_recorder) {
    return call_recorded(op, args, outs, facts);
  }
  call_layers(modes, op, args, outs);
}

void install_layer(ModeBit bit, LayerFn fn) { layers[static_cast<size_t>(bit_index(bit))] = fn; }
void set_view_recorder(ViewRecordFn fn) { view_recorder = fn; }
void set_recorder(RecordFn fn) { installed_recorder = fn; }
RecordFn recorder() { return installed_recorder; }
void set_observer(ObserverFn fn) { observer = fn; }
Shape CaptureSink::extents_given(const OpDef& op, const Slot*, int arg) {
  throw_no_constant(op, arg);
}
CaptureSink* capture_sink() { return active_sink; }
void set_capture_sink(CaptureSink* sink) {
  active_sink = sink;
  thread_modes.on =
      sink ? thread_modes.on | kModeCapture : thread_modes.on & ~uint32_t{kModeCapture};
}
const CoreOps& core_ops() { return installed_core_ops; }
void set_core_ops(const CoreOps& ops) { installed_core_ops = ops; }

}  // namespace paddle
