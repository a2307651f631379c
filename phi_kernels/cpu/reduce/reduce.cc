// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of inputs seen as [outer, n, inner] (reduce_layout.h). Rows are cut into blocks of a
// fixed length, so results do not depend on the thread count. Floats are added in lanes per block,
// blocks in double.
#include <algorithm>
#include <memory>
#include <string_view>

#include "paddle_core/device/parallel.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/cpu/isa/batch_invariant.h"
#include "phi_kernels/cpu/reduce/reduce_block.h"
#include "phi_kernels/cpu/reduce/reduce_layout.h"

namespace paddle::cpu {
namespace {

constexpr int64_t kBlock = 8192;  // elements of a row reduced in one go
constexpr int64_t kTile = 2048;   // columns accumulated together
constexpr int64_t kFewColumns = 16;
constexpr int64_t kFlush = 64;     // rows added in the narrow type before going to the wide one
constexpr int64_t kGrain = 65536;  // elements that are not worth a second thread
constexpr int64_t kFarBytes = 4 << 20;  // inputs that the caches of one core do not hold

template <typename To, typename W>
To finish(W total, double divisor) {
  if (divisor != 1) {
    if constexpr (std::is_integral_v<W>) {
      return divisor == 0 ? To(0) : static_cast<To>(total / static_cast<W>(divisor));
    } else if constexpr (requires { total.real(); }) {
      total /= typename W::value_type(divisor);
    } else {
      total = static_cast<W>(total / static_cast<W>(divisor));
    }
  }
  if constexpr (requires { total.real(); } || std::is_arithmetic_v<To>) {
    return static_cast<To>(total);
  } else {
    return To(static_cast<float>(total));
  }
}

// Rows of 16-bit floats shorter than the block that is widened at once.
template <typename Op, typename Out>
void reduce_half_rows(const typename Op::In* x, Out* out, int64_t rows, int64_t n, double divisor) {
  using Single = typename Op::template Of<float>;
  constexpr int64_t kRoom = 1024;
  float block[kRoom];
  const int64_t together = kRoom / n;
  for (int64_t r = 0; r < rows; r += together) {
    const int64_t count = std::min(together, rows - r);
    widen(x + r * n, count * n, block);
    for (int64_t k = 0; k < count; ++k) {
      const auto total = reduce_part<Single>(block + k * n, n);
      out[r + k] = finish<Out>(static_cast<typename Op::Wide>(total), divisor);
    }
  }
}

// Rows shorter than a vector, for which a call would take longer than they do. Lengths that are
// known (kLength > 0) let the compiler take several rows at a time.
constexpr int64_t kShortRow = 8;
template <typename Op, typename Out, int64_t kLength>
__attribute__((target("avx2"))) void short_rows(const typename Op::In* x, Out* out, int64_t rows,
                                                int64_t length) {
  const int64_t n = kLength > 0 ? kLength : length;
  for (int64_t r = 0; r < rows; ++r) {
    auto total = Op::start();
    for (int64_t j = 0; j < n; ++j) total = Op::step(total, Op::load(x[r * n + j]));
    out[r] = static_cast<Out>(total);
  }
}
template <typename Op, typename Out>
void reduce_short_rows(const typename Op::In* x, Out* out, int64_t rows, int64_t n) {
  if constexpr (std::is_same_v<typename Op::In, float>) {
    if (n == 2) return short_rows<Op, Out, 2>(x, out, rows, n);
    if (n == 3) return short_rows<Op, Out, 3>(x, out, rows, n);
    if (n == 4) return short_rows<Op, Out, 4>(x, out, rows, n);
  }
  short_rows<Op, Out, 0>(x, out, rows, n);
}

template <typename Op, typename Out>
void reduce_rows(const typename Op::In* x, Out* out, int64_t outer, int64_t n, double divisor) {
  using W = typename Op::Wide;
  const int64_t blocks = std::max<int64_t>(1, (n + kBlock - 1) / kBlock);
  if (blocks == 1) {
    parallel_for(0, outer, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)),
                 [&](int64_t b, int64_t e) {
                   if constexpr (CanWiden<Op>) {
                     if (n > 0 && n <= 256) {
                       return reduce_half_rows<Op>(x + b * n, out + b, e - b, n, divisor);
                     }
                   }
                   if constexpr (kExtreme<Op> && (std::is_same_v<typename Op::In, float> ||
                                                  std::is_same_v<typename Op::In, int64_t>)) {
                     if (n < kShortRow) return reduce_short_rows<Op>(x + b * n, out + b, e - b, n);
                   }
                   for (int64_t o = b; o < e; ++o)
                     out[o] = finish<Out>(reduce_part<Op>(x + o * n, n), divisor);
                 });
    return;
  }
  const std::unique_ptr<W[]> partial(new W[static_cast<size_t>(outer * blocks)]);
  [[maybe_unused]] const bool far = outer * n * static_cast<int64_t>(sizeof(*x)) >= kFarBytes;
  parallel_for(0, outer * blocks, kGrain / kBlock, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t at = (i % blocks) * kBlock;
      const typename Op::In* part = x + i / blocks * n + at;
      if constexpr (std::is_same_v<Op, Sum<float>>) {
        if (far && i + 1 < e && at + 2 * kBlock <= n) {
          sum_two_blocks(part, kBlock, &partial[static_cast<size_t>(i++)]);
          continue;
        }
      }
      partial[static_cast<size_t>(i)] = reduce_part<Op>(part, std::min(kBlock, n - at));
    }
  });
  for (int64_t o = 0; o < outer; ++o) {
    W total = static_cast<W>(Op::start());
    for (int64_t i = 0; i < blocks; ++i)
      total = Op::step(total, partial[static_cast<size_t>(o * blocks + i)]);
    out[o] = finish<Out>(total, divisor);
  }
}

// Adds rows [r0, r1) of a tile of `width` columns into wide[0..width).
template <typename Op>
__attribute__((target("avx2"), noinline)) void reduce_tile(const typename Op::In* x, int64_t stride,
                                                           int64_t r0, int64_t r1, int64_t width,
                                                           typename Op::Wide* wide) {
  using N = typename Op::Narrow;
  using W = typename Op::Wide;
  N narrow[kTile];
  [[maybe_unused]] float row_buffer[CanWiden<Op> ? kTile : 1];
  for (int64_t i = 0; i < width; ++i) wide[i] = static_cast<W>(Op::start());
  for (int64_t r = r0; r < r1; r += kFlush) {
    for (int64_t i = 0; i < width; ++i) narrow[i] = Op::start();
    for (int64_t k = r; k < std::min(r1, r + kFlush); ++k) {
      const typename Op::In* row = x + k * stride;
      if constexpr (CanWiden<Op>) {
        using Single = typename Op::template Of<float>;
        widen(row, width, row_buffer);
        for (int64_t i = 0; i < width; ++i) {
          narrow[i] = Op::step(narrow[i], static_cast<N>(Single::load(row_buffer[i])));
        }
      } else {
        for (int64_t i = 0; i < width; ++i) narrow[i] = Op::step(narrow[i], Op::load(row[i]));
      }
    }
    for (int64_t i = 0; i < width; ++i) wide[i] = Op::step(wide[i], static_cast<W>(narrow[i]));
  }
}

// A few rows of an operation that has one type throughout: straight into the result.
template <typename Op, typename Out>
__attribute__((target("avx2"), noinline)) void reduce_few_rows(const typename Op::In* x, Out* out,
                                                               int64_t n, int64_t inner,
                                                               int64_t width) {
  for (int64_t i = 0; i < width; ++i) out[i] = Op::step(Op::start(), Op::load(x[i]));
  for (int64_t k = 1; k < n; ++k) {
    const typename Op::In* row = x + k * inner;
    for (int64_t i = 0; i < width; ++i) out[i] = Op::step(out[i], Op::load(row[i]));
  }
}

// Reductions worth more than one way.
template <typename Op, typename T = typename Op::In>
constexpr bool kOften = (std::is_same_v<Op, Sum<T>> || std::is_same_v<Op, Max<T>> ||
                         std::is_same_v<Op, Min<T>>)&&(sizeof(T) >= 4 || CanWiden<Op>);

// Columns too few for a loop over them: several rows are taken for one row of `lanes` columns,
// whose results are combined last.
template <typename Op, typename Out>
void reduce_few_columns(const typename Op::In* x, Out* out, int64_t outer, int64_t n, int64_t inner,
                        double divisor) {
  using W = typename Op::Wide;
  const int64_t group = 4 * kFewColumns / inner, lanes = group * inner;
  const int64_t rows = std::max<int64_t>(1, kBlock / lanes), step = rows * group;
  const int64_t parts = (n + step - 1) / step;
  const std::unique_ptr<W[]> partial(new W[static_cast<size_t>(outer * parts * inner)]);
  parallel_for(0, outer * parts, std::max<int64_t>(1, kGrain / (std::min(step, n) * inner)),
               [&](int64_t b, int64_t e) {
                 for (int64_t i = b; i < e; ++i) {
                   const int64_t first = i % parts * step, count = std::min(step, n - first);
                   const typename Op::In* from = x + (i / parts * n + first) * inner;
                   W wide[4 * kFewColumns];
                   reduce_tile<Op>(from, lanes, 0, count / group, lanes, wide);
                   for (int64_t l = count / group * lanes; l < count * inner; ++l) {
                     W& lane = wide[l % inner];
                     lane = Op::step(lane, static_cast<W>(Op::load(from[l])));
                   }
                   for (int64_t l = inner; l < lanes; ++l) {
                     wide[l % inner] = Op::step(wide[l % inner], wide[l]);
                   }
                   std::copy(wide, wide + inner, partial.get() + i * inner);
                 }
               });
  for (int64_t i = 0; i < outer * inner; ++i) {
    const W* at = partial.get() + i / inner * parts * inner + i % inner;
    W total = static_cast<W>(Op::start());
    for (int64_t p = 0; p < parts; ++p) total = Op::step(total, at[p * inner]);
    out[i] = finish<Out>(total, divisor);
  }
}

template <typename Op, typename Out>
void reduce_columns(const typename Op::In* x, Out* out, int64_t outer, int64_t n, int64_t inner,
                    double divisor) {
  using W = typename Op::Wide;
  if constexpr (std::is_same_v<Out, typename Op::Narrow> &&
                (std::is_same_v<Out, W> ||
                 std::is_same_v<Op, Sum<float>>)&&std::is_same_v<Out, typename Op::In>) {
    if (divisor == 1 && n > 0 && n <= 16) {
      const int64_t tiles = (inner + kTile - 1) / kTile;
      const int64_t work = n * std::min(inner, kTile);
      parallel_for(
          0, outer * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t b, int64_t e) {
            for (int64_t i = b; i < e; ++i) {
              const int64_t o = i / tiles, at = i % tiles * kTile,
                            width = std::min(kTile, inner - at);
              reduce_few_rows<Op>(x + o * n * inner + at, out + o * inner + at, n, inner, width);
            }
          });
      return;
    }
  }
  if constexpr (kOften<Op>) {
    if (inner <= kFewColumns && n >= 2 * kFewColumns && !batch_invariant()) {
      return reduce_few_columns<Op>(x, out, outer, n, inner, divisor);
    }
  }
  const int64_t tiles = (inner + kTile - 1) / kTile;
  const bool many = outer * tiles >= 16 && !batch_invariant();
  const int64_t chunks = many || n < 2 * kFlush ? 1 : std::min<int64_t>(16, n / kFlush);
  const int64_t rows = (n + chunks - 1) / chunks;
  const std::unique_ptr<W[]> partial(new W[static_cast<size_t>(outer * chunks * inner)]);
  const int64_t work = std::max<int64_t>(1, rows * std::min(inner, kTile));
  parallel_for(0, outer * chunks * tiles, std::max<int64_t>(1, kGrain / work),
               [&](int64_t b, int64_t e) {
                 for (int64_t i = b; i < e; ++i) {
                   const int64_t tile = i % tiles * kTile, chunk = i / tiles % chunks,
                                 o = i / tiles / chunks;
                   reduce_tile<Op>(x + o * n * inner + tile, inner, chunk * rows,
                                   std::min(n, (chunk + 1) * rows), std::min(kTile, inner - tile),
                                   partial.get() + (o * chunks + chunk) * inner + tile);
                 }
               });
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      W total = partial[static_cast<size_t>(o * chunks * inner + i)];
      for (int64_t c = 1; c < chunks; ++c) {
        total = Op::step(total, partial[static_cast<size_t>((o * chunks + c) * inner + i)]);
      }
      out[o * inner + i] = finish<Out>(total, divisor);
    }
  }
}

// [before, kept, after] to [kept], as the sum over batch and space of channel-first images.
template <typename Op, typename Out>
void reduce_around(const typename Op::In* x, Out* out, int64_t before, int64_t kept, int64_t after,
                   double divisor) {
  using W = typename Op::Wide;
  const std::unique_ptr<W[]> partial(new W[static_cast<size_t>(before * kept)]);
  parallel_for(0, before * kept, std::max<int64_t>(1, kGrain / after), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      W total = static_cast<W>(Op::start());
      for (int64_t at = 0; at < after; at += kBlock) {
        total = Op::step(total, reduce_part<Op>(x + i * after + at, std::min(kBlock, after - at)));
      }
      partial[static_cast<size_t>(i)] = total;
    }
  });
  for (int64_t k = 0; k < kept; ++k) {
    W total = static_cast<W>(Op::start());
    for (int64_t b = 0; b < before; ++b) {
      total = Op::step(total, partial[static_cast<size_t>(b * kept + k)]);
    }
    out[k] = finish<Out>(total, divisor);
  }
}

template <typename Op, typename Out>
__attribute__((noinline)) void reduce(const TensorImpl& x, std::span<const Dim> axis, void* to,
                                      bool mean) {
  const ReduceLayout l = reduce_layout(x, axis, false, true);
  const auto* in = static_cast<const typename Op::In*>(l.data);
  Out* out = static_cast<Out*>(to);
  const double divisor = mean ? static_cast<double>(l.n) : 1;
  if (l.around) return reduce_around<Op>(in, out, l.before, l.kept, l.after, divisor);
  if (l.outer * l.inner == 0) return;
  if (l.inner == 1) {
    reduce_rows<Op>(in, out, l.outer, l.n, divisor);
  } else {
    reduce_columns<Op>(in, out, l.outer, l.n, l.inner, divisor);
  }
}

template <typename T>
using SumOut = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

template <typename T>
Tensor without_nan(const Tensor& x) {
  Tensor out = Tensor::empty(x.shape(), x.dtype());
  out.copy_data_from(x);
  T* p = static_cast<T*>(out.raw_data());
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (std::isnan(static_cast<double>(p[i]))) p[i] = T(0);
  }
  return out;
}

template <typename T, template <typename> class Op>
void sum_kernel(KernelContext& k) {
  TensorImpl& out = k.out(0);
  if (out.dtype == DTypeOf<SumOut<T>>::value)
    return reduce<Op<T>, SumOut<T>>(k.in(0), k.ints(1), out.data(), false);
  // Another result type was asked for: the elements are cast first, integers to integers after.
  const bool from_whole = is_integer(DTypeOf<T>::value) || is_bool(DTypeOf<T>::value);
  const bool to_whole = is_integer(out.dtype) || is_bool(out.dtype);
  const DType via = from_whole && to_whole ? DTypeOf<SumOut<T>>::value : out.dtype;
  Tensor x = k.in_tensor(0);
  if (via == out.dtype) {
    const OpDef* op = &k.op();
    if constexpr (std::is_same_v<Op<T>, NanSum<T>>) {
      if (!is_floating(via)) {  // what knows no NaN is summed without them
        x = without_nan<T>(x);
        op = Registry::global().find("sum");
      }
    }
    const Tensor given = x;
    x = Tensor::empty(x.shape(), via);
    x.copy_data_from(given);
    Slot args[4] = {Slot::of(x), k.slot(1), k.slot(2), k.slot(3)};
    Tensor result(IntrusivePtr<TensorImpl>::share(&out));
    KernelContext inner(*op, args, &result, k.random());
    return op->kernels.at(Place(), via).fn(inner);
  }
  const Tensor wide = Tensor::empty(out.shape, via);
  reduce<Op<T>, SumOut<T>>(k.in(0), k.ints(1), wide.raw_data(), false);
  Tensor(IntrusivePtr<TensorImpl>::share(&out)).copy_data_from(wide);
}
template <typename T>
void mean_kernel(KernelContext& k) {
  reduce<Sum<T>, T>(k.in(0), k.ints(1), k.out(0).data(), true);
}
// The squares of 16-bit floats are beyond their range before the root of their sum is.
template <typename T>
void square_sum(KernelContext& k, std::span<const Dim> axis, bool root) {
  using Out = std::conditional_t<kHalf<T>, float, T>;
  TensorImpl& result = k.out(0);
  const Tensor single = kHalf<T> ? Tensor::empty(result.shape, DType::kFloat32) : Tensor();
  TensorImpl& sums = kHalf<T> ? *single.impl() : result;
  reduce<SquareSum<T>, Out>(k.in(0), axis, sums.data(), false);
  const TensorImpl* in[] = {&sums};
  constexpr DType kOut = DTypeOf<Out>::value;
  const Loop loop = root ? loop_tables.unary[kSqrt][static_cast<int>(kOut)] : Loop();
  if (root) run_loop(loop, result, in, 1, Params());
  if (kHalf<T> && !root) Tensor(IntrusivePtr<TensorImpl>::share(&result)).copy_data_from(single);
}
template <typename T>
void square_sum_kernel(KernelContext& k) {
  square_sum<T>(k, {}, false);
}
template <typename T>
void l2_norm_kernel(KernelContext& k) {
  square_sum<T>(k, k.ints(1), true);
}
template <typename T>
void prod_kernel(KernelContext& k) {
  using Out = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, SumOut<T>>;
  reduce<Prod<T>, Out>(k.in(0), k.ints(1), k.out(0).data(), false);
}
template <typename T>
void max_kernel(KernelContext& k) {
  reduce<Max<T>, T>(k.in(0), k.ints(1), k.out(0).data(), false);
}
template <typename T>
void min_kernel(KernelContext& k) {
  reduce<Min<T>, T>(k.in(0), k.ints(1), k.out(0).data(), false);
}
template <typename T>
void any_kernel(KernelContext& k) {
  reduce<Any<T>, bool>(k.in(0), k.ints(1), k.out(0).data(), false);
}
template <typename T>
void all_kernel(KernelContext& k) {
  reduce<All<T>, bool>(k.in(0), k.ints(1), k.out(0).data(), false);
}

// Position of the first extreme number among n elements `step` apart; 0 when all are NaN.
template <typename T, bool kLargest>
int64_t arg_of(const T* p, int64_t n, int64_t step) {
  if constexpr (kHalf<T>) {
    if (step == 1 && n <= kBlock) {
      float wide[kBlock];
      widen(p, n, wide);
      return first_extreme<kLargest>(wide, n);
    }
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (step == 1) return first_extreme<kLargest>(p, n);
  }
  int64_t best = 0;
  auto top = Order<T>::load(p[0]);
  for (int64_t j = 1; j < n; ++j) {
    const auto v = Order<T>::load(p[j * step]);
    const bool first_number = top != top && v == v;  // NaN is passed over
    if ((kLargest ? v > top : v < top) || first_number) top = v, best = j;
  }
  return best;
}

template <typename T, bool kLargest>
void arg_kernel(KernelContext& k) {
  const Dim axis = k.scalar(1).to_int();
  const bool flat = k.b(3) || k.in(0).shape.empty();
  const ReduceLayout l = reduce_layout(k.in(0), {&axis, 1}, flat, false);
  const T* x = static_cast<const T*>(l.data);
  TensorImpl& out = k.out(0);
  parallel_for(0, l.outer * l.inner, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, l.n)),
               [&](int64_t b, int64_t e) {
                 for (int64_t i = b; i < e; ++i) {
                   const T* p = x + i / l.inner * l.n * l.inner + i % l.inner;
                   const int64_t best = arg_of<T, kLargest>(p, l.n, l.inner);
                   if (out.dtype == DType::kInt64) {
                     static_cast<int64_t*>(out.data())[i] = best;
                   } else {
                     static_cast<int32_t*>(out.data())[i] = static_cast<int32_t>(best);
                   }
                 }
               });
}

template <typename T>
void register_type(Registry& r) {
  const auto add = [&](const char* op, KernelFn fn) {
    // Positions count in the order of the tensor.
    const bool strided = std::string_view(op).substr(0, 3) != "arg";
    r.kernel(op, DeviceKind::kCpu, {DTypeOf<T>::value}, fn, strided);
  };
  add("sum", sum_kernel<T, Sum>);
  if constexpr (std::is_floating_point_v<T> || kHalf<T>) {
    add("nansum", sum_kernel<T, NanSum>);
    add("squared_l2_norm", square_sum_kernel<T>);
    add("l2_norm", l2_norm_kernel<T>);
  }
  add("mean", std::is_same_v<T, bool> ? any_kernel<T> : mean_kernel<T>);
  add("prod", prod_kernel<T>);
  add("any", any_kernel<T>);
  add("all", all_kernel<T>);
  if constexpr (!requires(T v) { v.real(); }) {
    add("max", max_kernel<T>);
    add("min", min_kernel<T>);
    add("amax", max_kernel<T>);
    add("amin", min_kernel<T>);
    add("argmax", arg_kernel<T, true>);
    add("argmin", arg_kernel<T, false>);
  }
}

}  // namespace

void register_reduce_cpu(Registry& r) {
  init_loop_tables();
  register_type<bool>(r);
  register_type<uint8_t>(r);
  register_type<int8_t>(r);
  register_type<int16_t>(r);
  register_type<int32_t>(r);
  register_type<int64_t>(r);
  register_type<float16>(r);
  register_type<bfloat16>(r);
  register_type<float>(r);
  register_type<double>(r);
  register_type<std::complex<float>>(r);
  register_type<std::complex<double>>(r);
}

}  // namespace paddle::cpu
