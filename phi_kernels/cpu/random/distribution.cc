// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that draw from distributions other than the uniform and the normal one.
#include <numeric>
#include <utility>
#include <vector>

#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/random/random.h"
#include "phi_kernels/functors/special.h"

namespace paddle::cpu {
namespace {

using math::log_gamma;

// Reads element i of a real tensor as a double.
class Reader {
 public:
  explicit Reader(const TensorImpl& t)
      : convert_(loop_tables.convert[static_cast<int>(t.dtype)][static_cast<int>(DType::kFloat64)]),
        data_(static_cast<const char*>(t.numel ? t.data() : nullptr)),
        size_(static_cast<int64_t>(size_of(t.dtype))) {}
  double operator()(int64_t i) const {
    double v;
    convert_(1, &v, data_ + i * size_, 1);
    return v;
  }
  void read(int64_t first, int64_t n, double* to) const {
    convert_(n, to, data_ + first * size_, 1);
  }

 private:
  Convert convert_;
  const char* data_;
  int64_t size_;
};

// W. Hoermann, "The transformed rejection method for generating Poisson random variables", 1993;
// products of uniforms below 10.
double draw_poisson(ElementStream& s, double rate) {
  if (!(rate > 0)) return 0;
  if (rate < 10) {
    const double limit = std::exp(-rate);
    double k = 0;
    for (double product = s.positive(); product > limit; product *= s.positive()) k += 1;
    return k;
  }
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = s.uniform() - 0.5, v = s.positive(), us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <=
        k * std::log(rate) - rate - log_gamma(k + 1)) {
      return k;
    }
  }
}

// W. Hoermann, "The generation of binomial random variates", 1993; sums of geometric gaps where few
// successes are expected.
double draw_binomial(ElementStream& s, double n, double p) {
  if (!(n > 0) || !(p > 0)) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - draw_binomial(s, n, 1 - p);
  if (n * p < 10) {
    double successes = 0, trials = 0;
    const double scale = std::log1p(-p);
    for (;;) {
      trials += std::floor(std::log(s.positive()) / scale) + 1;
      if (trials > n) return successes;
      successes += 1;
    }
  }
  const double spread = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5, v_r = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
  const double mode = std::floor((n + 1) * p), odds = std::log(p / (1 - p));
  const double top = log_gamma(mode + 1) + log_gamma(n - mode + 1);
  for (;;) {
    const double u = s.uniform() - 0.5, v = s.positive(), us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > n) continue;
    if (std::log(v * alpha / (a / (us * us) + b)) <=
        top - log_gamma(k + 1) - log_gamma(n - k + 1) + (k - mode) * odds) {
      return k;
    }
  }
}

// G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", 2000.
double draw_gamma(ElementStream& s, double shape) {
  if (!(shape > 0)) return 0;
  if (std::isinf(shape)) return shape;  // no draw would ever be accepted
  if (shape < 1) return draw_gamma(s, shape + 1) * std::pow(s.positive(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = s.normal(), t = 1 + c * x, v = t * t * t;
    if (t <= 0) continue;
    if (std::log(s.positive()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

void poisson_kernel(KernelContext& k) {
  const Reader rate(k.in(0));
  const RandomState state = random_state(k);
  generate<double>(k.out(0), [&](int64_t i) {
    ElementStream s(state, i);
    return draw_poisson(s, rate(i));
  });
}

void binomial_kernel(KernelContext& k) {
  const Reader count(k.in(0)), prob(k.in(1));
  const RandomState state = random_state(k);
  generate<double>(k.out(0), [&](int64_t i) {
    ElementStream s(state, i);
    return draw_binomial(s, count(i), prob(i));
  });
}

void standard_gamma_kernel(KernelContext& k) {
  const Reader shape(k.in(0));
  const RandomState state = random_state(k);
  generate<double>(k.out(0), [&](int64_t i) {
    ElementStream s(state, i);
    return draw_gamma(s, shape(i));
  });
}

// Gamma variables divided by the sum of their row, which a part therefore holds whole.
void dirichlet_kernel(KernelContext& k) {
  const TensorImpl& alpha = k.in(0);
  if (alpha.numel == 0) return;
  const Reader shape(alpha);
  const RandomState state = random_state(k);
  if (state.elements) {
    const ElementMap::Axis last = state.elements->axes().back();
    PADDLE_CHECK_VALUE(last.count == last.whole, "dirichlet: a part with ", last.count, " of the ",
                       last.whole,
                       " elements of each row is drawn; rows add up to 1 and cannot be "
                       "cut; cut along other axes.");
  }
  const int64_t n = alpha.shape.back().value();
  std::vector<double> draws(static_cast<size_t>(alpha.numel));
  for (int64_t row = 0; row < alpha.numel; row += n) {
    double total = 0;
    for (int64_t i = row; i < row + n; ++i) {
      ElementStream s(state, i);
      total += draws[static_cast<size_t>(i)] = draw_gamma(s, shape(i));
    }
    for (int64_t i = row; i < row + n; ++i) draws[static_cast<size_t>(i)] /= total;
  }
  generate<double>(k.out(0), [&](int64_t i) { return draws[static_cast<size_t>(i)]; });
}

void exponential_kernel(KernelContext& k) {
  const double scale = 1 / k.f(1);
  const RandomState state = random_state(k);
  if (k.out(0).dtype != DType::kFloat64) {
    const auto exponential = random_kernels().exponential;
    return generate_blocks<float>(k.out(0), state, [=](const uint32_t* words, float* out) {
      exponential(words, static_cast<float>(scale), out);
    });
  }
  const auto wide = random_kernels().exponential_wide;
  generate_blocks<double>(k.out(0), state,
                          [=](const uint32_t* words, double* out) { wide(words, scale, out); });
}

// arguments: x, min, max, seed, diag_num, diag_step, diag_val
void uniform_inplace_kernel(KernelContext& k) {
  const double low = k.f(1), width = k.f(2) - k.f(1);
  const RandomState state = seeded(k, k.i(3));
  const int64_t diagonal = k.i(4), step = k.i(5) + 1;
  if (diagonal > 0) whole_state(k);
  const double value = k.f(6);
  const DType dtype = k.out(0).dtype;
  if (diagonal <= 0 && (dtype == DType::kFloat32 || dtype == DType::kFloat64)) {
    return generate_uniform(k.out(0), state, low, width);
  }
  generate<double>(k.out(0), [=](int64_t i) {
    if (diagonal > 0 && i % step == 0 && i / step < diagonal) return value;
    return low + width * unit(bits64(state, i));
  });
}

// arguments: x, mean, std, seed
void gaussian_inplace_kernel(KernelContext& k) {
  generate_normal(k.out(0), seeded(k, k.i(3)), k.f(1), k.f(2));
}

// A number of the standard normal distribution between first and last, both of them above 0, by
// the method of Marsaglia (1964): one of the density x exp(-x^2 / 2) is kept with probability
// first / x.
double normal_tail(ElementStream& s, double first, double last) {
  if (first > 1e8) return first;
  const double rest = 1.0 - std::exp(0.5 * (first - last) * (first + last));
  for (;;) {
    const double x = std::sqrt(first * first - 2.0 * std::log1p(-s.uniform() * rest));
    if (s.uniform() * x <= first) return std::min(x, last);
  }
}

// arguments: shape, mean, std, seed, a, b: the normal distribution cut to [a, b], by the inverse of
// its distribution function, which has too few digits beyond three deviations.
void truncated_gaussian_kernel(KernelContext& k) {
  const double mean = k.f(1), deviation = std::abs(k.f(2)), least = k.f(4), most = k.f(5);
  const RandomState state = seeded(k, k.i(3));
  const bool floats = k.out(0).dtype != DType::kFloat64;
  if (!(deviation > 0) || !std::isfinite(mean) || !std::isfinite(deviation))
    return generate<double>(k.out(0), [=](int64_t) { return std::clamp(mean, least, most); });
  const double a = (least - mean) / deviation, b = (most - mean) / deviation;
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const double low = below(a), high = below(b);
  const auto m = static_cast<float>(mean), d = static_cast<float>(deviation);
  const auto first = static_cast<float>(least), last = static_cast<float>(most);
  if (floats && a < -6 && b > 6) {
    const auto normal = random_kernels().normal;
    return generate_blocks<float>(k.out(0), state, [=](const uint32_t* words, float* out) {
      normal(words, m, d, out);
      for (int64_t i = 0; i < kWords; ++i) out[i] = std::clamp(out[i], first, last);
    });
  }
  // Floats resolve the distribution function so far.
  if (floats && a > -4 && b < 4 && high - low > 0.01) {
    const auto between = random_kernels().normal_between;
    const float start = static_cast<float>(low), width = static_cast<float>(high - low);
    return generate_blocks<float>(k.out(0), state, [=](const uint32_t* words, float* out) {
      between(words, start, width, m, d, out);
      for (int64_t i = 0; i < kWords; ++i) out[i] = std::clamp(out[i], first, last);
    });
  }
  generate<double>(k.out(0), [=](int64_t i) {
    ElementStream s(state, i);
    if (a > 3) return std::clamp(mean + deviation * normal_tail(s, a, b), least, most);
    if (b < -3) return std::clamp(mean - deviation * normal_tail(s, -b, -a), least, most);
    const double u = low + (high - low) * s.uniform();
    const double x = std::numbers::sqrt2 * math::erf_inverse(2 * u - 1);
    return std::clamp(mean + deviation * x, least, most);
  });
}

// arguments: x, num_samples, replacement
void multinomial_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const int64_t n = x.shape.back().value(), rows = x.numel / std::max<int64_t>(n, 1);
  const int64_t samples = k.scalar(1).to_int();
  const bool replacement = k.b(2);
  const Reader weight(x);
  RandomState state = random_state(k);
  const ElementMap* part = std::exchange(state.elements, nullptr);
  if (part) {
    const ElementMap::Axis last = part->axes().back();
    PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, last.count == last.whole,
                      "multinomial: a part with ", last.count, " of the ", last.whole,
                      " samples of each row is drawn, and samples of a row depend on each other; "
                      "draw the whole and cut it, or draw a part of the rows.");
  }
  int64_t* out = k.out(0).numel ? k.out_data<int64_t>(0) : nullptr;
  std::vector<double> weights(static_cast<size_t>(n));
  for (int64_t row = 0; row < rows; ++row, out += samples) {
    int64_t possible = 0, wrong = 0;
    const int64_t drawn = part ? (*part)(row * samples) / samples : row;  // its place in the whole
    weight.read(row * n, n, weights.data());
    for (const double w : weights) {
      possible += w > 0;
      wrong += w >= 0 && w < math::kInf ? 0 : 1;
    }
    for (size_t j = 0; wrong > 0 && j < weights.size(); ++j) {
      PADDLE_CHECK_VALUE(weights[j] >= 0 && weights[j] < math::kInf, "multinomial: x holds ",
                         weights[j], "; weights must be finite and >= 0; clip them first.");
    }
    PADDLE_CHECK_VALUE(possible > 0, "multinomial: row ", row,
                       " of x has the sum 0; at least one weight must be positive.");
    PADDLE_CHECK_VALUE(replacement || possible >= samples, "multinomial: row ", row, " of x has ",
                       possible, " positive weights and num_samples is ", samples,
                       "; without replacement there must be as many; pass replacement=True.");
    if (replacement) {
      std::partial_sum(weights.begin(), weights.end(), weights.begin());
      const double total = weights.back();
      for (int64_t j = 0; j < samples; ++j) {
        const double u = unit(bits64(state, drawn * samples + j)) * total;
        const auto at = std::upper_bound(weights.begin(), weights.end(), u) - weights.begin();
        // Rounding may leave u at the total: the last one with a weight then.
        out[j] = std::lower_bound(weights.begin(), weights.end(),
                                  weights[static_cast<size_t>(std::min<int64_t>(at, n - 1))]) -
                 weights.begin();
      }
      continue;
    }
    // An exponential race: the smallest of E / w is number j with probability w_j / sum.
    std::vector<std::pair<double, int64_t>> times;
    for (int64_t j = 0; j < n; ++j) {
      const double w = weights[static_cast<size_t>(j)];
      const double e = -std::log(1.0 - unit(bits64(state, drawn * n + j)));
      if (w > 0) times.push_back({e / w, j});
    }
    std::partial_sort(times.begin(), times.begin() + samples, times.end());
    for (int64_t j = 0; j < samples; ++j) out[j] = times[static_cast<size_t>(j)].second;
  }
}

}  // namespace

void register_distribution_cpu(Registry& r) {
  init_loop_tables();
  const auto add = [&](const char* name, KernelFn fn) {
    r.kernel(name, DeviceKind::kCpu,
             {DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
              DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64},
             fn);
  };
  add("poisson", poisson_kernel);
  add("binomial", binomial_kernel);
  add("standard_gamma", standard_gamma_kernel);
  add("dirichlet", dirichlet_kernel);
  add("exponential", exponential_kernel);
  add("uniform_inplace", uniform_inplace_kernel);
  add("gaussian_inplace", gaussian_inplace_kernel);
  add("truncated_gaussian_random", truncated_gaussian_kernel);
  add("multinomial", multinomial_kernel);
}

}  // namespace paddle::cpu
