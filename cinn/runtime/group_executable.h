// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a group as what the interpreter of programs runs.
#pragma once

#include <memory>
#include <utility>

#include "cinn/runtime/group_state.h"
#include "paddle_core/profile/trace.h"

namespace paddle::cinn {

// Kernels that are ready, for one class of sizes. Where there is a trial, this is a turn in it.
class GroupExecutable final : public pir::RegionExecutable {
 public:
  GroupExecutable(GroupState& group, GroupState::Kernels kernels,
                  std::shared_ptr<Trial> trial = nullptr, size_t way = 0)
      : group_(group), kernels_(std::move(kernels)), trial_(std::move(trial)), way_(way) {}
  TensorList run(const TensorList& inputs) override {
    const bool watched = pir::GroupWatch::is_on();
    if (!watched && !trial_) return group_.run(kernels_, inputs);
    const int64_t begin = profile::now_ns();
    TensorList results = group_.run(kernels_, inputs);
    const int64_t took = profile::now_ns() - begin;
    if (watched) group_.note_time(took);
    const bool gave_up = results.empty() && group_.num_results() > 0;
    if (trial_ && !gave_up) trial_->add(way_, took);
    return results;
  }

 private:
  GroupState& group_;  // which owns this
  const GroupState::Kernels kernels_;
  const std::shared_ptr<Trial> trial_;
  const size_t way_;
};

}  // namespace paddle::cinn
