// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// x[i] of a place that only the running program knows is a view of x, as x[1] is: what is written
// to it stands in x, and what is written to x is seen in it.
#include "pir/capture/dynamic_index.h"

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/dispatch/call.h"
#include "paddle_core/op/args.h"
#include "pir/capture/capture.h"

namespace paddle::pir {
namespace {

const OpDef& op_of(const char* name) {
  const OpDef* op = Registry::global().find(name);
  PADDLE_ASSERT(op);
  return *op;
}

Tensor called(const OpDef& op, const Slot* args) {
  Outputs outs;
  call(op, args, outs);
  return outs[0];
}

// The axes in the order that has one of them in front, or back in their own.
Tensor with_axis_moved(const Tensor& x, int64_t axis, bool to_front) {
  static const OpDef& transpose = op_of("transpose");
  if (axis == 0) return x;
  Shape order;
  for (int64_t k = 0; k < x.ndim(); ++k) {
    if (to_front) {
      order.push_back(k == 0 ? axis : k <= axis ? k - 1 : k);
    } else {
      order.push_back(k == axis ? 0 : k < axis ? k + 1 : k);
    }
  }
  const Slot slots[] = {Slot::of(x), Slot::of(order)};
  return called(transpose, slots);
}

// x with what is written at the place.
Tensor scatter(Args& a, const Tensor& x, const Tensor& written) {
  static const OpDef& index_put = op_of("index_put");
  const int64_t axis = a.scalar(2).to_int();
  const Tensor front = with_axis_moved(x, axis, true);
  const TensorList indices{a.tensor(1)};
  const Slot slots[] = {Slot::of(front), Slot::of(indices), Slot::of(written),
                        Slot::of_bool(false)};
  return with_axis_moved(called(index_put, slots), axis, false);
}

const OpDef& selection() {
  static const OpDef* const op = [] {
    auto* made = new OpDef(op_of("gather"));
    made->view_scatter_fn = scatter;
    return made;
  }();
  return *op;
}

}  // namespace

Tensor select_at(Capture& capture, const Tensor& x, const Tensor& index, int64_t axis) {
  Values& values = capture.values();
  autograd::sync_view(index);
  const Tensor place = values.stand_in(values.value_of(index));  // the index may be written later
  const Scalar along(axis);
  const Slot slots[] = {Slot::of(x), Slot::of(place), Slot::of(along)};
  const Tensor view = called(selection(), slots);
  autograd::record_view(view, selection(), slots);
  return view;
}

}  // namespace paddle::pir
