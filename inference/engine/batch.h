// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What runs in one step. A value: the scheduler makes it, the program reads it.
#pragma once

#include <vector>

#include "inference/engine/block_cache.h"
#include "inference/engine/request.h"

namespace paddle::engine {

struct Sequence;

struct Batch {
  // Of every token, the sequences one after the other.
  std::vector<int32_t> ids, positions, slots, adapters;
  bool has_adapters = false;
  // Of every sequence: its first token here (and the end of the last), its length with them.
  std::vector<int32_t> starts{0}, lengths;
  std::vector<Sequence*> sequences;
  std::vector<const BlockCache::Table*> tables;
  // Tokens whose logits are wanted, in order, and whose they are: consecutive ones of a sequence
  // are its last token and the drafts behind it.
  struct Row {
    size_t sequence;  // in `sequences`
    int32_t draft;    // so many drafts are in front of what is chosen here
  };
  std::vector<int32_t> row_tokens;
  std::vector<Row> rows;

  bool empty() const { return ids.empty(); }
};

// What was chosen for each row.
struct Chosen {
  std::vector<TokenId> tokens;  // -1: the logits are not numbers
  std::vector<float> log_probs;
  int32_t num_best = 0;
  std::vector<TokenId> best;  // rows of num_best
  std::vector<float> best_log_probs;
  std::vector<std::string>
      errors;  // of rows whose constraint cannot go on; empty where none has one
};

}  // namespace paddle::engine
