// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of floating results, and the lines about them.

#include "paddle_core/dispatch/watch/numerics.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "paddle_core/base/error.h"
#include "paddle_core/tensor/host_values.h"
#include "paddle_core/tensor/tensor.h"

namespace paddle {
namespace {

std::atomic<bool> active{false};
std::mutex mutex;
NumericsLog settings;  // guarded by mutex, which also keeps lines of threads apart

struct Statistics {
  int64_t nans = 0, infinities = 0, zeros = 0;
  double largest = 0, smallest = 0, mean = 0;
  bool bad() const { return nans + infinities > 0; }
};

template <typename T>
Statistics statistics_of(const Tensor& t) {
  const T* data = t.data<T>();
  constexpr double inf = std::numeric_limits<double>::infinity();
  Statistics s{0, 0, 0, -inf, inf, 0};
  const int64_t n = t.numel();
  for (int64_t i = 0; i < n; ++i) {
    const double v = static_cast<double>(data[i]);
    s.mean += v;
    s.zeros += v == 0;
    s.infinities += std::isinf(v);
    s.nans += std::isnan(v);
    s.largest = std::max(s.largest, v);
    s.smallest = std::min(s.smallest, v);
  }
  s.mean /= static_cast<double>(n);
  if (s.nans == n) s.largest = s.smallest = s.mean;
  return s;
}

const char* short_name(DType t) {
  switch (t) {
    case DType::kFloat32:
      return "fp32";
    case DType::kFloat64:
      return "fp64";
    case DType::kFloat16:
      return "fp16";
    case DType::kBFloat16:
      return "bf16";
    default:
      return nullptr;
  }
}

Statistics statistics_of_any(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat64:
      return statistics_of<double>(t);
    case DType::kFloat16:
      return statistics_of<float16>(t);
    case DType::kBFloat16:
      return statistics_of<bfloat16>(t);
    default:
      return statistics_of<float>(t);
  }
}

bool names(const std::vector<std::string>& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

bool is_told(const Statistics& s, DType dtype, int64_t level) {
  constexpr double largest_half = 65504;
  if (s.bad() || level >= 3) return true;
  return level == 2 && dtype == DType::kFloat32 &&
         (s.largest > largest_half || s.smallest < -largest_half);
}

std::string line_of(const Statistics& s, const std::string& what, int64_t numel) {
  char counts[96] = "", values[128];
  if (s.bad()) {
    std::snprintf(counts, sizeof counts, "num_nan=%lld, num_inf=%lld, ",
                  static_cast<long long>(s.nans), static_cast<long long>(s.infinities));
  }
  std::snprintf(values, sizeof values, "num_zero=%lld, max=%e, min=%e, mean=%e\n",
                static_cast<long long>(s.zeros), s.largest, s.smallest, s.mean);
  return str("[PRECISION] ", s.bad() ? "[ERROR] " : "", "in ", what, ", numel=", numel, ", ",
             counts, values);
}

void write(const std::string& line, const std::string& file) {
  using Closed = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  const Closed opened(file.empty() ? nullptr : std::fopen(file.c_str(), "a"), std::fclose);
  PADDLE_CHECK_KIND(ErrorKind::kRuntime, file.empty() || opened, "the log of numerics: the file ",
                    file, " cannot be written; choose another output_dir.");
  std::FILE* out = opened ? opened.get() : stdout;
  std::fwrite(line.data(), 1, line.size(), out);
  std::fflush(out);
}

}  // namespace

void set_numerics_log(const NumericsLog* log) {
  const std::lock_guard lock(mutex);
  if (log) settings = *log;
  active = log != nullptr;
}

bool log_numerics(const OpDef& op, const Outputs& outs, std::string (*where)()) {
  if (!active.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex);
  if (!settings.only.empty() && !names(settings.only, op.name())) return true;
  if (names(settings.skipped, op.name())) return true;
  for (const Tensor& t : outs) {
    if (!t.defined() || !t.has_storage() || t.numel() == 0 || !short_name(t.dtype())) continue;
    const Statistics s = statistics_of_any(contiguous_on_host(t));
    if (!is_told(s, t.dtype(), settings.level)) continue;
    const std::string what = str("[device=", place_text(t.place()), ", op=", op.name(),
                                 ", tensor=, dtype=", short_name(t.dtype()), "]");
    write(line_of(s, what, t.numel()), settings.file);
    if (s.bad() && settings.level == 0 && settings.file.empty()) {
      throw_error(ErrorKind::kRuntime,
                  str("There are NAN or INF (num_nan=", s.nans, ", num_inf=", s.infinities,
                      ", num_zero=", s.zeros, ") in ", what, ".", where()));
    }
  }
  return true;
}

}  // namespace paddle
