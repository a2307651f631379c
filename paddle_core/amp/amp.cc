// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The AMP layer of the dispatcher.

#include "paddle_core/amp/amp.h"

#include <unordered_map>

#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/type/promotion.h"

namespace paddle::amp {
namespace {

struct CachedCast {
  uint32_t version;
  DType dtype;
  Tensor original, cast;
};

struct Thread {
  std::shared_ptr<const State> state;
  std::unordered_map<const TensorImpl*, CachedCast> casts;
};

Thread& thread() {
  thread_local Thread t;
  return t;
}

// Floats of 16 and 32 bits take part; float64, integers and complex numbers are left alone.
bool takes_part(DType t) {
  return t == DType::kFloat32 || t == DType::kFloat16 || t == DType::kBFloat16;
}

Tensor cast_cached(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype || !takes_part(t.dtype())) return t;
  if (!t->is_parameter || !t.has_storage() || capture_sink()) return core_ops().cast(t, dtype);
  Thread& th = thread();
  const uint32_t version = t->storage->version();
  const auto it = th.casts.find(t.impl());
  if (it != th.casts.end() && it->second.version == version && it->second.dtype == dtype &&
      it->second.cast->stop_gradient == (t->stop_gradient || !grad_enabled())) {
    return it->second.cast;
  }
  Tensor cast = core_ops().cast(t, dtype);
  th.casts[t.impl()] = CachedCast{version, dtype, t, cast};
  return cast;
}

DType widest_of(const OpDef& op, const Slot* args) {
  DType widest = DType::kUndefined;
  const auto visit = [&](DType t) {
    if (takes_part(t)) widest = widest == DType::kUndefined ? t : promote_types(widest, t);
  };
  for (int i = 0; i < op.num_args; ++i) {
    if (!op.schema().args[static_cast<size_t>(i)].is_tensor()) continue;
    if (args[i].kind == SlotKind::kTensor) visit(args[i].tensor->dtype);
    for (uint32_t k = 0; args[i].kind == SlotKind::kTensorList && k < args[i].count; ++k) {
      visit(args[i].list[k].dtype());
    }
  }
  return widest;
}

// Views, operators without gradient and those that are given a dtype compute in what they are
// given.
bool keeps_dtype(const OpDef& op) {
  if (op.is_view() || !op.differentiable) return true;
  for (const ArgSpec& arg : op.schema().args) {
    if (arg.type == ArgType::kDType) return true;
  }
  return false;
}

// In O2, for an operator of neither list.
DType second_level(const State& state, const OpDef& op, const Slot* args) {
  if (!state.promote) return state.dtype;
  const DType widest = widest_of(op, args);
  return widest == DType::kFloat32 ? widest : state.dtype;
}

// kUndefined: leave the inputs as they are.
DType target_dtype(const State& state, const OpDef& op, const Slot* args) {
  AmpClass c = op.amp;
  if (state.white.count(op.name())) c = AmpClass::kLow;
  if (state.black.count(op.name())) c = AmpClass::kHigh;
  switch (c) {
    case AmpClass::kLow:
      return state.dtype;
    case AmpClass::kHigh:
      return DType::kFloat32;
    case AmpClass::kWidest:
      return state.level >= 2 ? second_level(state, op, args) : widest_of(op, args);
    case AmpClass::kParts:
      return DType::kUndefined;
    case AmpClass::kNeutral:
      return state.level >= 2 && !keeps_dtype(op) ? second_level(state, op, args)
                                                  : DType::kUndefined;
  }
  return DType::kUndefined;
}

void call_parts(const OpDef& op, const Slot* args, Outputs& outs) {
  outs.clear();
  for (Tensor& t : decomposed(op, args)) outs.push_back(std::move(t));
}

void amp_layer(const OpDef& op, const Slot* args, Outputs& outs) {
  const std::shared_ptr<const State> state = thread().state;
  if (op.amp == AmpClass::kParts && state && state->enabled) return call_parts(op, args, outs);
  ModeGuard guard(kModeAmp);
  const DType dtype = state && state->enabled && !op.is_native_inplace()
                          ? target_dtype(*state, op, args)
                          : DType::kUndefined;
  if (dtype == DType::kUndefined) return call(op, args, outs);
  SmallVector<Slot, 8> slots(args, args + op.num_args);
  TensorList held;
  std::vector<TensorList> lists;
  held.reserve(op.num_args);
  lists.reserve(op.num_args);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!op.schema().args[i].is_tensor()) continue;
    if (slots[i].kind == SlotKind::kTensor) {
      held.push_back(cast_cached(Tensor(IntrusivePtr<TensorImpl>::share(slots[i].tensor)), dtype));
      slots[i] = Slot::of(held.back());
    } else if (slots[i].kind == SlotKind::kTensorList) {
      TensorList& list = lists.emplace_back(slots[i].list, slots[i].list + slots[i].count);
      for (Tensor& t : list) t = cast_cached(t, dtype);
      slots[i] = Slot::of(list);
    }
  }
  call(op, slots.data(), outs);
}

}  // namespace

std::shared_ptr<const State> current() { return thread().state; }

std::shared_ptr<const State> exchange(std::shared_ptr<const State> state) {
  Thread& th = thread();
  std::swap(th.state, state);
  if (!th.state) th.casts.clear();
  const bool on = th.state && th.state->enabled;
  thread_modes.on = on ? thread_modes.on | kModeAmp : thread_modes.on & ~uint32_t{kModeAmp};
  return state;
}

void install_amp() { install_layer(kModeAmp, amp_layer); }

}  // namespace paddle::amp
