// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products with weights that are quantised in blocks (paddle_core/type/block_format.h). The weight
// is a constant: gradients go to the other operands.
#include <algorithm>
#include <string_view>

#include "paddle_core/base/error.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "paddle_core/type/block_format.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/quantize.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

constexpr std::string_view kWritten[] = {"Q8_0", "Q5_0", "Q4_K", "Q6_K"};

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

const BlockLayout& layout(const Infer& c, int format) {
  BlockFormat found{};
  PADDLE_CHECK_VALUE(block_format_from_name(c.text(format), found), c.op_name(),
                     ": format has value ", c.text(format), "; it must be one of ",
                     block_format_names(), ".");
  return layout_of(found);
}

// That `weight` holds rows x columns numbers of the format.
void require_weight(const Infer& c, int weight, int format, int64_t rows, Dim columns,
                    bool packed) {
  const BlockLayout& l = layout(c, format);
  c.require_dtype(weight, DType::kUInt8);
  PADDLE_CHECK_VALUE(!packed || !l.is_float, c.op_name(), ": packed is true; a weight in ", l.name,
                     " is read as it is, so packed must be false.");
  PADDLE_CHECK_VALUE(!columns.is_symbolic() && rows >= 0 && columns.value() % l.weights == 0,
                     c.op_name(), ": a weight of ", rows, " rows and ", columns,
                     " columns cannot be ", l.name, "; the columns must be a multiple of ",
                     l.weights, ".");
  const int64_t n = columns.value();
  const Shape expected =
      packed ? Shape{packed_bytes(l, rows, n)} : Shape{rows, block_row_bytes(l, n)};
  PADDLE_CHECK_VALUE(c.shape(weight) == expected, c.op_name(), ": weight has shape ",
                     c.shape(weight), "; ", rows, " rows of ", n, " numbers in ", l.name,
                     packed ? ", packed," : "", " have shape ", expected, ".");
}

DType require_float_dtype(const Infer& c, int k) {
  const DType dtype = c.dtype_attr(k);
  PADDLE_CHECK_TYPE(
      dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16,
      c.op_name(), ": dtype has value ", dtype, "; it must be float32, float16 or bfloat16.");
  return dtype;
}

// arguments: weight, format, rows, columns, packed, dtype
void infer_dequantize(Infer& c) {
  require_weight(c, 0, 1, c.i(2), c.i(3), c.b(4));
  c.out(0, Shape{c.i(2), c.i(3)}, require_float_dtype(c, 5));
}

// arguments: weight, format
void infer_pack(Infer& c) {
  const BlockLayout& l = layout(c, 1);
  PADDLE_CHECK_VALUE(!l.is_float, "pack_q: format has value ", l.name,
                     "; weights of that format are read as they are and have no packed form.");
  c.require_dtype(0, DType::kUInt8);
  c.require_rank(0, 2);
  const Shape& s = c.shape(0);
  PADDLE_CHECK_VALUE(!s[0].is_symbolic() && !s[1].is_symbolic() && s[1].value() % l.bytes == 0,
                     "pack_q: weight has shape ", s, "; rows of ", l.name, " are a multiple of ",
                     l.bytes, " bytes long.");
  c.out(0, Shape{packed_bytes(l, s[0].value(), s[1].value() / l.bytes * l.weights)}, DType::kUInt8);
}

// arguments: x, format
void infer_quantize(Infer& c) {
  const BlockLayout& l = layout(c, 1);
  PADDLE_CHECK_VALUE(is_one_of(c.text(1), kWritten), "quantize_q: format has value ", c.text(1),
                     "; blocks of these formats are made: Q8_0, Q5_0, Q4_K, Q6_K.");
  c.require_dtype(0, DType::kFloat32);
  c.require_rank(0, 2);
  const Shape& s = c.shape(0);
  PADDLE_CHECK_VALUE(!s[1].is_symbolic() && s[1].value() % l.weights == 0,
                     "quantize_q: x has shape ", s, "; rows of ", l.name, " are a multiple of ",
                     l.weights, " numbers long.");
  c.out(0, Shape{s[0], Dim(block_row_bytes(l, s[1].value()))}, DType::kUInt8);
}

// arguments: ids, weight, format, rows, columns, packed, dtype
void infer_embedding(Infer& c) {
  c.require_dtype(0, DType::kInt64);
  require_weight(c, 1, 2, c.i(3), c.i(4), c.b(5));
  Shape shape = c.shape(0);
  shape.push_back(c.i(4));
  c.out(0, shape, require_float_dtype(c, 6));
}

// arguments: x, weight, bias, format, rows, packed
void infer_matmul(Infer& c) {
  c.require_floating(0);
  c.require_rank_at_least(0, 1);
  require_weight(c, 1, 3, c.i(4), c.shape(0).back(), c.b(5));
  if (c.has(2)) {
    c.require_same_dtype(0, 2);
    c.require_shape(2, Shape{c.i(4)});
  }
  Shape shape = c.shape(0);
  shape.back() = c.i(4);
  c.out(0, shape, c.dtype(0));
}

// arguments: x, weight, ids, format, experts, rows, packed
void infer_expert_matmul(Infer& c) {
  c.require_floating(0);
  c.require_dtype(2, DType::kInt64);
  c.require_rank(2, 2);
  const Shape &x = c.shape(0), &ids = c.shape(2);
  PADDLE_CHECK_VALUE((x.size() == 2 || x.size() == 3) && decide_eq(x[0], ids[0], true) &&
                         (x.size() == 2 || decide_eq(x[1], ids[1], true)),
                     "expert_matmul_q: x has shape ", x, " and ids ", ids,
                     "; there must be a row for each token or for each choice.");
  PADDLE_CHECK_VALUE(c.i(4) >= 0 && c.i(5) >= 0 && (!c.b(6) || c.i(5) % kPackedRows == 0),
                     "expert_matmul_q: experts has value ", c.i(4), " and rows ", c.i(5),
                     "; they must be at least 0, and packed weights of several experts have a "
                     "multiple of ",
                     kPackedRows, " rows each; others stay as they are.");
  require_weight(c, 1, 3, c.i(4) * c.i(5), x.back(), c.b(6));
  c.out(0, Shape{ids[0], ids[1], c.i(5)}, c.dtype(0));
}

// In float64, too: the numbers of the formats are defined in float32.
Tensor dequantized(const Tensor& weight, std::string_view format, int64_t rows, Dim columns,
                   bool packed, DType dtype) {
  const DType held = dtype == DType::kFloat64 ? DType::kFloat32 : dtype;
  return as_dtype(dequantize_q(weight, format, rows, columns.value(), packed, held), dtype);
}

TensorList decompose_embedding(Args& a) {
  return {embedding(a.tensor(0),
                    dequantized(a.tensor(1), a.text(2), a.i(3), a.i(4), a.b(5), a.dtype(6)))};
}

TensorList decompose_matmul(Args& a) {
  const Tensor& x = a.tensor(0);
  const Tensor out =
      matmul(x, dequantized(a.tensor(1), a.text(3), a.i(4), x.shape().back(), a.b(5), x.dtype()),
             false, true);
  return {a.has(2) ? out + a.tensor(2) : out};
}

void vjp_matmul(Vjp& v) {
  if (v.needs(0)) {
    v.set(0, matmul(v.grad(), dequantized(v.in(1), v.text(3), v.i(4), v.in(0).shape().back(),
                                          v.b(5), v.grad().dtype())));
  }
  if (v.needs(2)) v.set(2, v.grad());
}

// The matrices of the experts, arguments as above.
template <typename A>
Tensor expert_matrices(A& a, const Tensor& weight, Dim columns, DType dtype) {
  const int64_t experts = a.i(4), rows = a.i(5);
  return reshape(dequantized(weight, a.text(3), experts * rows, columns, a.b(6), dtype),
                 Shape{Dim(experts), Dim(rows), columns});
}

TensorList decompose_expert_matmul(Args& a) {
  const Tensor& x = a.tensor(0);
  return {expert_matmul(x, expert_matrices(a, a.tensor(1), x.shape().back(), x.dtype()),
                        a.tensor(2), true)};
}

void vjp_expert_matmul(Vjp& v) {
  const Tensor x = v.in(0), g = v.grad();
  if (!v.needs(0)) return;
  const Tensor by_choice =
      expert_matmul(g, expert_matrices(v, v.in(1), x.shape().back(), g.dtype()), v.in(2), false);
  v.set(0, x.ndim() == 2 ? sum(by_choice, Shape{Dim(1)}, g.dtype(), false) : by_choice);
}

}  // namespace

void register_block_weights(Registry& r) {
  r.op("dequantize_q")
      .schema(
          "dequantize_q(Tensor weight, str format, int rows, int columns, bool packed=false, DType "
          "dtype=float32) -> (Tensor out)")
      .doc(
          "The numbers [rows, columns] of a weight that is quantised in blocks: uint8 [rows, bytes "
          "of "
          "a row], or what pack_q gives of it. Formats are those of GGUF files, and F8_E4M3: 128 "
          "8-bit floats and a float32 scale behind them.",
          "paddle._C_ops.dequantize_q(paddle.zeros([2, 34], 'uint8'), 'Q8_0', 2, 32)")
      .spmd(sharding::block_rows)
      .opaque("a table of bytes, format by format")
      .no_grad()
      .infer(infer_dequantize);
  r.op("pack_q")
      .schema("pack_q(Tensor weight, str format) -> (Tensor out)")
      .doc(
          "The bytes of a weight that is quantised in blocks, in the order in which matmul_q reads "
          "them "
          "fastest. Scales and minima become float16.",
          "paddle._C_ops.pack_q(paddle.zeros([2, 34], 'uint8'), 'Q8_0')")
      .spmd(sharding::packed_rows)
      .opaque("an order of bytes in memory")
      .no_grad()
      .infer(infer_pack);
  r.op("quantize_q")
      .schema("quantize_q(Tensor x, str format) -> (Tensor out)")
      .doc(
          "The rows of x [rows, columns] quantised in blocks: uint8 [rows, bytes of a row], which "
          "dequantize_q reads. Q8_0 and Q5_0 round to multiples of a scale that the number of "
          "largest "
          "magnitude gives; Q4_K and Q6_K search the scales with the least squared error, in which "
          "large numbers count more.\n"
          "x: float32; columns is a multiple of the numbers in a block, 32 or 256.\n"
          "format: Q8_0, Q5_0, Q4_K or Q6_K.",
          "paddle._C_ops.quantize_q(paddle.ones([2, 32]), 'Q8_0')")
      .spmd(sharding::samples)
      .opaque("a search for codes, block by block")
      .no_grad()
      .infer(infer_quantize);
  r.op("embedding_q")
      .schema(
          "embedding_q(Tensor ids, Tensor weight, str format, int rows, int columns, bool "
          "packed=false, DType dtype=float32) -> (Tensor out)")
      .doc("Rows `ids` (int64) of a weight that is quantised in blocks.",
           "paddle._C_ops.embedding_q(paddle.zeros([3], 'int64'), paddle.zeros([2, 34], 'uint8'), "
           "'Q8_0', 2, 32)")
      .no_grad()
      .infer(infer_embedding)
      .decompose(decompose_embedding);
  r.op("matmul_q")
      .schema(
          "matmul_q(Tensor x, Tensor weight, Tensor? bias, str format, int rows, bool "
          "packed=false) "
          "-> (Tensor out)")
      .doc(
          "x W^T + bias for a weight W [rows, columns] that is quantised in blocks; x is [..., "
          "columns]. Few rows of x are rounded to 8 bits with one scale for 32 columns and "
          "multiplied "
          "in integers, many may be multiplied in bfloat16. With F8_E4M3 few rows are multiplied "
          "in float32.",
          "paddle._C_ops.matmul_q(paddle.ones([3, 32]), paddle.zeros([2, 34], 'uint8'), None, "
          "'Q8_0', "
          "2)")
      .infer(infer_matmul)
      .saves({"weight"})
      .vjp(vjp_matmul)
      .decompose(decompose_matmul);
  r.op("expert_matmul_q")
      .schema(
          "expert_matmul_q(Tensor x, Tensor weight, Tensor ids, str format, int experts, int rows, "
          "bool packed=false) -> (Tensor out)")
      .doc(
          "expert_matmul for matrices [rows, columns] that are quantised in blocks, one below the "
          "other in `weight`. An expert that few rows chose multiplies them as matmul_q does few "
          "rows.\n"
          "x: A Tensor [tokens, columns], or [tokens, choices, columns].\n"
          "weight: As matmul_q has it, for experts * rows rows. Packed, rows is a multiple of "
          "16.\n"
          "ids: int64 [tokens, choices].\n"
          "Returns: A Tensor [tokens, choices, rows].\n"
          "Raises: IndexError: ids holds a number outside of [0, experts).",
          "paddle._C_ops.expert_matmul_q(paddle.ones([3, 32]), paddle.zeros([8, 34], 'uint8'), "
          "paddle.zeros([3, 2], 'int64'), 'Q8_0', 4, 2)")
      .infer(infer_expert_matmul)
      .saves({"x", "weight", "ids"})
      .vjp(vjp_expert_matmul)
      .decompose(decompose_expert_matmul);
}

}  // namespace paddle::ops
