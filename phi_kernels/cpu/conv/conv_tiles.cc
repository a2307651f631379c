// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions in float32 on matrix tiles (split_product.h) without unfolding their windows. A
// strip of the source, a few rows with their borders, is split into parts of bfloat16 that stay in
// the second-level cache, in channels-last order. What a window reads of a row lies side by side
// there, and the windows of neighbouring results a fixed distance apart: a tile is loaded from
// where the numbers are. Rows that are `stride` apart lie side by side, and a row of the strip is
// as wide as a whole number of results, so that the windows of the next row of results follow at
// the same distance; results computed between two rows are dropped.
#include <algorithm>
#include <atomic>
#include <vector>

#include "paddle_core/device/parallel.h"
#include "paddle_core/tensor/storage.h"
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/gemm/split_product.h"
#include "phi_kernels/cpu/libraries/packed_weights.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kStripBytes = 1 << 20;
constexpr int64_t kMostSteps = 32;  // of k between two additions in memory
constexpr int64_t kFewestWork = 1 << 21;

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

// One axis of the windows.
struct Axis {
  int64_t in, out, kernel, stride, dilation, before;
  // Extent of what `results` neighbouring windows read.
  int64_t reach(int64_t results) const {
    return (results - 1) * stride + (kernel - 1) * dilation + 1;
  }
};

// A convolution of images [batch, y.in, x.in, channels] into [batch, y.out, x.out, outputs].
struct Windows {
  int64_t batch, channels, outputs;
  Axis y, x;

  // Of a row of the strip, in pixels and in results.
  int64_t row_results() const { return parts(std::max(x.reach(x.out), x.stride), x.stride); }
  int64_t row_pixels() const { return row_results() * x.stride; }
  // What a window reads without a gap: its pixels of a row, or one of them.
  int64_t run_pixels() const { return x.dilation == 1 ? x.kernel : 1; }
  int64_t run_depth() const { return run_pixels() * channels; }
  int64_t run_steps() const { return parts(run_depth(), kSplitStep); }
  int64_t run_count() const { return y.kernel * (x.kernel / run_pixels()); }
  int64_t steps() const { return run_count() * run_steps(); }
  int64_t depth() const { return y.kernel * x.kernel * channels; }
  int64_t output_blocks() const { return parts(outputs, kSplitLines); }
};

Windows windows_of(ConvPass pass, const ConvProblem& p) {
  const auto axis = [&](size_t i) -> Axis {
    const Axis forward{p.in[i], p.out[i], p.kernel[i], p.stride[i], p.dilation[i], p.before[i]};
    if (pass == ConvPass::kForward) return forward;
    return {p.out[i], p.in[i],       p.kernel[i],
            1,        p.dilation[i], (p.kernel[i] - 1) * p.dilation[i] - p.before[i]};
  };
  const bool forward = pass == ConvPass::kForward;
  return {p.batch, forward ? p.in_channels : p.out_channels,
          forward ? p.out_channels : p.in_channels, axis(1), axis(2)};
}

// Whether few enough of the numbers that tiles hold are filled in or dropped.
bool is_worth_it(ConvPass pass, const ConvProblem& p, const Windows& w) {
  const bool invertible =
      p.stride[1] == 1 && p.stride[2] == 1 && w.y.before >= 0 && w.x.before >= 0;
  if (p.axes != 2 || p.groups != 1 || w.depth() == w.channels ||
      (pass != ConvPass::kForward && !invertible)) {
    return false;
  }
  const int64_t useful = w.y.out * w.x.out * w.outputs * w.depth();
  const int64_t done = (w.y.out - 1) * w.row_results() + w.x.out;
  const int64_t filled = parts(done, kSplitTile) * kSplitTile * parts(w.outputs, kSplitTile) *
                         kSplitTile * w.steps() * kSplitStep;
  return w.batch * useful >= kFewestWork && 2 * useful >= filled;
}

// The filters as columns [block of outputs][run][step]; before them the bits of their largest
// magnitude. `turned`: those of the gradient by the source.
StoragePtr pack_filters(const Windows& w, const float* filter, bool turned) {
  const int64_t depth = w.depth(), area = w.y.kernel * w.x.kernel, channels = w.channels;
  const StoragePtr room =
      Storage::allocate(static_cast<size_t>(w.outputs * depth) * sizeof(float), Place());
  auto* const lines = static_cast<float*>(room->data());  // [outputs, y, x, channels]
  const int64_t step_o = turned ? area : channels * area, step_c = turned ? w.outputs * area : area;
  parallel_for(0, w.outputs, std::max<int64_t>(1, 16384 / depth), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t i = 0; i < area; ++i) {
        const float* const from = filter + o * step_o + (turned ? area - 1 - i : i);
        float* const to = lines + o * depth + i * channels;
        for (int64_t c = 0; c < channels; ++c) to[c] = from[c * step_c];
      }
    }
  });
  const int64_t blocks = w.output_blocks(), size = w.steps() * kSplitBlock;
  StoragePtr packed = Storage::allocate(
      static_cast<size_t>(kSplitHeader + blocks * size) * sizeof(uint16_t), Place());
  auto* const to = static_cast<uint16_t*>(packed->data()) + kSplitHeader;
  std::atomic<uint32_t> largest{0};
  parallel_for(0, blocks, 1, [&](int64_t begin, int64_t end) {
    uint32_t found = 0;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b * kSplitLines, count = std::min(kSplitLines, w.outputs - first);
      for (int64_t r = 0; r < w.run_count(); ++r) {
        const SplitSource run{lines + first * depth + r * w.run_depth(), depth, true, count,
                              w.run_depth()};
        found = std::max(found, kSplit_amx.pack(run, /*left=*/false,
                                                to + b * size + r * w.run_steps() * kSplitBlock));
      }
    }
    raise_to(largest, found);
  });
  *static_cast<uint32_t*>(packed->data()) = largest;
  return packed;
}

// Those of a forward convolution, kept with the storage of `filter` where there is room.
StoragePtr kept_filters(const Windows& w, const Tensor& filter, KeptFrom from) {
  const int64_t shape = (w.outputs << 32) | (w.y.kernel << 16) | w.x.kernel;
  const PackedOrder order(PackedOrder::Form::kSplitFilter, shape, w.run_depth());
  bool seen = false;
  StoragePtr kept = PackedWeights::find(filter->storage, filter->offset, order, seen);
  if (kept) return kept;
  const host_memory::OutsideArena outlives;
  kept = pack_filters(w, filter.data<float>(), /*turned=*/false);
  if (from == KeptFrom::kFirstUse || seen) {
    PackedWeights::keep(filter->storage, filter->offset, order, kept);
  } else {
    PackedWeights::mark(filter->storage, filter->offset, order);
  }
  return kept;
}

// Results of some rows of one image, or of whole images.
struct Strip {
  int64_t image, images, row, rows;
};

// What is convolved with what, and what is done to the results in cache.
struct Task {
  const Windows& w;
  const float* source;
  const StoragePtr& filters;
  const float* bias;            // may be null
  const RowEpilogue* epilogue;  // may be null
  const float* residual;        // in the order of the results; may be null
  float* result;
};

class Convolution {
 public:
  explicit Convolution(const Task& task) : t_(task), w_(task.w) {
    const int64_t threads = must_run_serially() ? 1 : num_threads();
    const int64_t bytes = image_elements(w_.y.out) * kSplitParts * 2;
    if (bytes * w_.batch <= kStripBytes) {  // threads share the outputs
      images_ = w_.batch;
      rows_ = w_.y.out;
    } else {
      const int64_t wanted = w_.batch * parts(bytes, kStripBytes);
      const int64_t strips = parts(parts(wanted, threads) * threads, w_.batch);
      rows_ = parts(w_.y.out, std::min(strips, w_.y.out));
      if (rows_ == w_.y.out)
        images_ = std::max<int64_t>(1, std::min(kStripBytes / bytes, w_.batch / threads));
    }
    find_runs();
  }

  // False when some numbers have no exact parts; the results are not to be used then.
  bool run() {
    const int64_t groups = parts(w_.batch, images_), strips = parts(w_.y.out, rows_);
    parallel_for(0, groups * strips, 1, [&](int64_t begin, int64_t end) {
      const StoragePtr room =
          Storage::allocate(static_cast<size_t>(kSplitParts * plane()) * sizeof(uint16_t), Place());
      auto* const planes = static_cast<uint16_t*>(room->data());
      for (int64_t part = 0; part < kSplitParts; ++part) {
        std::fill_n(planes + (part + 1) * plane() - slack(), slack(), uint16_t{0});
      }
      for (int64_t i = begin; i < end && exact_.load(std::memory_order_relaxed); ++i) {
        const int64_t image = i / strips * images_, row = i % strips * rows_;
        convolve({image, std::min(images_, w_.batch - image), row, std::min(rows_, w_.y.out - row)},
                 planes);
      }
    });
    return exact_;
  }

 private:
  // Rows that are `stride` apart, which lie side by side, for `rows` rows of results.
  int64_t phase_rows(int64_t rows) const { return parts(w_.y.reach(rows), w_.y.stride); }
  int64_t row_elements() const { return w_.row_pixels() * w_.channels; }
  int64_t image_elements(int64_t rows) const {
    return phase_rows(rows) * w_.y.stride * row_elements();
  }
  // What tiles read behind the last window.
  int64_t slack() const {
    return (kSplitTile * w_.x.stride + w_.x.kernel + 1) * w_.channels + 2 * kSplitStep;
  }
  int64_t plane() const { return images_ * image_elements(rows_) + slack(); }

  // Where row `y` of the strip lies.
  int64_t row_offset(int64_t y) const {
    return (y % w_.y.stride * phase_rows(rows_) + y / w_.y.stride) * row_elements();
  }

  void find_runs() {
    const int64_t along = w_.x.kernel / w_.run_pixels();
    int64_t open = 0;
    for (int64_t i = 0; i < w_.run_count(); ++i) {
      const int64_t from =
          row_offset(i / along * w_.y.dilation) + i % along * w_.x.dilation * w_.channels;
      for (int64_t step = 0; step < w_.run_steps();) {
        const int64_t count = std::min(w_.run_steps() - step, kMostSteps - open);
        open = (open + count) % kMostSteps;
        runs_.push_back({from + step * kSplitStep, count, open == 0});
        step += count;
      }
    }
    runs_.back().ends_sum = true;
  }

  // Splits row `y` of the strip of image `n`, or fills it with zeros outside of the image.
  uint32_t split_row(const Strip& s, int64_t n, int64_t y, uint16_t* planes) const {
    const int64_t c = w_.channels, pixels = w_.row_pixels();
    const int64_t from = s.row * w_.y.stride + y - w_.y.before;
    const bool outside = from < 0 || from >= w_.y.in;
    const int64_t before = outside ? pixels : std::min(w_.x.before, pixels),
                  inside = outside ? 0 : std::min(w_.x.in, pixels - before);
    uint16_t* const to = planes + n * image_elements(rows_) + row_offset(y);
    for (int64_t part = 0; part < kSplitParts; ++part) {
      std::fill_n(to + part * plane(), before * c, uint16_t{0});
      std::fill_n(to + part * plane() + (before + inside) * c, (pixels - before - inside) * c,
                  uint16_t{0});
    }
    if (inside == 0) return 0;
    return kSplit_amx.split(t_.source + ((s.image + n) * w_.y.in + from) * w_.x.in * c, inside * c,
                            to + before * c, plane());
  }

  void split(const Strip& s, uint16_t* planes) {
    // Also rows that only rows beside the last results read: tiles take them in.
    const int64_t rows = phase_rows(rows_) * w_.y.stride;
    parallel_for(0, s.images * rows, std::max<int64_t>(1, 16384 / row_elements()),
                 [&](int64_t begin, int64_t end) {
                   uint32_t largest = 0;
                   for (int64_t i = begin; i < end; ++i) {
                     largest = std::max(largest, split_row(s, i / rows, i % rows, planes));
                   }
                   if (!splits_exactly(largest)) exact_.store(false, std::memory_order_relaxed);
                 });
  }

  // `count` results from position `at` of the strip on, of which those between two rows are
  // dropped.
  void put(const Strip& s, int64_t n, int64_t at, int64_t count, int64_t column,
           const float* sums) const {
    const int64_t width = w_.row_results(), out = w_.x.out;
    const int64_t columns = std::min(kSplitLines, w_.outputs - column);
    for (int64_t i = 0; i < count;) {
      const int64_t y = (at + i) / width, x = (at + i) % width;
      const int64_t here = std::min(count - i, width - x), valid = std::min(here, out - x);
      if (valid > 0) {
        const int64_t pixel = ((s.image + n) * w_.y.out + s.row + y) * out + x;
        kSplit_amx.put(sums + i * kSplitLines, valid, columns, t_.bias ? t_.bias + column : nullptr,
                       t_.result + pixel * w_.outputs + column, w_.outputs);
      }
      i += here;
    }
  }

  void multiply(const Strip& s, const uint16_t* planes) const {
    const auto* const filters = static_cast<const uint16_t*>(t_.filters->data()) + kSplitHeader;
    const int64_t results = (s.rows - 1) * w_.row_results() + w_.x.out;
    parallel_for(0, w_.output_blocks(), 1, [&](int64_t begin, int64_t end) {
      alignas(64) float sums[kSplitLines * kSplitLines];
      kSplit_amx.begin();
      for (int64_t b = begin; b < end; ++b) {
        const int64_t column = b * kSplitLines;
        for (int64_t n = 0; n < s.images; ++n) {
          for (int64_t at = 0; at < results; at += kSplitLines) {
            const int64_t count = std::min(kSplitLines, results - at),
                          step = w_.x.stride * w_.channels;
            kSplit_amx.multiply_windows({planes + n * image_elements(rows_) + at * step, plane(),
                                         step, runs_.data(), static_cast<int64_t>(runs_.size()),
                                         filters + b * w_.steps() * kSplitBlock, count,
                                         std::min(kSplitLines, w_.outputs - column), sums});
            put(s, n, at, count, column, sums);
          }
        }
      }
      kSplit_amx.end();
    });
  }

  void convolve(const Strip& s, uint16_t* planes) {
    split(s, planes);
    if (!exact_.load(std::memory_order_relaxed)) return;
    multiply(s, planes);
    if (!t_.epilogue || t_.epilogue->empty()) return;
    const int64_t row = w_.x.out * w_.outputs, first = s.image * w_.y.out + s.row;
    parallel_for(0, s.images * s.rows, std::max<int64_t>(1, 16384 / row),
                 [&](int64_t begin, int64_t end) {
                   const int64_t at = (first + begin) * row;
                   t_.epilogue->apply(t_.result + at, t_.residual ? t_.residual + at : nullptr,
                                      (end - begin) * row);
                 });
  }

  const Task& t_;
  const Windows& w_;
  int64_t images_ = 1, rows_ = 1;  // of a strip at most
  std::vector<SplitKernels::Run> runs_;
  std::atomic<bool> exact_{true};
};

bool convolve(const Task& t) {
  if (!splits_exactly(*static_cast<const uint32_t*>(t.filters->data()))) return false;
  return Convolution(t).run();
}

const float* data_of(const Tensor& t) { return t.defined() ? t.data<float>() : nullptr; }

}  // namespace

bool convolve_tiles(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  const bool forward = pass == ConvPass::kForward;
  const Tensor& to = forward ? t.dst : t.src;
  if (pass == ConvPass::kFilterGrad || !may_split() || to.dtype() != DType::kFloat32 ||
      p.axes != 2 || !is_channels_last(to)) {
    return false;
  }
  const Windows w = windows_of(pass, p);
  if (!is_worth_it(pass, p, w)) return false;
  const Tensor from = in_channels_last(forward ? t.src : t.dst);
  const StoragePtr filters = forward ? kept_filters(w, t.filter, KeptFrom::kSecondUse)
                                     : pack_filters(w, t.filter.data<float>(), /*turned=*/true);
  return convolve({w, from.data<float>(), filters, forward ? data_of(t.bias) : nullptr, nullptr,
                   nullptr, to.data<float>()});
}

bool convolve_tiles_fused(const ConvProblem& p, const ConvOperands& t, const RowEpilogue& epilogue,
                          const Tensor& residual) {
  if (!may_split() || !is_channels_last(t.dst)) return false;
  // What is computed in another way when numbers have no exact parts starts with the same residual.
  if (residual.defined() && residual->storage == t.dst->storage) return false;
  const Windows w = windows_of(ConvPass::kForward, p);
  if (!is_worth_it(ConvPass::kForward, p, w)) return false;
  const StoragePtr filters = kept_filters(w, t.filter, KeptFrom::kFirstUse);
  const Tensor from = in_channels_last(t.src),
               added = residual.defined() ? in_channels_last(residual) : residual;
  return convolve({w, from.data<float>(), filters, data_of(t.bias), &epilogue, data_of(added),
                   t.dst.data<float>()});
}

}  // namespace paddle::cpu
