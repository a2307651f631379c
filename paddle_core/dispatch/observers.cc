// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The observer behind kModeCheck.

#include "paddle_core/dispatch/observers.h"

#include <atomic>
#include <cmath>

#include "paddle_core/profile/trace.h"

namespace paddle {
namespace {

std::atomic<bool> watching{false};
std::atomic<bool> checking{false};

template <typename T>
int64_t first_bad(const Tensor& t) {
  const T* data = t.data<T>();
  for (int64_t i = 0; i < t.numel(); ++i) {
    if constexpr (std::is_same_v<T, double>) {
      if (!std::isfinite(data[i])) return i;
    } else {
      if (!std::isfinite(static_cast<float>(data[i]))) return i;
    }
  }
  return -1;
}

int64_t first_bad_of(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat32:
      return first_bad<float>(t);
    case DType::kFloat64:
      return first_bad<double>(t);
    case DType::kFloat16:
      return first_bad<float16>(t);
    case DType::kBFloat16:
      return first_bad<bfloat16>(t);
    default:
      return -1;
  }
}

void check_results(const OpDef& op, const Outputs& outs) {
  for (size_t k = 0; k < outs.size(); ++k) {
    if (!outs[k].defined() || !outs[k].has_storage()) continue;
    const Tensor values = outs[k].contiguous_copy_if_needed();
    const int64_t at = first_bad_of(values);
    PADDLE_CHECK_RUNTIME(at < 0, op.name(), ": result ", k, " of shape ", outs[k].shape(),
                         " holds NaN or infinity, first at flat position ", at,
                         " (FLAGS_check_nan_inf is on).");
  }
}

void observe(const OpDef& op, const Slot*, const Outputs& outs, int64_t begin_ns, int64_t end_ns) {
  if (watching) profile::record(op.name(), "operator", begin_ns, end_ns);
  if (checking) check_results(op, outs);
}

void update() {
  set_observer(observe);
  const bool on = watching || checking;
  if (on) {
    process_modes |= kModeCheck;
  } else {
    process_modes &= ~uint32_t{kModeCheck};
  }
}

}  // namespace

void watch_operators(bool on) {
  watching = on;
  update();
}

void check_nan_inf(bool on) {
  checking = on;
  update();
}

}  // namespace paddle
