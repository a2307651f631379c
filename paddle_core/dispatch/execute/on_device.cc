// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The place of a call, and calls whose place is a device.
#include "paddle_core/dispatch/execute/on_device.h"

#include <algorithm>
#include <bit>

#include "paddle_core/dispatch/execute/fallback.h"
#include "paddle_core/dispatch/execute/kernel_call.h"
#include "paddle_core/dispatch/execute/layout.h"
#include "paddle_core/dispatch/execute/resolved_call.h"

namespace paddle {
namespace {

// A number that goes with tensors of any device; the rates of optimizers have one axis.
bool is_host_number(const OpDef& op, const TensorImpl& t) {
  return t.place.is_host() && (t.shape.empty() || (op.is_native_inplace() && t.numel == 1));
}

bool is_written(const OpDef& op, int i) {
  return std::find(op.inplace_arg.begin(), op.inplace_arg.end(), i) != op.inplace_arg.end();
}

bool names_place(const OpDef& op, const Slot* args) {
  return op.place_arg >= 0 && args[op.place_arg].kind == SlotKind::kPlace &&
         args[op.place_arg].place.kind != DeviceKind::kUndefined;
}

}  // namespace

Patched on_one_device(const OpDef& op, const Slot* args, Place place) {
  return map_tensors(op, args, [&](int i, const Tensor& t) {
    if (!t.defined() || t.place() == place) return t;
    if (!t.has_storage() || op.reads_shape_only(i)) {
      return Tensor::meta(t.shape(), t.dtype(), place);
    }
    Tensor copy = Tensor::empty(t.shape(), t.dtype(), place);
    copy.copy_data_from(t);
    return copy;
  });
}

namespace {

// Argument `i` by name, with its position when it is a list.
std::string argument_name(const OpDef& op, int i, int64_t position) {
  const std::string& name = op.schema().args[static_cast<size_t>(i)].name;
  return position < 0 ? name : str(name, "[", position, "]");
}

}  // namespace

Place call_place(const OpDef& op, const Slot* args, const TensorFacts& facts) {
  if (op.has(kAnyPlace)) return Place();
  if (names_place(op, args)) return args[op.place_arg].place;
  if (facts.dtype == DType::kUndefined) return default_place();
  Place place;
  int deciding = -1;  // the argument that decided, and where in it
  int64_t deciding_position = -1;
  const auto see = [&](int i, int64_t position, const TensorImpl& t) {
    if (is_host_number(op, t) && !is_written(op, i)) return;
    if (deciding < 0) {
      place = t.place;
      deciding = i;
      deciding_position = position;
      return;
    }
    PADDLE_CHECK_VALUE(t.place == place, op.name(), ": ",
                       argument_name(op, deciding, deciding_position), " is on ", place, " and ",
                       argument_name(op, i, position), " with shape ", t.shape, " on ", t.place,
                       "; the tensors of one call must be on one device: move one with to().");
  };
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kTensor) {
      see(i, -1, *args[i].tensor);
    } else if (args[i].kind == SlotKind::kTensorList) {
      for (int64_t k = 0; k < args[i].count; ++k) {
        if (args[i].list[k].defined()) see(i, k, *args[i].list[k].impl());
      }
    }
  }
  return place;
}

Place place_of_results(const OpDef& op, const Slot* args) {
  if (names_place(op, args)) return args[op.place_arg].place;
  const TensorImpl* first = nullptr;
  const TensorImpl* deciding = nullptr;  // numbers of the host go with tensors of any device
  for_each_tensor(op, args, [&](const TensorImpl& t) {
    if (!first) first = &t;
    if (!deciding && !is_host_number(op, t)) deciding = &t;
  });
  return deciding ? deciding->place : first ? first->place : default_place();
}

bool all_at(const OpDef& op, const Slot* args, Place place) {
  bool all = true;
  for_each_tensor(op, args, [&](const TensorImpl& t) { all &= t.place == place; });
  return all;
}

namespace {

// Whether the call is one that the device gets with channels last: of an operator whose record says
// how its results follow the order, with channels in front.
bool gets_channels_last(const OpDef& op, const Slot* args, Place place) {
  if (op.format_arg < 0 || op.layout_results == 0 || !op.kernels.any(place)) return false;
  if (!device_of(place).properties().prefers_channels_last) return false;
  if (!(thread_modes.allowed & kModeLayout)) return false;
  const Slot& format = args[op.format_arg];
  const TensorImpl& read = *args[std::countr_zero(op.layout_args)].tensor;
  return std::string_view(format.chars, format.count).starts_with("NC") && read.shape.size() > 2;
}

}  // namespace

void run_on_device(const OpDef& op, const Slot* args, Outputs& outs, Place place,
                   uint32_t donated) {
  if (!all_at(op, args, place)) {
    const Patched moved = on_one_device(op, args, place);
    return run_on_device(op, moved.data(), outs, place, donated);
  }
  if (gets_channels_last(op, args, place)) {
    return execute_resolved_in_layout(op, args, outs, /*donated=*/0);
  }
  infer_meta(op, args, outs);
  if (op.view_fn && try_view(op, args, outs)) return;
  DType dtype;
  const Kernel* kernel = select_kernel(op, args, outs, place, dtype);
  if (op.list_result && outs.empty()) return;
  if (!kernel) return run_without_kernel(op, args, outs, dtype, place);
  const bool taken = donated && take_argument(op, *kernel, args, outs[0], donated);
  if (!taken && !op.has(kDynamicOutput)) allocate(outs, place);
  run_kernel(op, *kernel, args, outs, facts_of(op, args), place);
}

}  // namespace paddle
