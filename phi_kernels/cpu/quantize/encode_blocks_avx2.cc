// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// encode_blocks.h; the bytes are described in decode_blocks_avx2.cc. Compiled for AVX2, which every
// processor that runs kernels has.
#include "phi_kernels/cpu/quantize/encode_blocks.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "phi_kernels/cpu/isa/float_vectors_impl.h"

namespace paddle::cpu {
namespace {

inline Vec all(float x) { return Vec(_mm256_set1_ps(x)); }
inline Vec rounded(Vec v) {
  return Vec(_mm256_round_ps(__m256(v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline Vec clipped(Vec v, float low, float high) {
  return Vec(_mm256_min_ps(_mm256_max_ps(__m256(v), __m256(all(low))), __m256(all(high))));
}
inline Vec magnitude(Vec v) { return Vec(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), __m256(v))); }
inline float sum_of(Vec v) {
  float sum = 0;
  for (int64_t i = 0; i < kLanes; ++i) sum += v[i];
  return sum;
}

// The float16 next to x is stored; returns what it stands for.
float put_half(uint8_t* to, float x) {
  const auto bits = static_cast<uint16_t>(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT));
  std::memcpy(to, &bits, 2);
  return _cvtsh_ss(bits);
}

// The number of largest magnitude; NaN where one is not finite.
float extreme(const float* x, int count) {
  float found = 0, all_finite = 0;
  for (int i = 0; i < count; ++i) {
    if (std::fabs(x[i]) > std::fabs(found)) found = x[i];
    all_finite += x[i] * 0.0f;
  }
  return found + all_finite;
}

int code_of(float scaled, int low, int high) {
  // A NaN becomes the lowest code: its block has a scale that is not finite.
  const float whole = std::nearbyintf(scaled);
  return whole > static_cast<float>(low)
             ? static_cast<int>(std::min(whole, static_cast<float>(high)))
             : low;
}

void encode_q8_0(const float* x, uint8_t* to) {
  const float most = std::fabs(extreme(x, 32));
  const float scale = most / 127.0f, inverse = most > 0 ? 1.0f / scale : 0.0f;
  put_half(to, scale);
  for (int i = 0; i < 32; ++i) {
    const float scaled = x[i] * inverse;
    to[2 + i] = static_cast<uint8_t>(
        static_cast<int8_t>(std::copysign(std::floor(std::fabs(scaled) + 0.5f), scaled)));
  }
}

void encode_q5_0(const float* x, uint8_t* to) {
  const float scale = extreme(x, 32) / -16.0f, inverse = scale != 0 ? 1.0f / scale : 0.0f;
  put_half(to, scale);
  uint32_t high = 0;
  std::memset(to + 6, 0, 16);
  for (int i = 0; i < 32; ++i) {
    const int q = code_of(x[i] * inverse + 16.0f, 0, 31);
    to[6 + i % 16] |= static_cast<uint8_t>((q & 15) << (i / 16 * 4));
    high |= static_cast<uint32_t>(q >> 4) << i;
  }
  std::memcpy(to + 2, &high, 4);
}

// scale * q - minimum.
struct Line {
  float scale = 0, minimum = 0;
};

// The best line for 32 numbers as q in [0, 15], with a minimum of at least 0.
class LineFit {
 public:
  explicit LineFit(const float* x) {
    Vec squares{};
    for (int v = 0; v < 4; ++v) {
      x_[v] = load(x + v * kLanes);
      squares += x_[v] * x_[v];
      for (int64_t i = 0; i < kLanes; ++i) {
        low_ = std::min(low_, x_[v][i]);
        high_ = std::max(high_, x_[v][i]);
      }
    }
    const float rms = std::sqrt(sum_of(squares) / 32.0f);
    Vec w{}, wx{};
    for (int v = 0; v < 4; ++v) {
      weight_[v] = all(rms) + magnitude(x_[v]);
      w += weight_[v];
      wx += weight_[v] * x_[v];
    }
    w_ = sum_of(w);
    wx_ = sum_of(wx);
  }

  Line best() {
    if (!(high_ > low_)) return {0, -low_};
    // Scales from one that leaves numbers at the ends out to one that leaves codes unused.
    constexpr int kTries = 20, kRefinements = 2;
    for (int i = 0; i <= kTries; ++i) {
      attempt((14.0f + 0.1f * static_cast<float>(i)) / (high_ - low_), -low_);
    }
    for (int i = 0; i < kRefinements; ++i) {
      if (found_.scale > 0) attempt(1.0f / found_.scale, found_.minimum);
    }
    return found_;
  }

 private:
  void attempt(float inverse, float minimum) {
    Vec wq{}, wqq{}, wqx{};
    for (int v = 0; v < 4; ++v) {
      const Vec q = clipped(rounded((x_[v] + all(minimum)) * all(inverse)), 0, 15);
      const Vec part = weight_[v] * q;
      wq += part;
      wqq += part * q;
      wqx += part * x_[v];
    }
    const float q = sum_of(wq), qq = sum_of(wqq), qx = sum_of(wqx);
    // Least squares: sum w (a q + c - x)^2 over a and c, with c <= 0.
    const float determinant = w_ * qq - q * q;
    if (!(determinant > 0)) return;
    float a = (w_ * qx - q * wx_) / determinant, c = (qq * wx_ - q * qx) / determinant;
    if (c > 0) {
      a = qx / qq;
      c = 0;
    }
    // Less the sum of w x^2, which all attempts have.
    const float error = a * a * qq + c * c * w_ + 2 * (a * c * q - a * qx - c * wx_);
    if (a > 0 && error < least_) {
      least_ = error;
      found_ = {a, -c};
    }
  }

  Vec x_[4], weight_[4];
  float low_ = 0, high_ = 0, w_ = 0, wx_ = 0, least_ = INFINITY;
  Line found_;
};

// 8 lines of 32 numbers, whose scales and minima have six bits.
void encode_q4_k(const float* x, uint8_t* to) {
  std::memset(to, 0, 144);
  const float broken = extreme(x, 256) * 0.0f;  // 0, or NaN
  Line lines[8];
  float most_scale = 0, most_minimum = 0;
  for (int g = 0; g < 8; ++g) {
    lines[g] = LineFit(x + 32 * g).best();
    most_scale = std::max(most_scale, lines[g].scale);
    most_minimum = std::max(most_minimum, lines[g].minimum);
  }
  const float d = put_half(to, most_scale / 63.0f + broken);
  const float m = put_half(to + 2, most_minimum / 63.0f);
  for (int g = 0; g < 8; ++g) {
    const int s = d > 0 ? code_of(lines[g].scale / d, 0, 63) : 0;
    const int t = m > 0 ? code_of(lines[g].minimum / m, 0, 63) : 0;
    uint8_t* const packed = to + 4;
    if (g < 4) {
      packed[g] |= static_cast<uint8_t>(s);
      packed[g + 4] |= static_cast<uint8_t>(t);
    } else {
      packed[g + 4] = static_cast<uint8_t>((s & 15) | (t & 15) << 4);
      packed[g - 4] |= static_cast<uint8_t>(s >> 4 << 6);
      packed[g] |= static_cast<uint8_t>(t >> 4 << 6);
    }
    const float scale = d * static_cast<float>(s), minimum = m * static_cast<float>(t);
    const float inverse = scale > 0 ? 1.0f / scale : 0.0f;
    for (int i = 0; i < 32; ++i) {
      const int q = code_of((x[32 * g + i] + minimum) * inverse, 0, 15);
      to[16 + g / 2 * 32 + i] |= static_cast<uint8_t>(q << (g % 2 * 4));
    }
  }
}

// The best scale for 16 numbers as q in [-32, 31].
float best_scale(const float* x) {
  const float most = extreme(x, 16);
  if (most == 0 || !std::isfinite(most)) return 0;
  float scale = 0, gain = 0;
  const Vec a = load(x), b = load(x + kLanes);
  for (int i = -9; i <= 9; ++i) {
    const float inverse = -(32.0f + 0.1f * static_cast<float>(i)) / most;
    const Vec p = clipped(rounded(a * all(inverse)), -32, 31);
    const Vec q = clipped(rounded(b * all(inverse)), -32, 31);
    // Weights are x^2.
    const float xq = sum_of(a * a * a * p + b * b * b * q);
    const float qq = sum_of(a * a * p * p + b * b * q * q);
    if (qq > 0 && xq * xq > gain * qq) {
      gain = xq * xq / qq;
      scale = xq / qq;
    }
  }
  return scale;
}

// 16 scales of 16 numbers in 8 bits.
void encode_q6_k(const float* x, uint8_t* to) {
  std::memset(to, 0, 210);
  const float broken = extreme(x, 256) * 0.0f;
  float scales[16];
  for (int g = 0; g < 16; ++g) scales[g] = best_scale(x + 16 * g);
  const float d = put_half(to + 208, extreme(scales, 16) / -128.0f + broken);
  for (int g = 0; g < 16; ++g) {
    const int s = d != 0 ? code_of(scales[g] / d, -128, 127) : 0;
    to[192 + g] = static_cast<uint8_t>(static_cast<int8_t>(s));
    const float scale = d * static_cast<float>(s), inverse = scale != 0 ? 1.0f / scale : 0.0f;
    const int half = g / 8, k = g % 8 / 2;  // 32 numbers have one k
    for (int i = 0; i < 16; ++i) {
      const int q = code_of(x[16 * g + i] * inverse, -32, 31) + 32, at = g % 2 * 16 + i;
      to[half * 64 + k % 2 * 32 + at] |= static_cast<uint8_t>((q & 15) << (k / 2 * 4));
      to[128 + half * 32 + at] |= static_cast<uint8_t>(q >> 4 << (2 * k));
    }
  }
}

using Encode = void (*)(const float*, uint8_t*);
Encode encode_of(BlockFormat format) {
  switch (format) {
    case BlockFormat::kQ8_0:
      return encode_q8_0;
    case BlockFormat::kQ5_0:
      return encode_q5_0;
    case BlockFormat::kQ4_K:
      return encode_q4_k;
    case BlockFormat::kQ6_K:
      return encode_q6_k;
    default:
      return nullptr;
  }
}

}  // namespace

void encode_row(BlockFormat format, const float* from, int64_t columns, uint8_t* to) {
  const BlockLayout& l = layout_of(format);
  const Encode encode = encode_of(format);
  for (int64_t b = 0; b < columns / l.weights; ++b) {
    encode(from + b * l.weights, to + b * l.bytes);
  }
}

}  // namespace paddle::cpu
