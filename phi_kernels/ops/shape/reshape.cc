// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The same elements under another shape: reshape, flatten, squeeze, unsqueeze (views where the
// memory allows it), and the operators that read a shape: shape64 and numel.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/integers.h"

namespace paddle::ops {
namespace {

Shape flattened(const Shape& x, int64_t first, int64_t last) {
  const auto rank = static_cast<int64_t>(x.size());
  if (rank == 0) return Shape{1};
  const int64_t begin = normalize_axis(first, rank, "flatten", "start_axis");
  const int64_t end = normalize_axis(last, rank, "flatten", "stop_axis");
  PADDLE_CHECK_VALUE(begin <= end, "flatten: start_axis has value ", first,
                     " and stop_axis has value ", last, " on x of shape ", x,
                     "; start_axis must not lie behind stop_axis; swap them.");
  Shape out;
  Dim merged = 1;
  for (int64_t d = 0; d < rank; ++d) {
    const Dim n = x[static_cast<size_t>(d)];
    if (d < begin || d > end) {
      out.push_back(n);
    } else {
      merged = merged * n;
      if (d == end) out.push_back(merged);
    }
  }
  return out;
}

// An axis of unknown extent goes where it is named, and stays where none is.
Shape squeezed(const Shape& x, const Shape& axis) {
  const auto rank = static_cast<int64_t>(x.size());
  SmallVector<bool, 8> asked(x.size(), axis.empty());
  for (const Dim a : axis) {
    const int64_t d = normalize_axis(a.value(), rank, "squeeze");
    if (rank > 0) asked[static_cast<size_t>(d)] = true;
  }
  Shape out;
  for (size_t d = 0; d < x.size(); ++d) {
    if (!asked[d] || !decide_eq(x[d], 1, !axis.empty())) out.push_back(x[d]);
  }
  return out;
}

// Axes are inserted one after the other, as PaddlePaddle does.
Shape unsqueezed(const Shape& x, const Shape& axis) {
  Shape out = x;
  for (const Dim a : axis) {
    const int64_t d = normalize_axis(a.value(), static_cast<int64_t>(out.size()) + 1, "unsqueeze");
    out.insert(out.begin() + d, Dim(1));
  }
  return out;
}

Tensor alias_as(const Tensor& x, const Shape& target) {
  Strides strides;
  if (!view_strides(x.shape(), x.strides(), target, strides)) return Tensor();
  return Tensor::alias(x, target, strides, 0);
}

Tensor scatter_reshaped(Args&, const Tensor& base, const Tensor& value) {
  return reshape(value, base.shape());
}

void reshape_vjp(Vjp& v) { v.set(0, reshape(v.grad(), v.in(0).shape())); }

void register_regroupings(Registry& r) {
  r.op("reshape")
      .schema("reshape(Tensor x, IntArray@operand shape) -> (Tensor out)")
      .spmd(sharding::reshape)
      .doc(
          "The elements of x, in row-major order, under another shape; a view where the memory "
          "allows it.\n"
          "x: A Tensor of any dtype.\n"
          "shape: The new extents, a list of ints or a Tensor of them; one may be -1 (inferred), "
          "and 0 keeps the extent of x at that place.\n"
          "Returns: A Tensor of that shape and of the dtype of x.\n"
          "Raises: ValueError: The shape has another number of elements than x.",
          "paddle.reshape(paddle.arange(6), [2, -1]).tolist()  # [[0, 1, 2], [3, 4, 5]]")
      .upgrade("legacy_reshape")
      .python("paddle.reshape(x, shape, name=None)")
      .python("Tensor.reshape(x, shape, name=None)")
      .inplace_python("paddle.reshape_(x, shape, name=None)")
      .inplace_python("Tensor.reshape_(x, shape, name=None)")
      .alias("input", "x")
      .primitive("views are the memory operations that everything else is written with")
      .trait(kGradientByShape)
      .integers(integers::same_as_x)
      .infer(
          [](Infer& c) { c.out(0, infer_reshape(c.shape(0), c.ints(1), "reshape"), c.dtype(0)); })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            return alias_as(x, infer_reshape(x.shape(), a.ints(1), "reshape"));
          },
          scatter_reshaped)
      .vjp(reshape_vjp);
  r.op("flatten")
      .schema("flatten(Tensor x, int start_axis=1, int stop_axis=1) -> (Tensor out)")
      .spmd(sharding::same_elements)
      .doc("Axes start_axis to stop_axis merged into one; a view where the memory allows it.",
           "paddle.flatten(paddle.zeros([2, 3, 4]), 1, 2)")
      .inplace_python("paddle.flatten_(x, start_axis=0, stop_axis=-1, name=None)")
      .inplace_python("Tensor.flatten_(start_axis=0, stop_axis=-1, name=None)")
      .alias("input", "x")
      .alias("start_dim", "start_axis")
      .alias("end_dim", "stop_axis")
      .integers(integers::same_as_x)
      .infer([](Infer& c) { c.out(0, flattened(c.shape(0), c.i(1), c.i(2)), c.dtype(0)); })
      .view(
          [](Args& a) {
            const Tensor x = a.tensor(0);
            return alias_as(x, flattened(x.shape(), a.i(1), a.i(2)));
          },
          scatter_reshaped)
      .vjp(reshape_vjp)
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {reshape(a.tensor(0), flattened(a.tensor(0).shape(), a.i(1), a.i(2)))};
      });
}

void register_unit_axes(Registry& r) {
  r.op("squeeze")
      .schema("squeeze(Tensor x, IntArray@operand axis={}) -> (Tensor out)")
      .spmd(sharding::squeeze)
      .doc(
          "x without axes of extent 1, as a view.\n"
          "x: A Tensor of any dtype.\n"
          "axis: An axis or several; those of another extent stay. None: all axes of extent 1.\n"
          "Returns: A Tensor of the dtype of x with fewer axes.",
          "paddle.squeeze(paddle.zeros([1, 3, 1]), axis=0).shape  # paddle.Size([3, 1])")
      .runtime("axis")
      .python("paddle.squeeze(x, axis=None, name=None)")
      .python("Tensor.squeeze(x, axis=None, name=None)")
      .inplace_python("paddle.squeeze_(x, axis=None, name=None)")
      .inplace_python("Tensor.squeeze_(x, axis=None, name=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .integers(integers::same_as_x)
      .infer([](Infer& c) { c.out(0, squeezed(c.shape(0), c.ints(1)), c.dtype(0)); })
      .view([](Args& a) { return alias_as(a.tensor(0), squeezed(a.tensor(0).shape(), a.ints(1))); },
            scatter_reshaped)
      .vjp(reshape_vjp)
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {reshape(a.tensor(0), squeezed(a.tensor(0).shape(), a.ints(1)))};
      });
  r.op("unsqueeze")
      .schema("unsqueeze(Tensor x, IntArray@operand axis={}) -> (Tensor out)")
      .spmd(sharding::same_elements)
      .doc(
          "x with axes of extent 1 inserted, one after the other, as a view.\n"
          "x: A Tensor of any dtype, of r axes.\n"
          "axis: The place of the new axis in the result, from -(r + 1) to r; a list inserts "
          "several.\n"
          "Returns: A Tensor of the dtype of x with more axes.\n"
          "Raises: ValueError: axis is out of range.",
          "paddle.unsqueeze(paddle.zeros([3, 4]), axis=1).shape  # paddle.Size([3, 1, 4])")
      .runtime("axis")
      .python("paddle.unsqueeze(x, axis, name=None)")
      .python("Tensor.unsqueeze(x, axis, name=None)")
      .inplace_python("paddle.unsqueeze_(x, axis, name=None)")
      .inplace_python("Tensor.unsqueeze_(x, axis, name=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .integers(integers::same_as_x)
      .infer([](Infer& c) { c.out(0, unsqueezed(c.shape(0), c.ints(1)), c.dtype(0)); })
      .view(
          [](Args& a) { return alias_as(a.tensor(0), unsqueezed(a.tensor(0).shape(), a.ints(1))); },
          scatter_reshaped)
      .vjp(reshape_vjp)
      .rank(1)
      .decompose([](Args& a) -> TensorList {
        return {reshape(a.tensor(0), unsqueezed(a.tensor(0).shape(), a.ints(1)))};
      });
}

void register_sizes(Registry& r) {
  r.op("shape64")
      .schema("shape64(Tensor input) -> (Tensor out)")
      .doc(
          "The extents of input as a Tensor; `input.shape` gives them as Python numbers.\n"
          "input: A Tensor of any dtype, of r axes.\n"
          "Returns: An int64 Tensor of shape [r].",
          "paddle.shape(paddle.zeros([2, 3])).tolist()  # [2, 3]")
      .python("paddle.shape(input)")
      .alias("x", "input")
      .kernel_dtype_of("input")
      .upgrade("shape",
               [](SavedForm& f) {  // the extents in 32 bits
                 f.require_tensors(1);
                 const FormValue wide =
                     f.make("shape64", f.operands(), {DType::kInt64, f.shape(f.result())});
                 f.become({f.make("cast", {wide}, f.result(), {{"dtype", f.dtype(f.result())}})});
               })
      .spmd(sharding::shapes)
      .reads_shape_of({"input"})
      .primitive("the way from a shape to values")
      .no_grad()
      .integers([](const IntegerArgs& a) -> Integers { return a.tensor(0).shape(); })
      .infer([](Infer& c) { c.out(0, Shape{c.rank(0)}, DType::kInt64); });
  r.op("numel")
      .schema("numel(Tensor x) -> (Tensor size)")
      .doc(
          "The number of elements as a Tensor; `x.size` gives it as a Python number.\n"
          "x: A Tensor of any dtype.\n"
          "Returns: A 0-d int64 Tensor.",
          "paddle.numel(paddle.zeros([2, 3])).item()  # 6")
      .python("paddle.numel(x, name=None)")
      .python("Tensor.numel(name=None)")
      .alias("input", "x")
      .kernel_dtype_of("x")
      .no_grad()
      .integers(
          [](const IntegerArgs& a) -> Integers { return Shape{numel_of(a.tensor(0).shape())}; })
      .infer([](Infer& c) { c.out(0, Shape(), DType::kInt64); })
      .rank(1)
      .decompose(
          [](Args& a) -> TensorList { return {prod(shape64(a.tensor(0)), Shape(), false, true)}; });
}

}  // namespace

void register_reshape(Registry& r) {
  register_regroupings(r);
  register_unit_axes(r);
  register_sizes(r);
}

}  // namespace paddle::ops
