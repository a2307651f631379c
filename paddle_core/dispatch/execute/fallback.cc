// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decompositions and the host in place of kernels.
#include "paddle_core/dispatch/execute/fallback.h"

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/device/execution_context.h"
#include "paddle_core/dispatch/arguments/pack.h"
#include "paddle_core/dispatch/compile_hook.h"
#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/tensor/host_copies.h"

namespace paddle {
namespace {

void tell_fallback(const OpDef& op, DType dtype, Place place, const char* instead) {
  static const std::atomic<bool>* const forbidden = bool_flag("FLAGS_forbid_fallback");
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, !forbidden->load(), op.name(),
                    ": no kernel for dtype ", dtype, " on ", place,
                    ", and FLAGS_forbid_fallback forbids ", instead, ".");
  warn_once(str("fallback/", op.name(), dtype, place),
            str(op.name(), " has no kernel for dtype ", dtype, " on ", place, "; it runs as ",
                instead, ", which may be slower."));
}

Tensor copied_to(const Tensor& t, Place place) {
  if (!t.defined() || t.place() == place) return t;
  if (!t.has_storage()) return Tensor::meta(t.shape(), t.dtype(), place);
  Tensor copy = Tensor::empty(t.shape(), t.dtype(), place);
  copy.copy_data_from(t);
  return copy;
}

void run_on_host(const OpDef& op, const Slot* args, Outputs& outs, Place place) {
  const PlaceScope constants{Place()};
  const GeneratorScope draws(default_generator(place));
  Patched on_host = map_tensors(op, args, [&](int i, const Tensor& t) {
    if (t.defined() && op.reads_shape_only(i)) return Tensor::meta(t.shape(), t.dtype(), Place());
    return copied_to(t, Place());
  });
  for (int i = 0; i < op.num_args; ++i) {
    if (args[i].kind == SlotKind::kPlace) on_host.set_slot(i, Slot::of(Place()));
  }
  execute(op, on_host.data(), outs);
  for (size_t k = 0; k < outs.size(); ++k) {
    if (!outs[k].defined()) continue;
    const int written = k < op.inplace_arg.size() ? op.inplace_arg[k] : -1;
    if (written < 0) {
      outs[k] = copied_to(outs[k], place);
      continue;
    }
    const Tensor target = sharing(args[written].tensor);
    target.overwrite_from(outs[k]);
    outs[k] = target;
  }
}

}  // namespace

void run_without_kernel(const OpDef& op, const Slot* args, Outputs& outs, DType dtype,
                        Place place) {
  if (op.decompose_fn) {
    if (op.kernels.any(place)) tell_fallback(op, dtype, place, "its decomposition");
    if (op.is_native_inplace()) return run_inplace_decomposition(op, args, outs, place);
    if (compile_hooks_installed() && run_compiled(op, args, outs, place)) return;
    return run_decomposition(op, args, outs, place);
  }
  const bool host_has = !place.is_host() && (op.kernels.any(Place()) || op.view_fn);
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, host_has, op.name(), ": no kernel for dtype ",
                    dtype, " on ", place, "; cast the inputs to a supported dtype.");
  tell_fallback(op, dtype, place, "the host's kernel between two copies");
  note_host_copy();
  run_on_host(op, args, outs, place);
}

}  // namespace paddle
