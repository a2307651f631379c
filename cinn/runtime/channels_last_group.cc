// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Groups whose operands a convolution left in memory with the channels last.
#include <algorithm>

#include "cinn/group/channels_last.h"
#include "cinn/runtime/group_state.h"
#include "cinn/runtime/interpreted_group.h"
#include "paddle_core/dispatch/execute/layout.h"

namespace paddle::cinn {
namespace {

// Tensors of shape [N, C, spatial...] as those of shape [N, spatial..., C].
TensorList turned_inputs(const TensorList& inputs, size_t activations) {
  TensorList moved = inputs;
  for (Tensor& t : moved) {
    if (!t.defined() || !has_moved_channels(t.shape().size(), activations)) continue;
    if (Tensor view = t.channels_last_view(); view.defined()) {
      t = std::move(view);
      continue;
    }
    Shape shape = t.shape();
    Strides strides = t.strides();
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
    t = Tensor::alias(t, shape, strides, 0);
  }
  return moved;
}

class ChannelsLastGroup final : public pir::RegionExecutable {
 public:
  ChannelsLastGroup(std::shared_ptr<pir::RegionExecutable> turned, size_t activations)
      : turned_(std::move(turned)), activations_(activations) {}
  TensorList run(const TensorList& inputs) override {
    TensorList results = turned_->run(turned_inputs(inputs, activations_));
    for (const Tensor& t : results) {
      if (t.defined() && has_moved_channels(t.shape().size(), activations_)) {
        become_channels_first(*t.impl());
      }
    }
    return results;
  }

 private:
  const std::shared_ptr<pir::RegionExecutable> turned_;
  const size_t activations_;
};

}  // namespace

std::shared_ptr<GroupState> GroupState::turned(const TensorList& inputs, size_t& activations) {
  for (const Tensor& t : inputs) {
    if (!t.defined()) continue;
    if (!t.has_storage()) return nullptr;
    if (!(t->shared_keys() & kModeLayout)) continue;
    if (activations != 0 && activations != t.shape().size()) return nullptr;
    activations = t.shape().size();
  }
  if (activations == 0 || interpretation_wanted() != Interpreted::kNo) return nullptr;
  // The random numbers of elements go by the order that their operators keep.
  if (draws_ > 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (turned_rank_ != 0) return turned_rank_ == activations ? turned_ : nullptr;
  turned_rank_ = activations;
  // What is overwritten has the order of its owner.
  for (const int i : overwritten_) {
    const Shape& shape = inputs_[static_cast<size_t>(i)].shape();
    if (has_moved_channels(shape.size(), activations)) return nullptr;
  }
  std::vector<GroupPart> parts;
  for (const Part& part : parts_) {
    auto made = with_channels_last(part.made, inputs_, results_, activations);
    if (!made) return nullptr;
    parts.push_back(std::move(*made));
  }
  const auto types = [&](const std::vector<pir::Type>& list) {
    std::vector<pir::Type> moved;
    for (const pir::Type& type : list) moved.push_back(with_channels_last(type, activations));
    return moved;
  };
  turned_ = std::make_shared<GroupState>(*this, parts, types(inputs_), types(results_));
  return turned_;
}

std::shared_ptr<pir::RegionExecutable> GroupState::ask_turned(GroupState& turned,
                                                              const TensorList& inputs,
                                                              size_t activations) {
  auto executable = turned.ask(turned_inputs(inputs, activations));
  if (!executable) return nullptr;
  return std::make_shared<ChannelsLastGroup>(std::move(executable), activations);
}

}  // namespace paddle::cinn
