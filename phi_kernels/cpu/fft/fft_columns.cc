// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of float32 lines side by side: plans, and the groups of lines of an array.
#include "phi_kernels/cpu/fft/fft_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "paddle_core/tensor/tensor.h"
#include "phi_kernels/cpu/fft/fft_lines.h"
#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {
namespace {

using Sizes = FftSizes;
using Steps = FftSteps;

constexpr int64_t kLongest = 4096;  // elements; both scratches stay in the second-level cache
constexpr size_t kMostPlans = 64;
constexpr double kPi = 3.14159265358979323846;

const FftKernels& kernels() {
  static const FftKernels& chosen = isa() == Isa::kAvx512 ? kFft_avx512 : kFft_avx2;
  return chosen;
}

// The factors of n; none when it has other prime factors than 2, 3 and 5.
std::vector<int> factors_of(int64_t n) {
  std::vector<int> factors;
  const auto take = [&](int factor) {
    for (; n % factor == 0; n /= factor) factors.push_back(factor);
  };
  // Vectors of eight complex numbers fill the registers of AVX512; 16 is 4 * 4.
  if (kernels().lanes == kMostFftLanes) {
    while (n % 8 == 0 && n % 64 != 16) {
      factors.push_back(8);
      n /= 8;
    }
  }
  for (const int factor : {4, 2, 3, 5}) take(factor);
  if (n != 1) factors.clear();
  return factors;
}

void add_root(double part, double of, std::vector<float>& to) {
  to.push_back(static_cast<float>(std::cos(2 * kPi * part / of)));
  to.push_back(static_cast<float>(-std::sin(2 * kPi * part / of)));
}

struct KeptPlan {
  explicit KeptPlan(int64_t length) : n(length), factors(factors_of(length)) {
    if (factors.empty()) return;
    int64_t rest = n;
    for (const int factor : factors) {
      const auto whole = static_cast<double>(rest);
      rest /= factor;
      for (int64_t p = 0; p < rest; ++p) {
        for (int k = 1; k < factor; ++k) add_root(static_cast<double>(p * k), whole, roots);
      }
    }
    for (int64_t k = 0; k <= n; ++k) {
      add_root(static_cast<double>(k), static_cast<double>(2 * n), halves);
    }
    plan = {n, factors.data(), static_cast<int64_t>(factors.size()), roots.data(), halves.data()};
  }
  int64_t n;
  std::vector<int> factors;
  std::vector<float> roots, halves;
  FftPlan plan{};
};

// Null for lengths without a plan.
std::shared_ptr<const KeptPlan> plan_of(int64_t n) {
  static std::mutex mutex;
  static std::vector<std::shared_ptr<const KeptPlan>> plans;  // the last that were made
  static size_t next = 0;
  if (n < 2 || n > kLongest) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const auto& kept : plans) {
    if (kept->n == n) return kept->factors.empty() ? nullptr : kept;
  }
  plans.resize(std::max(plans.size(), next + 1));
  plans[next] = std::make_shared<const KeptPlan>(n);
  const auto& made = plans[next];
  next = (next + 1) % kMostPlans;
  return made->factors.empty() ? nullptr : made;
}

// The lines of an array along an axis, one after the other.
class Lines {
 public:
  Lines(const Sizes& shape, const Steps& in, const Steps& out, size_t axis) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d == axis || shape[d] == 1) continue;
      const Dimension added{static_cast<int64_t>(shape[d]), in[d], out[d], 0};
      count_ *= added.extent;
      auto at = dims_.begin();  // what is near in memory comes first
      while (at != dims_.end() && std::abs(at->out) <= std::abs(added.out)) ++at;
      dims_.insert(at, added);
    }
  }
  int64_t count() const { return count_; }
  ptrdiff_t in() const { return in_; }
  ptrdiff_t out() const { return out_; }
  void next() {
    for (Dimension& d : dims_) {
      in_ += d.in;
      out_ += d.out;
      if (++d.at < d.extent) return;
      in_ -= d.in * d.extent;
      out_ -= d.out * d.extent;
      d.at = 0;
    }
  }

 private:
  struct Dimension {
    int64_t extent;
    ptrdiff_t in, out;
    int64_t at;
  };
  std::vector<Dimension> dims_;
  int64_t count_ = 1;
  ptrdiff_t in_ = 0, out_ = 0;
};

// FftGroup::in_run of these lines.
template <typename P>
int64_t run_of(const P* const* lines, int64_t count, int64_t bytes) {
  const auto follows = [&](int64_t i) { return lines[i] - lines[i - 1] == bytes; };
  int64_t run = 1;
  while (run < count && follows(run)) ++run;
  for (int64_t i = run + 1; i < count; ++i) {
    if (!follows(i)) return 0;
  }
  return run;
}

// False, with nothing done, for lines that transform_lines() is for.
bool transform_axis(FftKind kind, const Sizes& whole, const Sizes& shape, const Steps& in,
                    const Steps& out, size_t axis, bool forward, const void* x, void* y,
                    float factor) {
  const auto n = static_cast<int64_t>(shape[axis]);
  const bool real = kind != FftKind::kComplex;
  if (real && n % 2 != 0) return false;
  Lines lines(shape, in, out, axis);
  const int64_t lanes = kernels().lanes;
  int64_t all = 1;
  for (size_t d = 0; d < whole.size(); ++d) all *= d == axis ? 1 : static_cast<int64_t>(whole[d]);
  if (all * 4 < lanes) return false;
  const std::shared_ptr<const KeptPlan> kept = plan_of(real ? n / 2 : n);
  if (!kept) return false;
  const FftPlan& plan = kept->plan;
  const Tensor scratch = Tensor::empty({4 * (plan.n + 1) * lanes}, DType::kFloat32);
  auto* const first = scratch.data<float>();
  FftGroup group{kind, forward, factor, {}, {}, 0, in[axis], out[axis], 0, 0};
  for (int64_t done = 0; done < lines.count(); done += lanes) {
    group.count = std::min(lanes, lines.count() - done);
    for (int64_t i = 0; i < lanes; ++i) {
      group.in[i] = i < group.count ? static_cast<const char*>(x) + lines.in() : group.in[0];
      group.out[i] = i < group.count ? static_cast<char*>(y) + lines.out() : group.out[0];
      if (i < group.count) lines.next();
    }
    group.in_run = run_of(group.in, group.count, kind == FftKind::kFromReal ? 4 : 8);
    group.out_run = run_of(group.out, group.count, kind == FftKind::kToReal ? 4 : 8);
    kernels().run(plan, group, first, first + 2 * (plan.n + 1) * lanes);
  }
  return true;
}

// Of the frequencies of real lines along `axis`.
Sizes half_of(Sizes shape, size_t axis) {
  shape[axis] = shape[axis] / 2 + 1;
  return shape;
}

}  // namespace

void transform_columns(const Sizes& whole, const Sizes& shape, const Steps& in, const Steps& out,
                       const Sizes& axes, bool forward, const std::complex<float>* x,
                       std::complex<float>* y, float factor) {
  Steps from = in;
  for (const size_t axis : axes) {
    if (!transform_axis(FftKind::kComplex, whole, shape, from, out, axis, forward, x, y, factor)) {
      transform_lines(shape, from, out, {axis}, forward, x, y, factor);
    }
    x = y;
    from = out;
    factor = 1;
  }
}

void transform_columns(const Sizes& whole, const Sizes& shape, const Steps& in, const Steps& out,
                       const Sizes& axes, bool forward, const float* x, std::complex<float>* y,
                       float factor) {
  const size_t last = axes.back();
  if (!transform_axis(FftKind::kFromReal, whole, shape, in, out, last, forward, x, y, factor)) {
    transform_lines(shape, in, out, {last}, forward, x, y, factor);
  }
  transform_columns(half_of(whole, last), half_of(shape, last), out, out,
                    Sizes(axes.begin(), axes.end() - 1), forward, y, y, 1.0f);
}

void transform_columns(const Sizes& whole, const Sizes& shape, const Steps& in, const Steps& out,
                       const Sizes& axes, bool forward, const std::complex<float>* x, float* y,
                       float factor) {
  const size_t last = axes.back();
  Tensor between;
  Steps from = in;
  if (axes.size() > 1) {
    const Sizes half = half_of(shape, last);
    Shape extents;
    for (const size_t n : half) extents.push_back(static_cast<int64_t>(n));
    between = Tensor::empty(extents, DType::kComplex64);
    for (size_t d = 0; d < from.size(); ++d) {
      from[d] = between.strides()[d] * int64_t{sizeof(std::complex<float>)};
    }
    auto* const to = between.data<std::complex<float>>();
    transform_columns(half_of(whole, last), half, in, from, Sizes(axes.begin(), axes.end() - 1),
                      forward, x, to, 1.0f);
    x = to;
  }
  if (!transform_axis(FftKind::kToReal, whole, shape, from, out, last, forward, x, y, factor)) {
    transform_lines(shape, from, out, {last}, forward, x, y, factor);
  }
}

}  // namespace paddle::cpu
