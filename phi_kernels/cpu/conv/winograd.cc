// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of 3x3 filters and stride 1 with 2.25 times fewer multiplications (see
// winograd_impl.h). Tiles are transformed in blocks that stay in the second-level cache, multiplied
// as 16 products of matrices, and transformed back.
#include "phi_kernels/cpu/conv/winograd.h"

#include <algorithm>
#include <array>
#include <vector>

#include "paddle_core/base/flags.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/conv/conv.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/libraries/packed_weights.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kMatrices = 16;
constexpr int64_t kPad = 16;  // keeps rows of a power of two apart in the caches
constexpr int64_t kCacheBytes = 768 << 10;

const WinogradKernels& kernels() {
  static const WinogradKernels& chosen = isa() == Isa::kAvx512 ? kWinograd_avx512 : kWinograd_avx2;
  return chosen;
}

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

class Buffer {
 public:
  explicit Buffer(int64_t floats)
      : storage_(Storage::allocate(static_cast<size_t>(floats) * sizeof(float), Place())),
        size_(floats) {}
  float* data() const { return static_cast<float*>(storage_->data()); }
  Buffer(StoragePtr storage, int64_t floats) : storage_(std::move(storage)), size_(floats) {}
  const StoragePtr& storage() const { return storage_; }
  void clear() { std::fill_n(data(), size_, 0.0f); }

 private:
  StoragePtr storage_;
  int64_t size_;
};

// Pixels [N, H, W, C].
template <typename T>
struct Image {
  T* data;
  int64_t height, width, channels;

  // Null outside.
  T* at(int64_t n, int64_t y, int64_t x) const {
    if (y < 0 || y >= height || x < 0 || x >= width) return nullptr;
    return data + ((n * height + y) * width + x) * channels;
  }
};

// The tiles of all results: 2x2 of the result from 4x4 of the source.
struct Tiles {
  int64_t batch, rows, columns, before_y, before_x;

  Tiles(int64_t batch_, int64_t height, int64_t width, int64_t y, int64_t x)
      : batch(batch_), rows((height + 1) / 2), columns((width + 1) / 2), before_y(y), before_x(x) {}
  int64_t count() const { return batch * rows * columns; }

  // The pixels of tile `t`; `outside` where there is none.
  template <int kSide, typename T>
  std::array<T*, kSide * kSide> pixels(const Image<T>& image, int64_t t, bool source,
                                       T* outside) const {
    const int64_t n = t / (rows * columns), y = t / columns % rows * 2 - (source ? before_y : 0),
                  x = t % columns * 2 - (source ? before_x : 0);
    std::array<T*, kSide * kSide> out;
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        T* pixel = image.at(n, y + i, x + j);
        out[static_cast<size_t>(kSide * i + j)] = pixel ? pixel : outside;
      }
    }
    return out;
  }
};

// The transformed filters as 16 matrices of panels [columns / panel][k][panel].
class Filters {
 public:
  Filters(const float* w, int64_t outputs, int64_t inputs, bool transposed)
      : k_(transposed ? outputs : inputs),
        columns_(transposed ? inputs : outputs),
        size_(size_of_matrix(k_, columns_)),
        buffer_(kMatrices * size_) {
    fill(w, inputs, transposed);
  }
  // The filters of a forward convolution, kept with the storage of `w`.
  static Filters kept(const Tensor& w) {
    const int64_t outputs = w.size(0), inputs = w.size(1);
    const PackedOrder order(PackedOrder::Form::kWinograd, outputs, inputs);
    bool seen = false;
    if (StoragePtr found = PackedWeights::find(w->storage, w->offset, order, seen)) {
      return {inputs, outputs, std::move(found)};
    }
    const host_memory::OutsideArena outlives;
    Filters made(w.data<float>(), outputs, inputs, /*transposed=*/false);
    PackedWeights::keep(w->storage, w->offset, order, made.buffer_.storage());
    return made;
  }
  int64_t k() const { return k_; }
  int64_t columns() const { return columns_; }
  int64_t bytes() const { return kMatrices * size_ * 4; }
  const float* panel(int64_t matrix, int64_t column) const {
    return buffer_.data() + matrix * size_ + column * k_;
  }

 private:
  Filters(int64_t k, int64_t columns, StoragePtr storage)
      : k_(k),
        columns_(columns),
        size_(size_of_matrix(k, columns)),
        buffer_(std::move(storage), kMatrices * size_) {}
  static int64_t size_of_matrix(int64_t k, int64_t columns) {
    return k * round_up(columns, kernels().columns) + 4 * kPad;
  }
  void fill(const float* w, int64_t inputs, bool transposed) {
    const WinogradKernels& fn = kernels();
    if (columns_ % fn.columns) buffer_.clear();
    parallel_for(0, columns_ / 16, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin * 16; c < end * 16; c += 16) {
        float* to = buffer_.data() + c / fn.columns * k_ * fn.columns + c % fn.columns;
        const float* from = w + (transposed ? c : c * inputs) * 9;
        const int64_t across = inputs * 9;
        fn.filter(from, transposed ? 9 : across, transposed ? across : 9, k_, transposed, to,
                  size_);
      }
    });
  }

  int64_t k_, columns_, size_;
  Buffer buffer_;
};

// body(first row, small) over the rows of a product.
template <typename Body>
void each_row_group(int64_t rows, Body&& body) {
  const WinogradKernels& fn = kernels();
  int64_t r = 0;
  for (; r + fn.rows <= rows; r += fn.rows) body(r, false);
  for (; r < rows; r += fn.rest) body(r, true);
}

// What is done to the results: plus bias (may be null), then the epilogue (may be null).
struct Finish {
  const float* bias = nullptr;
  const RowEpilogue* epilogue = nullptr;
  const float* residual = nullptr;  // in the order of the result

  void run(const std::array<float*, 4>& pixels, const Image<float>& result) const {
    if (!epilogue || epilogue->empty()) return;
    for (float* pixel : pixels) {
      if (!pixel) continue;
      epilogue->apply(pixel, residual ? residual + (pixel - result.data) : nullptr,
                      result.channels);
    }
  }
};

// Tiles [first, first + count) of result = source * filters, finished.
void convolve_block(const Tiles& tiles, int64_t first, int64_t count,
                    const Image<const float>& source, const Filters& filters, const Finish& finish,
                    const float* zeros, const Image<float>& result) {
  const WinogradKernels& fn = kernels();
  const int64_t rows = round_up(count, fn.rest), k = filters.k();
  const int64_t v_row = k + kPad, m_row = round_up(filters.columns(), fn.columns) + kPad;
  const Buffer v(kMatrices * rows * v_row), m(kMatrices * rows * m_row);
  const int64_t grain = std::max<int64_t>(1, 4096 / k);
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      // Rows behind the last tile repeat it; their products are not read.
      const auto pixels = tiles.pixels<4>(source, first + std::min(t, count - 1), true, zeros);
      fn.source(pixels.data(), k, v.data() + t * v_row, rows * v_row);
    }
  });
  const int64_t panels = round_up(filters.columns(), fn.columns) / fn.columns;
  // The next panel lies behind the one at hand; each group of rows fetches a part of it.
  constexpr int64_t kLine = 16;  // floats
  const int64_t groups = rows / fn.rows + rows % fn.rows / fn.rest,
                share = std::min(kLine, (fn.columns + groups - 1) / groups);
  parallel_for(0, kMatrices * panels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const int64_t i = u / panels, column = u % panels * fn.columns;
      const float *a = v.data() + i * rows * v_row, *b = filters.panel(i, column);
      float* c = m.data() + i * rows * m_row + column;
      const float* ahead = u + 1 < kMatrices * panels ? b + k * fn.columns : nullptr;
      each_row_group(rows, [&](int64_t r, bool small) {
        fn.product({a + r * v_row, v_row, b, k, c + r * m_row, m_row, ahead ? ahead : b,
                    ahead ? share : 0},
                   small);
        if (ahead) ahead += k * share;
      });
    }
  });
  parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const auto pixels = tiles.pixels<2>(result, first + t, false, static_cast<float*>(nullptr));
      fn.result(m.data() + t * m_row, rows * m_row, filters.columns(), finish.bias, pixels.data());
      finish.run(pixels, result);
    }
  });
}

void convolve(const Tiles& tiles, const Image<const float>& source, const Filters& filters,
              const Finish& finish, const Image<float>& result) {
  const int64_t channels = filters.k() + filters.columns();
  // Small enough for the cache, large enough to be worth reading all filters.
  const int64_t wanted =
      std::max(kCacheBytes / (kMatrices * 4 * channels), filters.bytes() / (16 << 10));
  const int64_t total = tiles.count(), blocks = std::max<int64_t>(1, total / wanted);
  const int64_t size = round_up((total + blocks - 1) / blocks, kernels().rows);
  const std::vector<float> zeros(static_cast<size_t>(filters.k()));
  parallel_for(0, (total + size - 1) / size, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      convolve_block(tiles, b * size, std::min(size, total - b * size), source, filters, finish,
                     zeros.data(), result);
    }
  });
}

// Transforms of tiles [first, first + count) of both images, and their products added to `sum`
// [16][outputs][row].
class FilterGrad {
 public:
  FilterGrad(const Tiles& tiles, const Image<const float>& source, const Image<const float>& grad)
      : tiles_(tiles),
        source_(source),
        grad_(grad),
        zeros_(static_cast<size_t>(std::max(source.channels, grad.channels))),
        v_row_(round_up(source.channels, kernels().columns) + kPad),
        g_row_(grad.channels + kPad),
        block_(std::clamp<int64_t>(2 * kCacheBytes / (kMatrices * 4 * (v_row_ + g_row_)), 96, 384)),
        sum_(kMatrices * grad.channels * v_row_),
        v_(kMatrices * block_ * v_row_),
        g_(kMatrices * block_ * g_row_) {
    sum_.clear();
    if (source.channels % kernels().columns) v_.clear();
  }

  void compute(float* w) {
    for (int64_t first = 0; first < tiles_.count(); first += block_) {
      add_block(first, std::min(block_, tiles_.count() - first));
    }
    const int64_t inputs = source_.channels, outputs = grad_.channels;
    parallel_for(0, outputs, 1, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        for (int64_t c = 0; c < inputs; c += 16) {
          kernels().filter_grad(sum_.data() + o * v_row_ + c, outputs * v_row_,
                                w + (o * inputs + c) * 9, 9);
        }
      }
    });
  }

 private:
  void add_block(int64_t first, int64_t count) {
    const WinogradKernels& fn = kernels();
    const int64_t outputs = grad_.channels;
    parallel_for(0, count, std::max<int64_t>(1, 4096 / outputs), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const float* zeros = zeros_.data();
        const auto source = tiles_.pixels<4>(source_, first + t, true, zeros);
        fn.source(source.data(), source_.channels, v_.data() + t * v_row_, block_ * v_row_);
        const auto grad = tiles_.pixels<2>(grad_, first + t, false, zeros);
        fn.result_grad(grad.data(), outputs, g_.data() + t * g_row_, block_ * g_row_);
      }
    });
    const int64_t panels = (v_row_ - kPad) / fn.columns;
    parallel_for(0, kMatrices * panels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t u = begin; u < end; ++u) {
        const int64_t i = u / panels, column = u % panels * fn.columns;
        const float* b = v_.data() + i * block_ * v_row_ + column;
        float* c = sum_.data() + i * outputs * v_row_ + column;
        each_row_group(outputs, [&](int64_t r, bool small) {
          fn.outer(g_.data() + i * block_ * g_row_ + r, g_row_, b, v_row_, count, c + r * v_row_,
                   v_row_, small);
        });
      }
    });
  }

  const Tiles tiles_;
  const Image<const float> source_, grad_;
  const std::vector<float> zeros_;
  const int64_t v_row_, g_row_, block_;
  Buffer sum_, v_, g_;
};

bool is_worth_it(const ConvProblem& p) {
  constexpr int64_t kFewest = 32;
  const std::array<int64_t, 3> ones{1, 1, 1}, kernel{1, 3, 3};
  return p.axes == 2 && p.kernel == kernel && p.stride == ones && p.dilation == ones &&
         p.groups == 1 && p.in_channels % 16 == 0 && p.out_channels % 16 == 0 &&
         std::min(p.in_channels, p.out_channels) >= kFewest &&
         p.batch * p.out[1] * p.out[2] >= 4 * kFewest;
}

}  // namespace

void register_winograd_cpu(Registry&) {
  constexpr const char* kFlag = "FLAGS_cpu_winograd";
  if (has_flag(kFlag)) return;
  define_flag(kFlag, true,
              "Convolutions of 3x3 filters on the CPU may use Winograd's algorithm: fewer "
              "multiplications, other rounding.");
}

namespace {

bool is_allowed() {
  static const std::atomic<bool>* const allowed = bool_flag("FLAGS_cpu_winograd");
  return allowed->load(std::memory_order_relaxed);
}

Image<float> image_of(const Tensor& t) {
  return {t.data<float>(), t.size(2), t.size(3), t.size(1)};
}
Image<const float> read_only(const Image<float>& i) {
  return {i.data, i.height, i.width, i.channels};
}

const float* data_of(const Tensor& t) { return t.defined() ? t.data<float>() : nullptr; }

}  // namespace

bool convolve_winograd(ConvPass pass, const ConvProblem& p, const ConvOperands& t) {
  if (!is_allowed() || t.src.dtype() != DType::kFloat32 || !is_worth_it(p) ||
      (pass == ConvPass::kForward && !is_channels_last(t.dst)) ||
      (pass == ConvPass::kInputGrad && !is_channels_last(t.src))) {
    return false;
  }
  const Tensor held_src = in_channels_last(t.src), held_dst = in_channels_last(t.dst);
  const Image<float> src = image_of(held_src), dst = image_of(held_dst);
  float* w = t.filter.data<float>();
  const Tiles of_result(p.batch, dst.height, dst.width, p.before[1], p.before[2]);
  if (pass == ConvPass::kFilterGrad) {
    FilterGrad(of_result, read_only(src), read_only(dst)).compute(w);
    return true;
  }
  const bool forward = pass == ConvPass::kForward;
  const Filters filters(w, p.out_channels, p.in_channels, /*transposed=*/!forward);
  if (forward) {
    convolve(of_result, read_only(src), filters, {data_of(t.bias)}, dst);
  } else {
    const Tiles of_source(p.batch, src.height, src.width, 2 - p.before[1], 2 - p.before[2]);
    convolve(of_source, read_only(dst), filters, {}, src);
  }
  return true;
}

bool convolve_winograd_fused(const ConvProblem& p, const ConvOperands& t,
                             const RowEpilogue& epilogue, const Tensor& residual) {
  if (!is_allowed() || !is_worth_it(p) || !is_channels_last(t.dst)) return false;
  const Tensor src = in_channels_last(t.src),
               added = residual.defined() ? in_channels_last(residual) : residual;
  const Image<float> dst = image_of(t.dst);
  const Tiles tiles(p.batch, dst.height, dst.width, p.before[1], p.before[2]);
  convolve(tiles, read_only(image_of(src)), Filters::kept(t.filter),
           {data_of(t.bias), &epilogue, data_of(added)}, dst);
  return true;
}

}  // namespace paddle::cpu
