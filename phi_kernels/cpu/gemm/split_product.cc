// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A product is cut along k. Of each cut the lines of one side, rows or columns, are packed and
// held; those of the other are taken in panels that stay in the second-level cache: a thread packs
// one and multiplies it with all that is held. Lines with infinities, NaN or numbers of extreme
// size, of which bfloat16 has no exact thirds, are multiplied in float32.
#include "phi_kernels/cpu/gemm/split_product.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "paddle_core/base/flags.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/tensor/storage.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/libraries/packed_weights.h"

namespace paddle::cpu {
namespace {

constexpr const char* kFlag = "FLAGS_cpu_split_products";
constexpr int64_t kMostSteps = 24;                 // of one cut
constexpr int64_t kMostHeld = 2048, kPanel = 128;  // lines that are packed at once
constexpr int64_t kFewestDepth = 16, kFewestWork = 1 << 18;
constexpr int64_t kFewestReuse = 60;  // of a packed element: half the mean number of lines across
constexpr int64_t kFewestKeptRows = 16, kFewestKeptColumns = 64, kFewestKeptDepth = 64;
constexpr int64_t kFinished = 256;  // columns at once
// Magnitudes in between have exact thirds, and so have their products.
constexpr uint32_t kSmallest = (127 - 50) << 23, kLargest = (127 + 60) << 23;

// The kernel keeps room for tiles only for processes that ask.
bool asks_for_tiles() {
  if (isa() != Isa::kAvx512 || !isa_has_tiles()) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
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
  // Rows of the left side, or columns of the right one.
  SplitSource lines_of(bool left, int64_t first, int64_t lines) const {
    const float* const from = left ? a : b;
    const int64_t ld = left ? s.lda : s.ldb;
    const bool flat = left ? !s.trans_a : s.trans_b;
    return {from + (flat ? first * ld + depth : depth * ld + first), ld, flat, lines, count};
  }
};

// The lines [begin, end) of a side of a cut, packed.
struct Lines {
  bool left;
  int64_t begin, end;
  const uint16_t* packed;
  bool exact;
  int64_t count() const { return end - begin; }
  int64_t blocks() const { return parts(count(), kSplitLines); }
  int64_t lines_of(int64_t i) const { return std::min(kSplitLines, count() - i * kSplitLines); }
  // The blocks [first, last).
  Lines part(int64_t first, int64_t last, int64_t block_size) const {
    return {left, begin + first * kSplitLines, std::min(end, begin + last * kSplitLines),
            packed + first * block_size, exact};
  }
};

// Packs the lines [begin, end); the bits of their largest magnitude.
uint32_t pack_lines(const Cut& cut, bool left, int64_t begin, int64_t end, uint16_t* to) {
  return kSplit_amx.pack(cut.lines_of(left, begin, end - begin), left, to);
}

// The same on all threads.
uint32_t pack_held(const Cut& cut, bool left, int64_t begin, int64_t end, uint16_t* to) {
  std::atomic<uint32_t> largest{0};
  parallel_for(0, parts(end - begin, kSplitLines), 1, [&](int64_t first, int64_t last) {
    const uint32_t found =
        pack_lines(cut, left, begin + first * kSplitLines,
                   std::min(end, begin + last * kSplitLines), to + first * cut.block_size());
    raise_to(largest, found);
  });
  return largest;
}

StoragePtr packing_room(const Cut& cut, int64_t lines) {
  const int64_t count = parts(lines, kSplitLines) * cut.block_size();
  return Storage::allocate(static_cast<size_t>(count) * sizeof(uint16_t), Place());
}

// One cut of a product into c: what is held, and what is done to the results of the last cut.
struct Step {
  const Cut& cut;
  const Lines& held;
  bool accumulate;
  float* c;
  const ProductFinish* finish;  // may be null; columns are held then

  void finish_columns(const Lines& rows, int64_t from, int64_t to) const {
    if (finish) finish->apply(c, cut.s.n, rows.begin, rows.count(), held.begin + from, to - from);
  }
};

void multiply_without_tiles(const Step& step, const Lines& rows, const Lines& columns) {
  const Cut& cut = step.cut;
  GemmShape part = cut.s;
  part.m = rows.count();
  part.n = columns.count();
  part.k = cut.count;
  library_sgemm(part, 1, cut.lines_of(true, rows.begin, part.m).from,
                cut.lines_of(false, columns.begin, part.n).from, step.accumulate ? 1.0f : 0.0f,
                step.c + rows.begin * part.ldc + columns.begin);
}

// A packed panel times what is held.
void multiply_panel(const Step& step, const Lines& panel) {
  const Lines& held = step.held;
  const Lines &rows = panel.left ? panel : held, &columns = panel.left ? held : panel;
  if (!rows.exact || !columns.exact) {
    multiply_without_tiles(step, rows, columns);
    return step.finish_columns(rows, 0, columns.count());
  }
  const int64_t size = step.cut.block_size(), ldc = step.cut.s.ldc;
  float* const to = step.c + rows.begin * ldc + columns.begin;
  int64_t finished = 0;
  for (int64_t i = 0; i < held.blocks(); ++i) {
    for (int64_t j = 0; j < panel.blocks(); ++j) {
      const int64_t row = panel.left ? j : i, column = panel.left ? i : j;
      kSplit_amx.multiply({rows.packed + row * size, columns.packed + column * size,
                           step.cut.steps(), rows.lines_of(row), columns.lines_of(column),
                           to + kSplitLines * (row * ldc + column), ldc, step.accumulate});
    }
    const int64_t done = std::min(held.count(), (i + 1) * kSplitLines);
    if (done - finished >= kFinished || done == held.count()) {
      step.finish_columns(rows, finished, done);
      finished = done;
    }
  }
}

// All lines of the other side times what is held, which threads share where there are few panels.
void multiply(const Step& step) {
  const Cut& cut = step.cut;
  const bool left = !step.held.left;
  const int64_t lines = left ? cut.s.m : cut.s.n, blocks = step.held.blocks();
  const int64_t threads = must_run_serially() ? 1 : num_threads();
  const int64_t pieces = parts(parts(lines, kPanel), threads) * threads;
  const int64_t most = parts(parts(lines, pieces), kSplitLines) * kSplitLines;
  const int64_t panels = parts(lines, most);
  const int64_t shares = std::clamp<int64_t>(threads / panels, 1, blocks);
  parallel_for(0, panels * shares, 1, [&](int64_t first, int64_t last) {
    const StoragePtr room = packing_room(cut, most);
    Lines panel{left, 0, 0, static_cast<uint16_t*>(room->data()), false};
    kSplit_amx.begin();
    for (int64_t i = first; i < last; ++i) {
      const int64_t share = i % shares;
      if (i == first || share == 0) {
        panel.begin = i / shares * most, panel.end = std::min(panel.begin + most, lines);
        panel.exact = splits_exactly(
            pack_lines(cut, left, panel.begin, panel.end, static_cast<uint16_t*>(room->data())));
      }
      const Lines held =
          step.held.part(share * blocks / shares, (share + 1) * blocks / shares, cut.block_size());
      multiply_panel({cut, held, step.accumulate, step.c, step.finish}, panel);
    }
    kSplit_amx.end();
  });
}

// Elements of k of all cuts but the last.
int64_t cut_depth(int64_t k) {
  const int64_t cuts = parts(k, kMostSteps * kSplitStep);
  return parts(parts(k, kSplitStep), cuts) * kSplitStep;
}

// Where the columns of a cut of kept weights begin: those of each cut follow the header.
const uint16_t* kept_cut(const StoragePtr& kept, int64_t n, int64_t depth) {
  const int64_t before = parts(n, kSplitLines) * (depth / kSplitStep) * kSplitBlock;
  return static_cast<const uint16_t*>(kept->data()) + kSplitHeader + before;
}

size_t kept_bytes(const GemmShape& s) {
  const int64_t blocks = parts(s.n, kSplitLines) * parts(s.k, kSplitStep);
  return static_cast<size_t>(kSplitHeader + blocks * kSplitBlock) * sizeof(uint16_t);
}

StoragePtr pack_columns(const GemmShape& s, const float* b) {
  StoragePtr kept = Storage::allocate(kept_bytes(s), Place());
  const int64_t depth = cut_depth(s.k);
  uint32_t largest = 0;
  for (int64_t k = 0; k < s.k; k += depth) {
    const Cut cut{s, nullptr, b, k, std::min(depth, s.k - k)};
    auto* const to = const_cast<uint16_t*>(kept_cut(kept, s.n, k));
    largest = std::max(largest, pack_held(cut, /*left=*/false, 0, s.n, to));
  }
  *static_cast<uint32_t*>(kept->data()) = largest;
  return kept;
}

StoragePtr kept_columns(const GemmShape& s, const Tensor& w, KeptFrom from) {
  using Form = PackedOrder::Form;
  const PackedOrder order(s.trans_b ? Form::kSplitTransposed : Form::kSplit, s.k, s.n);
  bool seen = false;
  StoragePtr kept = PackedWeights::find(w->storage, w->offset, order, seen);
  if (kept || !PackedWeights::has_room(static_cast<int64_t>(kept_bytes(s)))) return kept;
  if (from == KeptFrom::kSecondUse && !seen) {
    PackedWeights::mark(w->storage, w->offset, order);
    return {};
  }
  const host_memory::OutsideArena outlives;
  kept = pack_columns(s, w.data<float>());
  PackedWeights::keep(w->storage, w->offset, order, kept);
  return kept;
}

// What is multiplied with packed columns.
struct LeftSide {
  const float* a;
  bool accumulate;
  const ProductFinish* finish;  // may be null
};

void multiply_columns(const GemmShape& s, const StoragePtr& kept, const float* b,
                      const LeftSide& with, float* c) {
  const bool exact = splits_exactly(*static_cast<const uint32_t*>(kept->data()));
  const int64_t depth = cut_depth(s.k);
  for (int64_t at = 0; at < s.k; at += depth) {
    const Cut cut{s, with.a, b, at, std::min(depth, s.k - at)};
    const Lines columns{false, 0, s.n, kept_cut(kept, s.n, at), exact};
    const bool last = at + depth >= s.k;
    multiply({cut, columns, with.accumulate || at > 0, c, last ? with.finish : nullptr});
  }
}

GemmShape contiguous(int64_t m, int64_t n, int64_t k, bool trans_b) {
  return {false, trans_b, m, n, k, k, trans_b ? k : n, n};
}

bool gains_from_kept(const GemmShape& s) {
  return s.m >= kFewestKeptRows && s.n >= kFewestKeptColumns && s.k >= kFewestKeptDepth &&
         may_split();
}

}  // namespace

void register_split_product_cpu(Registry&) {
  if (has_flag(kFlag)) return;
  define_flag(kFlag, true,
              "float32 products may run on matrix tiles of bfloat16, where the processor has them, "
              "each number as the exact sum of three: other rounding, of the same size.");
}

bool has_tiles() {
  static const bool can = asks_for_tiles();
  return can;
}

bool may_split() {
  static const std::atomic<bool>* const wanted = bool_flag(kFlag);
  return has_tiles() && wanted->load(std::memory_order_relaxed) && !batch_invariant();
}

bool splits_exactly(uint32_t largest) {
  return largest == 0 || (largest >= kSmallest && largest <= kLargest);
}

bool split_sgemm(const GemmShape& s, const float* a, const float* b, bool accumulate, float* c) {
  if (!is_worth_it(s) || !may_split()) return false;
  const bool left = s.m < s.n;  // the shorter side is held
  const int64_t depth = cut_depth(s.k), lines = left ? s.m : s.n;
  const StoragePtr room = packing_room({s, a, b, 0, depth}, std::min(lines, kMostHeld));
  auto* const packed = static_cast<uint16_t*>(room->data());
  for (int64_t k = 0; k < s.k; k += depth) {
    const Cut cut{s, a, b, k, std::min(depth, s.k - k)};
    for (int64_t begin = 0; begin < lines; begin += kMostHeld) {
      const int64_t end = std::min(lines, begin + kMostHeld);
      const bool exact = splits_exactly(pack_held(cut, left, begin, end, packed));
      multiply({cut, {left, begin, end, packed, exact}, accumulate || k > 0, c, nullptr});
    }
  }
  return true;
}

bool split_product_of_kept(int64_t m, int64_t n, int64_t k, const float* a, const Tensor& w,
                           bool transposed, const ProductFinish& finish, KeptFrom from, float* c) {
  const GemmShape s = contiguous(m, n, k, transposed);
  if (!gains_from_kept(s)) return false;
  const StoragePtr kept = kept_columns(s, w, from);
  if (!kept) return false;
  multiply_columns(s, kept, w.data<float>(), {a, false, &finish}, c);
  return true;
}

SplitColumns::SplitColumns(int64_t m, int64_t n, int64_t k, const float* b, bool transposed)
    : shape_(contiguous(m, n, k, transposed)), b_(b) {
  if (gains_from_kept(shape_)) packed_ = pack_columns(shape_, b);
}

void SplitColumns::multiply(const float* a, bool accumulate, float* c) const {
  multiply_columns(shape_, packed_, b_, {a, accumulate, nullptr}, c);
}

}  // namespace paddle::cpu
