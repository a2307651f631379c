// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A few rows meet B as it lies in memory, more rows meet panels of it, packed on the way; many
// blocks of rows share panels that are packed before.
#include "phi_kernels/cpu/gemm/chain_product.h"

#include <algorithm>
#include <type_traits>

#include "paddle_core/device/parallel.h"
#include "paddle_core/tensor/storage.h"
#include "phi_kernels/cpu/gemm/chain_kernels.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/loops/loops.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlockRows = 144, kDepth = 1024, kGroup = 8;
constexpr int64_t kParallelWork = 65536;  // multiply-adds worth a second thread
constexpr int64_t kStreamRoom = 4096;     // sums that stay in the first-level cache
constexpr int64_t kTurned = 8;            // lines of 16-bit numbers that are widened together

template <typename T>
using SumType = std::conditional_t<std::is_same_v<T, double>, double, float>;
template <typename T>
constexpr bool kWidens = !std::is_same_v<T, SumType<T>>;

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

template <typename A>
const ChainKernels<A>& kernels() {
  static const bool wide = isa() == Isa::kAvx512;
  if constexpr (std::is_same_v<A, double>) {
    return wide ? kDoubleChains_avx512 : kDoubleChains_avx2;
  } else {
    return wide ? kFloatChains_avx512 : kFloatChains_avx2;
  }
}

template <typename From, typename To>
void convert(const From* from, int64_t count, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    std::copy_n(from, count, to);
  } else {
    loop_tables.convert[static_cast<int>(DTypeOf<From>::value)]
                       [static_cast<int>(DTypeOf<To>::value)](count, to, from, 1);
  }
}

// to[i * to_step + j] = from[j * from_step + i] for i < length, j < lines.
template <typename T>
void transpose(const T* from, int64_t from_step, int64_t lines, int64_t length, SumType<T>* to,
               int64_t to_step) {
  if constexpr (!kWidens<T>) {
    kernels<T>().transpose(from, from_step, lines, length, to, to_step);
  } else {
    alignas(64) float room[kTurned * kDepth];
    for (int64_t i = 0; i < length; i += kDepth) {
      const int64_t count = std::min(kDepth, length - i);
      for (int64_t j = 0; j < lines; j += kTurned) {
        const int64_t taken = std::min(kTurned, lines - j);
        for (int64_t q = 0; q < taken; ++q) {
          convert(from + (j + q) * from_step + i, count, room + q * kDepth);
        }
        kernels<float>().transpose(room, kDepth, taken, count, to + i * to_step + j, to_step);
      }
    }
  }
}

template <typename A>
StoragePtr room_for(int64_t count) {
  return Storage::allocate(static_cast<size_t>(count) * sizeof(A), Place());
}

// Room for a number of elements, on the stack where they are few.
template <typename A>
class Room {
 public:
  explicit Room(int64_t count) {
    if (count > kFew) held_ = room_for<A>(count);
  }
  A* data() { return held_ ? static_cast<A*>(held_->data()) : few_; }

 private:
  static constexpr int64_t kFew = 2048;
  alignas(64) A few_[kFew];
  StoragePtr held_;
};

// op(A) in the type of the sums, elements of a row one behind the other.
template <typename T>
struct LeftRows {
  using A = SumType<T>;
  StoragePtr held;
  const A* data = nullptr;
  int64_t step = 0;

  LeftRows(const GemmShape& s, const T* a) {
    // Rows at a distance of pages share the few lines of one set of the first-level cache.
    constexpr int64_t kPage = 2048, kFewColumns = 512;
    const bool collides = s.lda * static_cast<int64_t>(sizeof(T)) % kPage == 0 &&
                          s.n > kFewColumns && s.m > kMostChainRows;
    if constexpr (!kWidens<T>) {
      if (!s.trans_a && !collides) {
        data = a;
        step = s.lda;
        return;
      }
    }
    step = parts(s.k, 16) * 16 + 16;
    held = room_for<A>(s.m * step);
    A* const to = static_cast<A*>(held->data());
    data = to;
    const int64_t grain = std::max<int64_t>(16, kParallelWork / std::max<int64_t>(1, s.k));
    parallel_for(0, s.m, grain, [&](int64_t begin, int64_t end) {
      if (s.trans_a) {
        return transpose(a + begin, s.lda, s.k, end - begin, to + begin * step, step);
      }
      for (int64_t i = begin; i < end; ++i) convert(a + i * s.lda, s.k, to + i * step);
    });
  }
};

template <typename T>
class Product {
 public:
  using A = SumType<T>;
  Product(const GemmShape& s, const LeftRows<T>& a, const T* b, T* c, bool accumulate)
      : s_(s), a_(a), b_(b), c_(c), accumulate_(accumulate) {}

  void run() const {
    if (s_.m <= kStreamRows && !s_.trans_b) {
      run_streams();
    } else {
      run_panels();
    }
  }

 private:
  const GemmShape& s_;
  const LeftRows<T>& a_;
  const T* b_;
  T* c_;
  bool accumulate_;
  const ChainKernels<A>& k_ = kernels<A>();

  // What the sums of `count` columns of a row begin with.
  void begin(int64_t row, int64_t column, int64_t count, A* sums) const {
    if (accumulate_) {
      convert(c_ + row * s_.ldc + column, count, sums);
    } else {
      std::fill_n(sums, count, A(0));
    }
  }
  void end(int64_t row, int64_t column, int64_t count, const A* sums) const {
    convert(sums, count, c_ + row * s_.ldc + column);
  }

  // Columns are shared among threads; each goes down the rows of B.
  void run_streams() const {
    const int64_t width = kStreamRoom / kStreamRows;
    const int64_t grain = std::max<int64_t>(64, kParallelWork / std::max<int64_t>(1, s_.m * s_.k));
    parallel_for(0, s_.n, grain, [&](int64_t first, int64_t last) {
      for (int64_t j = first; j < last; j += width) stream(j, std::min(width, last - j));
    });
  }

  void stream(int64_t column, int64_t count) const {
    alignas(64) A sums[kStreamRoom];
    for (int64_t i = 0; i < s_.m; ++i) begin(i, column, count, sums + i * count);
    for (int64_t p = 0; p < s_.k;) {
      const int64_t depth = s_.k - p >= kStreamDepth ? kStreamDepth : 1;
      const T* from = b_ + p * s_.ldb + column;
      typename ChainKernels<A>::Stream t{a_.data + p, s_.m,  a_.step, nullptr, depth,
                                         0,           count, sums,    count};
      if constexpr (kWidens<T>) {
        alignas(64) A room[kStreamRoom];
        for (int64_t q = 0; q < depth; ++q) convert(from + q * s_.ldb, count, room + q * count);
        t.b = room;
        t.b_step = count;
        k_.stream(t);
      } else {
        t.b = from;
        t.b_step = s_.ldb;
        k_.stream(t);
      }
      p += depth;
    }
    for (int64_t i = 0; i < s_.m; ++i) end(i, column, count, sums + i * count);
  }

  // Rows [p, p + depth) of one panel.
  void pack(int64_t panel, int64_t p, int64_t depth, A* to) const {
    const int64_t width = k_.columns, column = panel * width,
                  count = std::min(width, s_.n - column);
    if (count < width) std::fill_n(to, depth * width, A(0));
    if (s_.trans_b) {
      return transpose(b_ + column * s_.ldb + p, s_.ldb, count, depth, to, width);
    }
    for (int64_t i = 0; i < depth; ++i) {
      convert(b_ + (p + i) * s_.ldb + column, count, to + i * width);
    }
  }

  void run_panels() const {
    const int64_t panels = parts(s_.n, k_.columns), blocks = parts(s_.m, kBlockRows);
    const int64_t wanted = must_run_serially() ? 1 : 4 * num_threads();
    int64_t group = std::min(kGroup, panels);
    while (group > 1 && num_threads() > 1 && blocks * parts(panels, group) < wanted) group /= 2;
    const int64_t groups = parts(panels, group);
    const StoragePtr packed = blocks > 1 ? pack_all(panels) : StoragePtr();
    const int64_t rows = parts(s_.m, blocks);
    const int64_t work = std::max<int64_t>(1, rows * group * k_.columns * s_.k);
    parallel_for(0, blocks * groups, std::max<int64_t>(1, kParallelWork / work),
                 [&](int64_t first, int64_t last) {
                   Room<A> sums(rows * group * k_.columns);
                   Room<A> panel(packed ? 0 : std::min(kDepth, s_.k) * k_.columns);
                   for (int64_t task = first; task < last; ++task) {
                     const int64_t block = task / groups, at = task % groups * group;
                     const int64_t row = s_.m * block / blocks;
                     multiply(row, s_.m * (block + 1) / blocks - row, at,
                              std::min(panels, at + group),
                              packed ? static_cast<const A*>(packed->data()) : nullptr,
                              panel.data(), sums.data());
                   }
                 });
  }

  StoragePtr pack_all(int64_t panels) const {
    const int64_t size = s_.k * k_.columns;
    StoragePtr packed = room_for<A>(panels * size);
    A* const to = static_cast<A*>(packed->data());
    parallel_for(0, panels, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, size)),
                 [&](int64_t first, int64_t last) {
                   for (int64_t i = first; i < last; ++i) pack(i, 0, s_.k, to + i * size);
                 });
    return packed;
  }

  // `count` rows of the left side with panels [first, last): from `packed`, or packed into `room`.
  void multiply(int64_t row, int64_t count, int64_t first, int64_t last, const A* packed, A* room,
                A* sums) const {
    const int64_t width = k_.columns, each = count * width;
    const int64_t even = parts(count, parts(count, k_.rows));
    const auto columns = [&](int64_t panel) { return std::min(width, s_.n - panel * width); };
    for (int64_t panel = first; panel < last; ++panel) {
      A* const to = sums + (panel - first) * each;
      for (int64_t i = 0; i < count; ++i) {
        begin(row + i, panel * width, columns(panel), to + i * width);
        std::fill(to + i * width + columns(panel), to + (i + 1) * width, A(0));
      }
    }
    for (int64_t p = 0; p < s_.k; p += kDepth) {
      const int64_t depth = std::min(kDepth, s_.k - p);
      for (int64_t panel = first; panel < last; ++panel) {
        const A* from = packed ? packed + (panel * s_.k + p) * width : room;
        if (!packed) pack(panel, p, depth, room);
        A* const to = sums + (panel - first) * each;
        for (int64_t i = 0; i < count; i += even) {
          k_.tile(std::min(even, count - i),
                  {a_.data + (row + i) * a_.step + p, a_.step, from, depth, to + i * width, width});
        }
      }
    }
    for (int64_t panel = first; panel < last; ++panel) {
      const A* const from = sums + (panel - first) * each;
      for (int64_t i = 0; i < count; ++i) {
        end(row + i, panel * width, columns(panel), from + i * width);
      }
    }
  }
};

}  // namespace

template <typename T>
void chain_product(const GemmShape& s, const T* a, const T* b, T* c, bool accumulate) {
  if (s.m == 0 || s.n == 0) return;
  if (s.n == 1 && s.m > 1 && s.ldc == 1) {  // a column is computed as a row
    return chain_product<T>({!s.trans_b, !s.trans_a, 1, s.m, s.k, s.ldb, s.lda, s.m}, b, a, c,
                            accumulate);
  }
  const LeftRows<T> left(s, a);
  Product<T>(s, left, b, c, accumulate).run();
}

template void chain_product(const GemmShape&, const float*, const float*, float*, bool);
template void chain_product(const GemmShape&, const double*, const double*, double*, bool);
template void chain_product(const GemmShape&, const float16*, const float16*, float16*, bool);
template void chain_product(const GemmShape&, const bfloat16*, const bfloat16*, bfloat16*, bool);

}  // namespace paddle::cpu
