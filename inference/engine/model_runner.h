// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The captured program of a model, and the memory of its cache.
//
// The program takes int32 tensors and gives float logits [rows, vocabulary]:
//   tokens [3, n]: ids, positions and slots in the cache; tables [sequences, most blocks];
//   starts [sequences + 1]; lengths [sequences]; rows [rows]: tokens whose logits are wanted.
// A second program, of steps with adapters, has tokens [4, n]: behind them the adapter of each.
// What the cache is made of are tensors that the program captured and writes, blocks first.
#pragma once

#include <memory>

#include "inference/engine/batch.h"
#include "inference/engine/sequence.h"
#include "pir/interpreter/executable.h"

namespace paddle::engine {

class ModelRunner {
 public:
  ModelRunner(std::shared_ptr<pir::Executable> program, std::shared_ptr<pir::Executable> adapted,
              TensorList cache);
  bool knows_adapters() const { return adapted_ != nullptr; }
  Tensor run(const Batch& batch) const;
  void copy_block(int32_t from, int32_t to) const;
  int64_t num_blocks() const { return cache_.front().size(0); }

 private:
  std::shared_ptr<pir::Executable> program_, adapted_;
  TensorList cache_;
};

}  // namespace paddle::engine
