// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Native in-place operators: results are arguments.
#include "paddle_core/dispatch/execute/native_inplace.h"

#include "paddle_core/dispatch/execute/decomposition.h"
#include "paddle_core/dispatch/execute/fallback.h"
#include "paddle_core/dispatch/execute/kernel_call.h"
#include "paddle_core/dispatch/execute/on_device.h"
#include "paddle_core/op/infer.h"

namespace paddle {

void execute_native_inplace(const OpDef& op, const Slot* args, Outputs& outs) {
  const TensorFacts facts = facts_of(op, args);
  if (facts.off_host) {
    const Place place = call_place(op, args, facts);
    if (!all_at(op, args, place)) {
      const Patched moved = on_one_device(op, args, place);
      return execute_native_inplace(op, moved.data(), outs);
    }
  }
  Outputs inferred(op.num_results);
  Infer infer(op, args, inferred);
  op.infer_fn(infer);
  const int key = op.kernel_dtype_arg >= 0 ? op.kernel_dtype_arg : 0;
  const TensorImpl& first = *args[key].tensor;
  const Place place = first.place;
  const Kernel& kernel = op.kernels.at(place, first.dtype);
  if (!kernel.fn && op.decompose_fn) {  // of the other dtypes and devices
    return run_inplace_decomposition(op, args, outs, place);
  }
  if (!kernel.fn) return run_without_kernel(op, args, outs, first.dtype, place);
  outs.clear();
  outs.resize(op.num_results);
  Patched dense(op, args);  // strided targets are updated in a dense copy
  for (size_t k = 0; k < op.num_results; ++k) {
    const int source = op.inplace_arg[k];
    if (source >= 0) {
      if (args[source].kind != SlotKind::kTensor) continue;
      outs[k] = sharing(args[source].tensor).contiguous_copy_if_needed();
      if (outs[k].impl() != args[source].tensor) dense.set(source, outs[k]);
    } else if (inferred[k].defined()) {
      TensorImpl& t = *inferred[k].impl();
      outs[k] = Tensor::empty(t.shape, t.dtype, place);
    }
  }
  run_kernel(op, kernel, dense.data(), outs, facts_of(op, dense.data()), place);
  for (size_t k = 0; k < op.num_results; ++k) {
    if (op.inplace_arg[k] < 0 || !outs[k].defined()) continue;
    TensorImpl* target = args[op.inplace_arg[k]].tensor;
    if (outs[k].impl() == target) {
      target->storage->note_overwrite();
    } else {
      sharing(target).overwrite_from(outs[k]);
      outs[k] = sharing(target);
    }
  }
}

}  // namespace paddle
