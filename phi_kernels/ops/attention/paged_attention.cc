// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attention to keys and values that lie in blocks ("pages") of a cache, after Kwon et al.,
// "Efficient Memory Management for Large Language Model Serving with PagedAttention" (2023), and
// the write of new ones into it. For serving: nothing has a gradient.
//
// A cache is [blocks, 2, kv_heads, block_size, width], where part 0 has the keys, part 1 the
// values; or one tensor of each, [blocks, kv_heads, block_size, width]. A row of `width` is
// head_dim numbers; in an int8 cache with the two bytes of a float16 behind them, the scale of the
// row; in a uint8 cache half a byte a number, a byte for the scale of sixteen, and the same two.
#include <cmath>

#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

constexpr int64_t kScaleBytes = 2;

// Elements of a row of head_dim numbers.
Dim row_width(DType cache, Dim depth) {
  if (cache == DType::kInt8) return depth + Dim(kScaleBytes);
  if (cache != DType::kUInt8) return depth;
  constexpr int64_t kUnit = 32, kBytes = kUnit / 2 + 2;  // numbers side by side, with their scales
  return floordiv(depth + Dim(kUnit - 1), Dim(kUnit)) * Dim(kBytes) + Dim(kScaleBytes);
}
// A row of argument x must fit rows of `found` elements.
void require_width(const Infer& c, int x, int cache, Dim found) {
  const DType dtype = c.dtype(cache);
  const Dim depth = c.shape(x)[2], width = row_width(dtype, depth);
  if (decide_eq(width, found, true)) return;
  PADDLE_CHECK_VALUE(dtype == DType::kInt8 || dtype == DType::kUInt8, c.op_name(), ": ",
                     c.arg_name(x), " has shape ", c.shape(x), " and cache ", c.shape(cache),
                     "; head_dim of ", c.arg_name(x), " must be ", found, ".");
  PADDLE_CHECK_VALUE(false, c.op_name(), ": ", c.arg_name(x), " has shape ", c.shape(x),
                     " and cache ", c.shape(cache), "; rows of ", width, " bytes hold head_dim ",
                     depth, " in ", dtype,
                     " (int8: head_dim + 2; uint8: ceil(head_dim / 32) * 18 + 2).");
}

bool is_row_dtype(DType d) {
  return d == DType::kFloat32 || d == DType::kFloat16 || d == DType::kBFloat16;
}

void require_rows(const Infer& c, int k) {
  PADDLE_CHECK_TYPE(is_row_dtype(c.dtype(k)), c.op_name(), ": ", c.arg_name(k), " has dtype ",
                    c.dtype(k),
                    "; it must be float32, float16 or bfloat16; cast it with astype().");
  c.require_rank(k, 3);
}

// Extents of a cache that holds both parts (rank 5), or one (rank 4).
struct CacheShape {
  Dim heads, width;
};

CacheShape require_cache(const Infer& c, int cache, bool both) {
  const DType dtype = c.dtype(cache);
  PADDLE_CHECK_TYPE(is_row_dtype(dtype) || dtype == DType::kInt8 || dtype == DType::kUInt8,
                    c.op_name(), ": ", c.arg_name(cache), " has dtype ", dtype,
                    "; it must be float32, float16, bfloat16, int8 or uint8.");
  const Shape& s = c.shape(cache);
  PADDLE_CHECK_VALUE(s.size() == (both ? 5 : 4) && (!both || decide_eq(s[1], 2, true)), c.op_name(),
                     ": ", c.arg_name(cache), " has shape ", s, "; it must be ",
                     both ? "[blocks, 2, kv_heads, block_size, head_dim], keys and values."
                          : "[blocks, kv_heads, block_size, head_dim], as the values are in "
                            "another tensor or none are given.");
  const size_t at = both ? 2 : 1;
  return {s[at], s[at + 2]};
}

void require_indices(const Infer& c, int k, int64_t rank) {
  c.require_dtype(k, DType::kInt32);
  c.require_rank(k, rank);
}

// arguments: cache, k, v, slots
void infer_write(Infer& c) {
  const CacheShape cache = require_cache(c, 0, c.has(2));
  require_rows(c, 1);
  if (c.has(2)) {
    c.require_like(1, 2);
  }
  const Shape& k = c.shape(1);
  PADDLE_CHECK_VALUE(decide_eq(k[1], cache.heads, true), c.op_name(), ": k has shape ", k,
                     " and cache ", c.shape(0), "; k must be [tokens, kv_heads, head_dim] with ",
                     cache.heads, " kv_heads.");
  require_width(c, 1, 0, cache.width);
  require_indices(c, 3, 1);
  c.require_shape(3, Shape{k[0]});
  c.out(0, c.shape(0), c.dtype(0));
}

// arguments: q, cache, tables, starts, lengths, sinks, scale, window, soft_cap, value_cache
void infer_attention(Infer& c) {
  require_rows(c, 0);
  const CacheShape cache = require_cache(c, 1, !c.has(9));
  if (c.has(9)) c.require_like(1, 9);
  const Shape& q = c.shape(0);
  require_width(c, 0, 1, cache.width);
  PADDLE_CHECK_VALUE(
      decide_eq(q[1], cache.heads, true) ||
          (!decide_eq(cache.heads, 0, false) && decide_eq(mod(q[1], cache.heads), 0, true)),
      c.op_name(), ": q has ", q[1], " heads and cache ", cache.heads,
      "; the heads of q must be a multiple of those of cache.");
  require_indices(c, 2, 2);
  require_indices(c, 3, 1);
  require_indices(c, 4, 1);
  const Dim sequences = c.shape(2)[0];
  c.require_shape(3, Shape{sequences + Dim(1)});
  c.require_shape(4, Shape{sequences});
  if (c.has(5)) {
    PADDLE_CHECK_TYPE(c.dtype(5) == DType::kFloat32 || c.dtype(5) == c.dtype(0), c.op_name(),
                      ": sinks has dtype ", c.dtype(5), "; it must be float32 or that of q, ",
                      c.dtype(0), ".");
    c.require_shape(5, Shape{q[1]});
  }
  PADDLE_CHECK_VALUE(std::isfinite(c.f(6)), c.op_name(), ": scale has value ", c.f(6),
                     "; it must be finite, most often 1 / sqrt(head_dim).");
  PADDLE_CHECK_VALUE(c.i(7) >= 0, c.op_name(), ": window has value ", c.i(7),
                     "; it must be 0 for all earlier keys, or their number.");
  PADDLE_CHECK_VALUE(c.f(8) >= 0 && std::isfinite(c.f(8)), c.op_name(), ": soft_cap has value ",
                     c.f(8), "; it must be 0 for none, or the bound of the scores.");
  c.out(0, q, c.dtype(0));
}

}  // namespace

void register_paged_attention(Registry& r) {
  r.op("paged_cache_write")
      .schema("paged_cache_write(Tensor cache, Tensor k, Tensor? v, Tensor slots) -> (Tensor out)")
      .doc(
          "The cache with the keys and values of new tokens in their slots; the last one stays "
          "where several tokens have one slot. Rows of int8 and uint8 caches are rotated by the "
          "Walsh-Hadamard transform (Ashkboos et al. 2024, QuaRot), in blocks of the largest power "
          "of two up to 128 that divides head_dim, then rounded: in int8 to multiples of a scale "
          "of the row, a float16; in uint8, four bits a number, to one of sixteen levels times a "
          "scale of sixteen "
          "numbers, itself an int8 multiple of the row's.\n"
          "cache: [blocks, 2, kv_heads, block_size, head_dim], keys and values, in float32, "
          "float16, bfloat16; int8 with head_dim + 2 bytes a row; or uint8 with ceil(head_dim / "
          "32) "
          "* 18 + 2. Without v one part, [blocks, kv_heads, block_size, ...].\n"
          "k: [tokens, kv_heads, head_dim] in float32, float16 or bfloat16.\n"
          "v: Like k; None where the cache holds keys or values alone.\n"
          "slots: int32 [tokens]: block * block_size + offset in the block; -1 writes nothing.\n"
          "Raises: IndexError: A slot is outside the cache.",
          "cache = paddle.zeros([2, 2, 1, 4, 8])\n"
          "k = paddle.ones([1, 1, 8])\n"
          "paddle.incubate.nn.functional.paged_cache_write(cache, k, k, paddle.to_tensor([5], "
          "'int32'))")
      .python("paddle.incubate.nn.functional.paged_cache_write(cache, k, v, slots, name=None)")
      .inplace_python(
          "paddle.incubate.nn.functional.paged_cache_write_(cache, k, v, slots, name=None)")
      .spmd(sharding::paged_cache_write)
      .opaque("writes rows that a run addresses into blocks, some of them nowhere")
      .partial_write()
      .no_grad()
      .infer(infer_write);
  r.op("paged_attention")
      .schema(
          "paged_attention(Tensor q, Tensor cache, Tensor tables, Tensor starts, Tensor lengths, "
          "Tensor? sinks, float scale, int window=0, float soft_cap=0.0, Tensor? value_cache) -> "
          "(Tensor out)")
      .doc(
          "softmax(scale q k') v of new tokens with the keys and values that a cache holds in "
          "blocks, those of the tokens themselves included (Kwon et al. 2023, PagedAttention). Row "
          "i of the n rows of a sequence of `length` keys stands at position length - n + i and "
          "sees the keys up to it. Sums are in float32. A row of the result depends on its query "
          "and the keys that it sees alone.\n"
          "q: [tokens, heads, head_dim], the sequences one after the other, in float32, float16 or "
          "bfloat16; heads is a multiple of kv_heads.\n"
          "cache: As paged_cache_write has it; with value_cache, the keys alone.\n"
          "tables: int32 [sequences, most_blocks]: the blocks of each sequence in order. Entries "
          "of which no key is seen are not read.\n"
          "starts: int32 [sequences + 1]: the first row of each sequence, and the end of the last; "
          "rows behind it are 0 in the result.\n"
          "lengths: int32 [sequences]: keys in the cache.\n"
          "sinks: [heads]: a further score of each head, which has no value.\n"
          "window: Where positive, keys are seen whose distance to the row is less.\n"
          "soft_cap: Where positive, scores become soft_cap tanh(score / soft_cap).\n"
          "Raises: IndexError: An index is out of range.",
          "cache = paddle.rand([2, 2, 1, 4, 8])\n"
          "one = lambda *x: paddle.to_tensor(x, 'int32')\n"
          "q = paddle.rand([1, 2, 8])\n"
          "paddle.incubate.nn.functional.paged_attention(q, cache, one([1, 0]), one(0, 1), one(6), "
          "None, 0.35)")
      .python(
          "paddle.incubate.nn.functional.paged_attention(q, cache, tables, starts, lengths, sinks, "
          "scale, window=0, soft_cap=0.0, value_cache=None, name=None)")
      .spmd(sharding::paged_attention)
      .opaque("reads blocks that a run addresses, for sequences of lengths that a run tells")
      .no_grad()
      .infer(infer_attention);
}

}  // namespace paddle::ops
