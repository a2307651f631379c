// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The strided, casting copy. Axes are ordered by the destination's strides and merged where both
// sides allow it; what remains is rows of memcpy, 2-d transposes in blocks, or plain loops.
#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/loops/strided.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kParallelBytes = 256 * 1024;
constexpr int64_t kBlock = 32;  // side of a transposed block

struct Axis {
  int64_t size, dst, src;
};
using AxisList = SmallVector<Axis, 8>;

int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

// Outermost first; merged; at least one axis.
AxisList collapse(const int64_t* sizes, const int64_t* dst, const int64_t* src, int rank) {
  AxisList axes;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] != 1) axes.push_back({sizes[d], dst[d], src[d]});
  }
  for (size_t i = 1; i < axes.size(); ++i) {
    for (size_t j = i; j > 0 && magnitude(axes[j].dst) > magnitude(axes[j - 1].dst); --j) {
      std::swap(axes[j], axes[j - 1]);
    }
  }
  AxisList merged;
  for (const Axis& a : axes) {
    if (!merged.empty() && merged.back().dst == a.dst * a.size &&
        merged.back().src == a.src * a.size) {
      merged.back() = {merged.back().size * a.size, a.dst, a.src};
    } else {
      merged.push_back(a);
    }
  }
  if (merged.empty()) merged.push_back({1, 1, 1});
  return merged;
}

template <typename To, typename From>
To convert(From v) {
  constexpr bool from_complex = requires { v.real(); };
  constexpr bool to_complex = requires(To t) { t.real(); };
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (from_complex && to_complex) {
    using R = typename To::value_type;
    return To(static_cast<R>(v.real()), static_cast<R>(v.imag()));
  } else if constexpr (from_complex && std::is_same_v<To, bool>) {
    return v.real() != 0 || v.imag() != 0;
  } else if constexpr (from_complex) {
    return convert<To>(v.real());
  } else if constexpr (to_complex) {
    return To(convert<typename To::value_type>(v), 0);
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_arithmetic_v<From>) {
      return v != From(0);
    } else {
      return static_cast<float>(v) != 0.0f;
    }
  } else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<From>) {
    return static_cast<To>(v);
  } else if constexpr (std::is_arithmetic_v<To>) {
    return static_cast<To>(static_cast<float>(v));
  } else {
    return To(static_cast<float>(v));
  }
}

using RowFn = void (*)(char* dst, int64_t dst_stride, const char* src, int64_t src_stride,
                       int64_t n);

template <typename To, typename From>
void cast_row(char* dst, int64_t ds, const char* src, int64_t ss, int64_t n) {
  To* d = reinterpret_cast<To*>(dst);
  const From* s = reinterpret_cast<const From*>(src);
  if (ds == 1 && ss == 1) {
    for (int64_t i = 0; i < n; ++i) d[i] = convert<To>(s[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) d[i * ds] = convert<To>(s[i * ss]);
  }
}

template <typename To>
RowFn cast_row_from(DType from) {
  switch (from) {
#define PADDLE_CASE(T, name) \
  case DType::name:          \
    return cast_row<To, T>;
    PADDLE_FOR_ALL_DTYPES(PADDLE_CASE)
#undef PADDLE_CASE
    default:
      return nullptr;
  }
}

RowFn cast_row_of(DType to, DType from) {
  switch (to) {
#define PADDLE_CASE(T, name) \
  case DType::name:          \
    return cast_row_from<T>(from);
    PADDLE_FOR_ALL_DTYPES(PADDLE_CASE)
#undef PADDLE_CASE
    default:
      return nullptr;
  }
}

struct Bytes16 {
  uint64_t words[2];
};

// d[i] = s[-i]
template <typename T>
__attribute__((target("avx2"))) void reverse_row(T* d, const T* s, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    typedef T Vector __attribute__((vector_size(32), aligned(sizeof(T))));
    constexpr int64_t kLanes = 32 / sizeof(T);
    Vector backwards;
    for (int64_t l = 0; l < kLanes; ++l) backwards[l] = static_cast<T>(kLanes - 1 - l);
    for (; i + kLanes <= n; i += kLanes) {
      const Vector v = *reinterpret_cast<const Vector*>(s - i - (kLanes - 1));
      *reinterpret_cast<Vector*>(d + i) = __builtin_shuffle(v, backwards);
    }
  }
  for (; i < n; ++i) d[i] = s[-i];
}

template <typename T>
void move_row(char* dst, int64_t ds, const char* src, int64_t ss, int64_t n) {
  T* d = reinterpret_cast<T*>(dst);
  const T* s = reinterpret_cast<const T*>(src);
  if (ds == 1 && ss == 1) {
    std::memcpy(d, s, static_cast<size_t>(n) * sizeof(T));
  } else if (ds == 1 && ss == 0) {
    std::fill(d, d + n, *s);
  } else if (ds == 1 && ss == -1) {
    reverse_row(d, s, n);
  } else if (ds == 1 && ss == 2) {
    for (int64_t i = 0; i < n; ++i) d[i] = s[2 * i];
  } else if (ds == 1 && ss == 3) {  // a channel of an image's pixels
    for (int64_t i = 0; i < n; ++i) d[i] = s[3 * i];
  } else {
    for (int64_t i = 0; i < n; ++i) d[i * ds] = s[i * ss];
  }
}

RowFn move_row_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return move_row<uint8_t>;
    case 2:
      return move_row<uint16_t>;
    case 4:
      return move_row<uint32_t>;
    case 8:
      return move_row<uint64_t>;
    default:
      return move_row<Bytes16>;
  }
}

// An 8 x 8 block of 32-bit elements, transposed in registers: rows of src, then rows of dst.
__attribute__((target("avx2"))) void transpose_tile(uint32_t* d, int64_t ds, const uint32_t* s,
                                                    int64_t ss) {
  __m256 r[8], t[8];
  for (int k = 0; k < 8; ++k) r[k] = _mm256_loadu_ps(reinterpret_cast<const float*>(s + k * ss));
  for (int k = 0; k < 8; k += 2) {
    t[k] = _mm256_unpacklo_ps(r[k], r[k + 1]);
    t[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
  }
  for (int k = 0; k < 8; k += 4) {
    r[k] = _mm256_shuffle_ps(t[k], t[k + 2], 0x44);
    r[k + 1] = _mm256_shuffle_ps(t[k], t[k + 2], 0xEE);
    r[k + 2] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0x44);
    r[k + 3] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0xEE);
  }
  for (int k = 0; k < 4; ++k) {
    float* low = reinterpret_cast<float*>(d + k * ds);
    float* high = reinterpret_cast<float*>(d + (k + 4) * ds);
    _mm256_storeu_ps(low, _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
    _mm256_storeu_ps(high, _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
  }
}

// The same for 64-bit elements, 4 x 4.
__attribute__((target("avx2"))) void transpose_tile(uint64_t* d, int64_t ds, const uint64_t* s,
                                                    int64_t ss) {
  __m256d r[4], t[4];
  for (int k = 0; k < 4; ++k) r[k] = _mm256_loadu_pd(reinterpret_cast<const double*>(s + k * ss));
  for (int k = 0; k < 4; k += 2) {
    t[k] = _mm256_unpacklo_pd(r[k], r[k + 1]);
    t[k + 1] = _mm256_unpackhi_pd(r[k], r[k + 1]);
  }
  for (int k = 0; k < 2; ++k) {
    double* low = reinterpret_cast<double*>(d + k * ds);
    double* high = reinterpret_cast<double*>(d + (k + 2) * ds);
    _mm256_storeu_pd(low, _mm256_permute2f128_pd(t[k], t[k + 2], 0x20));
    _mm256_storeu_pd(high, _mm256_permute2f128_pd(t[k], t[k + 2], 0x31));
  }
}

// Of 16-bit elements, 8 x 8.
void transpose_tile(uint16_t* d, int64_t ds, const uint16_t* s, int64_t ss) {
  __m128i r[8], t[8];
  for (int k = 0; k < 8; ++k) r[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + k * ss));
  for (int k = 0; k < 4; ++k) {  // rows k and k + 4, then their neighbours
    t[2 * k] = _mm_unpacklo_epi16(r[k], r[k + 4]);
    t[2 * k + 1] = _mm_unpackhi_epi16(r[k], r[k + 4]);
  }
  for (int k = 0; k < 4; ++k) {
    r[2 * k] = _mm_unpacklo_epi16(t[k], t[k + 4]);
    r[2 * k + 1] = _mm_unpackhi_epi16(t[k], t[k + 4]);
  }
  for (int k = 0; k < 4; ++k) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + 2 * k * ds),
                     _mm_unpacklo_epi16(r[k], r[k + 4]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + (2 * k + 1) * ds),
                     _mm_unpackhi_epi16(r[k], r[k + 4]));
  }
}

// Of bytes, 8 x 8.
void transpose_tile(uint8_t* d, int64_t ds, const uint8_t* s, int64_t ss) {
  __m128i r[8], t[4];
  for (int k = 0; k < 8; ++k) r[k] = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(s + k * ss));
  for (int k = 0; k < 4; ++k) t[k] = _mm_unpacklo_epi8(r[k], r[k + 4]);
  for (int k = 0; k < 2; ++k) {
    r[2 * k] = _mm_unpacklo_epi8(t[k], t[k + 2]);
    r[2 * k + 1] = _mm_unpackhi_epi8(t[k], t[k + 2]);
  }
  for (int k = 0; k < 2; ++k) {  // each holds the halves of two rows
    t[2 * k] = _mm_unpacklo_epi8(r[k], r[k + 2]);
    t[2 * k + 1] = _mm_unpackhi_epi8(r[k], r[k + 2]);
  }
  for (int k = 0; k < 4; ++k) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(d + 2 * k * ds), t[k]);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(d + (2 * k + 1) * ds), _mm_srli_si128(t[k], 8));
  }
}

// dst[i][j] (j dense) = src[i][j] (i dense), in blocks that stay in the first cache.
template <typename T>
void transpose_2d(char* dst, int64_t ds, const char* src, int64_t ss, int64_t rows,
                  int64_t columns) {
  T* d = reinterpret_cast<T*>(dst);
  const T* s = reinterpret_cast<const T*>(src);
  for (int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    const int64_t i1 = std::min(i0 + kBlock, rows);
    for (int64_t j0 = 0; j0 < columns; j0 += kBlock) {
      const int64_t j1 = std::min(j0 + kBlock, columns);
      int64_t i = i0;
      if constexpr (sizeof(T) <= 8) {
        // Whole cache lines of src at a time: rows a power of two apart share their cache sets.
        constexpr int64_t kSide = sizeof(T) == 8 ? 4 : 8;
        constexpr int64_t kLine = std::min<int64_t>(kBlock, 64 / sizeof(T));
        for (; i + kLine <= i1; i += kLine) {
          int64_t j = j0;
          for (; j + kSide <= j1; j += kSide) {
            for (int64_t k = i; k < i + kLine; k += kSide) {
              transpose_tile(d + k * ds + j, ds, s + k + j * ss, ss);
            }
          }
          for (; j < j1; ++j) {
            for (int64_t k = i; k < i + kLine; ++k) d[k * ds + j] = s[k + j * ss];
          }
        }
      }
      for (; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j) d[i * ds + j] = s[i + j * ss];
      }
    }
  }
}

using BlockFn = void (*)(char*, int64_t, const char*, int64_t, int64_t, int64_t);
BlockFn transpose_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return transpose_2d<uint8_t>;
    case 2:
      return transpose_2d<uint16_t>;
    case 4:
      return transpose_2d<uint32_t>;
    case 8:
      return transpose_2d<uint64_t>;
    default:
      return transpose_2d<Bytes16>;
  }
}

// Steps over the first `count` axes, the innermost of them fastest.
class Odometer {
 public:
  Odometer(const AxisList& axes, size_t count, int64_t n) : axes_(axes), count_(count) {
    for (size_t d = count; d-- > 0;) {
      index_[d] = n % axes[d].size;
      n /= axes[d].size;
      dst += index_[d] * axes[d].dst;
      src += index_[d] * axes[d].src;
    }
  }
  // Steps left along the innermost axis.
  int64_t left() const { return axes_[count_ - 1].size - index_[count_ - 1]; }
  // At most as many of them.
  void advance(int64_t steps = 1) {
    for (size_t d = count_; d-- > 0; steps = 1) {
      const Axis& a = axes_[d];
      dst += steps * a.dst;
      src += steps * a.src;
      if ((index_[d] += steps) < a.size) return;
      dst -= a.size * a.dst;
      src -= a.size * a.src;
      index_[d] = 0;
    }
  }
  int64_t dst = 0, src = 0;

 private:
  const AxisList& axes_;
  size_t count_;
  int64_t index_[kMaxRank];
};

// Element offsets of the n-th position over the first `count` axes.
void offsets_of(const AxisList& axes, size_t count, int64_t n, int64_t& dst, int64_t& src) {
  dst = src = 0;
  for (size_t d = count; d-- > 0;) {
    const int64_t i = n % axes[d].size;
    n /= axes[d].size;
    dst += i * axes[d].dst;
    src += i * axes[d].src;
  }
}

int64_t outer_count(const AxisList& axes, size_t count) {
  int64_t n = 1;
  for (size_t d = 0; d < count; ++d) n *= axes[d].size;
  return n;
}

struct Sides {
  char* dst;
  const char* src;
  int64_t dst_bytes, src_bytes;
  bool casts;
};

void copy_transposed(const Sides& s, AxisList axes, size_t dense) {
  const size_t last = axes.size() - 1;
  // The axis that is dense in src moves next to the innermost one.
  for (size_t d = dense; d + 1 < last; ++d) std::swap(axes[d], axes[d + 1]);
  const Axis rows = axes[last - 1], columns = axes[last];
  const BlockFn fn = transpose_of(static_cast<size_t>(s.dst_bytes));
  const int64_t strips = (rows.size + kBlock - 1) / kBlock;
  const int64_t total = strips * outer_count(axes, last - 1);
  const int64_t strip_bytes = kBlock * columns.size * s.dst_bytes;
  const int64_t grain = std::max<int64_t>(1, kParallelBytes / std::max<int64_t>(1, strip_bytes));
  parallel_for(0, total, grain, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      int64_t dst, src;
      offsets_of(axes, last - 1, n / strips, dst, src);
      const int64_t row = (n % strips) * kBlock;
      dst += row * rows.dst;
      src += row;
      fn(s.dst + dst * s.dst_bytes, rows.dst, s.src + src * s.src_bytes, columns.src,
         std::min(kBlock, rows.size - row), columns.size);
    }
  });
}

// `rows` rows of `bytes` each, which are so short that calls of memcpy would show.
__attribute__((target("avx2"))) void copy_short_rows(char* d, int64_t ds, const char* s, int64_t ss,
                                                     int64_t rows, int64_t bytes) {
  const auto copy = [](char* to, const char* from) __attribute__((target("avx2"), always_inline)) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  };
  for (int64_t r = 0; r < rows; ++r, d += ds, s += ss) {
    for (int64_t i = 0; i + 32 < bytes; i += 32) copy(d + i, s + i);
    copy(d + bytes - 32, s + bytes - 32);
  }
}

void copy_rows(const Sides& s, const AxisList& axes, RowFn fn) {
  const size_t last = axes.size() - 1;
  const Axis row = axes[last];
  const int64_t bytes = std::max(s.dst_bytes, s.src_bytes);
  if (last == 0) {
    parallel_for(0, row.size, kParallelBytes / bytes, [&](int64_t begin, int64_t end) {
      fn(s.dst + begin * row.dst * s.dst_bytes, row.dst, s.src + begin * row.src * s.src_bytes,
         row.src, end - begin);
    });
    return;
  }
  const int64_t grain =
      std::max<int64_t>(1, kParallelBytes / std::max<int64_t>(1, row.size * bytes));
  parallel_for(0, outer_count(axes, last), grain, [&](int64_t begin, int64_t end) {
    Odometer at(axes, last, begin);
    if (const int64_t length = row.size * bytes;
        row.dst == 1 && row.src == 1 && !s.casts && length >= 32 && length <= 1024) {
      const Axis& down = axes[last - 1];
      for (int64_t n = begin; n < end;) {
        const int64_t rows = std::min(at.left(), end - n);
        copy_short_rows(s.dst + at.dst * bytes, down.dst * bytes, s.src + at.src * bytes,
                        down.src * bytes, rows, length);
        at.advance(rows);
        n += rows;
      }
      return;
    }
    for (int64_t n = begin; n < end; ++n, at.advance()) {
      fn(s.dst + at.dst * s.dst_bytes, row.dst, s.src + at.src * s.src_bytes, row.src, row.size);
    }
  });
}

// Rows of few elements cost more for the steps between them than for themselves: then a longer axis
// is the row, one that is dense in src if there is one, or else the innermost that is long enough.
AxisList long_rows(AxisList axes) {
  constexpr int64_t kLong = 16;
  const size_t last = axes.size() - 1;
  if (axes[last].size >= kLong) return axes;
  size_t best = last;
  for (size_t d = last; d-- > 0;) {
    const bool denser = axes[d].src == 1 && axes[best].src != 1 && axes[d].size >= kLong;
    const bool longer = axes[best].size < kLong && axes[d].size > axes[best].size;
    if (denser || longer) best = d;
  }
  std::swap(axes[best], axes[last]);
  return axes;
}

void copy_tensor(const Tensor& dst, const Tensor& src) {
  const auto sizes = sizes_of(dst.shape());
  copy_strided(dst.numel() ? dst.raw_data() : nullptr, dst.dtype(), dst.strides().data(),
               src.numel() ? src.raw_data() : nullptr, src.dtype(), src.strides().data(),
               sizes.data(), static_cast<int>(sizes.size()));
}

// reshape whose memory cannot be viewed.
void reshape_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  if (x.numel == 0) return;
  const auto sizes = sizes_of(x.shape);
  const Strides dense = contiguous_strides(x.shape);
  copy_strided(k.out(0).data(), x.dtype, dense.data(), x.data(), x.dtype, x.strides.data(),
               sizes.data(), static_cast<int>(sizes.size()));
}

void copy_to_kernel(KernelContext& k) {
  const TensorImpl& x = k.in(0);
  const Place place = k.slot(1).place;
  const Tensor out = Tensor::empty(x.shape, x.dtype, place);
  out.overwrite_from(k.in_tensor(0));
  if (k.b(2)) current_stream(place).synchronize();
  k.set_out(0, out);
}

}  // namespace

void copy_bytes(void* dst, const void* src, int64_t bytes) {
  if (dst == src) return;
  parallel_for(0, bytes, kParallelBytes, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(dst) + begin, static_cast<const char*>(src) + begin,
                static_cast<size_t>(end - begin));
  });
}

void copy_strided(void* dst, DType dst_type, const int64_t* dst_strides, const void* src,
                  DType src_type, const int64_t* src_strides, const int64_t* sizes, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] == 0) return;
  }
  AxisList axes = collapse(sizes, dst_strides, src_strides, rank);
  Sides s{static_cast<char*>(dst), static_cast<const char*>(src),
          static_cast<int64_t>(size_of(dst_type)), static_cast<int64_t>(size_of(src_type)),
          dst_type != src_type};
  if (dst_type != src_type) return copy_rows(s, axes, cast_row_of(dst_type, src_type));
  const size_t last = axes.size() - 1;
  // Axes that are walked backwards in src are walked backwards in dst instead.
  for (size_t d = 0; d < last; ++d) {
    if (axes[d].src >= 0) continue;
    s.dst += (axes[d].size - 1) * axes[d].dst * s.dst_bytes;
    s.src += (axes[d].size - 1) * axes[d].src * s.src_bytes;
    axes[d].dst = -axes[d].dst;
    axes[d].src = -axes[d].src;
  }
  if (axes[last].dst == 1 && magnitude(axes[last].src) > 1 && axes[last].size > 4) {
    for (size_t d = 0; d < last; ++d) {
      if (axes[d].src == 1 && axes[d].size > 4) return copy_transposed(s, axes, d);
    }
  }
  copy_rows(s, long_rows(axes), move_row_of(size_of(dst_type)));
}

void install_copy_cpu() { set_strided_copy(copy_tensor); }

void register_copy_cpu(Registry& r) {
#define PADDLE_KERNEL(T, name)                                                            \
  r.kernel("reshape", DeviceKind::kCpu, {DType::name}, reshape_kernel, /*strided=*/true); \
  r.kernel("copy_to", DeviceKind::kCpu, {DType::name}, copy_to_kernel, /*strided=*/true);
  PADDLE_FOR_ALL_DTYPES(PADDLE_KERNEL)
#undef PADDLE_KERNEL
}

}  // namespace paddle::cpu
