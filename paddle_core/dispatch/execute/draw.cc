// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "paddle_core/dispatch/execute/draw.h"

#include "paddle_core/device/execution_context.h"

namespace paddle {
namespace {

bool is_part(const Shape& shape, const ElementMap& map) {
  const auto axes = map.axes();
  if (shape.size() != axes.size()) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (shape[i] != Dim(axes[i].count)) return false;
  }
  return true;
}

[[gnu::noinline]] PhiloxState draw_part(const OpDef& op, const Slot* args, const Tensor* outs,
                                        Place place, const ElementMap& map) {
  Shape part, whole;
  for (const ElementMap::Axis& a : map.axes()) {
    part.push_back(Dim(a.count));
    whole.push_back(Dim(a.whole));
  }
  SmallVector<Tensor, 4> wholes;
  for (size_t i = 0; i < op.num_results; ++i) {
    PADDLE_CHECK_VALUE(!outs[i].defined() || is_part(outs[i].shape(), map), op.name(), ": result ",
                       i, " has shape ", outs[i].shape(), ", and a part of shape ", part,
                       " of a tensor of shape ", whole, " is drawn; the shapes must be equal.");
    wholes.push_back(outs[i].defined() ? Tensor::meta(whole, outs[i].dtype()) : Tensor());
  }
  return draw_state(op.random_count_fn(args, wholes.data()), place);
}

}  // namespace

PhiloxState draw_for(const OpDef& op, const Slot* args, const Tensor* outs, Place place) {
  const ElementMap* map = thread_binding.elements;
  if (map) [[unlikely]]
    return draw_part(op, args, outs, place, *map);
  return draw_state(op.random_count_fn(args, outs), place);
}

}  // namespace paddle
