// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps from a base to a view. Where a long chain leads is found by running the view functions
// of its steps on a tensor that has strides and no memory; where that is a part of the base under
// another shape, at most four steps lead there: reshape, slice, reshape, transpose.
#include "paddle_core/autograd/view_steps.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "paddle_core/base/error.h"
#include "paddle_core/device/host_allocator.h"
#include "paddle_core/op/args.h"
#include "paddle_core/op/registry.h"

namespace paddle::autograd {
namespace {

// A chain is looked at when it has so many steps; one that could not be shortened, when it has
// become twice as long.
constexpr size_t kLongChain = 8;

// The first of its steps may be others than parts and shapes (a diagonal, every third element): so
// many of them are left as they are.
constexpr size_t kMaxKept = 16;

const OpDef& op_of(const char* name) {
  const OpDef* const op = Registry::global().find(name);
  PADDLE_ASSERT(op);
  return *op;
}

ViewStep step_of(const OpDef& op, const Slot* args) {
  SmallVector<Slot, 8> kept(args, args + op.num_args);
  kept[0] = Slot();
  return {&op, OwnedArgs(kept.data(), kept.size())};
}

ViewStep reshape_to(const Shape& shape) {
  static const OpDef& reshape = op_of("reshape");
  const Slot slots[] = {Slot(), Slot::of(shape)};
  return step_of(reshape, slots);
}

// Whether a view has all elements of its source, in the same row-major order, in the same memory.
bool regroups(const Tensor& source, const Tensor& view) {
  const auto plain = [](const Tensor& t) {
    return !(t->shared_keys() & kModeLayout) && t.has_storage() && t->contiguous;
  };
  return plain(source) && plain(view) && source->offset == view->offset &&
         source.dtype() == view.dtype() && source.numel() == view.numel() && view.numel() > 0;
}

// Strides over memory that is not there.
Tensor without_memory(const Shape& shape, DType dtype) {
  Tensor t = Tensor::meta(shape, dtype);
  t->set_contiguous_layout();
  const size_t bytes = static_cast<size_t>(t->numel) * size_of(dtype);
  t->storage = Storage::wrap(nullptr, bytes, Place(), {});
  return t;
}

Tensor without_memory(const Tensor& like) {
  Tensor t = without_memory(like.shape(), like.dtype());
  if (like.has_storage() && !(like->shared_keys() & kModeLayout)) {
    t->strides = like.strides();
    t->contiguous = like.is_contiguous();
  }
  return t;
}

// What a step makes of x: undefined where it copies, nothing where only a run tells.
std::optional<Tensor> view_by(const OpDef& op, const Slot* args, const Tensor& x) {
  static const OpDef& as_strided = op_of("as_strided");  // counts from the start of the memory
  if (!op.is_view() || &op == &as_strided) return std::nullopt;
  SmallVector<Slot, 8> slots(args, args + op.num_args);
  slots[0] = Slot::of(x);
  for (size_t i = 1; i < slots.size(); ++i) {
    const Slot& s = slots[i];
    if (s.kind == SlotKind::kTensor || s.kind == SlotKind::kTensorList) return std::nullopt;
    if (s.kind != SlotKind::kInts) continue;
    if (std::any_of(s.dims, s.dims + s.count, [](Dim d) { return d.is_symbolic(); }))
      return std::nullopt;
  }
  Args view_args(op, slots.data());
  try {
    return op.view_fn(view_args);
  } catch (const Error&) {  // a view or nothing, by memory that is known when the program runs
    return std::nullopt;
  }
}

// Axes of a view that walk memory evenly together, seen as one.
struct Walk {
  int64_t extent, stride;
};

// The axes that have more than one element, the one with the largest stride first.
std::vector<int64_t> by_stride(const Tensor& view) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < view.ndim(); ++d) {
    if (view.size(d) > 1) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return view.strides()[static_cast<size_t>(a)] > view.strides()[static_cast<size_t>(b)];
  });
  return order;
}

std::vector<Walk> walks_of(const Tensor& view, const std::vector<int64_t>& order) {
  std::vector<Walk> walks;
  for (const int64_t d : order) {
    const Walk next{view.size(d), view.strides()[static_cast<size_t>(d)]};
    if (!walks.empty() && walks.back().stride == next.stride * next.extent) {
      walks.back() = {walks.back().extent * next.extent, next.stride};
    } else {
      walks.push_back(next);
    }
  }
  return walks;
}

// The part of a contiguous tensor of `numel` elements that the walks go over, as a slice of the
// tensor under another shape.
struct Part {
  Shape shape, starts, ends;
  bool is_whole() const {
    for (size_t k = 0; k < shape.size(); ++k) {
      if (!(starts[k] == Dim(0)) || !(ends[k] == shape[k])) return false;
    }
    return true;
  }
};

std::optional<Part> part_of(int64_t numel, int64_t first, const std::vector<Walk>& walks) {
  Part part;
  const auto add = [&](int64_t radix, int64_t start, int64_t extent) {
    part.shape.push_back(radix);
    part.starts.push_back(start);
    part.ends.push_back(start + extent);
    return start + extent <= radix;
  };
  int64_t outer = numel;
  for (const Walk& w : walks) {
    if (w.stride <= 0 || outer % w.stride != 0) return std::nullopt;
    if (!add(outer / w.stride, first / w.stride, w.extent)) return std::nullopt;
    first %= w.stride;
    outer = w.stride;
  }
  if (outer > 1 && !add(outer, first, 1)) return std::nullopt;
  return part;
}

// The few steps from a contiguous tensor of this shape to a view of it.
std::optional<std::vector<ViewStep>> few_steps(const Shape& from, const Tensor& view) {
  static const OpDef& slice = op_of("slice");
  static const OpDef& transpose = op_of("transpose");
  std::vector<int64_t> order = by_stride(view);
  const auto part =
      part_of(numel_of(from).value(), view->offset / static_cast<int64_t>(size_of(view.dtype())),
              walks_of(view, order));
  if (!part) return std::nullopt;
  std::vector<ViewStep> steps;
  Shape shape = from;
  const auto reshape = [&](const Shape& to) {
    if (!(shape == to)) steps.push_back(reshape_to(to));
    shape = to;
  };
  if (!part->is_whole()) {
    reshape(part->shape);
    Shape axes;
    const Shape none{};
    for (size_t k = 0; k < shape.size(); ++k) {
      axes.push_back(static_cast<int64_t>(k));
      shape[k] = part->ends[k] - part->starts[k];
    }
    const Slot slots[] = {
        Slot(),         Slot::of(axes), Slot::of(part->starts), Slot::of(part->ends),
        Slot::of(none), Slot::of(none)};
    steps.push_back(step_of(slice, slots));
  }
  if (std::is_sorted(order.begin(), order.end())) {
    reshape(view.shape());
  } else {
    for (int64_t d = 0; d < view.ndim(); ++d) {
      if (view.size(d) == 1) order.push_back(d);
    }
    Shape sorted, back(order.size(), Dim(0));
    for (size_t k = 0; k < order.size(); ++k) {
      sorted.push_back(view.size(order[k]));
      back[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
    }
    reshape(sorted);
    const Slot slots[] = {Slot(), Slot::of(back)};
    steps.push_back(step_of(transpose, slots));
  }
  if (steps.empty()) steps.push_back(reshape_to(view.shape()));
  return steps;
}

// x and the views that the steps from `first` on make of it; nothing where that isn't known, or
// where one copies.
std::optional<TensorList> views_along(const std::vector<const ViewStep*>& steps, size_t first,
                                      const Tensor& x) {
  TensorList views{x};
  for (size_t i = first; i < steps.size(); ++i) {
    const auto next = view_by(*steps[i]->op, steps[i]->args.data(), views.back());
    if (!next || !next->defined()) return std::nullopt;
    views.push_back(*next);
  }
  return views;
}

// How many steps come before the last one that gives the elements another dtype, with it.
size_t steps_before_dtype(const TensorList& views) {
  size_t k = views.size() - 1;
  while (k > 0 && views[k - 1].dtype() == views.back().dtype()) --k;
  return k;
}

// Replaces as many of the last steps as can be by a few.
void shorten(ViewSteps& steps, const Tensor& base) {
  if (!is_static(base.shape())) return;
  const std::vector<const ViewStep*> list = steps.list();
  const auto all = views_along(list, 0, without_memory(base));
  if (!all || all->back().numel() == 0) return;
  const size_t first = steps_before_dtype(*all);
  for (size_t kept = first; kept < std::min(list.size(), first + kMaxKept); ++kept) {
    const Tensor& from = (*all)[kept];
    const auto views = views_along(list, kept, without_memory(from.shape(), from.dtype()));
    if (!views) continue;
    auto few = few_steps(from.shape(), views->back());
    if (!few || kept + few->size() >= list.size()) continue;
    while (steps.size() > kept) steps = steps.without_last();
    for (ViewStep& step : *few) steps.push_back(std::move(step));
    return;
  }
}

}  // namespace

void* ViewSteps::Link::operator new(size_t bytes) { return host_memory::allocate(bytes); }
void ViewSteps::Link::operator delete(void* link, size_t bytes) { host_memory::free(link, bytes); }

// A loop: the steps of a long chain would not fit on the stack.
void ViewSteps::Link::destroy(Link* link) {
  while (link) {
    Link* const before = link->before.release();
    delete link;
    link = before && before->drop() ? before : nullptr;
  }
}

void ViewSteps::push_back(ViewStep step) {
  last_ = IntrusivePtr<Link>::adopt(new Link(std::move(step), last_));
}

std::vector<const ViewStep*> ViewSteps::list() const {
  std::vector<const ViewStep*> steps(size());
  const Link* link = last_.get();
  for (size_t i = steps.size(); i-- > 0; link = link->before.get()) steps[i] = &link->step;
  return steps;
}

// A view that only has its source's elements under another shape is a reshape, whatever operator
// gave it, and a reshape of a reshape is one. Captures read short chains as they were recorded.
void add_step(ViewSteps& steps, const Tensor& base, const Tensor& source, const Tensor& view,
              const OpDef& op, const Slot* args) {
  static const OpDef& reshape = op_of("reshape");
  if (regroups(source, view)) {
    if (!steps.empty() && steps.back().op == &reshape) steps = steps.without_last();
    steps.push_back(reshape_to(view.shape()));
  } else {
    steps.push_back(step_of(op, args));
  }
  if (steps.size() >= kLongChain && std::has_single_bit(steps.size())) shorten(steps, base);
}

bool gives_new_memory(const ViewSteps& steps, const Tensor& base, const OpDef& op,
                      const Slot* args) {
  if (!is_static(base.shape())) return false;
  const auto views = views_along(steps.list(), 0, without_memory(base));
  if (!views) return false;
  const auto view = view_by(op, args, views->back());
  return view && !view->defined();
}

}  // namespace paddle::autograd
