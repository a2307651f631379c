// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// .grad of tensors that exist outside of a capture: what the function does with it, and what calls
// of the program must find there.
#include "paddle_core/autograd/autograd.h"
#include "pir/capture/capture.h"
#include "pir/dialect/control_flow.h"

namespace paddle::pir {

namespace {

using autograd::GradState;

constexpr uint8_t bit(GradState s) { return static_cast<uint8_t>(s); }
constexpr uint8_t kAnyState =
    bit(GradState::kNone) | bit(GradState::kZero) | bit(GradState::kValues);
// Zeros are made values where a program reads them.
constexpr uint8_t kSomething = bit(GradState::kZero) | bit(GradState::kValues);

// Right for calls that find what is seen here.
uint8_t as_seen(GradState found, bool zeroed) {
  if (found == GradState::kNone) return bit(found);
  return zeroed || found == GradState::kValues ? kSomething : bit(found);
}

}  // namespace

Gradients::LeafGradient& Gradients::leaf_gradient(const Tensor& leaf) {
  const auto [at, is_new] = by_leaf_.emplace(leaf.impl(), leaves_.size());
  if (is_new) {
    const autograd::Meta* meta = autograd::meta_of(leaf);
    LeafGradient& made = leaves_.emplace_back();
    made.leaf = leaf;
    if (meta) made.before = meta->grad;
    made.found = autograd::grad_state(leaf);
    if (made.before.defined()) old_grad_[made.before.impl()] = at->second;
  }
  return leaves_[at->second];
}

void Gradients::touched(const Tensor& leaf, Touch touch) {
  if (!leaf.has_storage() || leaf->stop_gradient || !autograd::is_leaf(leaf)) return;
  LeafGradient& g = leaf_gradient(leaf);
  if (g.states) return;
  if (touch == Touch::kZeroed) {
    g.zeroed_first = true;
  } else {
    g.states = touch == Touch::kReplaced ? kAnyState : as_seen(g.found, g.zeroed_first);
  }
}

void Gradients::set_grad(const Tensor& leaf, const Tensor& grad) {
  PADDLE_CHECK_RUNTIME(!differentiating_,
                       "to_static: a backward calls backward() itself, for a tensor of shape ",
                       leaf.shape(), "; return its gradients instead.");
  if (leaf.has_storage()) {
    values().value_of(leaf);
    LeafGradient& g = leaf_gradient(leaf);
    if (!g.states) {
      g.states = g.zeroed_first ? kAnyState
                 : g.found == GradState::kValues
                     ? kSomething
                     : bit(GradState::kNone) | bit(GradState::kZero);  // added to neither
    }
  }
  ran_backward_ = true;
  if (is_outer(leaf)) return capture_.rebind(autograd::meta_of(leaf)->grad, grad);
  autograd::ensure_meta(leaf).grad = grad;
}

void Gradients::collect() {
  for (size_t i = 0; i < leaves_.size(); ++i) {  // a gradient that is an input may be one more
    LeafGradient g = leaves_[i];
    autograd::Meta& meta = autograd::ensure_meta(g.leaf);
    if (!g.states && g.zeroed_first) g.states = as_seen(g.found, true);
    if (!context_.in_parts && g.states && g.states != kAnyState) {
      context_.result->found_grads.push_back({g.leaf, g.states});
    }
    const bool was_zero = g.found == GradState::kZero;
    if (meta.grad.same_impl(g.before) && meta.grad_is_zero == was_zero) continue;
    CapturedWrite write{g.leaf, nullptr, meta.grad_is_zero};
    if (meta.grad.defined()) {
      write.value = values().value_of(meta.grad);
      PADDLE_CHECK_KIND(
          ErrorKind::kNotImplemented, values().is_visible(write.value),
          "to_static: a tensor of shape ", g.leaf.shape(),
          " has a gradient in some runs only: backward() is called in a branch or loop "
          "on a tensor; use full_graph=False, or clear the gradient there.");
    }
    context_.result->grads.push_back(std::move(write));
    meta.grad = std::move(g.before);
    meta.grad_is_zero = was_zero;
  }
}

bool Gradients::is_outer(const Tensor& leaf) {
  const autograd::Meta* meta = autograd::meta_of(leaf);
  return meta && meta->grad.defined() && control_flow().is_outside_region(meta->grad);
}

const Tensor* Gradients::leaf_of(const TensorImpl* grad) const {
  const auto found = old_grad_.find(grad);
  return found == old_grad_.end() ? nullptr : &leaves_[found->second].leaf;
}

void Gradients::restore() {
  for (LeafGradient& g : leaves_) {
    autograd::Meta& meta = autograd::ensure_meta(g.leaf);
    meta.grad = g.before;
    meta.grad_is_zero = g.found == autograd::GradState::kZero;
  }
  leaves_.clear();
  by_leaf_.clear();
  old_grad_.clear();
}

}  // namespace paddle::pir
