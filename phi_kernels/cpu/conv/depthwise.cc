// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of every channel with a filter of its own, in contiguous memory. A channel's image
// is copied into a buffer with its padding, and with positions that a strided window visits
// together side by side; then every row of results is a weighted sum of rows of the buffer.
#include <algorithm>
#include <cstring>
#include <ranges>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/conv/depthwise_rows.h"
#include "phi_kernels/cpu/isa/isa.h"

namespace paddle::cpu {
namespace {

using Extents = std::array<int64_t, 3>;

constexpr int64_t kBufferBytes = 256 << 10;  // of the second-level cache
constexpr int64_t kGrain = 1 << 18;          // multiply-adds worth a second thread

// For rows of n results: short ones do not fill wide vectors.
const DepthwiseKernels& kernels(int64_t n) {
  return isa() == Isa::kAvx512 && n > 8 ? kDepthwise_avx512 : kDepthwise_avx2;
}

int64_t volume(const Extents& e) { return e[0] * e[1] * e[2]; }
int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

// Lines of small images are shorter than a call of memmove takes.
void copy_line(const float* from, int64_t n, float* to) {
  const auto halves = [&]<int64_t kHalf>() {  // they may overlap
    std::memcpy(to, from, kHalf * sizeof(float));
    std::memcpy(to + n - kHalf, from + n - kHalf, kHalf * sizeof(float));
  };
  if (n < 4 || n > 16) {
    std::copy(from, from + n, to);
  } else if (n < 8) {
    halves.operator()<4>();
  } else {
    halves.operator()<8>();
  }
}

// A box of an image, zero outside of it: element (z, y, r, q) is image[z + origin[0],
// y + origin[1], q * phases + r + origin[2]].
struct Box {
  Extents origin;
  int64_t depth, rows, phases, width;
  int64_t run() const { return width + kDepthwiseSlack; }  // from one phase to the next
  int64_t row() const { return phases * run(); }
  int64_t size() const { return depth * rows * row(); }
  bool operator==(const Box&) const = default;

  // `fresh`: `to` does not hold a box of the same place yet, whose zeros are where this one's are.
  void load_row(const float* line, int64_t n, bool fresh, float* to) const {
    for (int64_t r = 0; r < phases; ++r, to += run()) {
      const int64_t first = r + origin[2];  // position of q = 0
      const int64_t begin = std::clamp<int64_t>(parts(-first, phases), 0, width);
      const int64_t end = std::clamp<int64_t>(parts(n - first, phases), begin, width);
      if (fresh) std::fill(to, to + begin, 0.0f);
      if (phases == 1) {
        copy_line(line + first + begin, end - begin, to + begin);
      } else if (phases == 2) {  // becomes shuffles
        for (int64_t q = begin; q < end; ++q) to[q] = line[q * 2 + first];
      } else {
        for (int64_t q = begin; q < end; ++q) to[q] = line[q * phases + first];
      }
      if (fresh) std::fill(to + end, to + run(), 0.0f);
    }
  }

  void load(const float* image, const Extents& extents, bool fresh, float* to) const {
    const auto outside = [&](int64_t at, size_t axis) { return at < 0 || at >= extents[axis]; };
    for (int64_t z = 0; z < depth; ++z) {
      for (int64_t y = 0; y < rows; ++y, to += row()) {
        const int64_t from_z = z + origin[0], from_y = y + origin[1];
        if (!outside(from_z, 0) && !outside(from_y, 1)) {
          load_row(image + (from_z * extents[1] + from_y) * extents[2], extents[2], fresh, to);
        } else if (fresh) {
          std::fill(to, to + row(), 0.0f);
        }
      }
    }
  }
};

// Memory of boxes that are needed one after the other.
class Buffer {
 public:
  const float* load(const Box& box, const float* image, const Extents& extents) {
    const bool fresh = !(box == held_);
    if (fresh) data_.resize(static_cast<size_t>(box.size()));
    box.load(image, extents, fresh, data_.data());
    held_ = box;
    return data_.data();
  }

 private:
  std::vector<float> data_;
  Box held_{};
};

// Results that are computed from one box: a range of the first axis that has several positions.
struct Band {
  size_t axis;
  int64_t begin, end;
  int64_t first(size_t a) const { return a == axis ? begin : 0; }
  int64_t last(size_t a, const Extents& extents) const { return a == axis ? end : extents[a]; }
};

template <typename Body>
void each_band(const ConvProblem& p, const Extents& extents, int64_t floats, Body&& body) {
  const size_t axis = p.axes == 3 ? 0 : 1;
  const int64_t bytes = floats * static_cast<int64_t>(sizeof(float));
  const int64_t count = std::clamp<int64_t>(bytes / kBufferBytes, 1, parts(extents[axis], 8));
  const int64_t size = parts(extents[axis], count);
  for (int64_t at = 0; at < extents[axis]; at += size) {
    body(Band{axis, at, std::min(extents[axis], at + size)});
  }
}

// -- what windows read: forward, and the gradient by the filter -----------------------------------

Box window_box(const ConvProblem& p, const Band& band) {
  Extents origin, count;
  for (size_t a = 0; a < 3; ++a) {
    const int64_t first = band.first(a), last = band.last(a, p.out);
    origin[a] = first * p.stride[a] - p.before[a];
    count[a] = (last - 1 - first) * p.stride[a] + (p.kernel[a] - 1) * p.dilation[a] + 1;
  }
  return {origin, count[0], count[1], p.stride[2],
          p.out[2] + (p.kernel[2] - 1) * p.dilation[2] / p.stride[2]};
}

std::vector<int64_t> window_offsets(const ConvProblem& p, const Box& box) {
  std::vector<int64_t> offsets;
  for (int64_t z = 0; z < p.kernel[0]; ++z) {
    for (int64_t y = 0; y < p.kernel[1]; ++y) {
      for (int64_t x = 0; x < p.kernel[2]; ++x) {
        const int64_t at = x * p.dilation[2];
        offsets.push_back((z * p.dilation[0] * box.rows + y * p.dilation[1]) * box.row() +
                          at % p.stride[2] * box.run() + at / p.stride[2]);
      }
    }
  }
  return offsets;
}

// Lines of taps of which each begins one row of the box behind the one before, if they are that.
int64_t sliding_lines(const std::vector<int64_t>& offset, int64_t lines, int64_t step) {
  const auto taps = static_cast<int64_t>(offset.size());
  if (lines < 2 || taps % lines != 0) return 0;
  for (int64_t t = taps / lines; t < taps; ++t) {
    const int64_t above = offset[static_cast<size_t>(t - taps / lines)];
    if (offset[static_cast<size_t>(t)] != above + step) return 0;
  }
  return lines;
}

// What the planes have in common: the boxes that their windows are read from, one after the other.
struct Windows {
  Band band;
  Box box;
  std::vector<int64_t> offsets;
  int64_t lines;
};
std::vector<Windows> windows_of(const ConvProblem& p) {
  std::vector<Windows> all;
  each_band(p, p.out, window_box(p, {3, 0, 0}).size(), [&](const Band& band) {
    const Box box = window_box(p, band);
    std::vector<int64_t> offsets = window_offsets(p, box);
    const int64_t lines = sliding_lines(offsets, p.kernel[1], p.stride[1] * box.row());
    all.push_back({band, box, std::move(offsets), lines});
  });
  return all;
}

// Loads the boxes of one image; body(taps, first row) for runs of rows of results, counted through
// the image.
template <typename Body>
void each_window_row(const ConvProblem& p, const std::vector<Windows>& windows, const float* image,
                     Buffer& buffer, Body&& body) {
  for (const auto& [band, box, offsets, lines] : windows) {
    const float* loaded = buffer.load(box, image, p.in);
    const int64_t first = band.first(1);
    DepthwiseTaps taps{
        nullptr,        band.last(1, p.out) - first,          p.stride[1] * box.row(),
        offsets.data(), static_cast<int64_t>(offsets.size()), lines};
    for (int64_t z = band.first(0); z < band.last(0, p.out); ++z) {
      taps.base = loaded + (z - band.first(0)) * p.stride[0] * box.rows * box.row();
      body(taps, z * p.out[1] + first);
    }
  }
}

int64_t plane_grain(const ConvProblem& p) {
  return std::max<int64_t>(1, kGrain / (volume(p.out) * volume(p.kernel)));
}

void forward(const ConvProblem& p, const ConvOperands& t) {
  const float *src = t.src.data<float>(), *filter = t.filter.data<float>();
  const float* bias = t.bias.defined() ? t.bias.data<float>() : nullptr;
  float* dst = t.dst.data<float>();
  const std::vector<Windows> windows = windows_of(p);
  parallel_for(0, p.batch * p.groups, plane_grain(p), [&](int64_t begin, int64_t end) {
    Buffer buffer;
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t channel = plane % p.groups;
      const float* weight = filter + channel * volume(p.kernel);
      float* to = dst + plane * volume(p.out);
      each_window_row(p, windows, src + plane * volume(p.in), buffer,
                      [&](const DepthwiseTaps& taps, int64_t row) {
                        kernels(p.out[2]).combine(p.out[2], taps, weight,
                                                  bias ? bias[channel] : 0.0f, to + row * p.out[2],
                                                  p.out[2]);
                      });
    }
  });
}

void filter_grad(const ConvProblem& p, const ConvOperands& t) {
  const float *src = t.src.data<float>(), *dst = t.dst.data<float>();
  float* filter = t.filter.data<float>();
  const int64_t taps = volume(p.kernel);
  const std::vector<Windows> windows = windows_of(p);
  parallel_for(0, p.groups, plane_grain(p), [&](int64_t begin, int64_t end) {
    Buffer buffer;
    std::vector<float> sums(static_cast<size_t>(taps * kDepthwiseSlack));
    std::vector<double> totals(static_cast<size_t>(taps));
    for (int64_t channel = begin; channel < end; ++channel) {
      std::fill(totals.begin(), totals.end(), 0.0);
      for (int64_t n = 0; n < p.batch; ++n) {
        const int64_t plane = n * p.groups + channel;
        const float* g = dst + plane * volume(p.out);
        std::fill(sums.begin(), sums.end(), 0.0f);
        each_window_row(p, windows, src + plane * volume(p.in), buffer,
                        [&](const DepthwiseTaps& rows, int64_t row) {
                          kernels(p.out[2]).dots(p.out[2], rows, g + row * p.out[2], p.out[2],
                                                 sums.data());
                        });
        for (size_t i = 0; i < sums.size(); ++i) totals[i / kDepthwiseSlack] += sums[i];
      }
      std::copy(totals.begin(), totals.end(), filter + channel * taps);
    }
  });
}

// -- the gradient by the input --------------------------------------------------------------------
//
// Position i of the input is read as tap k of result o where o * stride + k * dilation - before is
// i: with i + before = q * stride + r, by the taps with k * dilation % stride == r, at
// o = q - k * dilation / stride.

// The taps of one phase along an axis, and how many results back each of them reads.
struct PhaseTap {
  int64_t k, back;
};
using PhaseTaps = std::vector<std::vector<PhaseTap>>;

PhaseTaps phase_taps(const ConvProblem& p, size_t axis) {
  PhaseTaps taps(static_cast<size_t>(p.stride[axis]));
  for (int64_t k = 0; k < p.kernel[axis]; ++k) {
    const int64_t at = k * p.dilation[axis];
    taps[static_cast<size_t>(at % p.stride[axis])].push_back({k, at / p.stride[axis]});
  }
  return taps;
}

class InputGrad {
 public:
  InputGrad(const ConvProblem& p, const ConvOperands& t)
      : p_(p),
        dst_(t.dst.data<float>()),
        filter_(t.filter.data<float>()),
        src_(t.src.data<float>()) {
    for (size_t a = 0; a < 3; ++a) taps_[a] = phase_taps(p, a);
  }

  void run() const {
    parallel_for(0, p_.batch * p_.groups, plane_grain(p_), [&](int64_t begin, int64_t end) {
      Scratch s;
      for (int64_t plane = begin; plane < end; ++plane) {
        each_band(p_, p_.in, box_of({3, 0, 0}).size(),
                  [&](const Band& band) { band_of_plane(plane, band, s); });
      }
    });
  }

 private:
  struct Scratch {
    Buffer buffer;
    std::vector<float> lines, weight;
    std::vector<int64_t> offset;
  };

  int64_t quotient(size_t axis, int64_t i) const { return (i + p_.before[axis]) / p_.stride[axis]; }
  size_t phase(size_t axis, int64_t i) const {
    return static_cast<size_t>((i + p_.before[axis]) % p_.stride[axis]);
  }

  Box box_of(const Band& band) const {
    Extents origin, count;
    for (size_t a = 0; a < 3; ++a) {
      origin[a] = quotient(a, band.first(a)) - (p_.kernel[a] - 1) * p_.dilation[a] / p_.stride[a];
      count[a] = quotient(a, band.last(a, p_.in) - 1) - origin[a] + 1;
    }
    return {origin, count[0], count[1], 1, count[2]};
  }

  // Positions q * stride + r - before of the axis that lie in [begin, end).
  struct Run {
    int64_t q, count, first;
  };
  Run run_of(size_t axis, int64_t r, int64_t begin, int64_t end) const {
    const int64_t stride = p_.stride[axis], shift = p_.before[axis] - r;
    const int64_t q = parts(begin + shift, stride);
    return {q, parts(end + shift, stride) - q, q * stride - shift};
  }

  void band_of_plane(int64_t plane, const Band& band, Scratch& s) const {
    const Box box = box_of(band);
    const float* loaded = s.buffer.load(box, dst_ + plane * volume(p_.out), p_.out);
    const float* filter = filter_ + plane % p_.groups * volume(p_.kernel);
    float* to = src_ + plane * volume(p_.in);
    for (int64_t z = band.first(0); z < band.last(0, p_.in); ++z) {
      for (int64_t ry = 0; ry < p_.stride[1]; ++ry) {
        const Run y = run_of(1, ry, band.first(1), band.last(1, p_.in));
        for (int64_t rx = 0; rx < p_.stride[2]; ++rx) {
          const Run x = run_of(2, rx, 0, p_.in[2]);
          if (y.count <= 0 || x.count <= 0) continue;
          gather_taps(box, filter, z, ry, rx, s);
          const DepthwiseTaps taps{loaded + (y.q - box.origin[1]) * box.row() + x.q - box.origin[2],
                                   y.count,
                                   box.row(),
                                   s.offset.data(),
                                   static_cast<int64_t>(s.offset.size()),
                                   sliding_lines(s.offset, taps_y(ry), box.row())};
          write(taps, x, p_.stride[1] * p_.in[2], s, to + (z * p_.in[1] + y.first) * p_.in[2]);
        }
      }
    }
  }

  int64_t taps_y(int64_t ry) const {
    return static_cast<int64_t>(taps_[1][static_cast<size_t>(ry)].size());
  }

  // Rows of one phase, row_step apart.
  void write(const DepthwiseTaps& taps, const Run& x, int64_t row_step, Scratch& s,
             float* to) const {
    const int64_t stride = p_.stride[2];
    if (stride == 1)
      return kernels(x.count).combine(x.count, taps, s.weight.data(), 0.0f, to, row_step);
    s.lines.resize(static_cast<size_t>(taps.rows * x.count));
    kernels(x.count).combine(x.count, taps, s.weight.data(), 0.0f, s.lines.data(), x.count);
    const float* line = s.lines.data();
    for (int64_t r = 0; r < taps.rows; ++r, line += x.count) {
      float* row = to + r * row_step + x.first;
      for (int64_t i = 0; i < x.count; ++i) row[i * stride] = line[i];
    }
  }

  // The taps of phases ry and rx, from the row and column of a quotient.
  void gather_taps(const Box& box, const float* filter, int64_t z, int64_t ry, int64_t rx,
                   Scratch& s) const {
    s.offset.clear();
    s.weight.clear();
    for (const PhaseTap& tz : taps_[0][phase(0, z)]) {
      const int64_t plane = (quotient(0, z) - tz.back - box.origin[0]) * box.rows;
      for (const PhaseTap& ty : std::views::reverse(taps_[1][static_cast<size_t>(ry)])) {
        for (const PhaseTap& tx : taps_[2][static_cast<size_t>(rx)]) {
          s.offset.push_back((plane - ty.back) * box.row() - tx.back);
          s.weight.push_back(filter[(tz.k * p_.kernel[1] + ty.k) * p_.kernel[2] + tx.k]);
        }
      }
    }
  }

  const ConvProblem& p_;
  const float *dst_, *filter_;
  float* src_;
  std::array<PhaseTaps, 3> taps_;
};

}  // namespace

bool convolve_depthwise(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  if (!is_depthwise(p) || t.src.dtype() != DType::kFloat32 || !t.src.is_contiguous() ||
      !t.dst.is_contiguous()) {
    return false;
  }
  switch (pass) {
    case ConvPass::kForward:
      forward(p, t);
      return true;
    case ConvPass::kInputGrad:
      InputGrad(p, t).run();
      return true;
    case ConvPass::kFilterGrad:
      filter_grad(p, t);
      return true;
  }
  return false;
}

}  // namespace paddle::cpu
