// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Change of dtype, and copies.
#include "phi_kernels/ops/elementwise/rules.h"
#include "phi_kernels/ops/sharding_rules.h"
#include "phi_kernels/rules/integers.h"

namespace paddle::ops {

void register_cast(Registry& r) {
  r.op("cast")
      .schema("cast(Tensor x, DType dtype) -> (Tensor out)")
      .doc(
          "x with another dtype; towards integers the fraction is cut off.\n"
          "x: A Tensor of any dtype.\n"
          "dtype: The new dtype, or its name.\n"
          "Returns: A Tensor of the shape of x.",
          "paddle.cast(paddle.to_tensor([-1.5, 2.5]), \"int32\").tolist()  # [-1, 2]")
      .python("paddle.cast")
      .python("Tensor.cast")
      .python("Tensor.astype(dtype)")
      .inplace_python("paddle.cast_(x, dtype)")
      .inplace_python("Tensor.cast_(dtype)")
      .elementwise()
      .primitive("changes the dtype")
      .integers(integers::same_as_x)
      .infer([](Infer& c) {
        PADDLE_CHECK_TYPE(c.dtype_attr(1) != DType::kUndefined,
                          "cast: dtype is undefined; name the dtype to convert to.");
        c.out(0, c.shape(0), c.dtype_attr(1));
      })
      .vjp([](Vjp& v) { v.set(0, cast(v.grad(), v.in(0).dtype())); });
  r.op("assign")
      .schema("assign(Tensor x) -> (Tensor out)")
      .spmd(sharding::copy)
      .doc(
          "A copy of x with its own memory, through which gradients flow.\n"
          "x: A Tensor of any dtype.\n"
          "Returns: A Tensor of the shape and dtype of x.",
          "paddle.assign(paddle.to_tensor([1.0])).tolist()  # [1.0]")
      .python("Tensor.clone()")
      .python("paddle.clone(x, name=None)")
      .elementwise()
      .primitive("copies memory")
      .integers(integers::same_as_x)
      .infer(infer::same_as_x)
      .vjp([](Vjp& v) { v.set(0, v.grad()); });
  r.op("copy_to")
      .schema("copy_to(Tensor x, Place place, bool blocking=true) -> (Tensor out)")
      .doc(
          "The values of x in the memory of a device.\n"
          "x: A Tensor of any shape and dtype.\n"
          "place: Where the copy is made, also where x is already.\n"
          "blocking: Whether the host waits for the copy; copies from and to memory of the host "
          "always do.\n"
          "Returns: A Tensor of the shape and dtype of x, on place.",
          "paddle._C_ops.copy_to(paddle.to_tensor([1.0]), paddle.CPUPlace(), True).tolist()  # "
          "[1.0]")
      .trait(kAnyPlace)
      .spmd(sharding::copy)
      .primitive("moves values between devices")
      .infer([](Infer& c) {
        device_of(c.slot(1).place);  // raises when there is none
        c.out(0, c.shape(0), c.dtype(0));
      })
      .vjp([](Vjp& v) { v.set(0, copy_to(v.grad(), v.in(0).place(), v.b(2))); });
  r.op("overwrite_")
      .schema("overwrite_(Tensor x, Tensor output) -> (Tensor out)")
      .doc("Writes x, of the shape and dtype of output, into the memory of output.",
           "x = paddle.zeros([2])\n"
           "paddle._core.ops.overwrite_(paddle.ones([2]), x).tolist()  # [1.0, 1.0]")
      .inplace({{"output", "out"}})
      .kernel_dtype_of("output")
      .spmd(sharding::every_dim)
      .primitive("the write of a whole tensor in place")
      .infer([](Infer& c) {
        c.require_like(0, 1);
        c.out(0, c.shape(1), c.dtype(1));
      })
      .no_grad();
}

}  // namespace paddle::ops
