// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Joining and cutting along an axis: concat, stack, split, split_with_num, unbind. The parts of a
// split are copies, as in Paddle.
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/integers.h"

namespace paddle::ops {
namespace {

int64_t constant_axis(Infer& c, int k, int64_t rank) {
  PADDLE_CHECK_VALUE(c.is_constant(k), c.op_name(),
                     ": axis is a tensor without a known value; the axis must be known before the "
                     "program runs; pass a Python int.");
  PADDLE_CHECK_VALUE(rank > 0, c.op_name(),
                     ": x has shape []; it needs an axis; reshape it to [1] or use paddle.stack.");
  return normalize_axis(c.scalar(k).to_int(), rank, c.op_name());
}

std::span<const Tensor> parts_of(Infer& c) {
  const auto parts = c.list(0);
  PADDLE_CHECK_VALUE(!parts.empty(), c.op_name(),
                     ": x is an empty list; there must be at least one tensor; pass one.");
  for (size_t i = 1; i < parts.size(); ++i) {
    PADDLE_CHECK_TYPE(parts[i].dtype() == parts[0].dtype(), c.op_name(), ": x[", i, "] has dtype ",
                      parts[i].dtype(), " and x[0] has dtype ", parts[0].dtype(),
                      "; all must have one dtype; cast them first.");
  }
  return parts;
}

void infer_concat(Infer& c) {
  const auto parts = parts_of(c);
  const int64_t rank = parts[0].ndim(), axis = constant_axis(c, 1, rank);
  Shape out = parts[0].shape();
  for (size_t i = 1; i < parts.size(); ++i) {
    const Shape& s = parts[i].shape();
    bool fits = s.size() == out.size();
    for (size_t d = 0; fits && d < s.size(); ++d) {
      fits = static_cast<int64_t>(d) == axis || decide_eq(s[d], parts[0].shape()[d], true);
    }
    PADDLE_CHECK_VALUE(fits, "concat: x[", i, "] has shape ", s, " and x[0] has shape ",
                       parts[0].shape(), "; all must agree except on axis ", axis,
                       "; reshape or slice the parts.");
    out[static_cast<size_t>(axis)] = out[static_cast<size_t>(axis)] + s[static_cast<size_t>(axis)];
  }
  c.out(0, out, parts[0].dtype());
}

Tensor part(const Tensor& x, int64_t axis, Dim begin, Dim end, bool drop = false) {
  return slice(x, Shape{axis}, Shape{begin}, Shape{end}, Shape{1}, drop ? Shape{axis} : Shape());
}

void concat_vjp(Vjp& v) {
  const TensorList parts = v.list(0);
  const int64_t axis = normalize_axis(v.scalar(1).to_int(), parts[0].ndim(), "concat");
  TensorList grads;
  Dim begin = 0;
  for (const Tensor& p : parts) {
    const Dim end = begin + p.shape()[static_cast<size_t>(axis)];
    grads.push_back(part(v.grad(), axis, begin, end));
    begin = end;
  }
  v.set_list(0, std::move(grads));
}

void infer_stack(Infer& c) {
  const auto parts = parts_of(c);
  const int64_t axis = c.axis(1, parts[0].ndim() + 1);
  Shape out = parts[0].shape();
  for (size_t i = 1; i < parts.size(); ++i) {
    bool fits = parts[i].shape().size() == out.size();
    for (size_t d = 0; fits && d < out.size(); ++d)
      fits = decide_eq(parts[i].shape()[d], out[d], true);
    PADDLE_CHECK_VALUE(fits, "stack: x[", i, "] has shape ", parts[i].shape(),
                       " and x[0] has shape ", out,
                       "; all must be equal; expand or reshape the parts.");
  }
  out.insert(out.begin() + axis, Dim(static_cast<int64_t>(parts.size())));
  c.out(0, out, parts[0].dtype());
}

// The extents of split's parts; one -1 stands for what the others leave.
Shape resolve_sections(const Shape& sections, Dim extent) {
  Shape out = sections;
  Dim rest = extent;
  int open = -1;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].is_symbolic() && sections[i].value() == -1) {
      PADDLE_CHECK_VALUE(
          open < 0, "split: sections is ", sections,
          " and holds -1 twice; at most one section can be inferred; write the others.");
      open = static_cast<int>(i);
    } else {
      rest = rest - sections[i];
    }
  }
  const bool fits = open >= 0 ? decide_le(0, rest, true) : decide_eq(rest, 0, true);
  PADDLE_CHECK_VALUE(fits && !sections.empty(), "split: sections is ", sections,
                     " and the axis has extent ", extent,
                     "; the sections must add up to the extent; change them or use -1 once.");
  if (open >= 0) out[static_cast<size_t>(open)] = rest;
  return out;
}

// Parts without elements take memory too.
void check_part_count(std::string_view op, int64_t n) {
  PADDLE_CHECK_KIND(ErrorKind::kOverflow, n <= int64_t{1} << 24, op, ": the result would hold ", n,
                    " tensors; a list holds at most 2^24; take fewer parts.");
}

Shape equal_sections(Dim extent, int64_t num) {
  check_part_count("split_with_num", num);
  PADDLE_CHECK_VALUE(num > 0 && decide_eq(mod(extent, num), 0, true),
                     "split_with_num: num has value ", num, " and the axis has extent ", extent,
                     "; the extent must be a multiple of num; pass the sections as a list.");
  return Shape(static_cast<size_t>(num), floordiv(extent, num));
}

void set_parts(Infer& c, const Shape& sections, int64_t axis) {
  const Shape x = c.shape(0);
  c.set_list_size(sections.size());
  for (size_t i = 0; i < sections.size(); ++i) {
    Shape s = x;
    s[static_cast<size_t>(axis)] = sections[i];
    c.out(static_cast<int>(i), s, c.dtype(0));
  }
}

// Gradients of the parts joined again; parts that nothing flowed into count as 0.
void split_grad(Vjp& v, const Shape& sections, int64_t axis) {
  TensorList grads;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (v.has_grad(static_cast<int>(i))) {
      grads.push_back(v.grad(static_cast<int>(i)));
    } else {
      Shape s = v.in(0).shape();
      s[static_cast<size_t>(axis)] = sections[i];
      grads.push_back(zeros(s, v.in(0)));
    }
  }
  v.set(0, concat(grads, Scalar(axis)));
}

TensorList parts(const Tensor& x, const Shape& sections, int64_t axis) {
  TensorList out;
  Dim begin = 0;
  for (const Dim n : sections) {
    out.push_back(part(x, axis, begin, begin + n));
    begin = begin + n;
  }
  return out;
}

int64_t axis_of(const Args& a, int k) {
  return normalize_axis(a.scalar(k).to_int(), a.tensor(0).ndim(), a.op().name());
}
Dim extent_of(const Args& a, int k) {
  return a.tensor(0).shape()[static_cast<size_t>(axis_of(a, k))];
}

void unbind_vjp(Vjp& v) {
  const Shape x = v.in(0).shape();
  const int64_t axis = normalize_axis(v.i(1), v.in(0).ndim(), "unbind");
  Shape rest = x;
  rest.erase(rest.begin() + axis);
  TensorList grads;
  for (int i = 0; i < x[static_cast<size_t>(axis)].value(); ++i) {
    grads.push_back(v.has_grad(i) ? v.grad(i) : zeros(rest, v.in(0)));
  }
  v.set(0, stack(grads, axis));
}

void register_joins(Registry& r) {
  r.op("concat")
      .schema("concat(Tensor[] x, Scalar@int32 axis=0) -> (Tensor out)")
      .spmd(sharding::concat)
      .doc(
          "Tensors one behind the other along an axis that they have.\n"
          "x: A list of Tensors of one dtype whose shapes differ along axis at most.\n"
          "axis: The axis, an int or a Tensor of one; a negative one counts from the end.\n"
          "Returns: A Tensor whose extent along axis is the sum of theirs.\n"
          "Raises: ValueError: The list is empty, or other extents than those along axis differ. "
          "TypeError: The dtypes differ.",
          "paddle.concat([paddle.zeros([1, 2]), paddle.ones([1, 2])], axis=0).tolist()  # [[0.0, "
          "0.0], [1.0, 1.0]]")
      .runtime("axis")
      .python("paddle.concat(x, axis=0, name=None, *, out=None)")
      .python("paddle.cat(x, axis=0, name=None, *, out=None)")
      .python("paddle.concatenate(x, axis=0, name=None, *, out=None)")
      .alias("tensors", "x")
      .alias("dim", "axis")
      .primitive("the join that the others are written with")
      .amp_class(AmpClass::kWidest)
      .integers(integers::same_as_x)
      .infer(infer_concat)
      .follows_layout({"x"}, {"out"}, "axis")
      .vjp(concat_vjp);
  r.op("stack")
      .schema("stack(Tensor[] x, int axis=0) -> (Tensor out)")
      .spmd(sharding::stack)
      .doc(
          "Tensors of one shape side by side along a new axis.\n"
          "x: A list of Tensors of one shape and dtype, of r axes.\n"
          "axis: The place of the new axis in the result, from -(r + 1) to r.\n"
          "Returns: A Tensor of r + 1 axes, whose extent along axis is the length of the list.\n"
          "Raises: ValueError: The list is empty, or the shapes differ. TypeError: The dtypes "
          "differ.",
          "paddle.stack([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])], axis=1).tolist()  # "
          "[[1, 3], [2, 4]]")
      .python("paddle.stack(x, axis=0, name=None, *, out=None)")
      .alias("tensors", "x")
      .alias("dim", "axis")
      .amp_class(AmpClass::kWidest)
      .integers(integers::same_as_x)
      .infer(infer_stack)
      .vjp([](Vjp& v) {
        const auto n = static_cast<int64_t>(v.list(0).size());
        const int64_t axis = normalize_axis(v.i(1), v.grad().ndim(), "stack");
        TensorList grads;
        for (int64_t i = 0; i < n; ++i) grads.push_back(part(v.grad(), axis, i, i + 1, true));
        v.set_list(0, std::move(grads));
      })
      .rank(2)
      .decompose([](Args& a) -> TensorList {
        TensorList rows;
        const TensorList x = a.list(0);
        const int64_t axis = normalize_axis(a.i(1), x[0].ndim() + 1, "stack");
        for (const Tensor& t : x) rows.push_back(unsqueeze(t, Shape{axis}));
        return {concat(rows, Scalar(axis))};
      });
}

// Files hold the axis counted from the first one.
void write_split(SavedForm& f) {
  const size_t at = f.num_operands() - 1;
  const FormOperation* axis = f.made_by(f.operand(at), "full");
  if (!axis || !f.is_tensor(f.operand(0))) return;
  const double given = axis->f("value");
  if (given >= 0) return;
  const auto rank = static_cast<double>(f.rank(f.operand(0)));
  f.set_operand(at, f.full(Shape{Dim(1)}, given + rank, DType::kInt32));
}

void register_partitions(Registry& r) {
  r.op("split")
      .schema("split(Tensor x, IntArray@operand sections, Scalar@int32 axis) -> (Tensor[] out)")
      .spmd(sharding::split)
      .doc("x cut along axis into parts of the given extents; one may be -1 (inferred).",
           "paddle._C_ops.split(paddle.arange(5), [2, -1], 0)")
      .saved_form(write_split)
      .runtime("axis", RuntimeValue::kSplitAxis)
      .infer([](Infer& c) {
        const int64_t axis = constant_axis(c, 2, c.rank(0));
        set_parts(c, resolve_sections(c.ints(1), c.shape(0)[static_cast<size_t>(axis)]), axis);
      })
      .vjp([](Vjp& v) {
        split_grad(v, resolve_sections(v.ints(1), extent_of(v.args(), 2)), axis_of(v.args(), 2));
      })
      .rank(1)
      .decompose([](Args& a) {
        return parts(a.tensor(0), resolve_sections(a.ints(1), extent_of(a, 2)), axis_of(a, 2));
      });
  r.op("split_with_num")
      .schema("split_with_num(Tensor x, int num, Scalar@int32 axis) -> (Tensor[] out)")
      .spmd(sharding::split)
      .doc("x cut along axis into num equal parts.",
           "paddle._C_ops.split_with_num(paddle.arange(6), 3, 0)")
      .saved_form(write_split)
      .runtime("axis", RuntimeValue::kSplitAxis)
      .infer([](Infer& c) {
        const int64_t axis = constant_axis(c, 2, c.rank(0));
        set_parts(c, equal_sections(c.shape(0)[static_cast<size_t>(axis)], c.i(1)), axis);
      })
      .vjp([](Vjp& v) {
        split_grad(v, equal_sections(extent_of(v.args(), 2), v.i(1)), axis_of(v.args(), 2));
      })
      .rank(1)
      .decompose([](Args& a) {
        return parts(a.tensor(0), equal_sections(extent_of(a, 2), a.i(1)), axis_of(a, 2));
      });
  r.op("unbind")
      .schema("unbind(Tensor input, int axis=0) -> (Tensor[] out)")
      .doc("The slices of input along axis, without that axis.",
           "paddle.unbind(paddle.to_tensor([[1, 2], [3, 4]]), axis=0)")
      .alias("x", "input")
      .alias("dim", "axis")
      .integers([](const IntegerArgs& a) {
        return a.tensor(0).shape().size() == 1 ? a.integers(0) : std::nullopt;
      })
      .infer([](Infer& c) {
        c.require_rank_at_least(0, 1);
        const int64_t axis = c.axis(1, c.rank(0));
        Shape rest = c.shape(0);
        const int64_t n = rest[static_cast<size_t>(axis)].value();
        check_part_count("unbind", n);
        rest.erase(rest.begin() + axis);
        c.set_list_size(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) c.out(static_cast<int>(i), rest, c.dtype(0));
      })
      .vjp(unbind_vjp)
      .rank(1)
      .decompose([](Args& a) {
        TensorList out;
        const int64_t axis = normalize_axis(a.i(1), a.tensor(0).ndim(), "unbind");
        const int64_t n = a.tensor(0).shape()[static_cast<size_t>(axis)].value();
        for (int64_t i = 0; i < n; ++i) out.push_back(part(a.tensor(0), axis, i, i + 1, true));
        return out;
      });
}

}  // namespace

void register_concat(Registry& r) {
  register_joins(r);
  register_partitions(r);
}

}  // namespace paddle::ops
