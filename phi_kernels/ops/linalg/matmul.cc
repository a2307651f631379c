// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products: matmul and what is defined through it (linear, bmm, mv, dot, addmm, baddbmm).
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/costs.h"
#include "phi_kernels/ops/linalg.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

void check_product_types(const Infer& c, int x, int y) {
  PADDLE_CHECK_TYPE(c.dtype(x) == c.dtype(y), c.op_name(), ": ", c.arg_name(x), " has dtype ",
                    c.dtype(x), " and ", c.arg_name(y), " has dtype ", c.dtype(y),
                    "; both must have the same dtype; cast one with astype().");
  PADDLE_CHECK_TYPE(!is_bool(c.dtype(x)), c.op_name(), ": ", c.arg_name(x),
                    " has dtype bool; products need numbers; cast with astype('int32').");
}

[[noreturn]] void fail_inner(const Infer& c, int x, int y, bool tx, bool ty, Dim a, Dim b) {
  throw_error(ErrorKind::kValue,
              str(c.op_name(), ": ", c.arg_name(x), " has shape ", c.shape(x), " and ",
                  c.arg_name(y), " has shape ", c.shape(y), "; the ",
                  tx ? "second-to-last" : "last", " dimension of ", c.arg_name(x), " (", a,
                  ") must equal the ", ty || c.rank(y) == 1 ? "last" : "second-to-last", " of ",
                  c.arg_name(y), " (", b, "). If ", c.arg_name(y), " is stored transposed, ",
                  c.op_name() == std::string_view("matmul") ? "pass transpose_y=True."
                                                            : "transpose it first."));
}

// The leading dimensions, which hold one matrix each.
Shape batch_of(const Shape& s) {
  return Shape(s.begin(), s.end() - static_cast<int64_t>(std::min<size_t>(s.size(), 2)));
}

void broadcast_batches(const Infer& c, int x, int y, Shape& out) {
  const Shape a = batch_of(c.shape(x)), b = batch_of(c.shape(y));
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Dim m = a[a.size() - 1 - i], n = b[b.size() - 1 - i];
    PADDLE_CHECK_VALUE(
        m == n || decide_eq(m, 1, false) || decide_eq(n, 1, false) || decide_eq(m, n, true),
        c.op_name(), ": ", c.arg_name(x), " has shape ", c.shape(x), " and ", c.arg_name(y),
        " has shape ", c.shape(y), "; the dimensions before the last ", "two must broadcast, and ",
        m, " is not ", n, "; expand or reshape one of them.");
  }
  broadcast_into(a, b, c.op_name(), c.arg_name(x), c.arg_name(y), out);
}

void product_shape(Infer& c, int xi, int yi, bool transpose_x, bool transpose_y) {
  check_product_types(c, xi, yi);
  c.require_rank_at_least(xi, 1);
  c.require_rank_at_least(yi, 1);
  const Shape &x = c.shape(xi), &y = c.shape(yi);
  const size_t p = x.size(), q = y.size();
  const bool tx = transpose_x && p > 1, ty = transpose_y && q > 1;
  const Dim kx = tx ? x[p - 2] : x[p - 1];
  const Dim ky = q == 1 ? y[0] : (ty ? y[q - 1] : y[q - 2]);
  if (!decide_eq(kx, ky, true)) fail_inner(c, xi, yi, tx, ty, kx, ky);
  Shape& out = c.out(0, c.dtype(xi));
  out.clear();
  if (p > 2 || q > 2) broadcast_batches(c, xi, yi, out);
  if (p > 1) out.push_back(tx ? x[p - 1] : x[p - 2]);
  if (q > 1) out.push_back(ty ? y[q - 2] : y[q - 1]);
}

void infer_matmul(Infer& c) { product_shape(c, 0, 1, c.b(2), c.b(3)); }

void infer_linear(Infer& c) {
  product_shape(c, 0, 1, false, false);
  if (!c.has(2)) return;
  const Shape &bias = c.shape(2), product = c.out(0, c.dtype(0));
  bool fits = bias.size() <= product.size();
  for (size_t i = 0; fits && i < bias.size(); ++i) {
    const Dim have = bias[bias.size() - 1 - i], want = product[product.size() - 1 - i];
    fits = decide_eq(have, want, true) || decide_eq(have, 1, false);
  }
  PADDLE_CHECK_VALUE(fits, c.op_name(), ": bias has shape ", bias, " and weight has shape ",
                     c.shape(1), "; bias must have one value per column of weight; reshape it to [",
                     c.shape(1).back(), "].");
}

void infer_bmm(Infer& c) {
  c.require_rank(0, 3);
  c.require_rank(1, 3);
  PADDLE_CHECK_VALUE(decide_eq(c.shape(0)[0], c.shape(1)[0], true), c.op_name(), ": x has shape ",
                     c.shape(0), " and y has shape ", c.shape(1),
                     "; the first dimensions must be equal; use matmul to broadcast them.");
  product_shape(c, 0, 1, false, false);
}

void infer_mv(Infer& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  product_shape(c, 0, 1, false, false);
}

void infer_dot(Infer& c) {
  check_product_types(c, 0, 1);
  const Shape &x = c.shape(0), &y = c.shape(1);
  PADDLE_CHECK_VALUE(x.size() == y.size() && !x.empty() && x.size() <= 2, c.op_name(),
                     ": x has shape ", x, " and y has shape ", y,
                     "; both must have rank 1, or rank 2 with one product per row; use matmul.");
  for (size_t i = 0; i < x.size(); ++i) {
    PADDLE_CHECK_VALUE(decide_eq(x[i], y[i], true), c.op_name(), ": x has shape ", x,
                       " and y has shape ", y, "; the shapes must be equal; reshape one of them.");
  }
  c.out(0, Shape(x.begin(), x.end() - 1), c.dtype(0));
}

void infer_addmm(Infer& c) {
  product_shape(c, 1, 2, false, false);
  const Shape product = c.out(0, c.dtype(1));
  Shape out;
  broadcast_into(c.shape(0), product, c.op_name(), "input", "x @ y", out);
  PADDLE_CHECK_VALUE(out.size() == product.size(), c.op_name(), ": input has shape ", c.shape(0),
                     "; it must broadcast to the shape ", product, " of x @ y; reduce its rank.");
  c.out(0, product, c.dtype(1));
}

Tensor conjugate(const Tensor& t) { return is_complex(t.dtype()) ? conj(t) : t; }

// x as [rows, columns]: leading dimensions merged, so that a weight's gradient is one product.
Tensor merge_leading(const Tensor& x) {
  Dim leading = 1;
  for (size_t i = 0; i + 1 < x.shape().size(); ++i) leading = leading * x.shape()[i];
  return reshape(x, Shape{leading, x.shape().back()});
}

struct ProductGrads {
  Tensor x, y;
};

// Gradients for operands of rank >= 2 (that a gradient reads); the engine sums broadcast batch
// dimensions.
ProductGrads matrix_grads(const Tensor& x, const Tensor& y, const Tensor& g, bool tx, bool ty,
                          bool need_x, bool need_y) {
  ProductGrads r;
  if (need_x) {
    const Tensor other = conjugate(y);
    r.x = tx ? matmul(other, g, ty, true) : matmul(g, other, false, !ty);
  }
  if (need_y) {
    const Tensor other = conjugate(x);
    if (y.ndim() <= 2 && x.ndim() > 2 && !tx) {
      const Tensor rows = merge_leading(other), grad = merge_leading(g);
      r.y = ty ? matmul(grad, rows, true, false) : matmul(rows, grad, true, false);
    } else {
      r.y = ty ? matmul(g, other, true, tx) : matmul(other, g, !tx, false);
    }
  }
  return r;
}

ProductGrads product_grads(const Tensor& x, const Tensor& y, const Tensor& grad, bool tx, bool ty,
                           bool need_x, bool need_y) {
  const bool x_vector = x.ndim() == 1, y_vector = y.ndim() == 1;
  if (!x_vector && !y_vector) return matrix_grads(x, y, grad, tx, ty, need_x, need_y);
  // A vector is a matrix of one row (x) or one column (y).
  Tensor g = grad;
  if (y_vector) g = unsqueeze(g, Shape{-1});
  if (x_vector) g = unsqueeze(g, Shape{-2});
  // What no gradient reads may have no values.
  const Tensor a = x_vector && need_y ? unsqueeze(x, Shape{0}) : x;
  const Tensor b = y_vector && need_x ? unsqueeze(y, Shape{1}) : y;
  ProductGrads r = matrix_grads(a, b, g, tx && !x_vector, ty && !y_vector, need_x, need_y);
  if (r.x.defined() && x_vector) r.x = squeeze(r.x, Shape{-2});
  if (r.y.defined() && y_vector) r.y = squeeze(r.y, Shape{-1});
  return r;
}

void product_vjp(Vjp& v, int x, int y, bool tx, bool ty, const Tensor& g) {
  ProductGrads r = product_grads(v.in(x), v.in(y), g, tx, ty, v.needs(x), v.needs(y));
  if (r.x.defined()) v.set(x, r.x);
  if (r.y.defined()) v.set(y, r.y);
}

void vjp_addmm(Vjp& v) {
  if (v.needs(0)) v.set(0, times(v.grad(), v.f(3)));
  if (v.needs(1) || v.needs(2)) product_vjp(v, 1, 2, false, false, times(v.grad(), v.f(4)));
}

TensorList decompose_addmm(Args& a) {
  return {times(a.tensor(0), a.f(3)) +
          times(matmul(a.tensor(1), a.tensor(2), false, false), a.f(4))};
}

TensorList decompose_product(Args& a) { return {matmul(a.tensor(0), a.tensor(1), false, false)}; }

void vjp_product(Vjp& v) { product_vjp(v, 0, 1, false, false, v.grad()); }

void register_batched_products(Registry& r) {
  r.op("matmul")
      .schema(
          "matmul(Tensor x, Tensor y, bool transpose_x=false, bool transpose_y=false) -> (Tensor "
          "out)")
      .spmd(sharding::matmul)
      .doc(
          "Matrix product of the last two axes: [..., m, k] and [..., k, n] give [..., m, n].\n"
          "x: A floating, complex or integer Tensor; of one axis, it is one row.\n"
          "y: The same; of one axis, it is one column. The axes in front of the last two "
          "broadcast.\n"
          "transpose_x: Whether the last two axes of x are swapped first.\n"
          "transpose_y: Whether the last two axes of y are swapped first.\n"
          "Returns: A Tensor of the common dtype; an axis that a vector lacked is left out.\n"
          "Raises: ValueError: The inner extents differ, or the axes in front do not broadcast.",
          "paddle.matmul(paddle.ones([2, 3]), paddle.ones([4, 3]), transpose_y=True).shape  # "
          "paddle.Size([2, 4])")
      .python("paddle.matmul(x, y, transpose_x=False, transpose_y=False, name=None, *, out=None)")
      .python("paddle.linalg.matmul(x, y, transpose_x=False, transpose_y=False, name=None)")
      .python("Tensor.matmul(y, transpose_x=False, transpose_y=False, name=None, *, out=None)")
      .trait(kBroadcast | kPromote | kBilinear)
      .cost(cost::matmul)
      .primitive("the matrix product, which libraries compute at the machine's limit")
      .amp_class(AmpClass::kLow)
      .infer(infer_matmul)
      .saves({"x", "y"})
      .vjp([](Vjp& v) { product_vjp(v, 0, 1, v.b(2), v.b(3), v.grad()); });

  r.op("linear")
      .schema("linear(Tensor x, Tensor weight, Tensor? bias) -> (Tensor out)")
      .doc(
          "x @ weight + bias.\n"
          "x: A floating Tensor of shape [..., in_features].\n"
          "weight: A Tensor of shape [in_features, out_features].\n"
          "bias: A Tensor of shape [out_features], or None.\n"
          "Returns: A Tensor of shape [..., out_features].\n"
          "Raises: ValueError: The last extent of x is not in_features.",
          "F = paddle.nn.functional\n"
          "F.linear(paddle.ones([2, 3]), paddle.ones([3, 4]), paddle.zeros([4])).shape  # "
          "paddle.Size([2, 4])")
      .python("paddle.nn.functional.linear(x, weight, bias=None, name=None)")
      .trait(kBroadcast | kPromote | kBilinear | kUnsaved)
      .amp_class(AmpClass::kLow)
      .infer(infer_linear)
      .saves({"x", "weight"})
      .vjp([](Vjp& v) {
        product_vjp(v, 0, 1, false, false, v.grad());
        if (v.has(2) && v.needs(2)) v.set(2, v.grad());
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor out = matmul(a.tensor(0), a.tensor(1), false, false);
        return {a.has(2) ? out + a.tensor(2) : out};
      });
}

void register_products_by_rank(Registry& r) {
  r.op("bmm")
      .schema("bmm(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Matrix product of each pair in a batch.\n"
          "x: A floating, complex or integer Tensor of shape [b, m, k].\n"
          "y: A Tensor of shape [b, k, n].\n"
          "Returns: A Tensor of shape [b, m, n].\n"
          "Raises: ValueError: An argument has other than three axes, or extents do not fit.",
          "paddle.bmm(paddle.ones([2, 3, 4]), paddle.ones([2, 4, 5])).shape  # paddle.Size([2, 3, "
          "5])")
      .python("paddle.bmm(x, y, name=None, *, out=None)")
      .python("Tensor.bmm(y, name=None, *, out=None)")
      .alias("mat2", "y")
      .trait(kPromote | kBilinear)
      .amp_class(AmpClass::kLow)
      .infer(infer_bmm)
      .saves({"x", "y"})
      .vjp(vjp_product)
      .decompose(decompose_product);

  r.op("mv")
      .schema("mv(Tensor x, Tensor vec) -> (Tensor out)")
      .doc("Matrix times vector: [m, k] and [k] give [m].",
           "paddle.mv(paddle.ones([2, 3]), paddle.ones([3]))")
      .python("paddle.mv(x, vec, name=None)")
      .python("Tensor.mv(vec, name=None)")
      .trait(kPromote | kBilinear)
      .amp_class(AmpClass::kLow)
      .infer(infer_mv)
      .saves({"x", "vec"})
      .vjp(vjp_product)
      .decompose(decompose_product);

  r.op("dot")
      .schema("dot(Tensor x, Tensor y) -> (Tensor out)")
      .doc(
          "Inner product of two vectors, or of each pair of rows of two matrices.\n"
          "x: A Tensor of shape [n] or [m, n].\n"
          "y: A Tensor of the same shape.\n"
          "Returns: A Tensor of shape [] or [m].",
          "paddle.dot(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).item()  # 11.0")
      .python("paddle.dot(x, y, name=None, *, out=None)")
      .python("Tensor.dot(y, name=None, *, out=None)")
      .alias("tensor", "y")
      .trait(kPromote | kBilinear)
      .infer(infer_dot)
      .saves({"x", "y"})
      .vjp([](Vjp& v) {
        const Tensor g = unsqueeze(v.grad(), Shape{-1});
        if (v.needs(0)) v.set(0, g * conjugate(v.in(1)));
        if (v.needs(1)) v.set(1, g * conjugate(v.in(0)));
      })
      .decompose([](Args& a) -> TensorList {
        return {sum(a.tensor(0) * a.tensor(1), Shape{-1}, a.tensor(0).dtype(), false)};
      });
}

void register_products_with_addend(Registry& r) {
  r.op("addmm")
      .schema(
          "addmm(Tensor input, Tensor x, Tensor y, float beta=1.0, float alpha=1.0) -> (Tensor "
          "out)")
      .doc(
          "beta * input + alpha * (x @ y).\n"
          "input: A Tensor that broadcasts to [m, n].\n"
          "x: A Tensor of shape [m, k].\n"
          "y: A Tensor of shape [k, n].\n"
          "beta: A number.\n"
          "alpha: A number.\n"
          "Returns: A Tensor of shape [m, n].",
          "paddle.addmm(paddle.ones([1, 1]), paddle.ones([1, 3]), paddle.ones([3, 1]), "
          "beta=0.5).tolist()  # [[3.5]]")
      .python("paddle.addmm(input, x, y, beta=1.0, alpha=1.0, name=None)")
      .python("Tensor.addmm(x, y, beta=1.0, alpha=1.0, name=None)")
      .alias("mat1", "x")
      .alias("mat2", "y")
      .inplace_python("paddle.addmm_(input, x, y, beta=1.0, alpha=1.0, name=None)")
      .inplace_python("Tensor.addmm_(x, y, beta=1.0, alpha=1.0, name=None)")
      .trait(kBroadcast | kPromote | kBilinear)
      .amp_class(AmpClass::kLow)
      .infer(infer_addmm)
      .saves({"x", "y"})
      .vjp(vjp_addmm)
      .decompose(decompose_addmm);

  r.op("baddbmm")
      .schema(
          "baddbmm(Tensor input, Tensor x, Tensor y, float beta=1.0, float alpha=1.0) -> (Tensor "
          "out)")
      .doc("beta * input + alpha * (x @ y) for each pair in a batch.",
           "paddle.baddbmm(paddle.ones([2, 2, 2]), paddle.ones([2, 2, 3]), paddle.ones([2, 3, 2]))")
      .python("paddle.baddbmm(input, x, y, beta=1.0, alpha=1.0, name=None)")
      .python("Tensor.baddbmm(x, y, beta=1.0, alpha=1.0, name=None)")
      .alias("batch1", "x")
      .alias("batch2", "y")
      .inplace_python("paddle.baddbmm_(input, x, y, beta=1.0, alpha=1.0, name=None)")
      .inplace_python("Tensor.baddbmm_(x, y, beta=1.0, alpha=1.0, name=None)")
      .trait(kBroadcast | kPromote | kBilinear)
      .amp_class(AmpClass::kLow)
      .infer(infer_addmm)
      .saves({"x", "y"})
      .vjp(vjp_addmm)
      .decompose(decompose_addmm);
}

}  // namespace

void register_matmul(Registry& r) {
  register_batched_products(r);
  register_products_by_rank(r);
  register_products_with_addend(r);
}

}  // namespace paddle::ops
