// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pools over two and three axes. Average pooling is a linear map A; avg_pool_grad is its transpose,
// and each is the derivative of the other. Maximum pooling picks elements: max_pool_indices says
// which ones (as flat positions within a channel), pool_scatter and pool_gather move values along
// them and are each other's derivative.
#include "phi_kernels/ops/pool.h"

#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/pool.h"

namespace paddle::ops {
namespace {

void check_pool(const Infer& c, const PoolAttributes& a, size_t axes, const Shape& kernel) {
  const char* op = c.op_name();
  c.require_floating(0);
  PADDLE_CHECK_TYPE(!is_complex(c.dtype(0)), op, ": x has dtype ", c.dtype(0),
                    "; it must be a real floating type.");
  PADDLE_CHECK_VALUE(!a.format.empty() && a.format.front() == 'N', op, ": data_format is '",
                     a.format, "'; it must be one of NCHW, NHWC, NCDHW, NDHWC.");
  if (a.global) return;
  PADDLE_CHECK_VALUE(kernel.size() == axes, op, ": kernel_size has ", kernel.size(),
                     " values; one per spatial axis is needed, ", axes, ".");
  if (a.adaptive) {
    for (const Dim k : kernel) {
      PADDLE_CHECK_VALUE(decide_le(0, k, true), op, ": the output size is ", kernel,
                         "; no value may be negative.");
    }
    return;
  }
  check_per_axis(op, "kernel_size", {kernel.data(), kernel.size()}, axes, 1);
  check_per_axis(op, "strides", {a.strides.data(), a.strides.size()}, axes, 1);
  check_padding(op, a.algorithm, {a.paddings.data(), a.paddings.size()}, axes);
}

// Number of windows. A window that begins inside may reach beyond the padding: it is cut off there.
Dim pool_extent(const Infer& c, const PoolAttributes& a, const Shape& x, const Shape& kernel,
                size_t axis, size_t axes) {
  const Dim in = x[spatial_axis(a.channels_last(), axis)];
  if (a.global) return 1;
  if (a.adaptive) return kernel[axis];
  const Dim k = kernel[axis], stride = a.strides[axis];
  if (a.algorithm == "SAME") return floordiv(in + stride - Dim(1), stride);
  const Dim room =
      in + added_extent(a.algorithm, {a.paddings.data(), a.paddings.size()}, axis, axes) - k;
  if (!in.is_symbolic() && in == Dim(0)) return max(floordiv(room, stride) + Dim(1), 0);
  PADDLE_CHECK_VALUE(decide_lt(Dim(0) - stride, room, true), c.op_name(), ": x has shape ", x,
                     " and kernel_size is ", kernel, "; along spatial axis ", axis,
                     " the kernel covers ", k, " elements and the padded input has ", room + k,
                     "; use a smaller kernel or more padding.");
  if (decide_lt(room, 0, false)) return 1;
  return floordiv(a.ceil_mode ? room + stride - Dim(1) : room, stride) + Dim(1);
}

Shape pool_shape(const Infer& c, const PoolAttributes& a, const Shape& x, const Shape& kernel) {
  const size_t axes = x.size() - 2;
  check_pool(c, a, axes, kernel);
  Shape out = x;
  for (size_t axis = 0; axis < axes; ++axis) {
    out[spatial_axis(a.channels_last(), axis)] = pool_extent(c, a, x, kernel, axis, axes);
  }
  return out;
}

Shape kernel_of(const Infer& c) {
  const int k = c.op().schema().arg_index("kernel_size");
  return c.has(k) ? c.ints(k) : Shape();
}

template <int64_t kRank>
void infer_pool(Infer& c) {
  const PoolAttributes a = pool_attributes(c);
  c.require_rank(0, kRank);
  PADDLE_CHECK_VALUE(a.type == "max" || a.type == "avg" || a.type == "sum", c.op_name(),
                     ": pooling_type is '", a.type, "'; it must be 'max', 'avg' or 'sum'.");
  c.out(0, pool_shape(c, a, c.shape(0), kernel_of(c)), c.dtype(0));
}

// A position within a channel is a 32-bit number.
void check_plane(const Infer& c, const Shape& x, bool channels_last) {
  Dim plane = 1;
  for (size_t a = 0; a + 2 < x.size(); ++a) plane = plane * x[spatial_axis(channels_last, a)];
  PADDLE_CHECK_VALUE(decide_le(plane, std::numeric_limits<int32_t>::max(), true), c.op_name(),
                     ": x has shape ", x, " with ", plane,
                     " elements per channel; their positions must fit 32 bits.");
}

template <int64_t kRank>
void infer_with_index(Infer& c) {
  const PoolAttributes a = pool_attributes(c);
  c.require_rank(0, kRank);
  const Shape out = pool_shape(c, a, c.shape(0), kernel_of(c));
  check_plane(c, c.shape(0), false);
  c.out(0, out, c.dtype(0));
  c.out(1, out, DType::kInt32);
}

void infer_indices(Infer& c) {
  const PoolAttributes a = pool_attributes(c);
  c.require_rank_at_least(0, 3);
  check_plane(c, c.shape(0), a.channels_last());
  c.out(0, pool_shape(c, a, c.shape(0), a.kernel), DType::kInt32);
}

// arguments: x (its shape), out_grad, ...
void infer_avg_grad(Infer& c) {
  const PoolAttributes a = pool_attributes(c);
  c.require_rank_at_least(0, 3);
  c.require_same_dtype(1, 0);
  const Shape expected = pool_shape(c, a, c.shape(0), a.kernel);
  PADDLE_CHECK_VALUE(c.shape(1) == expected || !is_static(expected), c.op_name(),
                     ": out_grad has shape ", c.shape(1), "; the pool of x, of shape ", c.shape(0),
                     ", has shape ", expected, ".");
  c.out(0, c.shape(0), c.dtype(0));
}

void check_indices(const Infer& c, int indices, int values) {
  c.require_integer(indices);
  PADDLE_CHECK_VALUE(c.shape(indices) == c.shape(values) || !is_static(c.shape(indices)) ||
                         !is_static(c.shape(values)),
                     c.op_name(), ": ", c.arg_name(indices), " has shape ", c.shape(indices),
                     " and ", c.arg_name(values), " has shape ", c.shape(values),
                     "; they must be equal.");
}

// Two tensors of the same rank, batch and channels.
void require_channels(const Infer& c, int x, int y, std::string_view format) {
  c.require_rank_at_least(x, 3);
  c.require_rank(y, c.rank(x));
  const bool last = !format.empty() && format.back() == 'C';
  const size_t channel = last ? static_cast<size_t>(c.rank(x)) - 1 : 1;
  for (const size_t axis : {size_t{0}, channel}) {
    PADDLE_CHECK_VALUE(decide_eq(c.shape(x)[axis], c.shape(y)[axis], true), c.op_name(), ": ",
                       c.arg_name(x), " has shape ", c.shape(x), " and ", c.arg_name(y),
                       " has shape ", c.shape(y), "; batch and channels (axis ", channel,
                       ") must be equal.");
  }
}

// arguments: x, indices, ksize, strides, padding, output_size, data_format
template <int64_t kRank>
void infer_unpool(Infer& c) {
  c.require_rank(0, kRank);
  c.require_floating(0);
  check_indices(c, 1, 0);
  const bool last = is_channels_last(c.text(6));
  constexpr size_t axes = kRank - 2;
  const Shape sizes = c.has(5) ? c.ints(5) : Shape();
  PADDLE_CHECK_VALUE(sizes.size() == axes, c.op_name(), ": output_size is ", sizes,
                     "; one value per spatial axis is needed, ", axes, ".");
  Shape out = c.shape(0);
  for (size_t a = 0; a < axes; ++a) {
    PADDLE_CHECK_VALUE(decide_le(0, sizes[a], true), c.op_name(), ": output_size is ", sizes,
                       "; no value may be negative.");
    out[spatial_axis(last, a)] = sizes[a];
  }
  check_plane(c, out, last);
  c.out(0, out, c.dtype(0));
}

// arguments: x, output_size, kernel_size, random_u, return_mask
template <int64_t kRank>
void infer_fractional(Infer& c) {
  c.require_rank(0, kRank);
  c.require_floating(0);
  constexpr size_t axes = kRank - 2;
  const Shape& x = c.shape(0);
  const Shape sizes = c.ints(1), kernel = c.ints(2);
  check_per_axis(c.op_name(), "output_size", {sizes.data(), sizes.size()}, axes, 1);
  check_per_axis(c.op_name(), "kernel_size", {kernel.data(), kernel.size()}, axes, 0);
  PADDLE_CHECK_VALUE(c.f(3) >= 0 && c.f(3) < 1, c.op_name(), ": random_u has value ", c.f(3),
                     "; it must lie in (0, 1), or be 0 for a number that is drawn.");
  Shape out = x;
  for (size_t a = 0; a < axes; ++a) {
    const Dim needed = sizes[a] + kernel[a] - (kernel[a] == Dim(0) ? Dim(0) : Dim(1));
    PADDLE_CHECK_VALUE(decide_le(needed, x[a + 2], true), c.op_name(), ": x has shape ", x,
                       ", output_size is ", sizes, " and kernel_size ", kernel,
                       "; along spatial axis ", a, " at least ", needed, " elements are needed.");
    out[a + 2] = sizes[a];
  }
  check_plane(c, x, false);
  c.out(0, out, c.dtype(0));
  c.out(1, out, DType::kInt32);
}

uint64_t one_unless_given(const Slot* args, const Tensor*) { return args[3].f == 0 ? 1 : 0; }

// -- gradients ------------------------------------------------------------------------------------

Tensor pool(size_t axes, const Tensor& x, const PoolAttributes& a) {
  const auto fn = axes == 3 ? pool3d : pool2d;
  return fn(x, a.kernel, a.strides, a.paddings, a.ceil_mode, a.exclusive, a.format, a.type,
            a.global, a.adaptive, a.algorithm);
}

void vjp_pool(Vjp& v) {
  PoolAttributes a = pool_attributes(v.args());
  a.kernel = v.ints(1);
  if (a.type != "max") {
    v.set(0, avg_pool_grad(v.in(0), v.grad(), a.kernel, a.strides, a.paddings, a.ceil_mode,
                           a.exclusive, a.format, a.type, a.global, a.adaptive, a.algorithm));
    return;
  }
  const Tensor indices = max_pool_indices(v.in(0), a.kernel, a.strides, a.paddings, a.ceil_mode,
                                          a.format, a.global, a.adaptive, a.algorithm);
  v.set(0, pool_scatter(v.in(0), v.grad(), indices, a.format));
}

void vjp_avg_grad(Vjp& v) {
  const PoolAttributes a = pool_attributes(v.args());
  if (v.needs(1)) v.set(1, pool(static_cast<size_t>(v.in(0).ndim()) - 2, v.grad(), a));
}

// Results: out, mask. x has channels in front.
void vjp_with_index(Vjp& v) {
  if (v.has_grad(0)) v.set(0, pool_scatter(v.in(0), v.grad(), v.out(1), "NCHW"));
}

void vjp_unpool(Vjp& v) { v.set(0, pool_gather(v.grad(), v.in(1), v.text(6))); }

TensorList decompose_lp(Args& args) {
  PoolAttributes a = pool_attributes(args);
  const int norm = args.op().schema().arg_index("norm_type");
  const double p = args.f(norm);
  a.type = "sum";
  return {pow(pool(2, pow(args.tensor(0), Scalar(p)), a), Scalar(1 / p))};
}

void infer_lp(Infer& c) {
  const PoolAttributes a = pool_attributes(c);
  c.require_rank(0, 4);
  const double p = c.f(c.op().schema().arg_index("norm_type"));
  PADDLE_CHECK_VALUE(p != 0, c.op_name(), ": norm_type is 0; it must be another number.");
  c.out(0, pool_shape(c, a, c.shape(0), a.kernel), c.dtype(0));
}

constexpr const char* kPoolDoc =
    "Maximum or average ('sum' for the sum) of every window of every channel. exclusive averages "
    "leave padding out; adaptive pools take kernel_size as the output size and cut the input into "
    "as many windows.";

}  // namespace

void register_pool(Registry& r) {
  const auto define = [](OpDef& op, InferFn infer) {
    op.infer(infer)
        .spmd(sharding::pool)
        .opaque("windows are walked over directly")
        .follows_layout({"x"}, {"out"}, "data_format")
        .saves({"x"})
        .vjp(vjp_pool);
  };
  define(r.op("pool2d")
             .schema("pool2d(Tensor x, IntArray@operand kernel_size, int64[] strides, int64[] "
                     "paddings, bool ceil_mode, bool exclusive, str data_format, str "
                     "pooling_type, bool global_pooling, bool adaptive, str padding_algorithm) -> "
                     "(Tensor out)")
             .doc(kPoolDoc,
                  "paddle._C_ops.pool2d(paddle.ones([1, 2, 4, 4]), [2, 2], [2, 2], [0, 0], False, "
                  "True, 'NCHW', 'max', False, False, 'EXPLICIT')"),
         infer_pool<4>);
  define(
      r.op("pool3d")
          .schema("pool3d(Tensor x, int64[] kernel_size, int64[] strides, int64[] paddings, bool "
                  "ceil_mode, bool exclusive, str data_format, str pooling_type, bool "
                  "global_pooling, bool adaptive, str padding_algorithm) -> (Tensor out)")
          .doc(kPoolDoc,
               "paddle._C_ops.pool3d(paddle.ones([1, 2, 4, 4, 4]), [2, 2, 2], [2, 2, 2], [0, 0, "
               "0], False, True, 'NCDHW', 'avg', False, False, 'EXPLICIT')"),
      infer_pool<5>);
  r.op("avg_pool_grad")
      .schema(
          "avg_pool_grad(Tensor x, Tensor out_grad, int[] kernel_size, int[] strides, int[] "
          "paddings, bool ceil_mode, bool exclusive, str data_format, str pooling_type, bool "
          "global_pooling, bool adaptive, str padding_algorithm) -> (Tensor x_grad)")
      .doc("Gradient of average pooling: every window spreads its gradient over its elements.",
           "paddle._C_ops.avg_pool_grad(paddle.ones([1, 2, 4, 4]), paddle.ones([1, 2, 2, 2]), [2, "
           "2], [2, 2], [0, 0], False, True, 'NCHW', 'avg', False, False, 'EXPLICIT')")
      .spmd(sharding::channels_linear)
      .opaque("the transpose of average pooling")
      .infer(infer_avg_grad)
      .follows_layout({"x", "out_grad"}, {"x_grad"}, "data_format")
      .reads_shape_of({"x"})
      .saves({})
      .vjp(vjp_avg_grad);
  r.op("lp_pool2d")
      .schema(
          "lp_pool2d(Tensor x, IntArray kernel_size, int64[] strides={1, 1}, int64[] paddings={0, "
          "0}, bool ceil_mode=false, bool exclusive=true, str data_format=\"NCHW\", str "
          "pooling_type=\"\", bool global_pooling=false, bool adaptive=false, str "
          "padding_algorithm=\"EXPLICIT\", float norm_type=0.0) -> (Tensor out)")
      .doc("(sum of x^norm_type)^(1 / norm_type) of every window.",
           "paddle._C_ops.lp_pool2d(paddle.ones([1, 2, 4, 4]), [2, 2], [2, 2], norm_type=2.0)")
      .infer(infer_lp)
      .decompose(decompose_lp);
}

void register_max_pool(Registry& r) {
  const auto define = [](OpDef& op, InferFn infer, const char* example) {
    op.infer(infer)
        .doc(
            "Maximum of every window and its flat position in its channel; -1 for a window without "
            "elements.",
            example)
        .spmd(sharding::channels)
        .opaque("windows are walked over directly")
        .no_grad_result("mask")
        .saves({"mask"})
        .vjp(vjp_with_index);
  };
  define(r.op("max_pool2d_with_index")
             .schema("max_pool2d_with_index(Tensor x, int[] kernel_size, int[] strides={1, 1}, "
                     "int[] paddings={0, 0}, bool global_pooling=false, bool adaptive=false, bool "
                     "ceil_mode=false) -> (Tensor out, Tensor mask)"),
         infer_with_index<4>,
         "paddle._C_ops.max_pool2d_with_index(paddle.ones([1, 2, 4, 4]), [2, 2], [2, 2])");
  define(r.op("max_pool3d_with_index")
             .schema("max_pool3d_with_index(Tensor x, int[] kernel_size, int[] strides={1, 1, "
                     "1}, int[] paddings={0, 0, 0}, bool global_pooling=false, bool "
                     "adaptive=false, bool ceil_mode=false) -> (Tensor out, Tensor mask)"),
         infer_with_index<5>,
         "paddle._C_ops.max_pool3d_with_index(paddle.ones([1, 2, 4, 4, 4]), [2, 2, 2], [2, 2, 2])");
  r.op("max_pool_indices")
      .schema(
          "max_pool_indices(Tensor x, int[] kernel_size, int[] strides, int[] paddings, bool "
          "ceil_mode, str data_format, bool global_pooling, bool adaptive, str "
          "padding_algorithm) -> (Tensor mask)")
      .doc("Flat position, in its channel, of the maximum of every window.",
           "paddle._C_ops.max_pool_indices(paddle.ones([1, 2, 4, 4]), [2, 2], [2, 2], [0, 0], "
           "False, 'NCHW', False, False, 'EXPLICIT')")
      .spmd(sharding::channels)
      .opaque("windows are walked over directly")
      .kernel_dtype_of("x")
      .infer(infer_indices)
      .follows_layout({"x"}, {"mask"}, "data_format")
      .no_grad();
  r.op("pool_scatter")
      .schema(
          "pool_scatter(Tensor x, Tensor values, Tensor indices, str data_format) -> (Tensor out)")
      .doc(
          "Zeros of the shape of x, with values added at flat positions of their channel; -1 "
          "adds nothing.",
          "paddle._C_ops.pool_scatter(paddle.ones([1, 2, 4, 4]), paddle.ones([1, 2, 1, 1]), "
          "paddle.zeros([1, 2, 1, 1], 'int32'), 'NCHW')")
      .spmd(sharding::channels_linear)
      .opaque("the transpose of pool_gather")
      .infer([](Infer& c) {
        check_indices(c, 2, 1);
        c.require_same_dtype(1, 0);
        require_channels(c, 0, 1, c.text(3));
        c.out(0, c.shape(0), c.dtype(1));
      })
      .follows_layout({"x", "values", "indices"}, {"out"}, "data_format")
      .reads_shape_of({"x"})
      .saves({"indices"})
      .vjp([](Vjp& v) {
        if (v.needs(1)) v.set(1, pool_gather(v.grad(), v.in(2), v.text(3)));
      });
  r.op("pool_gather")
      .schema("pool_gather(Tensor x, Tensor indices, str data_format) -> (Tensor out)")
      .doc("Elements of x at flat positions of their channel; 0 for position -1.",
           "paddle._C_ops.pool_gather(paddle.ones([1, 2, 4, 4]), paddle.zeros([1, 2, 1, 1], "
           "'int32'), 'NCHW')")
      .spmd(sharding::channels_linear)
      .opaque("the transpose of pool_scatter")
      .infer([](Infer& c) {
        c.require_integer(1);
        require_channels(c, 0, 1, c.text(2));
        c.out(0, c.shape(1), c.dtype(0));
      })
      .follows_layout({"x", "indices"}, {"out"}, "data_format")
      .saves({"indices"})
      .vjp([](Vjp& v) {
        if (v.needs(0)) v.set(0, pool_scatter(v.in(0), v.grad(), v.in(1), v.text(2)));
      });
}

void register_unpool(Registry& r) {
  const auto define = [](OpDef& op, InferFn infer, const char* example) {
    op.infer(infer)
        .doc("Zeros of output_size, with x set at the flat positions `indices` of their channel.",
             example)
        .spmd(sharding::channels_linear)
        .opaque("the inverse of a maximum pool on the elements that it picked")
        .saves({"indices"})
        .vjp(vjp_unpool);
  };
  define(r.op("unpool").schema("unpool(Tensor x, Tensor indices, int[] ksize, int[] strides, int[] "
                               "padding, IntArray@operand output_size, str data_format) -> "
                               "(Tensor out)"),
         infer_unpool<4>,
         "paddle._C_ops.unpool(paddle.ones([1, 2, 1, 1]), paddle.zeros([1, 2, 1, 1], 'int32'), "
         "[2, 2], [2, 2], [0, 0], [2, 2], 'NCHW')");
  define(r.op("unpool3d")
             .schema("unpool3d(Tensor x, Tensor indices, int[] ksize, int[] strides={1, 1, 1}, "
                     "int[] paddings={0, 0, 0}, int[] output_size={0, 0, 0}, str "
                     "data_format=\"NCDHW\") -> (Tensor out)"),
         infer_unpool<5>,
         "paddle._C_ops.unpool3d(paddle.ones([1, 2, 1, 1, 1]), paddle.zeros([1, 2, 1, 1, 1], "
         "'int32'), [2, 2, 2], [2, 2, 2], [0, 0, 0], [2, 2, 2])");
}

void register_fractional_pool(Registry& r) {
  const auto define = [](OpDef& op, InferFn infer, const char* example) {
    op.infer(infer)
        .doc(
            "Maximum of windows whose lengths vary, so that the output has any size (Graham, "
            "arXiv 1412.6071), and its flat position. kernel_size 0: disjoint windows. random_u 0: "
            "drawn from the generator.",
            example)
        .spmd(sharding::drawn_channels)
        .opaque("windows are walked over directly")
        .no_grad_result("mask")
        .random(one_unless_given)
        .saves({"mask"})
        .vjp(vjp_with_index);
  };
  define(r.op("fractional_max_pool2d")
             .schema("fractional_max_pool2d(Tensor x, int[] output_size, int[] kernel_size={0, 0}, "
                     "float random_u=0.0, bool return_mask=true) -> (Tensor out, Tensor mask)"),
         infer_fractional<4>,
         "paddle._C_ops.fractional_max_pool2d(paddle.ones([1, 2, 5, 5]), [2, 3], random_u=0.3)");
  define(r.op("fractional_max_pool3d")
             .schema("fractional_max_pool3d(Tensor x, int[] output_size, int[] kernel_size={0, "
                     "0, 0}, float random_u=0.0, bool return_mask=true) -> (Tensor out, Tensor "
                     "mask)"),
         infer_fractional<5>,
         "paddle._C_ops.fractional_max_pool3d(paddle.ones([1, 2, 5, 5, 5]), [2, 3, 2], "
         "random_u=0.3)");
}

}  // namespace paddle::ops
