// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// In a blocked order the offset of an element is a sum of one term per axis, so three tables
// describe any of them. Tiles of both channels stay in the first-level cache.
#include "phi_kernels/cpu/libraries/onednn_weights.h"

#include <algorithm>
#include <vector>

#include "paddle_core/device/parallel.h"

namespace paddle::cpu {
namespace {

using Table = std::vector<int64_t>;

// Offsets of the positions along `axis`.
Table offsets_along(const dnnl::memory::desc& blocked, int axis) {
  const auto blocks = blocked.get_inner_blks(), indices = blocked.get_inner_idxs();
  const int count = blocked.get_inner_nblks();
  int64_t block = 1;  // elements of the axis in one block
  for (int b = 0; b < count; ++b) {
    if (indices[static_cast<size_t>(b)] == axis) block *= blocks[static_cast<size_t>(b)];
  }
  const int64_t outer = blocked.get_strides()[static_cast<size_t>(axis)];
  Table table;
  for (int64_t i = 0; i < blocked.get_dims()[static_cast<size_t>(axis)]; ++i) {
    int64_t offset = i / block * outer, rest = i % block, inner = 1;
    for (int b = count - 1; b >= 0; --b) {  // the last block is the innermost
      const int64_t size = blocks[static_cast<size_t>(b)];
      if (indices[static_cast<size_t>(b)] == axis) {
        offset += rest % size * inner;
        rest /= size;
      }
      inner *= size;
    }
    table.push_back(offset);
  }
  return table;
}

Table kernel_offsets(const dnnl::memory::desc& blocked) {
  Table table{0};
  for (int axis = 2; axis < blocked.get_ndims(); ++axis) {
    const Table own = offsets_along(blocked, axis);
    Table next;
    for (const int64_t before : table) {
      for (const int64_t offset : own) next.push_back(before + offset);
    }
    table = std::move(next);
  }
  return table;
}

struct Tile {
  int64_t o0, o1, i0, i1;
};

template <bool kPack>
inline void move(float* packed, float* plain) {
  if constexpr (kPack) {
    *packed = *plain;
  } else {
    *plain = *packed;
  }
}

// The channel whose neighbours stand side by side in the blocked order goes innermost.
template <bool kPack>
void copy_tile(const Table& o, const Table& i, const Table& s, const Tile& t, float* packed,
               float* plain) {
  const int64_t inputs = static_cast<int64_t>(i.size()), kernel = static_cast<int64_t>(s.size());
  const bool outputs_inside = o.size() > 1 && o[1] == 1;
  const auto at = [&](int64_t a, int64_t b, int64_t k) {
    move<kPack>(
        packed + o[static_cast<size_t>(a)] + i[static_cast<size_t>(b)] + s[static_cast<size_t>(k)],
        plain + (a * inputs + b) * kernel + k);
  };
  if (outputs_inside) {
    for (int64_t b = t.i0; b < t.i1; ++b) {
      for (int64_t k = 0; k < kernel; ++k) {
        for (int64_t a = t.o0; a < t.o1; ++a) at(a, b, k);
      }
    }
    return;
  }
  for (int64_t a = t.o0; a < t.o1; ++a) {
    for (int64_t k = 0; k < kernel; ++k) {
      for (int64_t b = t.i0; b < t.i1; ++b) at(a, b, k);
    }
  }
}

}  // namespace

bool copy_blocked_weights(const dnnl::memory::desc& blocked, float* packed, float* plain,
                          bool pack) {
  const auto dims = blocked.get_dims();
  if (blocked.get_format_kind() != dnnl::memory::format_kind::blocked ||
      blocked.get_data_type() != dnnl::memory::data_type::f32 ||
      blocked.get_padded_dims() != dims) {
    return false;
  }
  const Table o = offsets_along(blocked, 0), i = offsets_along(blocked, 1),
              s = kernel_offsets(blocked);
  constexpr int64_t kTile = 16;
  const int64_t rows = (dims[0] + kTile - 1) / kTile;
  const int64_t work = kTile * dims[1] * static_cast<int64_t>(s.size());
  parallel_for(0, rows, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t i0 = 0; i0 < dims[1]; i0 += kTile) {
        const Tile t{row * kTile, std::min(dims[0], (row + 1) * kTile), i0,
                     std::min(dims[1], i0 + kTile)};
        if (pack) {
          copy_tile<true>(o, i, s, t, packed, plain);
        } else {
          copy_tile<false>(o, i, s, t, packed, plain);
        }
      }
    }
  });
  return true;
}

}  // namespace paddle::cpu
