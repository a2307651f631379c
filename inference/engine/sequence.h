// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One answer that is being made.
#pragma once

#include <unordered_map>
#include <vector>

#include "inference/engine/block_cache.h"
#include "inference/engine/text_stream.h"

namespace paddle::engine {

struct Sequence {
  Sequence(RequestPtr of, int32_t answer, const Vocabulary& vocabulary)
      : request(std::move(of)),
        index(answer),
        tokens(request->prompt),
        text(&vocabulary, &request->stop) {}

  RequestPtr request;
  int32_t index;
  std::vector<TokenId> tokens;  // of the prompt and of the answer
  int64_t num_constrained = 0;  // of the answer, that its constraint has seen
  std::vector<TokenId> drafts;  // guesses behind them, in the step that runs
  int64_t num_computed = 0;     // tokens whose keys and values are in the cache
  int64_t num_cached = 0;       // of the prompt, found there
  bool was_admitted = false;
  BlockCache::Table table;
  // In the cache of a draft model: the blocks, and the tokens that are computed there.
  BlockCache::Table draft_table;
  std::vector<TokenId> drafted;
  TextStream text;
  // How often a token is in the answer; those of the prompt alone have 0. Kept where there are
  // penalties.
  std::unordered_map<TokenId, int32_t> counts;

  int64_t num_prompt() const { return std::ssize(request->prompt); }
  int64_t num_answer() const { return std::ssize(tokens) - num_prompt(); }
  // Seed of its draws; a draw depends on it and on the position in the answer alone.
  int64_t seed() const { return request->sampling.seed + index; }
};

}  // namespace paddle::engine
