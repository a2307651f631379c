// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The common dtype of a call, and the casts to it.
#include "paddle_core/dispatch/arguments/promote.h"

#include "paddle_core/base/log.h"
#include "paddle_core/dispatch/arguments/pack.h"
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/profile/trace.h"
#include "paddle_core/type/promotion.h"

namespace paddle {
namespace {

// A parameter that a wider input drags along: usually the input was meant to have its dtype.
void tell_promoted_parameter(const OpDef& op, const TensorImpl& t, DType common) {
  if (!t.is_parameter || t.dtype == common || !is_floating(common) || !is_floating(t.dtype)) return;
  const std::string key = str("promoted/", op.name(), t.dtype, common);
  warn_once(key,
            str(op.name(), ": a parameter of dtype ", t.dtype, " meets a tensor of dtype ", common,
                ", so the result has dtype ", common, "; cast the input with astype('", t.dtype,
                "') to compute in the parameter's (", running_location(), "). This is said once."));
}

int dtype_category(DType t) { return is_bool(t) ? 0 : is_integer(t) ? 1 : is_complex(t) ? 3 : 2; }

DType common_dtype(const OpDef& op, const Slot* args) {
  const auto widest = [&](DType common, auto&& counts) {
    for_each_tensor(op, args, [&](const TensorImpl& t) {
      if (!counts(t)) return;
      common = common == DType::kUndefined ? t.dtype : promote_types(common, t.dtype);
    });
    return common;
  };
  DType with_axes = DType::kUndefined;
  if (op.has(kNumberOperands)) {
    with_axes = widest(with_axes, [](const TensorImpl& t) { return !t.shape.empty(); });
  }
  // A number widens tensors of another kind only.
  const bool numbers_only = with_axes == DType::kUndefined;
  return widest(with_axes, [&](const TensorImpl& t) {
    return numbers_only || dtype_category(t.dtype) != dtype_category(with_axes);
  });
}

}  // namespace

void call_promoted(const OpDef& op, const Slot* args, Outputs& outs) {
  const DType common = common_dtype(op, args);
  for_each_tensor(op, args, [&](const TensorImpl& t) { tell_promoted_parameter(op, t, common); });
  const Patched patched = map_tensors(op, args, [&](int i, const Tensor& t) {
    const bool takes_part = op.schema().args[static_cast<size_t>(i)].is_tensor();
    return takes_part && t.dtype() != common ? core_ops().cast(t, common) : t;
  });
  call(op, patched.data(), outs);
}

}  // namespace paddle
