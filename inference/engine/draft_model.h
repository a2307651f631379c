// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A small model that guesses what a large one will choose (Leviathan et al. 2023; Chen et al.
// 2023). It guesses its likeliest tokens; which of them stay is decided by what the large model
// chooses in their places, so its answers are the same with any guesses.
#pragma once

#include <span>

#include "inference/engine/block_cache.h"
#include "inference/engine/model_runner.h"

namespace paddle::engine {

class DraftModel {
 public:
  // A program as the runner takes it, with a cache of its own.
  DraftModel(std::shared_ptr<pir::Executable> program, TensorList cache, int64_t block_size,
             int64_t max_step_tokens);

  struct Wish {
    Sequence* sequence;
    int64_t count;  // guesses
  };
  // Fills `drafts` of the sequences; they stay empty where the cache is full.
  void guess(std::span<const Wish> wishes);
  // Gives back what a sequence has here.
  void leave(Sequence& s);

 private:
  void read(Sequence& s, int64_t end);
  Tensor run(std::span<Sequence* const> sequences);

  ModelRunner runner_;
  BlockCache cache_;
  int64_t max_step_tokens_;
};

}  // namespace paddle::engine
