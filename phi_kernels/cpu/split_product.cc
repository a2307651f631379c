// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A product is cut along k. Of each cut the columns are packed; then each thread packs a few rows
// at a time, which stay in its second-level cache, and multiplies them with all columns. Rows or
// columns with infinities, NaN or numbers of extreme size, of which bfloat16 has no exact thirds,
// are multiplied in float32.
#include "phi_kernels/cpu/split_product.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "paddle_core/base/flags.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/tensor/storage.h"
#include "phi_kernels/cpu/isa.h"

namespace paddle::cpu {
namespace {

constexpr const char* kFlag = "FLAGS_cpu_split_products";
constexpr int64_t kMostSteps = 24;                       // of one cut
constexpr int64_t kMostColumns = 2048, kMostRows = 256;  // that are packed at once
constexpr int64_t kFewestDepth = 16, kFewestWork = 1 << 18;
constexpr int64_t kFewestReuse = 60;  // of a packed element: half the mean number of lines across
// Magnitudes in between have exact thirds, and so have their products.
constexpr uint32_t kSmallest = (127 - 50) << 23, kLargest = (127 + 60) << 23;

// The kernel keeps room for tiles only for processes that ask.
bool may_use_tiles() {
  if (isa() != Isa::kAvx512 || !isa_has_tiles()) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool is_allowed() {
  static const std::atomic<bool>* const wanted = bool_flag(kFlag);
  static const bool can = may_use_tiles();
  return can && wanted->load(std::memory_order_relaxed);
}

bool is_worth_it(const GemmShape& s) {
  return s.m * s.n >= kFewestReuse * (s.m + s.n) && s.k >= kFewestDepth &&
         s.m * s.n * s.k >= kFewestWork;
}

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

// What is multiplied at once: `count` elements of k from `depth` on.
struct Cut {
  const GemmShape& s;
  const float *a, *b;
  int64_t depth, count;

  int64_t steps() const { return parts(count, kSplitStep); }
  int64_t block_size() const { return steps() * kSplitBlock; }
  SplitSource rows(int64_t first, int64_t lines) const {
    return lines_of(a, s.lda, !s.trans_a, first, lines);
  }
  SplitSource columns(int64_t first, int64_t lines) const {
    return lines_of(b, s.ldb, s.trans_b, first, lines);
  }

 private:
  SplitSource lines_of(const float* from, int64_t ld, bool flat, int64_t first,
                       int64_t lines) const {
    return {from + (flat ? first * ld + depth : depth * ld + first), ld, flat, lines, count};
  }
};

// Of a side without any but zeros the product is zero in either way.
bool is_exact(uint32_t largest) {
  return largest == 0 || (largest >= kSmallest && largest <= kLargest);
}

// The columns [begin, end) of a cut, packed.
class Columns {
 public:
  Columns(const Cut& cut, int64_t begin, int64_t end, uint16_t* to)
      : begin_(begin), end_(end), size_(cut.block_size()), to_(to) {
    parallel_for(0, blocks(), 1, [&](int64_t first, int64_t last) {
      uint32_t found = 0;
      for (int64_t i = first; i < last; ++i) {
        const SplitSource from = cut.columns(begin_ + i * kSplitLines, lines_of(i));
        found = std::max(found, kSplit_amx.pack(from, /*left=*/false, to_ + i * size_));
      }
      uint32_t known = largest_.load(std::memory_order_relaxed);
      while (known < found && !largest_.compare_exchange_weak(known, found)) {
      }
    });
  }
  int64_t begin() const { return begin_; }
  int64_t count() const { return end_ - begin_; }
  int64_t blocks() const { return parts(count(), kSplitLines); }
  int64_t lines_of(int64_t i) const { return std::min(kSplitLines, count() - i * kSplitLines); }
  const uint16_t* block(int64_t i) const { return to_ + i * size_; }
  bool exact() const { return is_exact(largest_); }

 private:
  int64_t begin_, end_, size_;
  uint16_t* to_;
  std::atomic<uint32_t> largest_{0};
};

StoragePtr packing_room(const Cut& cut, int64_t lines) {
  const int64_t count = parts(lines, kSplitLines) * cut.block_size();
  return Storage::allocate(static_cast<size_t>(count) * sizeof(uint16_t), Place());
}

// `lines` rows from `row` on, packed into `room`, times packed columns.
void multiply_rows(const Cut& cut, int64_t row, int64_t lines, const Columns& columns,
                   bool accumulate, float* c, uint16_t* room) {
  const GemmShape& s = cut.s;
  float* const to = c + row * s.ldc + columns.begin();
  uint32_t largest = 0;
  for (int64_t at = 0; at < lines; at += kSplitLines) {
    const SplitSource from = cut.rows(row + at, std::min(kSplitLines, lines - at));
    largest = std::max(
        largest, kSplit_amx.pack(from, /*left=*/true, room + at / kSplitLines * cut.block_size()));
  }
  if (!is_exact(largest) || !columns.exact()) {
    GemmShape part = s;
    part.m = lines;
    part.n = columns.count();
    part.k = cut.count;
    return library_sgemm(part, 1, cut.rows(row, lines).from,
                         cut.columns(columns.begin(), part.n).from, accumulate ? 1.0f : 0.0f, to);
  }
  for (int64_t column = 0; column < columns.blocks(); ++column) {
    for (int64_t at = 0; at < lines; at += kSplitLines) {
      kSplit_amx.multiply({room + at / kSplitLines * cut.block_size(), columns.block(column),
                           cut.steps(), std::min(kSplitLines, lines - at), columns.lines_of(column),
                           to + at * s.ldc + column * kSplitLines, s.ldc, accumulate});
    }
  }
}

void multiply(const Cut& cut, const Columns& columns, bool accumulate, float* c) {
  const int64_t threads = must_run_serially() ? 1 : num_threads();
  const int64_t pieces = parts(parts(cut.s.m, kMostRows), threads) * threads;
  const int64_t most = parts(parts(cut.s.m, pieces), kSplitLines) * kSplitLines;
  parallel_for(0, parts(cut.s.m, most), 1, [&](int64_t begin, int64_t end) {
    const StoragePtr room = packing_room(cut, most);
    kSplit_amx.begin();
    for (int64_t i = begin; i < end; ++i) {
      multiply_rows(cut, i * most, std::min(most, cut.s.m - i * most), columns, accumulate, c,
                    static_cast<uint16_t*>(room->data()));
    }
    kSplit_amx.end();
  });
}

}  // namespace

void register_split_product_cpu(Registry&) {
  if (has_flag(kFlag)) return;
  define_flag(kFlag, true,
              "float32 products may run on matrix tiles of bfloat16, where the processor has them, "
              "each number as the exact sum of three: other rounding, of the same size.");
}

bool split_sgemm(const GemmShape& s, const float* a, const float* b, bool accumulate, float* c) {
  if (!is_worth_it(s) || !is_allowed()) return false;
  const int64_t cuts = parts(s.k, kMostSteps * kSplitStep),
                depth = parts(parts(s.k, kSplitStep), cuts) * kSplitStep;
  const StoragePtr room = packing_room({s, a, b, 0, depth}, std::min(s.n, kMostColumns));
  for (int64_t k = 0; k < s.k; k += depth) {
    const Cut cut{s, a, b, k, std::min(depth, s.k - k)};
    for (int64_t column = 0; column < s.n; column += kMostColumns) {
      const Columns columns(cut, column, std::min(s.n, column + kMostColumns),
                            static_cast<uint16_t*>(room->data()));
      multiply(cut, columns, accumulate || k > 0, c);
    }
  }
  return true;
}

}  // namespace paddle::cpu
