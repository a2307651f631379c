// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that take or give lists of tensors: unstack, broadcast_tensors, add_n.
#include "paddle_core/dispatch/core_ops.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/registry.h"
#include "paddle_core/op/saved_form.h"
#include "paddle_core/op/vjp.h"
#include "phi_kernels/ops/compose.h"
#include "phi_kernels/ops/reduce.h"

namespace paddle::ops {
namespace {

Shape common_shape(std::span<const Tensor> inputs, const char* op) {
  Shape common;
  for (const Tensor& t : inputs) {
    Shape next;
    broadcast_into(common, t.shape(), op, "input", "input", next);
    common = next;
  }
  return common;
}

// The first input that is not a single number; numbers are added to every element.
size_t full_input(std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].shape().empty()) return i;
  }
  return 0;
}

void infer_add_n(Infer& c) {
  const auto inputs = c.list(0);
  PADDLE_CHECK_VALUE(
      !inputs.empty(),
      "add_n: inputs is an empty list; there must be at least one tensor; pass one.");
  const size_t first = full_input(inputs);
  const Shape& shape = inputs[first].shape();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& own = inputs[i].shape();
    bool same = own.empty() || own.size() == shape.size();
    for (size_t d = 0; same && d < own.size(); ++d) same = decide_eq(own[d], shape[d], true);
    PADDLE_CHECK_VALUE(same && inputs[i].dtype() == inputs[first].dtype(), "add_n: inputs[", i,
                       "] has shape ", own, " and dtype ", inputs[i].dtype(), " where inputs[",
                       first, "] has ", shape, " and ", inputs[first].dtype(),
                       "; all must be alike; cast or expand them.");
  }
  c.out(0, shape, inputs[first].dtype());
}

}  // namespace

void register_lists(Registry& r) {
  r.op("unstack")
      .schema("unstack(Tensor x, int axis=0, int num=0) -> (Tensor[] out)")
      .doc(
          "The slices of x along an axis, without that axis.\n"
          "x: A Tensor of any dtype.\n"
          "num: The extent of the axis; it may be left out.",
          "[t.tolist() for t in paddle.unstack(paddle.to_tensor([[1, 2], [3, 4]]))]  # [[1, 2], "
          "[3, 4]]")
      .python("paddle.unstack(x, axis=0, num=None)")
      .python("Tensor.unstack(x, axis=0, num=None)")
      .infer([](Infer& c) {
        c.require_rank_at_least(0, 1);
        const int64_t axis = c.axis(1, c.rank(0));
        Shape rest = c.shape(0);
        const int64_t n = rest[static_cast<size_t>(axis)].value();
        PADDLE_CHECK_VALUE(c.i(2) == 0 || c.i(2) == n, "unstack: num has value ", c.i(2),
                           " and the axis has extent ", n, "; they must be equal; leave num out.");
        PADDLE_CHECK_KIND(ErrorKind::kOverflow, n <= int64_t{1} << 24,
                          "unstack: the result would hold ", n,
                          " tensors; a list holds at most 2^24; take fewer parts.");
        rest.erase(rest.begin() + axis);
        c.set_list_size(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) c.out(static_cast<int>(i), rest, c.dtype(0));
      })
      .saved_form(
          [](SavedForm& f) { f.set_attribute("num", static_cast<int32_t>(f.length(f.result()))); })
      .decompose([](Args& a) { return unbind(a.tensor(0), a.i(1)); });
  r.op("broadcast_tensors")
      .schema("broadcast_tensors(Tensor[] input) -> (Tensor[] out)")
      .doc("The tensors repeated to their common shape.",
           "paddle.broadcast_tensors([paddle.zeros([2, 1]), paddle.ones([3])])")
      .alias("inputs", "input")
      .infer([](Infer& c) {
        const auto inputs = c.list(0);
        const Shape common = common_shape(inputs, "broadcast_tensors");
        c.set_list_size(inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i) {
          c.out(static_cast<int>(i), common, inputs[i].dtype());
        }
      })
      .vjp([](Vjp& v) {  // taken whole: extents that are known when the program runs are compared
                         // then
        const auto inputs = v.list(0);
        TensorList grads;
        for (size_t i = 0; i < inputs.size(); ++i) {
          const Tensor g = v.grad(static_cast<int>(i));
          grads.push_back(g.defined() ? core_ops().sum_to(g, inputs[i].shape()) : g);
        }
        v.set_list(0, grads);
      })
      .decompose([](Args& a) {
        const TensorList inputs = a.list(0);
        const Shape common = common_shape(inputs, "broadcast_tensors");
        TensorList out;
        for (const Tensor& t : inputs) out.push_back(assign(expand(t, common)));
        return out;
      });
  r.op("add_n")
      .schema("add_n(Tensor[] inputs) -> (Tensor out)")
      .doc(
          "The sum of tensors of one shape and dtype; single numbers (shape []) go to every "
          "element.",
          "paddle.add_n([paddle.ones([2]), paddle.ones([2])])")
      .infer(infer_add_n)
      .vjp([](Vjp& v) {
        TensorList grads;
        for (const Tensor& t : v.list(0)) {
          const bool number = t.ndim() == 0 && v.grad().ndim() > 0;
          grads.push_back(number ? sum(v.grad()) : v.grad());
        }
        v.set_list(0, grads);
      })
      .decompose([](Args& a) -> TensorList {
        const TensorList inputs = a.list(0);
        Tensor total = inputs.size() == 1 ? assign(inputs[0]) : inputs[0];
        for (size_t i = 1; i < inputs.size(); ++i) total = total + inputs[i];
        return {total};
      });
}

}  // namespace paddle::ops
