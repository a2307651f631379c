// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of paged_cache_write.
#include "phi_kernels/cpu/attention/paged_cache.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "paddle_core/base/error.h"
#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/attention/paged_tile.h"
#include "phi_kernels/cpu/loops/loops.h"
#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {

PagedCache::PagedCache(const TensorImpl& t) : type(t.dtype) {
  const size_t both = t.shape.size() == 5 ? 1 : 0;
  const auto bytes = static_cast<int64_t>(size_of(type));
  blocks = t.shape[0].value();
  heads = t.shape[both + 1].value();
  block_size = t.shape[both + 2].value();
  width = t.shape[both + 3].value();
  for (int64_t part = 0; part < 2; ++part) {
    char* const from = t.numel ? static_cast<char*>(t.data()) : nullptr;
    rows[part] = {from && both ? from + part * t.strides[1] * bytes : from, t.strides[0] * bytes,
                  t.strides[both + 1] * bytes, t.strides[both + 2] * bytes};
  }
}

namespace {

// Bytes that are worth a thread.
constexpr int64_t kGrainBytes = 65536;

// New keys or values, [tokens, heads, depth].
struct NewRows {
  Tensor held;
  const char* data = nullptr;
  int64_t token = 0, head = 0;  // strides in bytes
  DType type = DType::kFloat32;

  NewRows() = default;
  explicit NewRows(const Tensor& t) {
    held = t->shape[2] == Dim(1) || t->strides[2] == 1 ? t : t.contiguous_copy_if_needed();
    const auto bytes = static_cast<int64_t>(size_of(held.dtype()));
    data = static_cast<const char*>(held->data());
    token = held->strides[0] * bytes;
    head = held->strides[1] * bytes;
    type = held.dtype();
  }
};

// A float16 scale and, where numbers are told apart with it, what it widens to, else 0. A row with
// a number that is not finite has a scale that is none.
struct Scale {
  float16 narrow;
  float wide;

  explicit Scale(float x) : narrow(x), wide(static_cast<float>(narrow)) {
    if (!(wide > 0) || !std::isfinite(wide)) wide = 0;
  }
  void write(char* to) const { std::memcpy(to, &narrow, kScaleBytes); }
};

// The nearest multiples of the scale that int8 numbers make.
void write_bytes(const float* x, int64_t n, char* to) {
  float most = 0, all = 0;
  for (int64_t i = 0; i < n; ++i) {
    most = std::max(most, std::fabs(x[i]));
    all += x[i] * 0.0f;
  }
  const Scale scale(most / 127.0f + all);
  const float factor = scale.wide > 0 ? 1.0f / scale.wide : 0.0f;
  auto* const numbers = reinterpret_cast<int8_t*>(to);
  for (int64_t i = 0; i < n; ++i) {
    const float number = std::nearbyint(x[i] * factor);
    numbers[i] = static_cast<int8_t>(factor == 0 ? 0 : std::clamp(number, -127.0f, 127.0f));
  }
  scale.write(to + scale_place(DType::kInt8, n));
}

// Writes rows of `depth` numbers.
class RowWriter {
 public:
  RowWriter(DType type, int64_t depth)
      : type_(type),
        depth_(depth),
        padded_(whole_units(depth)),
        wide_(is_quantised(type) ? static_cast<size_t>(padded_) : 0),
        scales_(wide_.size() / kPackedGroup) {}

  void write(const char* from, DType from_type, char* to) {
    if (from_type == type_) {
      std::memcpy(to, from, static_cast<size_t>(depth_) * size_of(type_));
      return;
    }
    const auto convert = [&](DType to_type, void* out) {
      loop_tables.convert[static_cast<int>(from_type)][static_cast<int>(to_type)](depth_, out, from,
                                                                                  1);
    };
    if (!is_quantised(type_)) return convert(type_, to);
    float* const x = wide_.data();
    if (from_type == DType::kFloat32) {
      std::memcpy(x, from, static_cast<size_t>(depth_) * sizeof(float));
    } else {
      convert(DType::kFloat32, x);
    }
    kernels_.rotate(x, rotated_block(depth_), depth_);
    if (!is_packed(type_)) return write_bytes(x, depth_, to);
    // So that a scale a little larger than the largest number is a multiple as well.
    constexpr float kMultiples = 127.0f / 1.05f;
    const Scale scale(kernels_.group_scales(x, padded_, scales_.data()) / kMultiples);
    kernels_.pack(x, padded_, scale.wide, scales_.data(), to);
    scale.write(to + scale_place(type_, depth_));
  }

 private:
  DType type_;
  int64_t depth_, padded_;
  const PagedTileKernels& kernels_ = paged_tile_kernels();
  std::vector<float> wide_, scales_;  // zeros behind depth
};

void copy_cache(const TensorImpl& x, TensorImpl& out) {
  if (x.numel == 0 || x.data() == out.data()) return;
  SmallVector<int64_t, 8> sizes;
  for (const Dim& d : x.shape) sizes.push_back(d.value());
  copy_strided(out.data(), x.dtype, out.strides.data(), x.data(), x.dtype, x.strides.data(),
               sizes.data(), static_cast<int>(sizes.size()));
}

// Takes operands of any strides; in place, those of the cache are the strides of the result.
// arguments: cache, k, v, slots
void write_kernel(KernelContext& c) {
  const Tensor held = c.in_tensor(3).contiguous_copy_if_needed();
  const int64_t tokens = held.numel();
  const auto* const slots = tokens ? held.data<int32_t>() : nullptr;
  TensorImpl& out = c.out(0);
  const Shape& shape = out.shape;
  const int64_t places = shape[0].value() * shape[shape.size() - 2].value();
  for (int64_t i = 0; i < tokens; ++i) {
    PADDLE_CHECK_INDEX(slots[i] >= -1 && slots[i] < places, "paged_cache_write: slots holds ",
                       slots[i], " at position ", i, "; the cache has ", places,
                       " slots, so it must lie in [0, ", places, "), or be -1 to write nothing.");
  }
  copy_cache(c.in(0), out);
  if (tokens == 0 || out.numel == 0) return;
  const bool dense = shape.back() == Dim(1) || out.strides[shape.size() - 1] == 1;
  Tensor target(IntrusivePtr<TensorImpl>::share(&out));
  // Numbers of a row that do not lie side by side: written in a dense copy.
  const Tensor own = dense ? target : target.contiguous_copy_if_needed();
  const PagedCache cache(*own.impl());
  const int parts = c.has(2) ? 2 : 1;
  const NewRows rows[2] = {NewRows(c.in_tensor(1)),
                           parts == 2 ? NewRows(c.in_tensor(2)) : NewRows()};
  const int64_t depth = c.in(1).shape[2].value();
  const int64_t bytes = tokens * cache.row_bytes();
  // The tokens of a head in order: the last one stays where several have one slot.
  parallel_for(0, parts * cache.heads,
               std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, bytes)),
               [&](int64_t begin, int64_t end) {
                 RowWriter writer(cache.type, depth);
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t part = i / cache.heads, head = i % cache.heads;
                   const NewRows& from = rows[part];
                   for (int64_t t = 0; t < tokens; ++t) {
                     if (slots[t] < 0) continue;
                     writer.write(from.data + t * from.token + head * from.head, from.type,
                                  cache.rows[part].at(slots[t] / cache.block_size, head,
                                                      slots[t] % cache.block_size));
                   }
                 }
               });
  if (!dense) target.copy_data_from(own);
}

}  // namespace

void register_paged_cache_cpu(Registry& r) {
  for (const DType t :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt8, DType::kUInt8}) {
    r.kernel("paged_cache_write", DeviceKind::kCpu, {t}, write_kernel, true);
  }
}

}  // namespace paddle::cpu
