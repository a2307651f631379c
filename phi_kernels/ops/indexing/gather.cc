// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing by integer indices: gather, index_select, gather_nd, take_along_axis, and the
// writes that are their gradients: index_add, scatter, scatter_nd_add, put_along_axis, index_put.
// Indices in [-n, n) are accepted; others are an IndexError before any memory is touched.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/indexing.h"
#include "phi_kernels/ops/indexing/along_axis.h"
#include "phi_kernels/ops/sharding_rules.h"

namespace paddle::ops {
namespace {

bool same_shape(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (size_t d = 0; d < a.size(); ++d) {
    if (!decide_eq(a[d], b[d], true)) return false;
  }
  return true;
}

void require_shape(Infer& c, int k, const Shape& wanted, const char* rule) {
  PADDLE_CHECK_VALUE(same_shape(c.shape(k), wanted), c.op_name(), ": ", c.arg_name(k),
                     " has shape ", c.shape(k), " where ", wanted, " is needed; ", rule,
                     "; reshape or expand it.");
}

// x with `axis` replaced by the index's axes. A column [n, 1] counts as [n], as in PaddlePaddle's
// gather.
Shape gathered(const Shape& x, const Shape& index, int64_t axis) {
  Shape out(x.begin(), x.begin() + axis);
  out.append(index.begin(), index.end());
  out.append(x.begin() + axis + 1, x.end());
  return out;
}

Shape row_index(const Shape& index) {
  if (index.size() == 2 && decide_eq(index[1], 1, false)) return Shape{index[0]};
  return index;
}

void infer_gather(Infer& c) {
  c.require_index(1);
  c.require_rank_at_least(0, 1);
  PADDLE_CHECK_VALUE(c.is_constant(2),
                     "gather: axis is a tensor without a known value; the axis must be known "
                     "before the program runs; pass a Python int.");
  const int64_t axis = normalize_axis(c.scalar(2).to_int(), c.rank(0), "gather");
  const Shape index = row_index(c.shape(1));
  PADDLE_CHECK_VALUE(index.size() <= 1, "gather: index has shape ", c.shape(1),
                     "; it must have shape [n], [n, 1] or []; flatten it or use paddle.gather_nd.");
  c.out(0, gathered(c.shape(0), index, axis), c.dtype(0));
}

void gather_vjp(Vjp& v) {
  const Shape x = v.in(0).shape();
  const int64_t axis =
      normalize_axis(v.scalar(2).to_int(), static_cast<int64_t>(x.size()), "gather");
  const Dim n = numel_of(v.in(1).shape());
  const Tensor g = reshape(v.grad(), gathered(x, Shape{n}, axis));
  v.set(0, index_add(zeros(x, g), reshape(v.in(1), Shape{n}), g, axis));
}

void infer_index_add(Infer& c) {
  c.require_index(1);
  c.require_rank(1, 1);
  c.require_rank_at_least(0, 1);
  c.require_same_dtype(0, 2);
  const int64_t axis = c.axis(3, c.rank(0));
  require_shape(c, 2, gathered(c.shape(0), c.shape(1), axis), "it holds one slice of x per index");
  c.out(0, c.shape(0), c.dtype(0));
}

Shape nd_shape(const Shape& x, const Shape& index, const char* op) {
  PADDLE_CHECK_VALUE(
      !index.empty() && index.back().value() <= static_cast<int64_t>(x.size()), op,
      ": index has shape ", index, " and x has shape ", x,
      "; the last axis of index holds one entry per leading axis of x; reshape index.");
  Shape out(index.begin(), index.end() - 1);
  out.append(x.begin() + index.back().value(), x.end());
  return out;
}

void infer_along(Infer& c) {
  c.require_index(1);
  const int64_t axis = c.axis(c.op().schema().arg_index("axis"), c.rank(0));
  bool fits = c.rank(0) == c.rank(1);
  for (int64_t d = 0; fits && d < c.rank(0); ++d) {
    fits = d == axis || decide_le(c.shape(1)[size_t(d)], c.shape(0)[size_t(d)], true);
  }
  PADDLE_CHECK_VALUE(
      fits, c.op_name(), ": arr has shape ", c.shape(0), " and indices has shape ", c.shape(1),
      "; they must have equally many axes, and indices must not be longer except on axis ", axis,
      "; expand or slice indices.");
}

void infer_put_along(Infer& c) {
  infer_along(c);
  c.require_same_dtype(0, 2);
  require_shape(c, 2, c.shape(1), "there is one value per index");
  const std::string_view how = c.text(4);
  bool known = false;
  for (const char* name : {"assign", "add", "mul", "multiply", "mean", "amin", "amax"}) {
    known |= how == name;
  }
  PADDLE_CHECK_VALUE(known, "put_along_axis: reduce has value '", how,
                     "'; it must be 'assign', 'add', 'mul', 'multiply', 'mean', 'amin' or 'amax'; "
                     "pass one of them.");
  c.out(0, c.shape(0), c.dtype(0));
}

// Which values put_along_axis assigned last to their place: those that its result holds.
Tensor is_last_write(Vjp& v, const Tensor& like) {
  const Tensor one = full(like.shape(), Scalar(int64_t{1}), DType::kInt64, like.place());
  const Tensor order = cumsum(one, Scalar(v.i(3)), false, false, false);
  const Tensor none = full(v.in(0).shape(), Scalar(int64_t{0}), DType::kInt64, like.place());
  const Tensor held = put_along_axis(none, v.in(1), order, v.i(3), "assign", true);
  return equal(take_along_axis(held, v.in(1), v.i(3)), order);
}

// The integer form of an index list: masks become the columns of their nonzero positions.
TensorList integer_indices(const TensorList& indices) {
  TensorList out;
  for (const Tensor& t : indices) {
    if (t.dtype() != DType::kBool) {
      out.push_back(t);
      continue;
    }
    const Tensor at = nonzero(t);
    for (int64_t d = 0; d < t.ndim(); ++d) {
      out.push_back(slice(at, Shape{1}, Shape{d}, Shape{d + 1}, Shape{1}, Shape{1}));
    }
  }
  return out;
}

// One [..., k] index for gather_nd.
Tensor stacked(const TensorList& indices) {
  TensorList parts = integer_indices(indices);
  Shape common;
  for (const Tensor& t : parts) {
    Shape next;
    broadcast_into(common, t.shape(), "index_put", "indices", "indices", next);
    common = next;
  }
  for (Tensor& t : parts)
    t = expand(t.dtype() == DType::kInt64 ? t : cast(t, DType::kInt64), common);
  return stack(parts, -1);
}

void infer_index_put(Infer& c) {
  c.require_same_dtype(0, 2);
  int64_t used = 0;
  for (const Tensor& t : c.list(1)) {
    const DType d = t.dtype();
    PADDLE_CHECK_TYPE(d == DType::kBool || d == DType::kInt32 || d == DType::kInt64,
                      "index_put: indices holds a tensor of dtype ", d,
                      "; indices are bool, int32 or int64; cast it.");
    used += d == DType::kBool ? t.ndim() : 1;
  }
  PADDLE_CHECK_VALUE(used <= c.rank(0) && used > 0, "index_put: indices address ", used,
                     " axes and x has shape ", c.shape(0),
                     "; there must be at least one and at most as many as x has; change the list.");
  c.out(0, c.shape(0), c.dtype(0));
}

void index_put_vjp(Vjp& v) {
  const Tensor& g = v.grad();
  const TensorList indices = v.list(1);
  const Shape value = v.in(2).shape();
  if (v.needs(0)) v.set(0, v.b(3) ? g : index_put(g, indices, zeros(Shape(), g), false));
  if (!v.needs(2)) return;
  v.set(2, gather_nd(g, stacked(indices)));
}

void infer_scatter(Infer& c) {
  c.require_index(1);
  c.require_rank_at_least(0, 1);
  c.require_same_dtype(0, 2);
  const Shape index = row_index(c.shape(1));
  PADDLE_CHECK_VALUE(index.size() <= 1, "scatter: index has shape ", c.shape(1),
                     "; it must have shape [n], [n, 1] or []; flatten it.");
  require_shape(c, 2, gathered(c.shape(0), index, 0), "it holds one row of x per index");
  c.out(0, c.shape(0), c.dtype(0));
}

Tensor flat_index(const Tensor& index) { return reshape(index, Shape{numel_of(index.shape())}); }

void scatter_vjp(Vjp& v) {
  const Tensor& g = v.grad();
  const Tensor index = flat_index(v.in(1));
  if (v.needs(0)) v.set(0, index_put(g, {index}, zeros(Shape(), g), false));
  if (v.needs(2)) v.set(2, reshape(gather(g, index, Scalar(0)), v.in(2).shape()));
}

TensorList scatter_decompose(Args& a) {
  const Tensor x = a.tensor(0), index = flat_index(a.tensor(1));
  const Tensor updates = reshape(a.tensor(2), gathered(x.shape(), index.shape(), 0));
  if (a.b(3)) return {index_put(x, {index}, updates, false)};
  return {index_add(index_put(x, {index}, zeros(Shape(), x), false), index, updates, 0)};
}

void register_reads(Registry& r) {
  r.op("gather")
      .schema("gather(Tensor x, Tensor index, Scalar@int32 axis=0) -> (Tensor out)")
      .doc(
          "The slices of x at given positions along an axis.\n"
          "x: A Tensor of any dtype.\n"
          "index: An int32 or int64 Tensor of shape [n], [n, 1] or []; an axis of no index is left "
          "out of the result.\n"
          "axis: The axis, an int or a Tensor of one; None stands for 0.\n"
          "Returns: A Tensor of the dtype of x, whose extent along axis is n.\n"
          "Raises: IndexError: A position is out of range.",
          "paddle.gather(paddle.to_tensor([10, 20, 30]), paddle.to_tensor([2, 0])).tolist()  # "
          "[30, 10]")
      .runtime("axis")
      .python("paddle.gather(x, index, axis=None, name=None, out=None)")
      .python("Tensor.gather(index, axis=None, name=None, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .spmd(sharding::gather)
      .primitive("reads by position")
      .infer(infer_gather)
      .saves({"index"})
      .vjp(gather_vjp);
  r.op("index_select")
      .schema("index_select(Tensor x, Tensor index, int axis=0) -> (Tensor out)")
      .doc(
          "The slices of x at given positions along an axis.\n"
          "x: A Tensor of any dtype, of one axis at least.\n"
          "index: An int32 or int64 Tensor of shape [n].\n"
          "Returns: A Tensor of the dtype of x, whose extent along axis is n.\n"
          "Raises: IndexError: A position is out of range.",
          "paddle.index_select(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([1, 1]), "
          "axis=1).tolist()  # [[2, 2], [4, 4]]")
      .python("paddle.index_select(x, index, axis=0, name=None, *, out=None)")
      .python("Tensor.index_select(index, axis=0, name=None, *, out=None)")
      .overload("paddle.index_select(x, dim: int, index: Tensor, *, out=None)")
      .overload("Tensor.index_select(x, dim: int, index: Tensor, *, out=None)")
      .alias("input", "x")
      .alias("dim", "axis")
      .infer([](Infer& c) {
        c.require_index(1);
        const Shape& index = c.shape(1);
        PADDLE_CHECK_VALUE(
            index.size() == 1 || (index.size() == 2 && decide_eq(index[1], 1, true)),
            "index_select: index has shape ", index,
            "; it must have one axis, or two of which the second has one element; reshape it.");
        c.require_rank_at_least(0, 1);
        c.out(0, gathered(c.shape(0), Shape{index[0]}, c.axis(2, c.rank(0))), c.dtype(0));
      })
      .saves({"index"})
      .vjp([](Vjp& v) {
        const Tensor index = reshape(v.in(1), Shape{v.in(1).shape()[0]});
        v.set(0, index_add(zeros(v.in(0).shape(), v.grad()), index, v.grad(), v.i(2)));
      })
      .decompose([](Args& a) -> TensorList {
        const Tensor index = reshape(a.tensor(1), Shape{a.tensor(1).shape()[0]});
        return {gather(a.tensor(0), index, Scalar(a.i(2)))};
      });
}

void register_scattered_reads(Registry& r) {
  r.op("gather_nd")
      .schema("gather_nd(Tensor x, Tensor index) -> (Tensor out)")
      .doc(
          "The parts of x at positions that name several axes.\n"
          "x: A Tensor of any dtype, of r axes.\n"
          "index: An int32 or int64 Tensor of shape [..., k] with k <= r: each row names a "
          "position on the first k axes of x.\n"
          "Returns: A Tensor of shape [..., *x.shape[k:]].\n"
          "Raises: IndexError: A position is out of range.",
          "paddle.gather_nd(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1, 0], [0, "
          "1]])).tolist()  # [3, 2]")
      .python("paddle.gather_nd(x, index, name=None)")
      .python("Tensor.gather_nd(x, index, name=None)")
      .alias("input", "x")
      .spmd(sharding::gather_nd)
      .primitive("reads by position on several axes")
      .infer([](Infer& c) {
        c.require_index(1);
        c.out(0, nd_shape(c.shape(0), c.shape(1), "gather_nd"), c.dtype(0));
      })
      .saves({"index"})
      .vjp([](Vjp& v) {
        v.set(0, scatter_nd_add(zeros(v.in(0).shape(), v.grad()), v.in(1), v.grad()));
      });
  r.op("take_along_axis")
      .schema("take_along_axis(Tensor arr, Tensor indices, int axis) -> (Tensor out)")
      .doc("out[i][j] = arr[indices[i][j]][j] for axis 0, and alike for others.",
           "paddle._C_ops.take_along_axis(paddle.to_tensor([[1, 2]]), paddle.to_tensor([[1]]), 1)")
      .overload("paddle.gather(input, dim: int, index: Tensor, *, out=None)")
      .overload("Tensor.gather(input, dim: int, index: Tensor, *, out=None)")
      .alias("input", "arr")
      .alias("index", "indices")
      .alias("dim", "axis")
      .spmd(sharding::take_along_axis)
      .primitive("reads by position along one axis")
      .saved_form(write_along_axis)
      .infer([](Infer& c) {
        infer_along(c);
        c.out(0, c.shape(1), c.dtype(0));
      })
      .saves({"indices"})
      .vjp([](Vjp& v) {
        v.set(0, put_along_axis(zeros(v.in(0).shape(), v.grad()), v.in(1), v.grad(), v.i(2), "add",
                                true));
      });
}

void register_slice_writes(Registry& r) {
  r.op("index_add")
      .schema("index_add(Tensor x, Tensor index, Tensor add_value, int axis=0) -> (Tensor out)")
      .doc(
          "x with slices added at given positions along an axis.\n"
          "x: A Tensor of numbers.\n"
          "index: An int32 or int64 Tensor of shape [n]; a position may stand there several "
          "times.\n"
          "add_value: A Tensor like x with extent n along axis.\n"
          "Returns: A Tensor of the shape and dtype of x.\n"
          "Raises: IndexError: A position is out of range.",
          "paddle.index_add(paddle.zeros([3]), paddle.to_tensor([2, 2]), 0, "
          "paddle.ones([2])).tolist()  # [0.0, 0.0, 2.0]")
      .python("paddle.index_add(x, index, axis, value, alpha=1, name=None, *, out=None)")
      .python("Tensor.index_add(index, axis, value, alpha=1, name=None, *, out=None)")
      .inplace_python("paddle.index_add_(x, index, axis, value, alpha=1, name=None)")
      .inplace_python("Tensor.index_add_(index, axis, value, alpha=1, name=None)")
      .overload("paddle.index_add(x, dim: int, index: Tensor, source, *, alpha=1, out=None)")
      .overload("Tensor.index_add(x, dim: int, index: Tensor, source, *, alpha=1, out=None)")
      .overload("paddle.index_add_(x, dim: int, index: Tensor, source, *, alpha=1)")
      .overload("Tensor.index_add_(x, dim: int, index: Tensor, source, *, alpha=1)")
      .alias("value", "add_value")
      .alias("source", "add_value")
      .alias("input", "x")
      .alias("dim", "axis")
      .spmd(sharding::index_add)
      .primitive("adds by position: the gradient of gather")
      .trait(kPartialWrite)
      .infer(infer_index_add)
      .saves({"index"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, v.grad());
        if (v.needs(2)) v.set(2, index_select(v.grad(), v.in(1), v.i(3)));
      });
  r.op("scatter_nd_add")
      .schema("scatter_nd_add(Tensor x, Tensor index, Tensor updates) -> (Tensor out)")
      .doc("x with updates added at the positions that the last axis of index holds.",
           "paddle.scatter_nd_add(paddle.zeros([3]), paddle.to_tensor([[1], [1]]), "
           "paddle.ones([2]))")
      .python("paddle.scatter_nd_add(x, index, updates, name=None)")
      .python("Tensor.scatter_nd_add(x, index, updates, name=None)")
      .alias("input", "x")
      .spmd(sharding::scatter_nd_add)
      .primitive("adds by position on several axes: the gradient of gather_nd")
      .infer([](Infer& c) {
        c.require_index(1);
        c.require_same_dtype(0, 2);
        require_shape(c, 2, nd_shape(c.shape(0), c.shape(1), "scatter_nd_add"),
                      "it holds one part of x per index");
        c.out(0, c.shape(0), c.dtype(0));
      })
      .saves({"index"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, v.grad());
        if (v.needs(2)) v.set(2, gather_nd(v.grad(), v.in(1)));
      });
  r.op("scatter")
      .schema(
          "scatter(Tensor x, Tensor index, Tensor updates, bool overwrite=true) -> (Tensor out)")
      .doc(
          "x with rows replaced by updates, or (overwrite=False) by the sum of the updates that go "
          "to each.\n"
          "x: A Tensor of shape [n, ...].\n"
          "index: An int32 or int64 Tensor of shape [k] or [k, 1].\n"
          "updates: A Tensor of shape [k, ...].\n"
          "overwrite: False: rows that index names are 0 first, then updates are added, also "
          "several to one row.\n"
          "Returns: A Tensor of the shape and dtype of x.\n"
          "Raises: IndexError: A position is out of range.",
          "x, rows = paddle.zeros([3, 1]), paddle.to_tensor([[1.0], [2.0]])\n"
          "paddle.scatter(x, paddle.to_tensor([2, 0]), rows).tolist()  # [[2.0], [0.0], [1.0]]")
      .python("paddle.scatter(x, index, updates, overwrite=True, name=None, out=None)")
      .python("Tensor.scatter(index, updates, overwrite=True, name=None, out=None)")
      .inplace_python("paddle.scatter_(x, index, updates, overwrite=True, name=None)")
      .inplace_python("Tensor.scatter_(x, index, updates, overwrite=True, name=None)")
      .trait(kPartialWrite)
      .amp_class(AmpClass::kHigh)
      .infer(infer_scatter)
      .saves({"index"})
      .vjp(scatter_vjp)
      .decompose(scatter_decompose);
}

// PaddlePaddle has one operator for what put_along_axis and put_along_axis_reduce do.
void read_put_along_axis(SavedForm& f) {
  const std::string& how = f.text("reduce");
  if (how == "assign" || (how == "add" && f.b("include_self"))) return;
  f.become({f.make("put_along_axis_reduce", f.operands(), f.result(), f.attributes())});
}

// Of indices that broadcast together one has an axis.
void write_index_put(SavedForm& f) {
  const FormOperation* list = f.made_by(f.operand(1), "builtin.combine");
  if (!list) return;
  FormValues indices = list->operands();
  for (const FormValue v : indices) {
    if (!v || f.rank(v) > 0) return;
  }
  if (indices.empty()) return;
  indices[0] = f.reshape(indices[0], {Dim(1)});
  f.set_operand(1, f.combine(indices));
}

void register_element_writes(Registry& r) {
  r.op("put_along_axis")
      .schema(
          "put_along_axis(Tensor arr, Tensor indices, Tensor values, int axis, str "
          "reduce=\"assign\", bool include_self=true) -> (Tensor out)")
      .doc("arr with values assigned or added at the positions that take_along_axis reads.",
           "paddle._C_ops.put_along_axis(paddle.zeros([1, 2]), paddle.to_tensor([[1]]), "
           "paddle.ones([1, 1]), 1, 'add', True)")
      .overload(
          "paddle.scatter(input, dim: int, index: Tensor, src: filled, reduce=None, *, out=None)")
      .overload(
          "paddle.scatter(input, dim: int, index: Tensor, value: filled, reduce=None, *, out=None)")
      .overload(
          "Tensor.scatter(input, dim: int, index: Tensor, src: filled, reduce=None, *, out=None)")
      .overload(
          "Tensor.scatter(input, dim: int, index: Tensor, value: filled, reduce=None, *, out=None)")
      .overload("paddle.scatter_(input, dim: int, index: Tensor, src: filled, reduce=None)")
      .overload("paddle.scatter_(input, dim: int, index: Tensor, value: filled, reduce=None)")
      .overload("Tensor.scatter_(input, dim: int, index: Tensor, src: filled, reduce=None)")
      .overload("Tensor.scatter_(input, dim: int, index: Tensor, value: filled, reduce=None)")
      .alias("input", "arr")
      .alias("index", "indices")
      .alias("dim", "axis")
      .alias("src", "values")
      .alias("value", "values")
      .spmd(sharding::put_along_axis)
      .primitive("writes by position along one axis: the gradient of take_along_axis")
      .saved_form(write_along_axis)
      .upgrade("put_along_axis", read_put_along_axis)
      .trait(kPartialWrite)
      .infer(infer_put_along)
      .saves({"indices"})
      .vjp([](Vjp& v) {
        PADDLE_CHECK_RUNTIME(v.text(4) == "assign" || (v.text(4) == "add" && v.b(5)),
                             "put_along_axis: reduce is '", v.text(4),
                             "'; its gradient is that of put_along_axis_reduce; call "
                             "paddle.put_along_axis, which chooses it.");
        const Tensor& g = v.grad();
        const Tensor none = zeros(v.in(1).shape(), g);
        if (v.needs(0)) {
          v.set(0,
                v.text(4) == "add" ? g : put_along_axis(g, v.in(1), none, v.i(3), "assign", true));
        }
        if (v.needs(2)) {
          const Tensor read = take_along_axis(g, v.in(1), v.i(3));
          v.set(2, v.text(4) == "add" ? read : where(is_last_write(v, none), read, none));
        }
      });
  r.op("index_put")
      .schema(
          "index_put(Tensor x, Tensor[] indices, Tensor value, bool accumulate=false) -> (Tensor "
          "out)")
      .doc(
          "x with value, broadcast, assigned or added at the positions x[indices]; masks count as "
          "their nonzero positions.",
          "paddle.index_put(paddle.zeros([3]), (paddle.to_tensor([1]),), paddle.ones([1]))")
      .python("paddle.index_put(x, indices, value, accumulate=False, name=None)")
      .python("Tensor.index_put(x, indices, value, accumulate=False, name=None)")
      .inplace_python("paddle.index_put_(x, indices, value, accumulate=False, name=None)")
      .inplace_python("Tensor.index_put_(x, indices, value, accumulate=False, name=None)")
      .alias("values", "value")
      .spmd(sharding::index_put)
      .primitive("writes by position on several axes")
      .saved_form(write_index_put)
      .trait(kPartialWrite)
      .infer(infer_index_put)
      .saves({"indices"})
      .vjp(index_put_vjp);
}

}  // namespace

void register_gather(Registry& r) {
  register_reads(r);
  register_scattered_reads(r);
  register_slice_writes(r);
  register_element_writes(r);
}

}  // namespace paddle::ops
