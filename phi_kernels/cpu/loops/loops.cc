// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives the inner loops: collapses dimensions, cuts the work for threads, gathers operands that do
// not lie along the rows of the output, converts dtypes block by block and writes large outputs
// past the caches.
#include "phi_kernels/cpu/loops/loops.h"

#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "paddle_core/device/parallel.h"
#include "paddle_core/shape/shape.h"
#include "phi_kernels/cpu/isa/isa.h"
#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {

LoopTables loop_tables;

void init_loop_tables() {
  // Not std::call_once: its thread-local state lives in libstdc++ (see cmake/options.cmake).
  [[maybe_unused]] static const bool filled = [] {
    fill_general(loop_tables);
    isa() == Isa::kAvx512 ? fill_avx512(loop_tables) : fill_avx2(loop_tables);
    finish_tables(loop_tables);
    return true;
  }();
}

namespace {

constexpr int kMaxInputs = 3;
constexpr int64_t kGrain = 32768;           // elements per piece of work
constexpr int64_t kBlock = 512;             // elements per conversion block
constexpr int64_t kStreamBytes = 16 << 20;  // outputs from this size on bypass the caches
constexpr int64_t kStreamBlock = 1024;      // bytes gathered in the first-level cache
constexpr int64_t kTileBytes = 16384;       // of one operand, copied together
constexpr int64_t kTileRows = 32;  // of a transposed operand: whole cache lines of its columns
constexpr int64_t kTileColumns = 128;
constexpr int64_t kShortRow = 24;  // rows below this cost more for the steps between them

// The dimensions of the output after merging those that every operand walks evenly, outermost
// first; strides in elements.
struct Walk {
  int rank = 0;
  int count = 0;
  int64_t size[kMaxRank];
  int64_t stride[kMaxInputs][kMaxRank];
};

void make_walk(const TensorImpl& out, const TensorImpl* const* in, int count, Walk& w) {
  w.count = count;
  const int rank = static_cast<int>(out.shape.size());
  for (int d = 0; d < rank; ++d) {
    const int64_t n = out.shape[static_cast<size_t>(d)].value();
    if (n == 1) continue;
    int64_t s[kMaxInputs];
    bool merges = w.rank > 0;
    for (int k = 0; k < count; ++k) {
      const int at = d - (rank - static_cast<int>(in[k]->shape.size()));
      const size_t a = static_cast<size_t>(at);
      s[k] = at < 0 || in[k]->shape[a] == Dim(1) ? 0 : in[k]->strides[a];
      merges = merges && w.stride[k][w.rank - 1] == s[k] * n;
    }
    if (!merges) w.size[w.rank++] = 1;
    w.size[w.rank - 1] *= n;
    for (int k = 0; k < count; ++k) w.stride[k][w.rank - 1] = s[k];
  }
  if (w.rank == 0) {
    w.rank = 1;
    w.size[0] = 1;
    for (int k = 0; k < count; ++k) w.stride[k][0] = 0;
  }
}

// One run along the innermost dimension.
struct Run {
  const Loop* loop;
  const Params* params;
  int count;
  DType in_dtype[kMaxInputs];
  size_t in_size[kMaxInputs];
  DType out_dtype;
  size_t out_size;
  bool converts;
  bool streams;

  void direct(int64_t n, char* out, const char* const* in, const int64_t* stride) const {
    if (!converts) {
      loop->fn(n, out, reinterpret_cast<const void* const*>(in), stride, *params);
      return;
    }
    alignas(64) char in_block[kMaxInputs][kBlock * 16];
    alignas(64) char out_block[kBlock * 16];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t m = std::min(kBlock, n - begin);
      const void* at[kMaxInputs];
      int64_t step[kMaxInputs];
      for (int k = 0; k < count; ++k) {
        const char* from = in[k] + begin * stride[k] * static_cast<int64_t>(in_size[k]);
        at[k] = from;
        step[k] = stride[k];
        if (in_dtype[k] == loop->in) continue;
        const Convert convert =
            loop_tables.convert[static_cast<int>(in_dtype[k])][static_cast<int>(loop->in)];
        convert(stride[k] == 0 ? 1 : m, in_block[k], from, stride[k] == 0 ? 1 : stride[k]);
        at[k] = in_block[k];
        step[k] = stride[k] == 0 ? 0 : 1;
      }
      char* to = out + begin * static_cast<int64_t>(out_size);
      if (out_dtype == loop->out) {
        loop->fn(m, to, at, step, *params);
      } else {
        loop->fn(m, out_block, at, step, *params);
        loop_tables.convert[static_cast<int>(loop->out)][static_cast<int>(out_dtype)](m, to,
                                                                                      out_block, 1);
      }
    }
  }

  void operator()(int64_t n, char* out, const char* const* in, const int64_t* stride) const {
    const int64_t block = kStreamBlock / static_cast<int64_t>(out_size);
    if (!streams || (reinterpret_cast<uintptr_t>(out) & 63) != 0 || n < block) {
      direct(n, out, in, stride);
      return;
    }
    alignas(64) char buffer[kStreamBlock];
    for (int64_t begin = 0; begin < n; begin += block) {
      const int64_t m = std::min(block, n - begin);
      const char* at[kMaxInputs];
      for (int k = 0; k < count; ++k) {
        at[k] = in[k] + begin * stride[k] * static_cast<int64_t>(in_size[k]);
      }
      direct(m, buffer, at, stride);
      const int64_t size = static_cast<int64_t>(out_size);
      loop_tables.stream_copy(out + begin * size, buffer, m * size);
    }
    _mm_sfence();
  }
};

void walk_range(const Walk& w, const Run& run, char* out, const char* const* in, int64_t begin,
                int64_t end) {
  const int inner = w.rank - 1;
  int64_t index[kMaxRank];
  int64_t rest = begin;
  const char* at[kMaxInputs];
  for (int k = 0; k < w.count; ++k) at[k] = in[k];
  for (int d = inner; d >= 0; --d) {
    index[d] = rest % w.size[d];
    rest /= w.size[d];
    for (int k = 0; k < w.count; ++k) {
      at[k] += index[d] * w.stride[k][d] * static_cast<int64_t>(run.in_size[k]);
    }
  }
  int64_t stride[kMaxInputs], down[kMaxInputs] = {};
  for (int k = 0; k < w.count; ++k) {
    stride[k] = w.stride[k][inner];
    if (inner > 0) down[k] = w.stride[k][inner - 1] * static_cast<int64_t>(run.in_size[k]);
  }
  for (int64_t i = begin; i < end;) {
    const int64_t n = std::min(w.size[inner] - index[inner], end - i);
    run(n, out + i * static_cast<int64_t>(run.out_size), at, stride);
    i += n;
    if (i >= end) return;
    // n reached the end of the row.
    if (n == w.size[inner] && inner > 0 && index[inner - 1] + 1 < w.size[inner - 1]) {
      ++index[inner - 1];
      for (int k = 0; k < w.count; ++k) at[k] += down[k];
      continue;
    }
    // Back to its start, then one step in the next outer dimension.
    int64_t back = index[inner];
    index[inner] = 0;
    for (int k = 0; k < w.count; ++k) {
      at[k] -= back * w.stride[k][inner] * static_cast<int64_t>(run.in_size[k]);
    }
    for (int d = inner - 1; d >= 0; --d) {
      const bool wraps = ++index[d] == w.size[d];
      for (int k = 0; k < w.count; ++k) {
        const int64_t steps = wraps ? 1 - w.size[d] : 1;
        at[k] += steps * w.stride[k][d] * static_cast<int64_t>(run.in_size[k]);
      }
      if (!wraps) break;
      index[d] = 0;
    }
  }
}

// The last two dimensions in tiles of rows x columns, where operands that lie otherwise
// (transposed, or in rows of few elements) are first copied so that they do.
struct Tiles {
  const Walk& w;
  const Run& run;
  bool gathers[kMaxInputs] = {};
  int64_t height = 0, width = 0;  // of the two dimensions
  int64_t rows = 0, columns = 0;  // of a tile

  Tiles(const Walk& walk, const Run& r) : w(walk), run(r) {
    const int last = w.rank - 1;
    if (last == 0) return;
    height = w.size[last - 1];
    width = w.size[last];
    size_t widest = 1;
    bool any = false;
    for (int k = 0; k < w.count; ++k) {
      const int64_t down = w.stride[k][last - 1], across = w.stride[k][last];
      const bool whole = down == across * width && (across == 1 || across == 0);
      gathers[k] = width < kShortRow ? !whole : across > 1 && down == 1;
      any = any || gathers[k];
      widest = std::max(widest, run.in_size[k]);
    }
    const int64_t room = kTileBytes / static_cast<int64_t>(widest);
    if (!any || height < (width < kShortRow ? kTileRows / 4 : kTileRows)) return;
    rows = width < kShortRow ? std::min(height, room / width) : kTileRows;
    columns = std::min({width, kTileColumns, room / rows});
  }

  int64_t in_a_plane() const { return (height + rows - 1) / rows; }

  // Strips [begin, end): tiles beside each other.
  void strips(char* out, const char* const* in, int64_t begin, int64_t end) const {
    alignas(64) char buffer[kMaxInputs][kTileBytes];
    const char* held[kMaxInputs] = {};
    int64_t held_rows = 0;
    for (int64_t strip = begin; strip < end; ++strip) {
      const int64_t row = strip % in_a_plane() * rows, m = std::min(rows, height - row);
      int64_t rest = strip / in_a_plane(), at[kMaxInputs] = {};
      char* to = out + (rest * height + row) * width * static_cast<int64_t>(run.out_size);
      for (int d = w.rank - 3; d >= 0; --d) {
        for (int k = 0; k < w.count; ++k) at[k] += rest % w.size[d] * w.stride[k][d];
        rest /= w.size[d];
      }
      for (int64_t column = 0; column < width; column += columns) {
        const int64_t n = std::min(columns, width - column);
        const char* from[kMaxInputs];
        int64_t down[kMaxInputs], across[kMaxInputs];
        for (int k = 0; k < w.count; ++k) {
          const int last = w.rank - 1;
          down[k] = w.stride[k][last - 1];
          across[k] = w.stride[k][last];
          from[k] = in[k] + (at[k] + row * down[k] + column * across[k]) *
                                static_cast<int64_t>(run.in_size[k]);
          if (!gathers[k]) continue;
          // The same row for every tile is copied once.
          if (from[k] != held[k] || m > held_rows || columns < width) {
            const int64_t dense[] = {n, 1}, strides[] = {down[k], across[k]}, sizes[] = {m, n};
            copy_strided(buffer[k], run.in_dtype[k], dense, from[k], run.in_dtype[k], strides,
                         sizes, 2);
            held[k] = from[k];
          }
          from[k] = buffer[k];
          down[k] = n;
          across[k] = 1;
        }
        held_rows = m;
        tile(m, n, to + column * static_cast<int64_t>(run.out_size), from, down, across);
      }
    }
  }

  void tile(int64_t m, int64_t n, char* to, const char** from, const int64_t* down,
            const int64_t* across) const {
    bool whole = n == width;
    for (int k = 0; k < w.count; ++k) whole = whole && down[k] == across[k] * n;
    if (whole) return run(m * n, to, from, across);
    for (int64_t r = 0; r < m; ++r) {
      run(n, to, from, across);
      to += width * static_cast<int64_t>(run.out_size);
      for (int k = 0; k < w.count; ++k) from[k] += down[k] * static_cast<int64_t>(run.in_size[k]);
    }
  }
};

}  // namespace

void run_loop(const Loop& loop, const TensorImpl& out, const TensorImpl* const* in, int count,
              const Params& params) {
  const int64_t n = out.numel;
  if (n == 0) return;
  bool converts = out.dtype != loop.out, flat = true;
  for (int k = 0; k < count; ++k) {
    converts = converts || in[k]->dtype != loop.in;
    flat = flat && in[k]->contiguous && in[k]->numel == n;
  }
  static constexpr int64_t kDense[kMaxInputs] = {1, 1, 1};
  char* data = static_cast<char*>(out.data());
  const char* from[kMaxInputs];
  for (int k = 0; k < count; ++k) from[k] = static_cast<const char*>(in[k]->data());
  if (flat && !converts && n <= 4096) {
    loop.fn(n, data, reinterpret_cast<const void* const*>(from), kDense, params);
    return;
  }
  Run run{&loop, &params, count, {}, {}, out.dtype, size_of(out.dtype), converts, false};
  run.streams = n * static_cast<int64_t>(run.out_size) >= kStreamBytes;
  for (int k = 0; k < count; ++k) {
    run.in_dtype[k] = in[k]->dtype;
    run.in_size[k] = size_of(in[k]->dtype);
    // A write in place reads what it overwrites: the lines are in the cache already.
    run.streams = run.streams && from[k] != data;
  }
  Walk walk;
  make_walk(out, in, count, walk);
  if (const Tiles tiles(walk, run); tiles.rows != 0) {
    const int64_t strip = tiles.rows * tiles.width;
    parallel_for(0, n / (tiles.height * tiles.width) * tiles.in_a_plane(),
                 std::max<int64_t>(1, kGrain / strip),
                 [&](int64_t begin, int64_t end) { tiles.strips(data, from, begin, end); });
    return;
  }
  parallel_for(0, n, kGrain,
               [&](int64_t begin, int64_t end) { walk_range(walk, run, data, from, begin, end); });
}

namespace {

// `bytes` at dst from a pattern of 64.
__attribute__((target("avx2"))) void repeat(char* dst, const char* pattern, int64_t bytes) {
  const __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i*>(pattern));
  const __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i*>(pattern + 32));
  int64_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i + 32), high);
  }
  std::memcpy(dst + i, pattern, static_cast<size_t>(bytes - i));
}

}  // namespace

void fill_pattern(void* dst, const void* pattern, size_t size, int64_t count) {
  const int64_t bytes = count * static_cast<int64_t>(size);
  alignas(64) char block[4096];
  const size_t wanted = std::min(sizeof block, static_cast<size_t>(bytes));
  if (wanted == 0) return;
  std::memcpy(block, pattern, size);
  for (size_t filled = size; filled < wanted; filled *= 2) {
    std::memcpy(block + filled, block, std::min(filled, wanted - filled));
  }
  const bool streams = bytes >= kStreamBytes;
  const int64_t blocks = (bytes + 4095) / 4096;
  char* out = static_cast<char*>(dst);
  parallel_for(0, blocks, 32, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t n = std::min<int64_t>(4096, bytes - b * 4096);
      if (streams && (reinterpret_cast<uintptr_t>(out) & 63) == 0) {
        loop_tables.stream_copy(out + b * 4096, block, n);
      } else {
        repeat(out + b * 4096, block, n);
      }
    }
    _mm_sfence();
  });
}

}  // namespace paddle::cpu
