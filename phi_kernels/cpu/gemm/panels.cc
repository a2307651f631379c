// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of rows times groups of panels: a block and a panel stay in the second-level cache.
#include "phi_kernels/cpu/gemm/panels.h"

#include <algorithm>

#include "paddle_core/device/parallel.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/libraries/packed_weights.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlockRows = 144, kDepth = 1024, kGroup = 8, kMaxRows = 12, kMaxColumns = 32;

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

// Rows at a distance of pages share the few lines of one set of the first-level cache. A copy of
// them takes as long as that costs `kFewColumns`.
bool collides(int64_t row_step) { return row_step * 4 % 2048 == 0; }
constexpr int64_t kFewColumns = 512;

// [begin, end) cut into the fewest pieces of at most `size`, as even as possible.
template <typename Body>
void each_piece(int64_t begin, int64_t end, int64_t size, Body&& body) {
  const int64_t count = parts(end - begin, size);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = begin + (end - begin) * i / count,
                  to = begin + (end - begin) * (i + 1) / count;
    body(from, to - from);
  }
}

// Some rows of the left side.
struct Rows {
  const float* a;
  int64_t step, first, count;
};

class Product {
 public:
  explicit Product(const PanelProduct& p)
      : p_(p), kernels_(panel_kernels()), panels_(parts(p.n, kernels_.columns)) {
    blocks_ = parts(p.m, kBlockRows);
    group_ = kGroup;
    const int64_t wanted = must_run_serially() ? 1 : 4 * num_threads();
    while (group_ > 1 && num_threads() > 1 && blocks_ * parts(panels_, group_) < wanted) {
      group_ /= 2;
    }
  }

  void run() const {
    const int64_t groups = parts(panels_, group_);
    parallel_for(0, blocks_ * groups, 1, [&](int64_t begin, int64_t end) {
      StoragePtr held;
      Rows rows{nullptr, 0, -1, 0};
      for (int64_t task = begin; task < end; ++task) {
        const int64_t block = task / groups, group = task % groups;
        const int64_t first = p_.m * block / blocks_;
        if (rows.first != first) {
          rows = rows_from(first, p_.m * (block + 1) / blocks_ - first, held);
        }
        multiply(rows, group * group_, std::min(panels_, (group + 1) * group_));
      }
    });
  }

 private:
  Rows rows_from(int64_t first, int64_t count, StoragePtr& held) const {
    const float* a = p_.a + first * p_.lda;
    if (!collides(p_.lda) || p_.n <= kFewColumns || count <= kernels_.rows) {
      return {a, p_.lda, first, count};
    }
    const int64_t step = p_.k + 16;
    if (!held) {
      const int64_t most = parts(p_.m, blocks_);
      held = Storage::allocate(static_cast<size_t>(most * step) * sizeof(float), Place());
    }
    float* copy = static_cast<float*>(held->data());
    for (int64_t i = 0; i < count; ++i) std::copy_n(a + i * p_.lda, p_.k, copy + i * step);
    return {copy, step, first, count};
  }

  void multiply(const Rows& rows, int64_t begin, int64_t end) const {
    each_piece(0, p_.k, kDepth, [&](int64_t depth, int64_t count) {
      for (int64_t panel = begin; panel < end; ++panel) {
        const float* next = panel + 1 < end        ? at(panel + 1, depth)
                            : depth + count < p_.k ? at(begin, depth + count)
                            : end < panels_        ? at(end, 0)
                                                   : nullptr;
        panel_product(rows, panel, depth, count, next, panel == begin);
      }
    });
    const int64_t column = begin * kernels_.columns,
                  width = std::min(p_.n, end * kernels_.columns) - column;
    const ProductFinish finish{nullptr, p_.epilogue, p_.residual};  // the sums began with the bias
    finish.apply(p_.c, p_.n, rows.first, rows.count, column, width);
  }

  const float* at(int64_t panel, int64_t depth) const {
    return p_.panels + (panel * p_.k + depth) * kernels_.columns;
  }

  // `next`: what is multiplied after this; `fresh`: the rows were not read before.
  void panel_product(const Rows& rows, int64_t panel, int64_t depth, int64_t count,
                     const float* next, bool fresh) const {
    constexpr int64_t kLine = 16;  // floats
    const int64_t width = kernels_.columns, column = panel * width,
                  rest = std::min(width, p_.n - column);
    float bias[kMaxColumns], partial[kMaxRows * kMaxColumns];
    PanelTile t{nullptr, rows.step, at(panel, depth), count, nullptr, 0, nullptr, p_.n,
                next,    0,         nullptr,          0};
    if (depth == 0 && p_.bias) {
      t.start = p_.bias + column;
      if (rest < width) t.start = std::copy_n(t.start, rest, bias) - rest;
    }
    // All tiles fetch a part: few lines can be on their way at a time, and loads wait behind them.
    const int64_t share = std::min(kLine, parts(width, parts(rows.count, kernels_.rows)));
    int64_t fetched = 0;
    each_piece(0, rows.count, kernels_.rows, [&](int64_t row, int64_t n) {
      t.a = rows.a + row * rows.step + depth;
      const bool fetch = next && fetched < count * width;
      t.next_panel = fetch ? next + fetched : t.b;
      t.next_panel_step = fetch ? share : 0;
      fetched += count * share;
      const bool rows_follow = fresh && count == p_.k && row + n < rows.count;
      t.next_rows = rows_follow ? t.a + n * rows.step : t.b;
      t.next_rows_step = rows_follow ? n : 0;
      float* c = p_.c + (rows.first + row) * p_.n + column;
      t.c = rest == width ? c : partial;
      t.ldc = rest == width ? p_.n : width;
      if (depth || p_.accumulate) {
        t.start = t.c;
        t.start_step = t.ldc;
        for (int64_t r = 0; rest < width && r < n; ++r) {
          std::copy_n(c + r * p_.n, rest, partial + r * width);
        }
      }
      kernels_.product(n, t);
      for (int64_t r = 0; rest < width && r < n; ++r) {
        std::copy_n(partial + r * width, rest, c + r * p_.n);
      }
    });
  }

  const PanelProduct& p_;
  const PanelKernels& kernels_;
  int64_t panels_, blocks_, group_;
};

}  // namespace

const PanelKernels& panel_kernels() {
  static const PanelKernels& chosen = isa() == Isa::kAvx512 ? kPanels_avx512 : kPanels_avx2;
  return chosen;
}

int64_t panels_size(int64_t k, int64_t n) {
  const int64_t width = panel_kernels().columns;
  return parts(n, width) * width * k;
}

namespace {

void pack_panel(const float* w, int64_t row_step, int64_t column_step, int64_t k, int64_t count,
                int64_t width, float* to) {
  for (int64_t i = 0; i < k; ++i) {
    float* row = to + i * width;
    const float* from = w + i * row_step;
    if (column_step == 1) {
      std::copy_n(from, count, row);
    } else {
      for (int64_t j = 0; j < count; ++j) row[j] = from[j * column_step];
    }
    std::fill(row + count, row + width, 0.0f);
  }
}

}  // namespace

void pack_panels(const float* w, int64_t k, int64_t n, bool transposed, float* panels) {
  const int64_t width = panel_kernels().columns;
  const int64_t row_step = transposed ? 1 : n, column_step = transposed ? k : 1;
  parallel_for(0, parts(n, width), std::max<int64_t>(1, 16384 / std::max<int64_t>(1, k * width)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t panel = begin; panel < end; ++panel) {
                   const int64_t column = panel * width;
                   pack_panel(w + column * column_step, row_step, column_step, k,
                              std::min(width, n - column), width, panels + column * k);
                 }
               });
}

void multiply_packing(int64_t m, int64_t n, int64_t k, const float* a, const float* b,
                      bool transposed, bool accumulate, float* c) {
  const StoragePtr held =
      Storage::allocate(static_cast<size_t>(panels_size(k, n)) * sizeof(float), Place());
  float* panels = static_cast<float*>(held->data());
  pack_panels(b, k, n, transposed, panels);
  const RowEpilogue none;
  multiply_panels({m, n, k, k, a, panels, nullptr, c, none, nullptr, accumulate});
}

StoragePtr kept_panels(const Tensor& w, int64_t k, int64_t n, bool transposed, int64_t rows) {
  using Form = PackedOrder::Form;
  constexpr int64_t kManyRows = 256;
  const PackedOrder order(transposed ? Form::kPanelsTransposed : Form::kPanels, k, n);
  bool seen = false;
  StoragePtr panels = PackedWeights::find(w->storage, w->offset, order, seen);
  const int64_t bytes = panels_size(k, n) * static_cast<int64_t>(sizeof(float));
  if (panels || (rows < kManyRows && !PackedWeights::has_room(bytes))) return panels;
  const host_memory::OutsideArena outlives;
  panels = Storage::allocate(static_cast<size_t>(bytes), Place());
  pack_panels(w.data<float>(), k, n, transposed, static_cast<float*>(panels->data()));
  PackedWeights::keep(w->storage, w->offset, order, panels);
  return panels;
}

void multiply_panels(const PanelProduct& p) { Product(p).run(); }

}  // namespace paddle::cpu
