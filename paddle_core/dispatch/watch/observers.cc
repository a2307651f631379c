// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The observer behind kModeCheck.

#include "paddle_core/dispatch/watch/observers.h"

#include <atomic>
#include <cmath>
#include <mutex>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/dispatch/watch/numerics.h"
#include "paddle_core/profile/trace.h"
#include "paddle_core/tensor/host_values.h"

namespace paddle {
namespace {

std::atomic<bool> watching{false};
std::atomic<bool> checking{false};
std::atomic<bool> counting{false};
std::atomic<LocationFn> location_source{nullptr};

struct Counts {
  std::mutex mutex;
  OperatorCounts calls;
};
Counts& counts() {
  static auto* all = new Counts;
  return *all;
}

void count(const OpDef& op, const Outputs& outs) {
  const DType dtype = outs.empty() || !outs[0].defined() ? DType::kUndefined : outs[0].dtype();
  const std::lock_guard lock(counts().mutex);
  ++counts().calls[{op.name(), dtype}];
}

thread_local const std::string* origin = nullptr;

template <typename T>
int64_t first_bad(const Tensor& t) {
  const T* data = t.data<T>();
  for (int64_t i = 0; i < t.numel(); ++i) {
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      if (!std::isfinite(data[i].real()) || !std::isfinite(data[i].imag())) return i;
    } else if constexpr (std::is_same_v<T, double>) {
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
    case DType::kComplex64:
      return first_bad<std::complex<float>>(t);
    case DType::kComplex128:
      return first_bad<std::complex<double>>(t);
    default:
      return -1;
  }
}

std::string where_from() {
  if (origin) return *origin;
  const std::string line = running_location();
  return line.empty() ? line : str(" It is called at ", line, ".");
}

[[gnu::noinline]] void report(const OpDef& op, size_t result, const Tensor& t, int64_t at) {
  static const std::atomic<int64_t>* const level = int_flag("FLAGS_check_nan_inf_level");
  std::string message = str(op.name(), ": result ", result, " of shape ", t.shape(),
                            " holds NaN or infinity, first at flat position ", at,
                            " (FLAGS_check_nan_inf is on).", where_from());
  if (level->load() == 0) throw_error(ErrorKind::kRuntime, std::move(message));
  warn(message);
}

void check_results(const OpDef& op, const Outputs& outs) {
  for (size_t k = 0; k < outs.size(); ++k) {
    if (!outs[k].defined() || !outs[k].has_storage()) continue;
    const Tensor values = contiguous_on_host(outs[k]);
    const int64_t at = first_bad_of(values);
    if (at >= 0) report(op, k, outs[k], at);
  }
}

void observe(const OpDef& op, const Slot*, const Outputs& outs, int64_t begin_ns, int64_t end_ns) {
  if (watching) profile::record(op.name(), "operator", begin_ns, end_ns);
  if (counting) count(op, outs);
  if (checking && !log_numerics(op, outs, where_from)) check_results(op, outs);
}

void update() {
  set_observer(observe);
  const bool on = watching || checking || counting;
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

void count_operators(bool on) {
  if (on) {
    const std::lock_guard lock(counts().mutex);
    counts().calls.clear();
  }
  counting = on;
  update();
}

OperatorCounts operator_counts() {
  const std::lock_guard lock(counts().mutex);
  return counts().calls;
}

bool checks_nan_inf() { return checking.load(std::memory_order_relaxed); }

bool observes_results() {
  return checking.load(std::memory_order_relaxed) || counting.load(std::memory_order_relaxed);
}

void set_location_source(LocationFn fn) { location_source = fn; }

std::string running_location() {
  const LocationFn source = location_source.load();
  return source ? source() : std::string();
}

OriginScope::OriginScope(const std::string& text) : previous_(origin) {
  if (!text.empty()) origin = &text;
}
OriginScope::~OriginScope() { origin = previous_; }

}  // namespace paddle
