// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "inference/engine/model_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "paddle_core/base/error.h"
#include "paddle_core/profile/trace.h"

namespace paddle::engine {

namespace {

Tensor ints(const std::vector<int32_t>& values) {
  Tensor t = Tensor::empty({Dim(std::ssize(values))}, DType::kInt32);
  std::copy(values.begin(), values.end(), t.data<int32_t>());
  return t;
}

}  // namespace

ModelRunner::ModelRunner(std::shared_ptr<pir::Executable> program,
                         std::shared_ptr<pir::Executable> adapted, TensorList cache)
    : program_(std::move(program)), adapted_(std::move(adapted)), cache_(std::move(cache)) {
  PADDLE_CHECK_VALUE(!cache_.empty(), "Engine: the cache has no tensors.");
  for (const Tensor& t : cache_) {
    PADDLE_CHECK_VALUE(t.ndim() >= 2 && t.is_contiguous() && t.place().is_host() &&
                           t.size(0) == cache_.front().size(0),
                       "Engine: a tensor of the cache has shape ", t.shape(),
                       "; all must be contiguous, on the host, with the same number of blocks.");
  }
}

Tensor ModelRunner::run(const Batch& batch) const {
  const auto n = std::ssize(batch.ids);
  Tensor tokens = Tensor::empty({Dim(batch.has_adapters ? 4 : 3), Dim(n)}, DType::kInt32);
  int32_t* row = tokens.data<int32_t>();
  for (const auto* part : {&batch.ids, &batch.positions, &batch.slots}) {
    row = std::copy(part->begin(), part->end(), row);
  }
  if (batch.has_adapters) std::ranges::copy(batch.adapters, row);
  // A step that only computes prompts asks for one row that nobody reads.
  const Tensor rows = batch.row_tokens.empty() ? ints({0}) : ints(batch.row_tokens);
  size_t most = 1;
  for (const auto* table : batch.tables) most = std::max(most, table->blocks.size());
  // Few widths, as what was resolved for some shapes serves again.
  const size_t width = std::bit_ceil(std::max<size_t>(most, 8));
  Tensor tables = Tensor::empty({Dim(std::ssize(batch.tables)), Dim(static_cast<int64_t>(width))},
                                DType::kInt32);
  int32_t* entry = tables.data<int32_t>();
  for (const auto* table : batch.tables) {
    std::fill(std::ranges::copy(table->blocks, entry).out, entry + width, 0);
    entry += width;
  }
  TensorList out = (batch.has_adapters ? adapted_ : program_)
                       ->run({tokens, tables, ints(batch.starts), ints(batch.lengths), rows});
  return out.front();
}

void ModelRunner::copy_block(int32_t from, int32_t to) const {
  for (const Tensor& t : cache_) {
    const size_t bytes = static_cast<size_t>(t.numel() / t.size(0)) * size_of(t.dtype());
    char* data = static_cast<char*>(t.raw_data());
    std::memcpy(data + static_cast<size_t>(to) * bytes, data + static_cast<size_t>(from) * bytes,
                bytes);
  }
}

}  // namespace paddle::engine
